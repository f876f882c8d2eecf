"""What all contenders share: one of K by evidence, *new* where the evidence of that is large.

A contender writes `_search` (settings, from labeled rows) and `_fit_model` (a model with its own
threshold). The threshold may instead be chosen by the label-free risk, for any of them.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypedDict

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.inherited_parameters import InheritsParameters
from eulac.classifier.input_rows import fit_scaler, open_sample, scaled_rows
from eulac.classifier.known_proportion import estimate_proportion
from eulac.classifier.open_set import LabelsMixin, open_rows
from eulac.classifier.options import SCALERS
from eulac.data import requirements
from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.data.validation import rows_by_name
from eulac.maths.free_memory import require_free
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.threshold import best_threshold
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk

__all__ = [
    "OpenSetClassifier",
    "OpenSetEvidence",
    "OpenSetModel",
    "OpenSetParameters",
    "cross_fitted_evidence",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

THRESHOLDS = ("paper", "label_free")
N_FOLDS = 5
ROWS_AT_ONCE = 4096
TINY = 1e-200
"""Smaller than any difference between rows that means something."""


class OpenSetEvidence(NamedTuple):
    """What a model says of rows.

    `known` has a column per known class, the largest being the answer of a row that is not new;
    `augmented` is bigger for rows that look newer.
    """

    known: Array
    augmented: Array


class OpenSetModel(Protocol):
    """A fitted contender without labels and scaling."""

    @property
    def threshold(self) -> float:
        """A row is new where its augmented evidence is larger: the method's own rule."""

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return the evidence of scaled rows."""


class OpenSetParameters(TypedDict, total=False):
    """Parameters of `OpenSetClassifier` that its subclasses pass on."""

    scale: str | None
    threshold: str
    unlabeled_label: Any
    augmented_label: Any
    random_state: Any


class OpenSetClassifier(LabelsMixin, InheritsParameters, ClassifierMixin, BaseEstimator):
    """Base of the contenders: input checks, scaling, threshold, answers and label-free score.

    Subclasses write `_fit_model`, and `_search` where there is something to search. There is no
    `fit_predict`, and no held-out answers are kept: methods that learn from labeled rows alone have
    not seen the pool, so that `predict` answers it as any other rows; those that learn from the
    pool fit one model to all of it, as their papers say.

    Parameters
    ----------
    known_proportion : see `KernelEulacClassifier`
        Used by methods that learn from unlabeled rows, by ``threshold="label_free"``, and by
        `score` on unlabeled rows; estimated only where it is needed.
    scale : {"minmax", "standard"} or None, default="minmax"
        Scaling of the features, learned on the labeled rows.
    threshold : {"paper", "label_free"}, default="paper"
        Where to call a row new: where the method's own rule does, or where cross-validated
        label-free risk is smallest. The latter needs unlabeled rows.
    unlabeled_label, augmented_label : see `KernelEulacClassifier`
    random_state : int, RandomState instance or None

    Attributes
    ----------
    classes_ : array of shape (n_known_classes + 1,)
        Known labels in sorted order, then the augmented label.
    known_classes_ : array of shape (n_known_classes,)
    threshold_ : float
        A row is new where its augmented evidence is larger.
    proportion_ : ProportionEstimate or None
        None where nothing needs it.
    risk_ : RiskEstimate or None
        Label-free estimate of the test error, from the held-out rows that the threshold was
        chosen on, so a little too small; None for the method's own threshold.
    model_ : OpenSetModel
    """

    needs_unlabeled: ClassVar[bool] = False
    """Whether the method learns from unlabeled rows."""

    fewest_known_classes: ClassVar[int] = 2

    labeled_matrices: ClassVar[int] = 0
    """Square matrices over the labeled rows that a fit holds at its peak."""

    pooled_matrices: ClassVar[int] = 0
    """The same over labeled and unlabeled rows together."""

    prior_shift: ClassVar[str | bool] = "auto"
    """Whether priors of the known classes may have moved: `shift` of the proportion estimate."""

    columns_by_name: ClassVar[bool] = True
    """Whether columns of a frame are sorted by name: not where a part of the user gets them."""

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        scale: str | None = "minmax",
        threshold: str = "paper",
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.known_proportion = known_proportion
        self.scale = scale
        self.threshold = threshold
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.random_state = random_state

    def _search(self, sample: LacSample, seed: int) -> Any:
        """Return settings found on the labeled rows of a sample."""
        return None

    def _fit_model(self, sample: LacSample, settings: Any, seed: int) -> OpenSetModel:
        """Return the model of a scaled sample."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None) -> Self:
        """Learn from labeled rows; from unlabeled ones where the method or its threshold does.

        Parameters
        ----------
        X, y, X_unlabeled : see `KernelEulacClassifier.fit`

        Returns
        -------
        self
        """
        requirements.require_choice("scale", self.scale, (*SCALERS, None))
        requirements.require_choice("threshold", self.threshold, THRESHOLDS)
        if self._uses_unlabeled():
            # Classes of any size can be learned from: there is nothing to warn of.
            options: dict[str, Any] = {"n_folds": 1, "by_name": self.columns_by_name}
            sample, seed, _ = open_sample(self, X, y, X_unlabeled, **options)
        else:
            options = {"uses_unlabeled": False, "by_name": self.columns_by_name}
            sample, seed = open_rows(self, X, y, X_unlabeled, **options)
        self._require_enough(sample)
        self._require_memory(sample)
        sample = self._with_scaled_rows(sample)
        with fit_tasks(self):
            self.proportion_ = self._estimate_proportion(sample, seed)
            settings = self._search(sample, seed)
            self.model_ = self._fit_model(sample, settings, seed)
            self.threshold_, self.risk_ = self._choose_threshold(sample, settings, seed)
        return self

    def _require_enough(self, sample: LacSample) -> None:
        if sample.n_known_classes < self.fewest_known_classes:
            raise ValueError(
                f"{type(self).__name__} needs labeled rows of {self.fewest_known_classes} or more "
                f"known classes, to set them against each other; got {sample.n_known_classes} "
                "class. Use KernelEulacClassifier, or NoveltyClassifier with a detector."
            )
        if sample.n_labeled == 1:
            raise ValueError("at least two labeled rows are needed; got 1. Label more.")

    def _require_memory(self, sample: LacSample) -> None:
        n_rows = sample.n_labeled + sample.n_unlabeled
        squares = self.labeled_matrices * sample.n_labeled**2 + self.pooled_matrices * n_rows**2
        require_free(
            8 * squares,
            f"a {type(self).__name__} of {sample.n_labeled:,} labeled and {sample.n_unlabeled:,} "
            "unlabeled rows",
            "Pass fewer rows, or use LandmarkEulacClassifier (`--method landmark`), whose memory "
            "does not grow with their number.",
        )

    def _uses_unlabeled(self) -> bool:
        return self.needs_unlabeled or self.threshold == "label_free"

    def _with_scaled_rows(self, sample: LacSample) -> LacSample:
        """Learn the scale, on labeled rows alone; return the sample on it."""
        # Unlabeled rows must change nothing for methods that do not see them.
        self.scaler_ = fit_scaler(self.scale, sample.X_labeled)
        labeled = scaled_rows(self.scaler_, sample.X_labeled)
        requirements.require_spread(labeled)
        unlabeled = scaled_rows(self.scaler_, sample.X_unlabeled)
        return replace(sample, X_labeled=labeled, X_unlabeled=unlabeled)

    def _estimate_proportion(self, sample: LacSample, seed: int) -> ProportionEstimate | None:
        """Return the estimate if it is needed, or costs nothing because it was given."""
        is_given = not isinstance(self.known_proportion, str) or self.known_proportion != "auto"
        if not is_given and not self._needs_proportion():
            return None
        return estimate_proportion(self, sample, seed, shift=self.prior_shift)

    def _needs_proportion(self) -> bool:
        """Whether the fit goes by the known proportion."""
        return self._uses_unlabeled()

    def _choose_threshold(
        self, sample: LacSample, settings: Any, seed: int
    ) -> tuple[float, RiskEstimate | None]:
        """Return where to cut, and the label-free risk of that where it was chosen by it."""
        if self.closed_set_:
            return np.inf, None
        if self.threshold == "paper" or self.proportion_ is None:
            return self.model_.threshold, None
        held_out = cross_fitted_evidence(self, sample, settings, seed)
        threshold = held_out.best_threshold(self.proportion_)
        return threshold, held_out.risk(threshold, self.proportion_)

    def _evidence(self, X: Any) -> OpenSetEvidence:
        check_is_fitted(self)
        X = scaled_rows(self.scaler_, rows_by_name(self, X))
        # In pieces: most models compare each row with each they learned from.
        pieces = [X[i : i + ROWS_AT_ONCE] for i in range(0, max(len(X), 1), ROWS_AT_ONCE)]
        known, augmented = zip(*(self.model_.evidence(piece) for piece in pieces), strict=True)
        return OpenSetEvidence(np.concatenate(known), np.concatenate(augmented))

    def _decision(self, X: Any) -> Array:
        """Return a column per entry of `classes_`, that of the augmented class by the threshold."""
        known, augmented = self._evidence(X)
        if self.closed_set_:
            return known
        # The best known class has zero, so that the sign of the score decides, to the last bit.
        known = known - known.max(axis=1, keepdims=True)
        return np.column_stack([known, _beyond(augmented, self.threshold_)])


