"""A proportion that is known: given by the user, or estimated before."""

from typing import Any, ClassVar

import numpy as np

from eulac.data.lac_sample import LacSample
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator

__all__ = ["GivenProportion", "ReadyProportion"]


class GivenProportion(ProportionEstimator):
    """Use a known proportion, or known shares of each class, as they are.

    Parameters
    ----------
    known_proportion : float or sequence of floats
        Share of known classes among the unlabeled rows, in [0, 1]; a sequence gives the share of
        each known class in sorted order and sums to at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> GivenProportion(0.6).fit(np.eye(4), [0, 1, -1, -1]).estimate_.per_class
    array([0.3, 0.3])
    """

    reads_rows: ClassVar[bool] = False

    def __init__(self, known_proportion: Any):
        self.known_proportion = known_proportion

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the given numbers as an estimate without uncertainty."""
        try:
            given = np.asarray(self.known_proportion, dtype=float)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        if given.ndim > 1 or not np.all((given >= 0) & (given <= 1)):
            raise ValueError(
                f"`known_proportion` must lie in [0, 1]; got {self.known_proportion!r}."
            )
        if given.ndim == 1 and len(given) != sample.n_known_classes:
            raise ValueError(
                f"`known_proportion` must be one number or one per known class "
                f"({sample.n_known_classes}); got {len(given)} numbers."
            )
        per_class = given if given.ndim == 1 else given * sample.labeled_frequency
        total = float(per_class.sum())
        return ProportionEstimate(
            per_class,
            (total, total),
            "given",
            sample.n_labeled,
            sample.n_unlabeled,
            remark="Given by the user.",
        )


class ReadyProportion(ProportionEstimator):
    """An estimate that is there already, in the place of an estimator.

    For several classifiers of the same rows, or of parts of them.

    Parameters
    ----------
    ready : ProportionEstimate

    Examples
    --------
    >>> import numpy as np
    >>> estimate = GivenProportion(0.6).fit(np.eye(4), [0, 1, -1, -1]).estimate_
    >>> ReadyProportion(estimate).fit(np.eye(4), [0, 1, -1, -1]).estimate_ is estimate
    True
    """

    reads_rows: ClassVar[bool] = False

    def __init__(self, ready: ProportionEstimate):
        self.ready = ready

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate, whatever part of the rows this is."""
        return self.ready
