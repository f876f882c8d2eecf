"""What is frozen before rows are summed up: scaler, bandwidth, feature map, proportion.

All of it comes from a survey, the bounded sample of rows that no order, chunk or worker changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.input_rows import scaled_sample
from eulac.classifier.options import GRIDS
from eulac.data import requirements
from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.row_sketch import RowSurvey, beside_each_other
from eulac.data.validation import with_deployment_rows
from eulac.landmark.landmark_model import MomentPlan, RowEncoder, assess_sample, standing_in
from eulac.maths.feature_maps import FourierMap, NystroemMap, choose_landmarks
from eulac.maths.kernels import median_distance
from eulac.proportion.estimate import ProportionEstimate
from eulac.solvers.search import Candidate, select

__all__ = ["FEATURE_MAPS", "MapSettings", "Pilot", "as_penalties", "with_labeled_priors"]

FEATURE_MAPS = ("nystroem", "fourier")
SEARCH_ROWS = 500, 1000
"""Labeled and unlabeled rows the bandwidth is searched on."""


@dataclass(frozen=True)
class MapSettings:
    """What the user wants of the features."""

    kind: str
    n_landmarks: int
    landmarks: str
    dtype: str
    seed: int

    def feature_map(self, sample: LacSample, bandwidth: float) -> NystroemMap | FourierMap:
        """Return the map for scaled rows like those of a sample."""
        options: dict[str, Any] = {"dtype": self.dtype}
        if self.kind == "fourier":
            n_columns = sample.X_unlabeled.shape[1]
            options["random_state"] = self.seed
            return FourierMap.draw(n_columns, self.n_landmarks, bandwidth, **options)
        rows = _alternating(sample.X_labeled, sample.X_unlabeled)
        chosen = choose_landmarks(rows, self.n_landmarks, bandwidth, self.landmarks, self.seed)
        return NystroemMap.of(chosen, bandwidth, **options)


@dataclass(frozen=True, eq=False)
class Pilot:
    """A scaled sample, and the scaler; `closed_set` where labeled rows stand in for others."""

    sample: LacSample
    scaler: Any
    closed_set: bool

    @classmethod
    def of(cls, survey: RowSurvey, codec: LabelCodec, scale: str | None) -> "Pilot":
        """Return the pilot of a survey; warns, or refuses, where there is too little."""
        labeled, pool = survey.labeled.sample(), survey.unlabeled.sample()
        sample = LacSample(labeled.rows, labeled.codes, pool.rows, codec, labeled.importance)
        closed_set = survey.n_unlabeled == 0
        sample = with_deployment_rows(sample)
        if closed_set:
            sample = sample.with_rows(X_unlabeled=labeled.rows[standing_in(labeled)])
        scaler, sample = scaled_sample(scale, sample)
        return cls(sample, scaler, closed_set)

    def thinned(self, n_labeled: int, n_unlabeled: int) -> LacSample:
        """Return the first rows of either sample; they are in random order."""
        part = self.sample.taken(slice(n_labeled), slice(n_unlabeled))
        if part.importance is None:
            return part
        return replace(part, importance=beside_each_other(part.importance))

    def estimate(
        self, estimate_of: Callable[[LacSample], ProportionEstimate], n_rows: int
    ) -> ProportionEstimate:
        """Return the known proportion, from at most `n_rows` rows."""
        part = self.thinned(max(n_rows // 3, 2), max(n_rows - n_rows // 3, 2))
        # Classes announced but not seen yet have no frequency to divide by.
        with np.errstate(divide="ignore", invalid="ignore"):
            estimate = estimate_of(part)
        follows = np.allclose(estimate.per_class, estimate.total * part.labeled_frequency)
        return replace(
            estimate, diagnostics={**estimate.diagnostics, "labeled_priors": bool(follows)}
        )

    def bandwidth(
        self, given: Any, estimate: ProportionEstimate, settings: MapSettings, n_folds: int
    ) -> float:
        """Return the bandwidth: the given one, or the best of several with such features.

        Held-out risk on a part of the sample decides, with as many features as there will be: few
        landmarks need a wide kernel.
        """
        sample = self.thinned(*SEARCH_ROWS)
        X = np.vstack([sample.X_labeled, sample.X_unlabeled])
        median = max(median_distance(X, random_state=settings.seed), requirements.SMALLEST)
        grid = GRIDS["half_decades"]
        default = [factor * median for factor in grid.bandwidth_factors]
        bandwidths = requirements.as_candidates("bandwidth", given, default)
        if len(bandwidths) == 1:
            return bandwidths[0]
        penalties = grid.penalties[:5]
        candidates: list[Candidate] = []
        for bandwidth in bandwidths:
            plan = MomentPlan(
                RowEncoder(None, settings.feature_map(sample, bandwidth)),
                sample.n_known_classes,
                n_folds,
                settings.seed,
            )
            candidates += assess_sample(plan, sample, estimate, penalties, bandwidth)
        best = select(candidates, (len(bandwidths), len(penalties)), "zero_one")
        return bandwidths[best // len(penalties)]

    def encoder(self, bandwidth: float, settings: MapSettings) -> RowEncoder:
        """Return the frozen way from raw rows to features."""
        return RowEncoder(self.scaler, settings.feature_map(self.sample, bandwidth))


def with_labeled_priors(
    estimate: ProportionEstimate, frequency: NDArray[np.float64]
) -> ProportionEstimate:
    """Return the estimate, priors that did not move replaced by those of all labeled rows."""
    if not estimate.diagnostics.get("labeled_priors"):
        return estimate
    return replace(estimate, per_class=estimate.total * frequency)


def _alternating(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """Return the rows of both, spread evenly: the first of them are a sample of either."""
    place = np.concatenate([_even_places(len(one)), _even_places(len(two))])
    return np.vstack([one, two])[np.argsort(place, kind="stable")]


def _even_places(n: int) -> NDArray[np.float64]:
    return (np.arange(n) + 0.5) / max(n, 1)


def as_penalties(given: Any) -> Sequence[float]:
    """Return the penalties to choose from; with many rows small ones are worth trying."""
    return requirements.as_candidates("penalty", given, [10.0**power for power in range(-7, 1)])