def _beyond(evidence: Array, threshold: float) -> Array:
    """Return evidence minus threshold; of an infinite one, numbers of its sign in the same order.

    Examples
    --------
    >>> _beyond(np.array([-3.0, 0.0, 3.0]), np.inf)
    array([-3.0e+000, -1.0e-200, -2.5e-201])
    """
    if np.isfinite(threshold):
        return evidence - threshold
    sign = np.sign(threshold)
    score = sign * evidence
    return -sign * np.where(score > 0.0, TINY / (1.0 + np.abs(score)), TINY - score)


@dataclass(frozen=True, eq=False)
class HeldOutEvidence:
    """Evidence of rows by models that did not see them.

    Attributes
    ----------
    sample : LacSample
    known_answer : int array of shape (n_labeled,)
        Likeliest known class of each labeled row.
    labeled, unlabeled : arrays
        Augmented evidence; the last few unlabeled rows are in no fold and not among these.
    """

    sample: LacSample
    known_answer: Codes
    labeled: Array
    unlabeled: Array

    def best_threshold(self, estimate: ProportionEstimate) -> float:
        """Return the threshold with the smallest label-free test error."""
        y = self.sample.y_labeled
        weights = labeled_weights(y, estimate.per_class)
        is_right = self.known_answer == y
        return best_threshold(self.labeled, is_right, weights, self.unlabeled).threshold

    def risk(self, threshold: float, estimate: ProportionEstimate) -> RiskEstimate:
        """Return the label-free test error of a threshold."""
        augmented, y = self.sample.n_known_classes, self.sample.y_labeled
        return zero_one_risk(
            np.where(self.labeled > threshold, augmented, self.known_answer),
            y,
            labeled_weights(y, estimate.per_class),
            np.where(self.unlabeled > threshold, augmented, 0),
            augmented=augmented,
            proportion_error=estimate.standard_error,
        )


