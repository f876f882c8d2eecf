"""Proportion estimators by name, ready to run, and all of them on one sample.

Nothing but names is imported here: a method's module is loaded when the method is made, so that a
command may offer the names at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eulac.data.lac_sample import LacSample
    from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator

__all__ = ["PROPORTIONS", "QUICK_PROPORTIONS", "REMARKS", "compare_methods", "disagreeing"]

Seed = int | None
if TYPE_CHECKING:
    Maker = Callable[[Seed, int | None], ProportionEstimator]


def _made_by(home: str, **options: Any) -> Maker:
    """Return the maker of the class at home in ``module:Class`` of this room."""

    def make(seed: Seed, n_jobs: int | None) -> ProportionEstimator:
        module, _, name = home.partition(":")
        kind = getattr(import_module(f"eulac.proportion.{module}"), name)
        cores = {"n_jobs": n_jobs} if "n_jobs" in kind().get_params() else {}
        estimator: ProportionEstimator = kind(**options, **cores, random_state=seed)
        return estimator

    return make


def _pulse(seed: Seed, n_jobs: int | None) -> ProportionEstimator:
    from eulac.proportion.pulse import PulseProportion
    from eulac.proportion.reduction import extra_trees

    return PulseProportion(extra_trees(seed, n_jobs), random_state=seed)


PROPORTIONS: dict[str, Maker] = {
    "consensus": _made_by("consensus:ConsensusProportion"),
    "best_bin": _made_by("best_bin:BestBinProportion"),
    "dedpul": _made_by("dedpul:DedpulProportion"),
    "elkan_noto": _made_by("elkan_noto:ElkanNotoProportion"),
    "tice": _made_by("tice:TiceProportion"),
    "kernel_mean": _made_by("kernel_mean:KernelMeanProportion"),
    "kernel_mean_km1": _made_by("kernel_mean:KernelMeanProportion", rule="km1"),
    "kernel_mean_km2": _made_by("kernel_mean:KernelMeanProportion", rule="km2"),
    "kernel_mean_per_class": _made_by("kernel_mean:KernelMeanProportion", per_class=True),
    "pulse": _pulse,
}
"""Makers of an estimator from a seed and a number of cores, in the order they are shown."""

QUICK_PROPORTIONS = tuple(name for name in PROPORTIONS if name != "kernel_mean_per_class")
"""Seconds on a thousand rows; the other needs one hull per class and resample, a minute."""

REMARKS = {"elkan_noto": "leans high", "tice": "coarse"}
"""Methods whose difference from others says little."""


def compare_methods(
    sample: LacSample,
    names: Iterable[str] | None = None,
    *,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> dict[str, ProportionEstimate | str]:
    """Return what each named method says about one sample; a failure becomes its reason.

    Parameters
    ----------
    sample : LacSample
        Rows in any order; features scaled alike, as most methods measure distances.
    names : iterable of str, optional
        Keys of `PROPORTIONS`; by default `QUICK_PROPORTIONS`.
    random_state : int, optional
    n_jobs : int, optional

    Returns
    -------
    dict of ProportionEstimate or str
        In the order of `names`. Where a method failed, text saying why.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import LacSample
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([0.0, 6.0], [680, 120])[:, None], 1.0, (800, 2))
    >>> sample = LacSample.from_masked(X, np.repeat([0, -1], [400, 400]))
    >>> results = compare_methods(sample, ["best_bin", "dedpul"], random_state=0)
    >>> {name: round(float(estimate), 1) for name, estimate in results.items()}
    {'best_bin': 0.7, 'dedpul': 0.7}
    """
    from eulac.data.folds import in_canonical_order
    from eulac.maths.threads import blas_threads

    names = QUICK_PROPORTIONS if names is None else tuple(names)
    for name in names:
        _check_known(name)
    sample = in_canonical_order(sample, random_state)
    with blas_threads(1):
        return {name: _result(PROPORTIONS[name](random_state, n_jobs), sample) for name in names}


def disagreeing(
    estimates: Mapping[str, ProportionEstimate], reference: str, *, by: float = 0.1
) -> dict[str, float]:
    """Return the totals that differ from the reference's by more than `by`.

    Methods with a remark, and values at a bound, which are limits, say nothing about agreement.

    Examples
    --------
    >>> from eulac import ProportionEstimate
    >>> values = {"consensus": 0.6, "dedpul": 0.58, "kernel_mean": 0.75, "tice": 0.9}
    >>> estimates = {n: ProportionEstimate([v], (v, v), n, 9, 9) for n, v in values.items()}
    >>> disagreeing(estimates, "consensus")
    {'kernel_mean': 0.75}
    """
    value = estimates[reference].total
    return {
        name: estimate.total
        for name, estimate in estimates.items()
        if name not in REMARKS
        and not estimate.diagnostics.get("at_bound")
        and abs(estimate.total - value) > by
    }


def _result(estimator: ProportionEstimator, sample: LacSample) -> ProportionEstimate | str:
    try:
        return estimator.estimate(sample)
    except Exception as error:  # whatever it is: the other methods still have their say
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        return kind + (str(error) or "no reason given")


def _check_known(name: str) -> None:
    from eulac.data.table_formats import did_you_mean

    if name not in PROPORTIONS:
        meant = did_you_mean(name, PROPORTIONS)
        raise ValueError(f"unknown method {name!r}. Known: {', '.join(PROPORTIONS)}.{meant}")
