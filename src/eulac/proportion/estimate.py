"""What every proportion estimator is, and returns: the known share of the unlabeled rows."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from eulac.data import requirements
from eulac.data.any_rows import in_name_order, take_column_order
from eulac.data.folds import in_canonical_order, seed_of
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_rows

__all__ = [
    "IDENTIFIABILITY",
    "ENDS_AT",
    "ProportionEstimate",
    "ProportionEstimator",
    "error_reaching",
    "estimate_with_error",
    "interval_around",
    "sorted_names",
    "surer",
    "with_column_names",
    "with_one_seed",
]

IDENTIFIABILITY = (
    "The known proportion is identifiable only if no part of the augmented classes looks like a "
    "mixture of known ones; otherwise this is an upper bound."
)

ENDS_AT = 1.96
"""Standard errors from the middle of an interval of 95 % to its ends."""

CLEAR_REACH = 0.1
"""So much more may be known if known classes have moved: from here on it is told."""


@dataclass(frozen=True, eq=False, repr=False)
class ProportionEstimate:
    """How much of the unlabeled sample belongs to known classes.

    Attributes
    ----------
    per_class : array of shape (n_known_classes,)
        Share of each known class among the unlabeled rows.
    interval : (float, float)
        For `total`, at `confidence`.
    method : str
    n_labeled, n_unlabeled : int
        Sizes of the samples it was estimated from.
    confidence : float
    standard_error : float
        Of `total`.
    diagnostics : dict
        What the method wants to say about itself.
    remark : str
        When the number is what it claims to be.

    Examples
    --------
    >>> import numpy as np
    >>> estimate = ProportionEstimate(np.array([0.2, 0.3]), (0.45, 0.56), "given", 10, 20)
    >>> estimate
    ProportionEstimate(known 0.500 (0.450 to 0.560), augmented 0.500, method 'given')
    """

    per_class: NDArray[np.float64]
    interval: tuple[float, float]
    method: str
    n_labeled: int
    n_unlabeled: int
    confidence: float = 0.95
    standard_error: float = 0.0
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    remark: str = IDENTIFIABILITY

    def __post_init__(self) -> None:
        total = float(np.sum(self.per_class))
        if not -1e-9 <= total <= 1 + 1e-9:
            raise ValueError(
                f"per-class proportions must sum to at most 1; got {total:.3g}. "
                "Lower them, or pass the total alone."
            )

    @property
    def total(self) -> float:
        """Known proportion: the sum of `per_class`."""
        return min(max(float(np.sum(self.per_class)), 0.0), 1.0)

    @property
    def augmented_proportion(self) -> float:
        """Share of the unlabeled rows that is of classes never labeled."""
        return 1.0 - self.total

    @property
    def augmented_interval(self) -> tuple[float, float]:
        """Interval of `augmented_proportion`."""
        return 1.0 - self.interval[1], 1.0 - self.interval[0]

    @property
    def assumes_drift(self) -> bool:
        """Whether known classes are taken to look other than in the labels."""
        return bool(self.diagnostics.get("drift", {}).get("used", False))

    @property
    def doubts_condition(self) -> bool:
        """Whether known classes may look other than in the labels, so that more may be known."""
        suspected = self.diagnostics.get("drift", {}).get("suspected", False)
        return bool(suspected or self.diagnostics.get("reach", 0.0) >= CLEAR_REACH)

    def __float__(self) -> float:
        return self.total

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"ProportionEstimate(known {self.total:.3f} ({low:.3f} to {high:.3f}), "
            f"augmented {self.augmented_proportion:.3f}, method {self.method!r})"
        )


def interval_around(value: float, error: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the normal interval of a proportion, within [0, 1].

    The quantile is rounded to two decimals, as tables print it: 1.96 for 95 %.

    Examples
    --------
    >>> interval_around(0.5, 0.1)
    (0.304, 0.696)
    >>> interval_around(0.9, 0.1, confidence=0.9)
    (0.736, 1.0)
    """
    half = round(NormalDist().inv_cdf(0.5 + confidence / 2), 2) * error
    return max(value - half, 0.0), min(value + half, 1.0)


def estimate_with_error(
    total: float,
    priors: NDArray[np.float64],
    standard_error: float,
    *,
    confidence: float = 0.95,
    **fields: Any,
) -> ProportionEstimate:
    """Return the estimate of a total and its standard error, divided by priors that sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> estimate = estimate_with_error(
    ...     0.5, np.array([0.25, 0.75]), 0.05, method="best_bin", n_labeled=4, n_unlabeled=9
    ... )
    >>> estimate.per_class, estimate.interval
    (array([0.125, 0.375]), (0.402, 0.598))
    """
    return ProportionEstimate(
        per_class=total * priors,
        interval=interval_around(total, standard_error, confidence),
        confidence=confidence,
        standard_error=standard_error,
        **fields,
    )


