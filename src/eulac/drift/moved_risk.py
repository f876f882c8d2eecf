"""The test error where known classes have moved: how often two views of a row disagree."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.zero_one import RiskEstimate

__all__ = ["moved_risk", "risk_after_drift"]

ANYTHING = 1.0
"""A standard error under which an error may be anything from 0 to 1."""


def risk_after_drift(
    risk: RiskEstimate,
    estimate: ProportionEstimate,
    probabilities: NDArray[np.float64] | None = None,
) -> RiskEstimate:
    """Return the error as it is, or as `moved_risk` has it where the estimate lets known rows move.

    Where next to nothing looks labeled, nothing tells new rows from known ones that moved: every
    answer may be wrong, and the interval says so.

    Parameters
    ----------
    risk : RiskEstimate
    estimate : ProportionEstimate
        From `TwoReadingsProportion`, or any other.
    probabilities : array of shape (n_unlabeled, n_classes), optional
        Held-out ones of the unlabeled rows: with one known class there is no second view, and the
        mean doubt of the answers has to do. Without them the error stays as it is there.
    """
    drift = estimate.diagnostics.get("drift", {})
    if drift.get("nothing_looks_labeled", False):
        risk = replace(risk, standard_error=max(risk.standard_error, ANYTHING))
    if not estimate.assumes_drift:
        return risk
    doubt = risk.raw if probabilities is None else float(1.0 - probabilities.max(axis=1).mean())
    return moved_risk(risk, drift.get("disagreement", doubt))


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
