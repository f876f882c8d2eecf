"""Rows a classifier learned from, known by their values, and what held-out models say of them.

A row of the fit's own pool leans to *new* when the fitted model is asked, because nothing but being
unlabeled was learned of it. The models of the fit's folds have not seen it.
"""

import copy
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from eulac.data.any_rows import FitRows, n_rows
from eulac.exceptions import OwnPoolWarning, warn_caller
from eulac.risk.held_out import HeldOut

__all__ = [
    "PARTS",
    "HeldOutRows",
    "augmented_margin",
    "held_out_rows",
    "keeps_pool",
    "pool_bytes",
    "warn_of_own_pool",
    "without_pool",
]

Array = NDArray[np.float64]

SMALLEST_PROBABILITY = 1e-12

PARTS = ("networks_", "candidates_")
"""Where classifiers keep others."""

ADVICE = (
    "{share:.0%} of the rows were unlabeled rows of the fit, and the fitted model leans to new "
    "there. `held_out_labels_` and `fit_predict` answer them by models that have not seen them."
)


class HeldOutRows(NamedTuple):
    """Which rows were in the fit, and the probabilities of these, in order; codes as columns."""

    found: NDArray[np.bool_]
    probabilities: Array


def held_out_rows(classifier: Any, X: Any, *, unlabeled: bool = True) -> HeldOutRows:
    """Return which rows are of the fit, and what models that have not seen them say.

    Parameters
    ----------
    classifier : fitted classifier
        One that keeps no held-out answers finds no row.
    X : rows
    unlabeled : bool, default=True
        Whether to look among the unlabeled rows of the fit, or among the labeled ones.
    """
    kept = _kept(classifier)
    if kept is None:
        return HeldOutRows(np.zeros(n_rows(X), dtype=bool), np.empty((0, 0)))
    rows, probabilities = kept
    places = rows.places(X, unlabeled=unlabeled)
    return HeldOutRows(places >= 0, np.asarray(probabilities[places[places >= 0]]))


def keeps_pool(classifier: Any) -> bool:
    """Whether the classifier keeps held-out answers of the pool it was fitted on."""
    kept = _kept(classifier)
    return kept is not None and bool(kept[0].is_unlabeled.any())


def augmented_margin(probabilities: Array) -> Array:
    """Return how much likelier *augmented* is than any known class, in logs.

    Positive exactly where it is the answer.

    Examples
    --------
    >>> augmented_margin(np.array([[0.25, 0.25, 0.5], [0.5, 0.25, 0.25]])).round(2)
    array([ 0.69, -0.69])
    """
    logs = np.log(np.maximum(probabilities, SMALLEST_PROBABILITY))
    return np.asarray(logs[:, -1] - logs[:, :-1].max(axis=1))


def warn_of_own_pool(classifier: Any, X: Any) -> None:
    """Warn if most rows were unlabeled rows of the fit."""
    if not keeps_pool(classifier):
        return
    share = float(np.mean(classifier.fit_rows_.places(X, unlabeled=True) >= 0))
    if share > 0.5:
        warn_caller(ADVICE.format(share=share), OwnPoolWarning)


def pool_bytes(classifier: Any) -> int:
    """Return how much the kept answers of the pool take, in bytes."""
    if not keeps_pool(classifier):
        return 0
    rows: FitRows = classifier.fit_rows_
    n_pool = int(rows.is_unlabeled.sum())
    per_row = rows.keys.itemsize + rows.codes.itemsize
    return n_pool * (per_row + classifier.held_out_probabilities_[:1].nbytes)


def without_pool(classifier: Any) -> Any:
    """Return a copy that keeps nothing of single unlabeled rows: smaller, the same model.

    Neither do classifiers in it, each of which has a pool of its own.
    """
    small = copy.copy(classifier)
    if isinstance(classifier, Pipeline):
        small.steps = [(name, without_pool(step)) for name, step in classifier.steps]
        return small
    for name in PARTS:
        if name in _attributes(classifier):
            setattr(small, name, _parts_without_pool(getattr(classifier, name)))
    rows = _attributes(classifier).get("fit_rows_")
    return small if rows is None else _with_labeled_rows_only(small, rows)


def _attributes(value: Any) -> dict[str, Any]:
    """Return what an object holds; nothing where it is a word or a number."""
    return getattr(value, "__dict__", {})


def _parts_without_pool(parts: Any) -> Any:
    if isinstance(parts, dict):
        return {name: without_pool(part) for name, part in parts.items()}
    return [without_pool(part) for part in parts]


def _with_labeled_rows_only(small: Any, rows: FitRows) -> Any:
    """Take the unlabeled rows out of a copy of a classifier."""
    is_labeled = ~rows.is_unlabeled
    small.fit_rows_ = rows.labeled()
    if "held_out_probabilities_" in vars(small):
        small.held_out_probabilities_ = small.held_out_probabilities_[is_labeled]
    model = getattr(small, "model_", None)
    if is_dataclass(model) and not isinstance(model, type) and hasattr(model, "held_out"):
        small.model_ = replace(model, held_out=_labeled_part(model.held_out, is_labeled))
    return small


def _labeled_part(held_out: Any, is_labeled: NDArray[np.bool_]) -> Any:
    """Return what was said of labeled rows, of a `HeldOut` or a matrix of all rows of the fit."""
    if isinstance(held_out, HeldOut):
        return held_out.taken(np.arange(len(held_out.labeled)), np.empty(0, dtype=np.intp))
    is_of_all = len(np.shape(held_out)) == 2 and len(held_out) == len(is_labeled)
    return held_out[is_labeled] if is_of_all else held_out


def _kept(classifier: Any) -> tuple[FitRows, Array] | None:
    rows = getattr(classifier, "fit_rows_", None)
    probabilities = getattr(classifier, "held_out_probabilities_", None)
    if rows is None or probabilities is None or len(rows.keys) != len(probabilities):
        return None
    # Fitted without unlabeled rows, it knows no new class.
    if probabilities.shape[1] <= classifier.codec_.n_known_classes:
        return None
    return rows, probabilities
