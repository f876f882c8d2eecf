"""Any novelty detector of scikit-learn in front of any of its classifiers."""

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.svm import OneClassSVM

from eulac.contenders.open_set_classifier import (
    N_FOLDS,
    Array,
    OpenSetClassifier,
    OpenSetEvidence,
    OpenSetModel,
    OpenSetParameters,
)
from eulac.contenders.rbf_svm import SvmSettings, fit_ovr_machines, search_ovr_svm
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
    estimator : scikit-learn classifier, optional
        By default the machines of `OvrSvmClassifier`, none of them rejecting.
    rejected_share : float, default=0.05
        Where a detector has `score_samples` alone, the share of labeled rows that may be called
        new: the cut is a quantile of scores by detectors that did not see the row.
    known_proportion, scale, threshold, ... : see `OpenSetClassifier`
        Detectors and classifiers without a seed of their own get one from `random_state`.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `OpenSetClassifier`
    threshold_ : float
        A row is new where minus the detector's score is larger.
    model_ : NoveltyModel
        With the fitted `detector` and `estimator`.

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

    fewest_known_classes = 1
    columns_by_name = False  # detector and estimator are the user's

    def __init__(
        self,
        detector: Any = None,
        estimator: Any = None,
        *,
        rejected_share: float = 0.05,
        known_proportion: Any = "auto",
        **shared: Unpack[OpenSetParameters],
    ) -> None:
        super().__init__(known_proportion, **shared)
        self.detector = detector
        self.estimator = estimator
        self.rejected_share = rejected_share

    def _search(self, sample: LacSample, seed: int) -> SvmSettings | None:
        """Return settings of the default classifier; None where another one is given."""
        requirements.require_range("rejected_share", self.rejected_share, 0, 1)
        if self.estimator is not None or sample.n_known_classes == 1:
            return None
        return search_ovr_svm(sample.X_labeled, sample.y_labeled, random_state=seed)

    def _fit_model(
        self, sample: LacSample, settings: SvmSettings | None, seed: int
    ) -> OpenSetModel:
        detector = self._fit_detector(sample.X_labeled, seed)
        return NoveltyModel(
            detector,
            self._fit_estimator(sample, settings, seed),
            sample.n_known_classes,
            self._cut(sample, detector, seed),
        )

    def _fit_detector(self, X: Array, seed: int) -> Any:
        default = OneClassSVM(nu=np.clip(self.rejected_share, *LIMITS_OF_NU))
        detector = with_seed(default if self.detector is None else self.detector, seed).fit(X)
        if not (hasattr(detector, "decision_function") or hasattr(detector, "score_samples")):
            raise ValueError(
                "`detector` must have `decision_function` or `score_samples` for rows it has not "
                f"seen; got {self.detector!r}. LocalOutlierFactor has it with novelty=True."
            )
        return detector

    def _fit_estimator(self, sample: LacSample, settings: Any, seed: int) -> Any:
        if sample.n_known_classes == 1:
            return None
        if self.estimator is None:
            return fit_ovr_machines(sample.X_labeled, sample.y_labeled, settings)
        return with_seed(self.estimator, seed).fit(sample.X_labeled, sample.y_labeled)

    def _cut(self, sample: LacSample, detector: Any, seed: int) -> float:
        if hasattr(detector, "decision_function"):
            return 0.0
        evidence = np.empty(sample.n_labeled)
        folds = draw_folds(sample.y_labeled, sample.n_labeled, N_FOLDS, seed)
        for held_out, _ in folds:
            kept = np.delete(sample.X_labeled, held_out, axis=0)
            fitted = self._fit_detector(kept, seed)
            evidence[held_out] = augmented_evidence(fitted, sample.X_labeled[held_out])
        return float(np.quantile(evidence, 1.0 - self.rejected_share, method="higher"))


def with_seed(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy; where it or a part has no seed, it gets this one.

    Examples
    --------
    >>> from sklearn.ensemble import IsolationForest
    >>> with_seed(IsolationForest(), 7).random_state
    7
    """
    copy = clone(estimator)
    for part in (copy, *copy.get_params().values()):
        # Not by `set_params`: OneClassSVM has the attribute, but no parameter of that name.
        if isinstance(part, BaseEstimator) and getattr(part, "random_state", seed) is None:
            part.random_state = seed
    return copy


def augmented_evidence(detector: Any, X: Array) -> Array:
    """Return minus the detector's score, within limits even where a density is zero."""
    score = getattr(detector, "decision_function", None) or detector.score_samples
    # scikit-learn's detectors refuse to score no rows at all.
    evidence = -np.ravel(score(X)) if len(X) else np.empty(0)
    return requirements.moderate(evidence)


@dataclass(frozen=True, eq=False)
class NoveltyModel:
    """A fitted detector and a fitted classifier; no classifier where one class is known."""

    detector: Any
    estimator: Any
    n_classes: int
    threshold: float

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return the detector's score for the class the classifier answers, and minus it."""
        X = np.clip(X, -FARTHEST, FARTHEST)
        augmented = augmented_evidence(self.detector, X)
        answers = np.zeros(len(X), dtype=np.intp)
        if self.estimator is not None and len(X):
            answers = self.estimator.predict(X)
        is_answer = answers[:, None] == np.arange(self.n_classes)
        return OpenSetEvidence(np.where(is_answer, -augmented[:, None], -np.inf), augmented)