def cross_fitted_evidence(
    classifier: OpenSetClassifier, sample: LacSample, settings: Any, seed: int
) -> HeldOutEvidence:
    """Return what models fitted on all but one fold say of that fold, with given settings."""
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, N_FOLDS, seed)
    answers = np.empty(sample.n_labeled, dtype=np.intp)
    labeled = np.empty(sample.n_labeled)
    unlabeled = []
    for held_out, piece in folds:
        kept = np.setdiff1d(np.arange(sample.n_labeled), held_out)
        part, present = _only_present(sample, kept, piece)
        classifier._require_enough(part)
        model = classifier._fit_model(part, settings, seed)
        seen = model.evidence(sample.X_labeled[held_out])
        answers[held_out] = present[seen.known.argmax(axis=1)]
        labeled[held_out] = seen.augmented
        unlabeled.append(model.evidence(sample.X_unlabeled[piece]).augmented)
    return HeldOutEvidence(sample, answers, labeled, np.concatenate(unlabeled))


def _only_present(sample: LacSample, kept: Codes, held_out: slice) -> tuple[LacSample, Codes]:
    """Return the sample without a fold, and the codes of the classes that are left in it."""
    present, codes = np.unique(sample.y_labeled[kept], return_inverse=True)
    codec = replace(sample.codec, known=sample.codec.known[present])
    rest = np.delete(sample.X_unlabeled, held_out, axis=0)
    return LacSample(sample.X_labeled[kept], codes, rest, codec), present