class ProportionEstimator(BaseEstimator):
    """Base of the proportion estimators: subclasses write `estimate(sample)`.

    `reads_rows` says whether that needs the rows as finite numbers.
    """

    reads_rows: ClassVar[bool] = True

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate for a sample whose rows are in random order."""
        raise TypeError(f"{type(self).__name__} does not say how to estimate.")

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None) -> "ProportionEstimator":
        """Estimate from arrays: masked `y`, or further rows in `X_unlabeled`.

        The result is in `estimate_`.
        """
        requirements.require_seed(getattr(self, "random_state", None))
        requirements.require_finite_labels(y)
        if hasattr(self, "n_folds"):
            requirements.require_at_least("n_folds", self.n_folds, 2)
        X, X_unlabeled = validated_rows(self, X, y, X_unlabeled)
        take_column_order(self, by_name=_is_all_ours(self))
        X, X_unlabeled = in_name_order(self, X), in_name_order(self, X_unlabeled)
        sample = LacSample.from_masked(X, y, X_unlabeled=X_unlabeled)
        if not sample.n_unlabeled:
            raise ValueError(
                "`y` has no unlabeled rows, so there is nothing to estimate a proportion of. "
                "Mark them with -1, or pass `X_unlabeled`."
            )
        seeded = with_one_seed(self)
        seed = getattr(seeded, "random_state", None)
        estimate = seeded.estimate(in_canonical_order(sample, seed))
        self.estimate_ = with_column_names(estimate, sorted_names(self))
        return self


def with_one_seed(estimator: Any) -> Any:
    """Return the estimator; where its seed is no number, a copy with a number drawn from it.

    Parts of an estimate that draw folds must draw the same ones: None and generators draw others
    each time.

    Examples
    --------
    >>> from eulac.proportion.consensus import ConsensusProportion
    >>> with_one_seed(ConsensusProportion(random_state=7)).random_state
    7
    >>> with_one_seed(ConsensusProportion()).random_state is None
    False
    """
    seed = getattr(estimator, "random_state", 0)
    if isinstance(seed, int | np.integer):
        return estimator
    return copy(estimator).set_params(random_state=seed_of(seed))


def error_reaching(interval: tuple[float, float], share: float, least: float) -> float:
    """Return the standard error of a share whose interval reaches both ends, or a larger one.

    Examples
    --------
    >>> round(error_reaching((0.5, 0.9), 0.6, 0.1), 3), error_reaching((0.5, 0.7), 0.6, 0.2)
    (0.153, 0.2)
    """
    low, high = interval
    return max(least, (share - low) / ENDS_AT, (high - share) / ENDS_AT)


def surer(one: ProportionEstimate, other: ProportionEstimate | None) -> ProportionEstimate:
    """Return the estimate with the smaller standard error; the first of equals.

    Examples
    --------
    >>> import numpy as np
    >>> options = {"method": "made up", "n_labeled": 9, "n_unlabeled": 9}
    >>> errors = 0.2, 0.1
    >>> rough, fine = (estimate_with_error(0.5, np.ones(1), one, **options) for one in errors)
    >>> surer(rough, fine) is fine, surer(rough, None) is rough
    (True, True)
    """
    return one if other is None or one.standard_error <= other.standard_error else other


def with_column_names(estimate: ProportionEstimate, names: Sequence[Any]) -> ProportionEstimate:
    """Return the estimate with names of columns that moved in place of their places, if any."""
    drift = estimate.diagnostics.get("drift", {})
    moved, within = drift.get("moved", []), drift.get("moved_within", {})
    if not len(names) or not any(isinstance(one["column"], int) for one in moved):
        return estimate

    def name_of(column: Any) -> Any:
        return names[column] if isinstance(column, int) else column

    moved = [{**one, "column": name_of(one["column"])} for one in moved]
    within = {name_of(column): n_classes for column, n_classes in within.items()}
    named = {**drift, "moved": moved, "moved_within": within}
    return replace(estimate, diagnostics={**estimate.diagnostics, "drift": named})


def sorted_names(estimator: Any) -> list[str]:
    """Return names of columns in the order of a fit that sorted them by name; else none."""
    order = getattr(estimator, "column_order_", None)
    return [] if order is None else [str(name) for name in estimator.feature_names_in_[order]]


def _is_all_ours(estimator: Any) -> bool:
    """Whether no classifier of the user's is inside, who may mean columns by place."""
    inner = getattr(estimator, "estimator", None)
    ours = getattr(estimator, "classifier", None) is None
    return ours and (inner is None or _is_all_ours(inner))
