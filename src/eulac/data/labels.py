"""Label codes: the only module that knows how unlabeled and augmented rows are written.

Inside the package a row's class is a code: 0..K-1 for the known classes in sorted order, K for the
augmented class (the last score column), and `UNLABELED` for a row without a label. Users
mark such rows with -1, or leave their labels missing (NaN, None).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

__all__ = [
    "AUGMENTED",
    "AUGMENTED_NAME",
    "UNLABELED",
    "LabelCodec",
    "is_unlabeled",
    "refuse_lost_class",
]

UNLABELED = -1
"""Marks a row of `y` without a label, as in scikit-learn's semi-supervised estimators."""

AUGMENTED = -2
"""Predicted for a row of a class never labeled, when labels are numbers."""

AUGMENTED_NAME = "augmented"
"""Predicted for a row of a class never labeled, when labels are strings."""

PLAIN = (str, bool, int, float, np.bool_, np.integer, np.floating)
"""What a label may be."""


def is_unlabeled(y: Any, unlabeled_label: Any = UNLABELED) -> NDArray[np.bool_]:
    """Return which entries of `y` carry the unlabeled marker, or are missing (NaN, None, NA).

    In an array of strings the marker is its text, because that is what NumPy makes of it.

    Examples
    --------
    >>> import numpy as np
    >>> is_unlabeled([0, 1, -1])
    array([False, False,  True])
    >>> is_unlabeled(np.array(["cat", -1]))
    array([False,  True])
    >>> is_unlabeled(["cat", None])
    array([False,  True])
    """
    y = np.asarray(y)
    if y.dtype.kind in "US":
        return np.asarray(y == str(unlabeled_label))
    if y.dtype.kind == "O":
        marker = str(unlabeled_label)
        mask = [_is_missing(v) or v == unlabeled_label or _is_text_of(v, marker) for v in y]
        return np.asarray(mask, dtype=bool)
    missing = np.isnan(y) if y.dtype.kind == "f" else np.zeros(y.shape, dtype=bool)
    return missing if isinstance(unlabeled_label, str) else missing | (y == unlabeled_label)


def refuse_lost_class(y: Any, codec: "LabelCodec", X_unlabeled: Any) -> None:
    """Refuse labels -1 and 1 beside `X_unlabeled`: two classes, of which one would be lost.

    Examples
    --------
    >>> y = [-1, 1, 1]
    >>> refuse_lost_class(y, LabelCodec.from_labels(y), X_unlabeled=[[0.5]])
    Traceback (most recent call last):
    ValueError: with `X_unlabeled`, labels -1 and 1 look like two classes, ...
    """
    if X_unlabeled is None or codec.known.tolist() != [1]:
        return
    n_hidden = int(is_unlabeled(y, codec.unlabeled_label).sum())
    given = {v for v in np.asarray(y).tolist() if not _is_missing(v)} - {1}
    if n_hidden and given and codec.unlabeled_label == UNLABELED:
        raise ValueError(
            "with `X_unlabeled`, labels -1 and 1 look like two classes, and -1 marks unlabeled "
            f"rows; `y` holds it {n_hidden} times. Rename the class -1 (say, to 0) or pass another "
            "`unlabeled_label`; if these rows are unlabeled, move them to `X_unlabeled`."
        )


