"""The test error where known classes may have moved: two views that disagree, rows less sure."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.estimate import ENDS_AT, ProportionEstimate
from eulac.risk.zero_one import RiskEstimate

__all__ = ["less_sure", "moved_risk", "risk_after_drift"]

Array = NDArray[np.float64]

ANYTHING = 1.0
"""A standard error under which an error may be anything from 0 to 1."""


def risk_after_drift(
    risk: RiskEstimate,
    estimate: ProportionEstimate,
    probabilities: Sequence[Array] | None = None,
) -> RiskEstimate:
    """Return the error as it is, or as `moved_risk` has it where the estimate lets known rows move.

    Where next to nothing looks labeled, nothing tells new rows from known ones that moved: every
    answer may be wrong, and the interval says so. Elsewhere known rows of the pool may still be
    harder to tell apart than labeled ones: how much less sure they are adds to the standard error.
    So do rows called new that the second reading takes for known ones: all would be wrong.

    Parameters
    ----------
    risk : RiskEstimate
    estimate : ProportionEstimate
        From `TwoReadingsProportion`, or any other.
    probabilities : pair of arrays of shapes (n, n_classes) and (m, n_classes), optional
        Held-out ones of labeled and unlabeled rows. With one known class there is no second view,
        and the mean doubt of the answers has to do. Without them the error stays as it is there.
    """
    drift = estimate.diagnostics.get("drift", {})
    if drift.get("nothing_looks_labeled", False):
        risk = replace(risk, standard_error=max(risk.standard_error, ANYTHING))
    if not estimate.assumes_drift:
        doubted = 0.0 if probabilities is None else less_sure(*probabilities)
        called_new = estimate.diagnostics.get("reach", 0.0) / ENDS_AT
        error = math.hypot(risk.standard_error, doubted, called_new)
        return replace(risk, standard_error=error)
    doubt = risk.raw if probabilities is None else float(1.0 - probabilities[1].max(axis=1).mean())
    return moved_risk(risk, drift.get("disagreement", doubt))


def less_sure(labeled: Array, unlabeled: Array) -> float:
    """Return how much less sure of a row's known class answers are in the pool than in the labels.

    Rows count as far as they are taken for known. Zero where they are no less sure. Classes that
    moved a little, too little to be noticed, lose accuracy that labeled rows cannot show; answers
    lose less of their confidence than of their accuracy there.

    Parameters
    ----------
    labeled, unlabeled : arrays of shapes (n, n_classes) and (m, n_classes)
        Held-out probabilities, that of the new class in the last column.

    Examples
    --------
    >>> labeled = np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]])
    >>> unlabeled = np.array([[0.8, 0.2, 0.0], [0.0, 0.0, 1.0]])
    >>> round(less_sure(labeled, unlabeled), 2)
    0.1
    """
    doubts = [_mean_doubt(one[:, :-1]) for one in (unlabeled, labeled)]
    return max(doubts[0] - doubts[1], 0.0)


def _mean_doubt(of_known: Array) -> float:
    """Return the mean probability of all known classes but the likeliest, given a row is known."""
    total = float(of_known.sum())
    return 1.0 - float(of_known.max(axis=1).sum()) / total if total > 0.0 else 0.0


def moved_risk(risk: RiskEstimate, disagreement: float) -> RiskEstimate:
    """Return the error by how often two views answer otherwise, labeled rows only in its interval.

    The label-free risk takes labeled rows for the known rows of deployment. Where these have moved
    they are harder, and it comes out too small. How often two views of a row disagree can be seen
    on the unlabeled rows as they are. It lies below the error where both err together, and above,
    up to twice, where they err apart; for classifiers that are calibrated together it equals the
    error (Jiang et al., Assessing Generalization of SGD via Disagreement, 2022), which drift does
    not promise. `eulac benchmark run drift` and `moved` set it beside the true error. Half of the
    distance between both estimates adds to the standard error.

    Parameters
    ----------
    risk : RiskEstimate
    disagreement : float
        Share of the unlabeled rows that columns and class view answer differently.

    Examples
    --------
    >>> moved_risk(RiskEstimate(raw=0.02, standard_error=0.01), 0.1).value
    0.1
    """
    half = 0.5 * (disagreement - risk.raw)
    return replace(
        risk,
        raw=disagreement,
        standard_error=math.hypot(risk.standard_error, half),
        diagnostics={**risk.diagnostics, "as_labeled": risk.raw, "disagreement": disagreement},
    )
