"""The rows a page speaks of: labeled ones out of a fitted model, new-looking ones out of a pool."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.own_answers import own_answers_of
from eulac.classifier.own_rows import held_out_rows
from eulac.data import requirements
from eulac.data.any_rows import (
    as_numbers,
    as_pandas,
    in_given_order_of_columns,
    joined_rows,
    n_rows,
)
from eulac.data.encoded_rows import encoded_rows
from eulac.data.labels import LabelCodec
from eulac.data.validation import require_columns_of_fit
from eulac.kernel.kernel_model import KernelModel

__all__ = [
    "LabeledRows",
    "ScoredPool",
    "as_matrices",
    "as_matrix",
    "held_out_in_fit",
    "known_answers",
    "labeled_rows",
    "score_pool",
    "was_fitted_on",
    "without_checkpoint",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Labeled rows in the classifier's units, and their class codes."""

    X: Array
    codes: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.X)


class ScoredPool(NamedTuple):
    """How new each row of a pool looks, whether it is taken for new, and its known class.

    `is_held_out` says which rows models answered that have not seen them, being of the fit.
    """

    scores: Array
    is_new: NDArray[np.bool_]
    known: NDArray[np.intp]
    is_held_out: NDArray[np.bool_]


def as_matrix(X: Any) -> Array:
    """Return rows as a float matrix; zero has no sign, and images are flat."""
    values = np.asarray(X, dtype=np.float64)
    return np.ascontiguousarray(values.reshape(len(values), math.prod(values.shape[1:]))) + 0.0


def as_matrices(X: Any, X_labeled: Any = None) -> tuple[Array, Array | None]:
    """Return a pool and labeled rows as float matrices of the same columns.

    Text, categories, gaps and sparse rows become numbers as they do where the known share is read:
    both tables together.
    """
    tables = [as_pandas(one) for one in (X_labeled, X) if one is not None]
    if all(map(_are_plain, tables)):
        return as_matrix(X), None if X_labeled is None else as_matrix(X_labeled)
    if X_labeled is None:
        return encoded_rows(tables[0], 0), None
    labeled, pool = np.split(encoded_rows(joined_rows(*tables), 0), [tables[0].shape[0]])
    return pool, labeled


def _are_plain(table: Any) -> bool:
    """Whether rows are images, or finite numbers."""
    numbers = np.zeros(1) if np.ndim(table) > 2 else as_numbers(table)
    return numbers is not None and bool(np.isfinite(numbers).all())


def labeled_rows(
    classifier: Any, X: Any = None, y: Any = None, numbers: Array | None = None
) -> LabeledRows | None:
    """Return the labeled rows given, or those a kernel model carries; None if there are none.

    Parameters
    ----------
    classifier : fitted classifier
    X, y : arrays, optional
        Labeled rows; rows marked unlabeled are left out.
    numbers : array, optional
        These rows as numbers, where they are none.
    """
    codec: LabelCodec = classifier.codec_
    if X is None:
        return _carried_rows(classifier)
    require_columns_of_fit(classifier, X)
    requirements.require_label_per_row(X, y)
    codes = codec.encode(y)
    known = (codes >= 0) & (codes < codec.n_known_classes)
    if not known.any():
        raise ValueError(
            f"labeled rows must be of the known classes {codec.known.tolist()}; none of the "
            f"{len(codes)} given is. Check the label column."
        )
    return LabeledRows((as_matrix(X) if numbers is None else numbers)[known], codes[known])


def without_checkpoint(classifier: Any) -> Any:
    """Return an unfitted classifier that keeps no file of its fit: that file is of another one."""
    if classifier.get_params(deep=False).get("checkpoint") is not None:
        classifier.set_params(checkpoint=None)
    return classifier


def _carried_rows(classifier: Any) -> LabeledRows | None:
    """Return the labeled rows of a kernel expansion, in the user's units."""
    model = getattr(classifier, "model_", None)
    if not isinstance(model, KernelModel):
        return None
    rows = model.expansion.rows[: len(model.y_labeled)]
    if classifier.scaler_ is not None:
        rows = classifier.scaler_.inverse_transform(rows)
    return LabeledRows(in_given_order_of_columns(classifier, rows) + 0.0, model.y_labeled)


def was_fitted_on(classifier: Any, X: Any) -> bool:
    """Whether these are the unlabeled rows of the fit: by their values, in whatever order."""
    rows = getattr(classifier, "fit_rows_", None)
    return rows is not None and rows.is_pool(X)


def held_out_in_fit(classifier: Any, X: Any, *, unlabeled: bool) -> Array | None:
    """Return probabilities of rows of the fit by models that have not seen them.

    Columns are class codes, the augmented one last. None where the classifier keeps none, or rows
    are not all from the fit.

    Parameters
    ----------
    classifier : fitted classifier
    X : array of shape (n_rows, n_features)
    unlabeled : bool
        Whether to look among the unlabeled rows of the fit, or among the labeled ones.
    """
    found, probabilities = held_out_rows(classifier, X, unlabeled=unlabeled)
    return probabilities if len(found) and found.all() else None


def score_pool(classifier: Any, X: Any) -> ScoredPool:
    """Return how new the rows of a pool look, and which of them are taken for new.

    Rows the classifier was fitted on lean to *new*, because nothing but being unlabeled was learned
    of them. So these are answered by models of the fit that have not seen them; where a classifier
    keeps none and the pool is that of the fit, as many are new as the proportion says, the
    newest-looking ones. Other rows are new where `predict` says so.
    """
    if (found := held_out_rows(classifier, X).found).any():
        return _with_held_out(classifier, X, found)
    known = known_answers(classifier, X)
    scores = np.asarray(classifier.augmented_score(X))
    estimate = getattr(classifier, "proportion_", None)
    if not was_fitted_on(classifier, X) or estimate is None:
        answers = classifier.codec_.encode(classifier.predict(X))
        new = answers == classifier.codec_.n_known_classes
        return ScoredPool(scores, new, known, found)
    new = np.zeros(len(scores), dtype=bool)
    n_new = round(estimate.augmented_proportion * len(scores))
    new[np.argsort(-scores, kind="stable")[:n_new]] = True
    return ScoredPool(scores, new, known, found)


def _with_held_out(classifier: Any, X: Any, found: NDArray[np.bool_]) -> ScoredPool:
    """Return scores of rows, those of the fit by models that have not seen them."""
    _, probabilities, scores = own_answers_of(classifier, X).answers
    probabilities = np.asarray(probabilities)  # classifiers that keep held-out answers have them
    is_new = probabilities.argmax(axis=1) == probabilities.shape[1] - 1
    return ScoredPool(scores, is_new, probabilities[:, :-1].argmax(axis=1), found)


def known_answers(classifier: Any, X: Any, codec: LabelCodec | None = None) -> NDArray[np.intp]:
    """Return the likeliest known class of each row, as a code.

    Where a classifier has no `decision_function`, the augmented code stays for what it calls new.

    Parameters
    ----------
    classifier : fitted classifier
    X : array of shape (n_rows, n_features)
    codec : LabelCodec, optional
        Whose codes to use; the classifier's own by default.
    """
    codec = classifier.codec_ if codec is None else codec
    known = classifier.known_classes_
    if len(known) == 1:
        return np.full(n_rows(X), codec.encode(known)[0])
    if not hasattr(classifier, "decision_function"):
        return codec.encode(classifier.predict(X))
    decision = classifier.decision_function(X)
    best = decision > 0 if decision.ndim == 1 else decision[:, : len(known)].argmax(axis=1)
    return codec.encode(known[best.astype(np.intp)])
