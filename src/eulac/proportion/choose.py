"""From what a user may pass as `known_proportion` to an estimator object."""

from numbers import Real
from typing import Any

from eulac.proportion.base import ProportionEstimator
from eulac.proportion.consensus import ConsensusProportion
from eulac.proportion.given import GivenProportion

__all__ = ["choose_proportion"]


def choose_proportion(
    known_proportion: Any, *, random_state: int | None = None, n_jobs: int | None = None
) -> ProportionEstimator:
    """Return the estimator for "auto", a number, numbers per class, or an estimator itself.

    Examples
    --------
    >>> choose_proportion(0.7)
    GivenProportion(known_proportion=0.7)
    """
    if hasattr(known_proportion, "estimate") and not isinstance(known_proportion, type):
        return known_proportion
    if isinstance(known_proportion, str):
        if known_proportion != "auto":
            raise ValueError(
                "`known_proportion` must be 'auto', a number in [0, 1], one number per known "
                f"class, or a proportion estimator; got {known_proportion!r}."
            )
        return ConsensusProportion(random_state=random_state, n_jobs=n_jobs)
    if isinstance(known_proportion, Real) or hasattr(known_proportion, "__len__"):
        return GivenProportion(known_proportion)
    raise TypeError(
        "`known_proportion` must be 'auto', a number in [0, 1], one number per known class, or a "
        f"proportion estimator; got {known_proportion!r}."
    )
