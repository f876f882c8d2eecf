"""The rows a page speaks of: labeled ones out of a fitted model, new-looking ones out of a pool."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from eulac.data.labels import LabelCodec
from eulac.kernel.kernel_model import KernelModel
from eulac.risk.decision_rule import matched_count

__all__ = [
    "LabeledRows",
    "as_matrix",
    "expected_new",
    "known_answers",
    "labeled_rows",
    "looks_new",
    "was_fitted_on",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Labeled rows in the classifier's units, and their class codes."""

    X: Array
    codes: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.X)


def as_matrix(X: Any) -> Array:
    """Return rows as a float matrix; zero has no sign, and images are flat."""
    values = np.asarray(X, dtype=np.float64)
    return np.ascontiguousarray(values.reshape(len(values), math.prod(values.shape[1:]))) + 0.0


def labeled_rows(classifier: Any, X: Any = None, y: Any = None) -> LabeledRows | None:
    """Return the labeled rows given, or those a kernel model carries; None if there are none.

    Parameters
    ----------
    classifier : fitted classifier
    X, y : arrays, optional
        Labeled rows; rows marked unlabeled are left out.
    """
    codec: LabelCodec = classifier.codec_
    if X is None:
        return _carried_rows(classifier)
    check_consistent_length(X, y)
    codes = codec.encode(y)
    known = (codes >= 0) & (codes < codec.n_known_classes)
    if not known.any():
        raise ValueError(
            f"labeled rows must be of the known classes {codec.known.tolist()}; none of the "
            f"{len(codes)} given is. Check the label column."
        )
    return LabeledRows(as_matrix(X)[known], codes[known])


def _carried_rows(classifier: Any) -> LabeledRows | None:
    """Labeled rows of a kernel expansion, whose coefficients tell their classes.

    A labeled row pulls up its own class and no other known one, whatever the convex loss. Rows of
    a class whose share was estimated as zero pull nothing, and stay out.
    """
    model = getattr(classifier, "model_", None)
    if not isinstance(model, KernelModel):
        return None
    n_labeled = classifier.proportion_.n_labeled
    pulls = model.expansion.coefficients[:n_labeled, :-1]
    told = pulls.max(axis=1) > 0
    rows = model.expansion.rows[:n_labeled][told]
    if classifier.scaler_ is not None:
        rows = classifier.scaler_.inverse_transform(rows)
    return LabeledRows(rows + 0.0, pulls[told].argmax(axis=1))


def was_fitted_on(classifier: Any, X: Any) -> bool:
    """Whether these may be the unlabeled rows of the fit: there are just as many."""
    estimate = getattr(classifier, "proportion_", None)
    return estimate is not None and estimate.n_unlabeled == len(X)


def expected_new(classifier: Any, n_rows: int) -> int:
    """Return how many of so many deployment rows are new, by the estimated proportion."""
    return round(classifier.proportion_.augmented_proportion * n_rows)


def looks_new(classifier: Any, X: Any) -> NDArray[np.bool_]:
    """Return which rows of a pool look new.

    Rows the classifier was fitted on lean to *new*, because nothing but being unlabeled was learned
    of them; of those as many look new as the proportion says, the newest-looking ones, or as are
    beyond a clear gap. Of other rows those that are answered so.
    """
    scores = classifier.augmented_score(X)
    if not was_fitted_on(classifier, X):
        return np.asarray(scores > 0)
    n_new = expected_new(classifier, len(scores))
    kind = getattr(getattr(classifier, "model_", None), "evidence", None)
    if kind is not None:
        estimate, margins = classifier.proportion_, np.sort(scores)
        n_new = len(scores) - matched_count(
            margins, estimate.total, estimate.interval, clear_gap=kind.clear_gap
        )
    new = np.zeros(len(scores), dtype=bool)
    new[np.argsort(-scores, kind="stable")[:n_new]] = True
    return new


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
        return np.full(len(X), codec.encode(known)[0])
    if not hasattr(classifier, "decision_function"):
        return codec.encode(classifier.predict(X))
    decision = classifier.decision_function(X)
    best = decision > 0 if decision.ndim == 1 else decision[:, : len(known)].argmax(axis=1)
    return codec.encode(known[best.astype(np.intp)])
