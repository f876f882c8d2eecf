"""One fit, judged where users read it: on its own pool, held out, and on fresh rows.

Answers, called shares and probabilities of both samples come from the same fit, so that what a
model claims of its pool and what is true there can be laid side by side.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.benchmark.methods.method_kinds import FittedClassifier
from eulac.data.splits import LacSplit
from eulac.evaluation.metrics import calibration_gap, expected_calibration_error

__all__ = ["JudgedFit", "judged"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

SMALLEST_PROBABILITY = 1e-15
N_REDRAWS = 20
"""Labels are drawn so often from the probabilities, for the calibration error of right ones."""


@dataclass(frozen=True)
class JudgedFit(FittedClassifier):
    """A classifier as a user meets it, with its own proportion and its own scaling."""

    settings: Mapping[str, Any] = field(default_factory=dict)

    def measured(self, classifier: Any, split: LacSplit) -> dict[str, float]:
        """Return what the answers and probabilities are worth, on the pool and on fresh rows."""
        encode = classifier.codec_.encode
        fresh = classifier.answers(split.X_test)
        n_labeled = split.sample.n_labeled
        labels = classifier.held_out_labels_[n_labeled:]
        probabilities = classifier.held_out_probabilities_[n_labeled:]
        in_pool = judged(encode(labels), probabilities, encode(split.y_unlabeled))
        on_fresh = judged(encode(fresh.labels), fresh.probabilities, encode(split.y_test))
        return {
            "accuracy": on_fresh["accuracy"],
            **{f"pool_{name}": value for name, value in in_pool.items()},
            **{f"fresh_{name}": value for name, value in on_fresh.items()},
        }


def judged(answered: Codes, probabilities: Array, true: Codes) -> dict[str, float]:
    """Return accuracy, share called new, calibration errors and log loss of answers to rows.

    Parameters
    ----------
    answered, true : int arrays of shape (n_rows,)
        Codes of classes, the augmented one last.
    probabilities : array of shape (n_rows, n_known_classes + 1)

    Returns
    -------
    measured : dict of float
        `ece_if_right` is the calibration error that chance alone leaves to right probabilities;
        `shares_log_loss` is the log loss of the true class shares.

    Examples
    --------
    >>> sure = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> found = judged(np.array([0, 1]), sure, np.array([0, 1]))
    >>> found["accuracy"], found["called_new"], found["log_loss"]
    (1.0, 0.5, 0.0)
    """
    augmented = probabilities.shape[1] - 1
    own = np.maximum(probabilities[np.arange(len(true)), true], SMALLEST_PROBABILITY)
    shares = np.bincount(true, minlength=augmented + 1) / len(true)
    some = shares[shares > 0]
    return {
        "accuracy": float(np.mean(answered == true)),
        "called_new": float(np.mean(answered == augmented)),
        "ece": expected_calibration_error(probabilities, true),
        "ece_new": calibration_gap(probabilities[:, -1], true == augmented),
        "ece_if_right": _error_if_right(probabilities),
        "log_loss": float(-np.log(own).mean()) + 0.0,
        "shares_log_loss": float(-(some * np.log(some)).sum()) + 0.0,
    }


def _error_if_right(probabilities: Array) -> float:
    """Return the mean calibration error of labels drawn from the probabilities themselves."""
    rng = np.random.default_rng(0)
    edges = np.cumsum(probabilities, axis=1)[:, :-1]
    drawn = [
        (rng.random((len(edges), 1)) > edges).sum(axis=1).astype(np.intp) for _ in range(N_REDRAWS)
    ]
    return float(np.mean([expected_calibration_error(probabilities, y) for y in drawn]))
