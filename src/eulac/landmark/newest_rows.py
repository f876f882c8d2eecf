"""The newest rows of a stream: how many are new, and how often the answers given to them err.

A classifier answers rows before it learns from them. While a new class grows it takes them for
known ones, and the error of a classifier brought up to date, on the whole window, stays below that.
So answers are kept as they were given, of the newest rows and, held out, of the labeled ones; the
window that holds the newest rows then tells what share of them is known.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.landmark.landmark_model import KeptRows, LandmarkModel
from eulac.landmark.moment_proportion import newest_proportion
from eulac.landmark.monitor import AlarmEvidence
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.zero_one import RiskEstimate, zero_one_risk
from eulac.solvers.moment_folds import FoldMoments, held_out_solutions

__all__ = [
    "FEWEST_ROWS",
    "GivenAnswers",
    "NewestRows",
    "StreamReport",
    "given_answers",
    "judge_newest",
]

Codes = NDArray[np.intp]

FEWEST_ROWS = 20
"""Of an update: fewer tell nothing about a share."""


@dataclass(frozen=True)
class NewestRows:
    """What the rows of one update hold, and how often the answers to them erred.

    Attributes
    ----------
    n_rows : int
    proportion : ProportionEstimate
        Known share of these rows.
    risk : RiskEstimate
        Label-free error of the answers that the classifier gave before it learned from them.
    """

    n_rows: int
    proportion: ProportionEstimate
    risk: RiskEstimate


@dataclass(frozen=True)
class StreamReport:
    """What a stream looks like after an update.

    Attributes
    ----------
    n_seen : int
        Rows of the stream so far.
    n_window : float
        Rows the fit rests on; old ones count less where they are forgotten little by little.
    proportion : ProportionEstimate
        Known share of the window, divided among the known classes.
    risk : RiskEstimate
        Label-free estimate of the error on the window, by the classifier brought up to date.
    evidence : AlarmEvidence
        Of a change since the monitor was set up; `evidence.alarm` when it is beyond doubt.
    newest : NewestRows or None
        Known share of the rows of this update, and the error of the answers they got before
        anything was learned from them: what follows a class that grows. None for fewer than 20
        rows, or with ``solve=False``.
    """

    n_seen: int
    n_window: float
    proportion: ProportionEstimate
    risk: RiskEstimate
    evidence: AlarmEvidence
    newest: NewestRows | None = None

    @property
    def alarm(self) -> bool:
        """Whether rows unlike any before have come, at the stated rate of false alarms."""
        return self.evidence.alarm


@dataclass(frozen=True, eq=False)
class GivenAnswers:
    """Codes answered by one and the same model: labeled rows, held out, and rows it never saw."""

    labeled: Codes
    newest: Codes


def given_answers(
    model: LandmarkModel, moments: FoldMoments, kept: KeptRows, per_class: Any, features: Any
) -> GivenAnswers:
    """Return what a model says of rows to come, and without their folds of its labeled rows."""
    [solution] = held_out_solutions(moments, per_class, [model.penalty])
    labeled = model.decided(solution.scores(kept.labeled, kept.labeled_fold))
    newest = model.decided(features @ model.coefficients)
    return GivenAnswers(labeled.argmax(axis=1), newest.argmax(axis=1))


def judge_newest(
    answers: GivenAnswers,
    moments: FoldMoments,
    kept: KeptRows,
    window: ProportionEstimate,
    *,
    random_state: int | None = None,
) -> NewestRows:
    """Return share and error of the newest rows, once the moments hold them.

    Parameters
    ----------
    answers : GivenAnswers
        Given before.
    moments, kept : FoldMoments, KeptRows
        Of the window, the newest rows at its end.
    window : ProportionEstimate
        Of the whole window: how the known share divides among the known classes.
    random_state : int, optional
    """
    n_rows = len(answers.newest)
    estimate = newest_proportion(moments, kept, window, n_rows, random_state=random_state)
    risk = zero_one_risk(
        answers.labeled,
        kept.y,
        kept.weights(estimate.per_class),
        answers.newest,
        augmented=len(window.per_class),
        proportion_error=estimate.standard_error,
    )
    return NewestRows(n_rows, estimate, risk)
