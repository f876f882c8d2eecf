"""The test error where known classes have moved: two estimates that err to different sides."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eulac.risk.zero_one import RiskEstimate

__all__ = ["moved_risk"]


def moved_risk(risk: RiskEstimate, probabilities: NDArray[np.float64]) -> RiskEstimate:
    """Return the error between what labeled rows and what the unlabeled rows' doubts say.

    The label-free risk takes labeled rows for the known rows of deployment. Where these have moved
    they are harder, and it comes out too small. The mean doubt of held-out answers to the unlabeled
    rows sees them as they are, but calibrated on easier ones it comes out too large. Half of the
    distance between both adds to the standard error.

    Parameters
    ----------
    risk : RiskEstimate
    probabilities : array of shape (n_unlabeled, n_classes)
        Held-out ones of the unlabeled rows.

    Examples
    --------
    >>> sure = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> moved_risk(RiskEstimate(raw=0.02, standard_error=0.01), sure).value
    0.06
    """
    doubt = float(1.0 - probabilities.max(axis=1).mean())
    half = 0.5 * (doubt - risk.raw)
    return replace(
        risk,
        raw=round(risk.raw + half, 12),
        standard_error=math.hypot(risk.standard_error, half),
        diagnostics={**risk.diagnostics, "as_labeled": risk.raw, "mean_doubt": doubt},
    )
