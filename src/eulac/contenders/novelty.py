"""Any novelty detector of scikit-learn in front of any of its classifiers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.svm import OneClassSVM

from eulac.contenders.open_set_classifier import N_FOLDS, Array, Evidence, OpenSetClassifier
from eulac.contenders.rbf_svm import fit_ovr_machines, search_ovr_svm
from eulac.data import requirements
from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample

__all__ = ["NoveltyClassifier"]

LIMITS_OF_NU = (0.001, 0.999)
FARTHEST = 1e30
"""Trees see 32 bits; in units of the labeled range nothing needs to be farther out."""


class NoveltyClassifier(OpenSetClassifier):
    """A detector says whether a row is new, a classifier which known class it is otherwise.

    The plain way to deal with new classes, and what the paper's introduction argues against: the
    detector learns where labeled rows are, not where new ones are. Both learn from labeled rows
    only, the detector without their labels, and any number of known classes will do, even one.

    Parameters
    ----------
    detector : scikit-learn estimator, optional
        With `decision_function`, negative for outliers, as `OneClassSVM`, `IsolationForest`,
        `EllipticEnvelope` and ``LocalOutlierFactor(novelty=True)`` have it; or with
        `score_samples` alone, as `KernelDensity` and `GaussianMixture`. By default a `OneClassSVM`
        with ``nu=rejected_share``.
    classifier : scikit-learn classifier, optional
        By default the machines of `OvrSvmClassifier`, none of them rejecting.
    rejected_share : float, default=0.05
        Where a detector has `score_samples` alone, the share of labeled rows that may be called
        new: the cut is a quantile of scores by detectors that did not see the row.
    scale, known_proportion, random_state : see `OvrSvmClassifier`
        Detectors and classifiers without a seed of their own get one from `random_state`.
    threshold : {"paper", "label_free"}, default="paper"
        Where to call a row new: where the detector does, or where cross-validated label-free risk
        is smallest. The latter needs unlabeled rows.

    Attributes
    ----------
    classes_ : array of shape (n_known_classes + 1,)
        Known labels in sorted order, then the augmented label.
    threshold_ : float
        A row is new where minus the detector's score is larger.
    model_ : NoveltyModel
        With the fitted `detector` and `classifier`.

    Examples
    --------
    The baselines of the paper's introduction: a one-class support vector machine, a kernel density
    and an isolation forest.

    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from sklearn.neighbors import KernelDensity
    >>> rng = np.random.default_rng(0)
    >>> y, rows = np.repeat([0, 1], 50), [[0, 0], [3, 3], [9, -9]]
    >>> X = rng.normal(3.0 * y[:, None], 0.5, (100, 2))
    >>> NoveltyClassifier().fit(X, y).predict(rows)
    array([ 0,  1, -2])
    >>> NoveltyClassifier(KernelDensity(bandwidth=0.1)).fit(X, y).predict(rows)
    array([ 0,  1, -2])
    >>> forest = IsolationForest(contamination=0.05)
    >>> NoveltyClassifier(forest, random_state=0).fit(X, y).predict(rows)
    array([ 0,  1, -2])
    """

    def __init__(
        self,
        detector=None,
        classifier=None,
        *,
        rejected_share=0.05,
        scale="minmax",
        threshold="paper",
        known_proportion="auto",
        random_state=None,
    ):
        self.detector = detector
        self.classifier = classifier
        self.rejected_share = rejected_share
        self.scale = scale
        self.threshold = threshold
        self.known_proportion = known_proportion
        self.random_state = random_state

    def _search(self, sample, seed):
        """Return settings of the default classifier; None where another one is given."""
        requirements.require_range("rejected_share", self.rejected_share, 0, 1)
        if self.classifier is not None or sample.n_known_classes == 1:
            return None
        return search_ovr_svm(sample.X_labeled, sample.y_labeled, random_state=seed)

    def _fit_model(self, sample, settings, seed):
        detector = self._fit_detector(sample.X_labeled, seed)
        return NoveltyModel(
            detector,
            self._fit_classifier(sample, settings, seed),
            sample.n_known_classes,
            self._cut(sample, detector, seed),
        )

    def _fit_detector(self, X: Array, seed: int) -> BaseEstimator:
        default = OneClassSVM(nu=np.clip(self.rejected_share, *LIMITS_OF_NU))
        detector = seeded(default if self.detector is None else self.detector, seed).fit(X)
        if not (hasattr(detector, "decision_function") or hasattr(detector, "score_samples")):
            raise ValueError(
                "`detector` must have `decision_function` or `score_samples` for rows it has not "
                f"seen; got {self.detector!r}. LocalOutlierFactor has it with novelty=True."
            )
        return detector

    def _fit_classifier(self, sample: LacSample, settings: Any, seed: int) -> Any:
        if sample.n_known_classes == 1:
            return None
        if self.classifier is None:
            return fit_ovr_machines(sample.X_labeled, sample.y_labeled, settings)
        return seeded(self.classifier, seed).fit(sample.X_labeled, sample.y_labeled)

    def _cut(self, sample: LacSample, detector: BaseEstimator, seed: int) -> float:
        if hasattr(detector, "decision_function"):
            return 0.0
        novelty = np.empty(sample.n_labeled)
        folds = draw_folds(sample.y_labeled, sample.n_labeled, N_FOLDS, seed)
        for held_out, _ in folds:
            kept = np.delete(sample.X_labeled, held_out, axis=0)
            fitted = self._fit_detector(kept, seed)
            novelty[held_out] = novelty_of(fitted, sample.X_labeled[held_out])
        return float(np.quantile(novelty, 1.0 - self.rejected_share, method="higher"))


def seeded(estimator: BaseEstimator, seed: int) -> BaseEstimator:
    """Return an unfitted copy; where it or a part has no seed, it gets this one.

    Examples
    --------
    >>> from sklearn.ensemble import IsolationForest
    >>> seeded(IsolationForest(), 7).random_state
    7
    """
    copy = clone(estimator)
    for part in (copy, *copy.get_params().values()):
        # Not by `set_params`: OneClassSVM has the attribute, but no parameter of that name.
        if isinstance(part, BaseEstimator) and getattr(part, "random_state", seed) is None:
            part.random_state = seed
    return copy


def novelty_of(detector: Any, X: Array) -> Array:
    """Return minus the detector's score, within limits even where a density is zero."""
    score = getattr(detector, "decision_function", None) or detector.score_samples
    # scikit-learn's detectors refuse to score no rows at all.
    novelty = -np.ravel(score(X)) if len(X) else np.empty(0)
    return requirements.moderate(novelty)


@dataclass(frozen=True, eq=False)
class NoveltyModel:
    """A fitted detector and a fitted classifier; no classifier where one class is known."""

    detector: Any
    classifier: Any
    n_classes: int
    threshold: float

    def evidence(self, X: Array) -> Evidence:
        """Return the answer of the classifier as an indicator, and minus the detector's score."""
        X = np.clip(X, -FARTHEST, FARTHEST)
        novelty = novelty_of(self.detector, X)
        if self.classifier is None or not len(X):
            return Evidence(np.ones((len(X), self.n_classes)), novelty)
        return Evidence(np.eye(self.n_classes)[self.classifier.predict(X)], novelty)
