"""What all proportion estimators share: one method to write, one result."""

from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from eulac.data import requirements
from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_rows
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["ProportionEstimator"]


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
        sample = LacSample.from_masked(X, y, X_unlabeled=X_unlabeled)
        if not sample.n_unlabeled:
            raise ValueError(
                "`y` has no unlabeled rows, so there is nothing to estimate a proportion of. "
                "Mark them with -1, or pass `X_unlabeled`."
            )
        seed = getattr(self, "random_state", None)
        self.estimate_ = self.estimate(in_canonical_order(sample, seed))
        return self
