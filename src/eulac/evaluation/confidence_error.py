"""The test error by thresholded confidence, to be set beside the label-free one."""

import numpy as np
from numpy.typing import NDArray

from eulac.data.requirements import require_choice
from eulac.risk.held_out import HeldOut

__all__ = ["confidence_error"]

Array = NDArray[np.float64]


def confidence_error(held_out: HeldOut, *, confidence: str = "entropy") -> float:
    """Return the share of pool rows that are less confident than a labeled row that is right.

    Average thresholded confidence: the threshold is the one below which lies as large a share of
    the held-out labeled rows as is answered wrongly. It takes for granted that confidence means in
    the pool what it means among labeled rows. New rows break that: those taken for a known class
    with confidence count as right. The label-free error (`risk_`) needs no such belief; where the
    two are far apart, confidence does not carry over.

    Parameters
    ----------
    held_out : HeldOut
        Probabilities of rows by models that have not seen them: `held_out_` of a classifier.
    confidence : {"entropy", "largest"}, default="entropy"
        Minus the entropy of a row's probabilities, or the largest of them.

    Returns
    -------
    error : float

    References
    ----------
    Garg et al., "Leveraging Unlabeled Data to Predict Out-of-Distribution Performance", ICLR 2022.

    Examples
    --------
    >>> sure, torn = [0.9, 0.1, 0.0], [0.4, 0.3, 0.3]
    >>> labeled, pool = np.array([sure, sure, sure, torn]), np.array([sure, torn, torn, torn])
    >>> held_out = HeldOut(labeled, pool, np.array([0, 0, 0, 1]), np.full(4, 0.5))
    >>> confidence_error(held_out)
    0.75
    """
    require_choice("confidence", confidence, tuple(_CONFIDENCES))
    measure = _CONFIDENCES[confidence]
    known, pool = measure(held_out.labeled), measure(held_out.unlabeled)
    weights = held_out.weights / held_out.weights.sum()
    wrong = float(weights[held_out.labeled.argmax(axis=1) != held_out.y_labeled].sum())
    order = np.argsort(known, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    # As many of the least confident rows as come nearest to the share of wrong ones.
    n_below = int(np.abs(below - wrong).argmin())
    threshold = np.append(known[order], np.inf)[n_below]
    return float(np.mean(pool < threshold))


def _minus_entropy(probabilities: Array) -> Array:
    return np.asarray((probabilities * np.log(np.maximum(probabilities, 1e-300))).sum(axis=1))


def _largest(probabilities: Array) -> Array:
    return np.asarray(probabilities.max(axis=1))


_CONFIDENCES = {"entropy": _minus_entropy, "largest": _largest}
