"""Proportion estimates that several methods of a draw use, each made once.

To add one, add an entry to `SHARED`; every estimator of `eulac.proportion.methods` is there by its
own name.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from sklearn.ensemble import ExtraTreesClassifier

from eulac.any_classifier.default_proportion import read_table
from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.benchmark.draws import OpenDraw
from eulac.classifier.input_rows import open_table
from eulac.data.lac_sample import LacSample
from eulac.exceptions import EulacWarning
from eulac.proportion.consensus import ConsensusProportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.kernel_mean import KernelMeanProportion
from eulac.proportion.methods import PROPORTIONS

__all__ = ["SHARED", "SharedEstimate", "shared_estimate"]


class SharedEstimate(NamedTuple):
    """A proportion estimate done once per draw, and the processor seconds it took."""

    estimate: ProportionEstimate
    seconds: float


Costed = tuple[ProportionEstimate, float]  # with seconds spent earlier
Shared = Callable[[OpenDraw, LacSample, int], Costed]


def shared_estimate(opened: OpenDraw, name: str) -> SharedEstimate:
    """Return the estimate called `name` in `SHARED`, made when the first method asks."""
    return opened.once(f"estimate {name}", partial(_made, opened, name))


def _made(opened: OpenDraw, name: str) -> SharedEstimate:
    sample, seed = opened.canonical_sample
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        estimate, before = SHARED[name](opened, sample, seed)
    return SharedEstimate(estimate, time.process_time() - start + before)


class _FromScores(ConsensusProportion):
    """The consensus on scores that are already there: one set of forests for all priors."""

    def __init__(self, scores: Any, *, shift: Any, random_state: int):
        super().__init__(shift=shift, random_state=random_state)
        self.scores = scores

    def _scores(self, sample: LacSample) -> Any:
        return self.scores


class _Scores:
    """Cross-fitted scores behind every consensus estimate, and who paid for them."""

    def __init__(self, sample: LacSample, seed: int):
        start = time.process_time()
        self.scores = ConsensusProportion(random_state=seed)._scores(sample)
        self.seconds = time.process_time() - start
        self.paid = False

    def owed(self) -> float:
        """Return their seconds to all but the first, whose own clock has counted them."""
        owed, self.paid = self.seconds if self.paid else 0.0, True
        return owed


def _consensus(shift: Any) -> Shared:
    def estimate(opened: OpenDraw, sample: LacSample, seed: int) -> Costed:
        found: _Scores = opened.once("consensus scores", lambda: _Scores(sample, seed))
        owed = found.owed()
        estimator = _FromScores(found.scores, shift=shift, random_state=seed)
        return estimator.estimate(sample), owed

    return estimate


def _kernel_mean(**options: Any) -> Shared:
    def estimate(opened: OpenDraw, sample: LacSample, seed: int) -> Costed:
        # No bootstrap interval: it takes twenty times as long, and only the number is compared.
        estimator = KernelMeanProportion(**options, n_resamples=0, random_state=seed)
        return estimator.estimate(sample), 0.0

    return estimate


def _of_estimator(name: str) -> Shared:
    def estimate(opened: OpenDraw, sample: LacSample, seed: int) -> Costed:
        estimator = PROPORTIONS[name](seed, 1)
        if "n_resamples" in estimator.get_params() and name.startswith("kernel_mean"):
            estimator.set_params(n_resamples=0)  # as above
        return estimator.estimate(sample), 0.0

    return estimate


def _of_default(opened: OpenDraw, sample: LacSample, seed: int) -> Costed:
    """Return what `EulacClassifier` finds before it fits anything."""
    classifier = EulacClassifier(random_state=opened.draw.fit_seed)
    rows = opened.split.sample.as_masked()
    table, own_seed = open_table(classifier, *rows, None, inner=ExtraTreesClassifier())
    return read_table(classifier, table, own_seed)[0], 0.0


SHARED: Mapping[str, Shared] = {
    **{name: _of_estimator(name) for name in PROPORTIONS},
    "consensus": _consensus("auto"),
    "consensus_base": _consensus(False),
    "consensus_shift": _consensus(True),
    "of_default": _of_default,
    "kme_base": _kernel_mean(),
    "kme_shift": _kernel_mean(per_class=True),
}
"""By name; see `shared_estimate`."""
