"""Every family of classifiers on one draw: the mixture, its candidates, and others beside them.

The mixture is fitted once per draw. Its candidates are methods of their own, judged as they stand
in it, and further classifiers are given the proportion that its forest refined.
"""

import time
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from eulac.any_classifier.default_candidates import small_boosting
from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.methods.method_kinds import (
    FittedClassifier,
    Outcome,
    TrialMethod,
    proportion_entry,
    risk_entry,
)
from eulac.benchmark.methods.shared_estimates import SharedEstimate, shared_estimate
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import ReadyProportion

__all__ = [
    "FOREST",
    "CandidateOfMixture",
    "MixtureOfFamilies",
    "RefinedClassifier",
    "two_stage_boosting",
    "two_stage_forest",
    "two_stage_logistic",
]

FOREST = "extra_trees"
"""The candidate that refines the proportion."""


class FittedMixture(NamedTuple):
    """The mixture fitted to a draw, the estimate it began with, and the seconds it took."""

    classifier: Any
    consensus: SharedEstimate
    seconds: float


def fitted_mixture(opened: OpenDraw) -> FittedMixture:
    """Return the mixture of the draw, fitted when the first method asks."""
    return opened.once("mixture of families", partial(_fit_mixture, opened))


class AllFamilies(EulacClassifier):
    """The default, with all of its families kept: each is a method of its own here."""

    def _keep_models(self, tried: Any) -> None:
        self.candidates_ = {one.name: one.model for one in tried}


def _fit_mixture(opened: OpenDraw) -> FittedMixture:
    consensus = shared_estimate(opened, "consensus")
    classifier = AllFamilies(
        known_proportion=ReadyProportion(consensus.estimate),
        refine_proportion=True,
        shift=False,
        random_state=opened.draw.fit_seed,
    )
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        classifier.fit(*opened.split.sample.as_masked())
    return FittedMixture(classifier, consensus, time.process_time() - start)


@dataclass(frozen=True)
class MixtureOfFamilies(TrialMethod):
    """`EulacClassifier`: the families mixed by label-free scores."""

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return the record, with the weights and all that was said of the proportion."""
        auto, consensus, seconds = fitted_mixture(opened)
        refined = auto.candidates_[FOREST].proportion_
        weights = dict(zip(auto.selection_.names, auto.selection_.weights.tolist(), strict=True))
        proportion = proportion_entry(auto.proportion_, opened) | {
            "consensus": consensus.estimate.total,
            "refined": refined.total,
            "by_score": dict(refined.diagnostics["by_score"]),
        }
        return {
            "metrics": asdict(evaluate(auto, opened.split.X_test, opened.split.y_test)),
            "proportion": proportion,
            "risk": risk_entry(auto.risk_),
            "parameters": {"weights": weights},
            "draw": opened.describe(),
            "seconds": {"shared": consensus.seconds, "fit": seconds},
        }


@dataclass(frozen=True)
class RefinedClassifier(FittedClassifier):
    """A classifier that is given the proportion refined by the mixture's forest."""

    def shared(self, opened: OpenDraw) -> tuple[ProportionEstimate | None, float]:
        """Return the refined estimate, rounded, so that nobody's last digits matter."""
        auto, consensus, _ = fitted_mixture(opened)
        found, sample = auto.candidates_[FOREST].proportion_, opened.split.sample
        low, high = found.interval
        estimate = ProportionEstimate(
            round(found.total, 4) * sample.labeled_frequency,
            (round(low, 4), round(high, 4)),
            "refined",
            sample.n_labeled,
            sample.n_unlabeled,
            standard_error=round(found.standard_error, 4),
        )
        return estimate, consensus.seconds


@dataclass(frozen=True)
class CandidateOfMixture(TrialMethod):
    """A candidate as it stands in the mixture; where it is none, another method takes its place.

    Parameters
    ----------
    name : str
        Key in `candidates_`.
    otherwise : TrialMethod or None, default=None
        What runs where the mixture leaves the candidate out.
    """

    name: str
    otherwise: TrialMethod | None = None

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return the record of the candidate, its risk under the proportion of all."""
        auto, consensus, _ = fitted_mixture(opened)
        if self.name not in auto.candidates_ and self.otherwise is not None:
            return self.otherwise.outcome(opened, settings)
        candidate, place = auto.candidates_[self.name], auto.selection_.names.index(self.name)
        metrics = evaluate(candidate, opened.split.X_test, _codes(auto, opened.split.y_test))
        return {
            "metrics": asdict(metrics),
            "proportion": proportion_entry(candidate.proportion_, opened),
            "risk": risk_entry(auto.selection_.risks[place]),
            "draw": opened.describe(),
            "seconds": {"shared": consensus.seconds, "fit": auto.selection_.seconds[place]},
        }


def _codes(auto: Any, y: Any) -> Any:
    """Return true labels as the candidates know them: codes, and -2 for new rows."""
    codes = auto.codec_.encode(y)
    return np.where(codes == len(auto.known_classes_), -2, codes)


def two_stage_forest(**options: Any) -> Any:
    """Return two stages around an ordinary random forest."""
    return TwoStageEulacClassifier(RandomForestClassifier(100), **options)


def two_stage_logistic(**options: Any) -> Any:
    """Return two stages around logistic regression."""
    return TwoStageEulacClassifier(LogisticRegression(C=10.0, max_iter=1000), **options)


def two_stage_boosting(**options: Any) -> Any:
    """Return two stages around boosting, the candidate of narrow tables."""
    return TwoStageEulacClassifier(small_boosting(), **options)