@dataclass(frozen=True, eq=False)
class LabelCodec:
    """Translates between the user's labels and class codes.

    Parameters
    ----------
    known : array of shape (n_known_classes,)
        Known labels, sorted.
    augmented_label : scalar
        What predicted augmented rows are called.
    unlabeled_label : scalar
        What marks an unlabeled row in `y`.

    Examples
    --------
    >>> codec = LabelCodec.from_labels(["cat", "dog", "-1", "cat"])
    >>> codec.encode(["dog", "augmented", "-1"])
    array([ 1,  2, -1])
    >>> codec.decode([0, 2])
    array(['cat', 'augmented'], dtype='<U9')
    """

    known: NDArray[Any]
    augmented_label: Any
    unlabeled_label: Any = UNLABELED

    @classmethod
    def from_labels(
        cls, y: Any, *, augmented_label: Any = "auto", unlabeled_label: Any = UNLABELED
    ) -> "LabelCodec":
        """Return the codec of a (possibly masked) label vector, refusing what is ambiguous."""
        y = validated_labels(y, unlabeled_label)
        hidden = is_unlabeled(y, unlabeled_label)
        known = np.unique(_typed(y[~hidden]))
        gaps = known.dtype.kind == "f" and any(map(_is_missing, y.tolist()))
        if gaps and np.all(known % 1 == 0):  # pandas makes whole numbers beside gaps floats
            known = known.astype(np.int64)
        if known.size == 0:
            raise ValueError(
                f"`y` has only unlabeled rows ({len(y)} times {unlabeled_label!r}, or missing). "
                "At least one labeled row per known class is needed."
            )
        _refuse_blank(y[~hidden], unlabeled_label)
        if isinstance(augmented_label, str) and augmented_label == "auto":
            augmented_label = AUGMENTED if known.dtype.kind in "iufb" else AUGMENTED_NAME
        if isinstance(augmented_label, str) != _is_text(known):
            raise ValueError(
                f"`augmented_label` must be text where labels are text, and a number where they "
                f"are numbers; got {augmented_label!r} for the classes {known.tolist()}."
            )
        if augmented_label in known.tolist():
            raise ValueError(
                f"`augmented_label`={augmented_label!r} is also a known class in `y` "
                f"({known.tolist()}). Rename that class, or choose another augmented label."
            )
        # Among text the marker is its text, as in `is_unlabeled`.
        if augmented_label in (unlabeled_label, str(unlabeled_label)):
            raise ValueError(
                f"`augmented_label` and `unlabeled_label` must differ; both are "
                f"{augmented_label!r}. A masked `y` would make unlabeled rows look new."
            )
        return cls(known, augmented_label, unlabeled_label)

    @property
    def n_known_classes(self) -> int:
        """Number of known classes, which is also the code of the augmented class."""
        return len(self.known)

    @property
    def all_labels(self) -> NDArray[Any]:
        """Known labels in sorted order, then the augmented label: the score columns."""
        if self.known.dtype.kind == "O":
            return np.append(self.known, np.array([self.augmented_label], dtype=object))
        return np.append(self.known, self.augmented_label)

    def encode(self, y: Any) -> NDArray[np.intp]:
        """Return codes; a label that was not known at `fit` counts as augmented."""
        y = validated_labels(y, self.unlabeled_label)
        hidden = is_unlabeled(y, self.unlabeled_label)
        labels = _typed(y[~hidden])
        if labels.size and _is_text(labels) != _is_text(self.known):
            raise ValueError(
                f"labels must be of the same kind, text or numbers, as the known classes "
                f"{self.known.tolist()}; got {labels.tolist()[0]!r}. Convert `y`."
            )
        index = {label: code for code, label in enumerate(self.known.tolist())}
        codes = np.array([index.get(v, self.n_known_classes) for v in y.tolist()], dtype=np.intp)
        codes[hidden] = UNLABELED
        return codes

    def decode(self, codes: Any) -> NDArray[Any]:
        """Return the user's labels of class codes."""
        return self.all_labels[np.asarray(codes, dtype=np.intp)]


def validated_labels(y: Any, unlabeled_label: Any) -> NDArray[Any]:
    """Return `y` as a 1-D array of labels, refusing other and mixed kinds."""
    y = _as_array(y)
    if y.ndim > 1 and y.shape[1:] != (1,):
        raise ValueError(
            f"labels in `y` must stand in one column, each text, a number or a boolean; got an "
            f"array of shape {y.shape}."
        )
    if y.dtype.kind not in "OUSbiuf":
        _require_plain(y.ravel())
    y = column_or_1d(y, warn=True)
    labels = y[~is_unlabeled(y, unlabeled_label)]
    _require_plain(labels)
    if labels.dtype.kind == "O":
        labels = _typed(labels)
        # A text marker would turn the numbers beside it into text, and a gap into objects.
        if not _is_text(labels) and not any(isinstance(v, str) or _is_missing(v) for v in y):
            y = _typed(y)
    if labels.size:
        check_classification_targets(labels)
    return y


def _require_plain(labels: NDArray[Any]) -> None:
    """Refuse labels that are no text, numbers or booleans, and those of several kinds."""
    if labels.dtype.kind in "Ubiuf":
        return
    strange = next((v for v in labels if not isinstance(v, PLAIN)), None)
    if strange is not None:
        raise ValueError(
            f"labels in `y` must be text, numbers or booleans; got {strange!r:.60} of type "
            f"{type(strange).__name__}. Name the classes by text or numbers."
        )
    if len({(isinstance(v, str), isinstance(v, bool | np.bool_)) for v in labels}) > 1:
        kinds = sorted({type(v).__name__ for v in labels})
        raise ValueError(
            f"labels in `y` must be all strings, all numbers or all booleans; got {kinds}. "
            "Convert them."
        )


def _refuse_blank(labels: NDArray[Any], unlabeled_label: Any) -> None:
    """Refuse a class without a name: its rows are unlabeled ones, most likely."""
    n_blank = sum(isinstance(label, str) and not label.strip() for label in labels.tolist())
    if n_blank:
        raise ValueError(
            f"labels in `y` must not be blank; {n_blank} of {len(labels)} are. Mark unlabeled rows "
            f"by {str(unlabeled_label)!r} or None; give a class a name."
        )


def _typed(labels: NDArray[Any]) -> NDArray[Any]:
    """Return Python numbers as an array of numbers; what is no object array stays as it is."""
    if labels.dtype.kind != "O" or _is_text(labels):
        return labels
    return np.array(labels.tolist())


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "US" or isinstance(next(iter(labels), None), str)


def _is_text_of(label: Any, marker: str) -> bool:
    return isinstance(label, str) and label == marker


def _is_missing(label: Any) -> bool:
    same = label == label  # not for NaN; neither true nor false for pandas.NA
    return label is None or not isinstance(same, bool | np.bool_) or not same


def _as_array(y: Any) -> NDArray[Any]:
    array = np.asarray(y)
    return array.astype(object) if array.dtype.kind == "T" else array
