"""From what a user may pass as `known_proportion` and `shift` to an estimator object."""

from numbers import Real
from typing import Any

from eulac.proportion.consensus import ConsensusProportion
from eulac.proportion.given import GivenProportion
from eulac.proportion.proportion_estimator import ProportionEstimator
from eulac.proportion.shifted import ShiftedProportion

__all__ = ["choose_proportion"]


def choose_proportion(
    known_proportion: Any,
    shift: Any = "auto",
    *,
    random_state: int | None = None,
    n_jobs: int | None = None,
) -> ProportionEstimator:
    """Return the estimator for "auto", a number, numbers per class, or an estimator itself.

    With ``shift=True`` one number, or an estimator's total, is divided among the known classes by
    estimated priors; with "auto" only the default estimator asks whether priors moved.

    Examples
    --------
    >>> choose_proportion(0.7)
    GivenProportion(known_proportion=0.7)
    """
    options: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    if isinstance(known_proportion, str) and known_proportion == "auto":
        return ConsensusProportion(shift=shift, **options)
    if hasattr(known_proportion, "estimate") and not isinstance(known_proportion, type):
        chosen = known_proportion
    elif isinstance(known_proportion, Real) or hasattr(known_proportion, "__len__"):
        chosen = GivenProportion(known_proportion)
    else:
        raise TypeError(_wanted(known_proportion))
    if isinstance(known_proportion, str):
        raise ValueError(_wanted(known_proportion))
    one_total = not hasattr(known_proportion, "__len__")
    return (
        ShiftedProportion(chosen, shift=True, **options) if shift is True and one_total else chosen
    )


def _wanted(known_proportion: Any) -> str:
    return (
        "`known_proportion` must be 'auto', a number in [0, 1], one number per known class, or a "
        f"proportion estimator; got {known_proportion!r}."
    )
