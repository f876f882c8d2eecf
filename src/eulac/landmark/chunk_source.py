"""Rows on their way into sums: chunks that can be read twice, and labels met on the way."""

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.data.labels import UNLABELED, LabelCodec, is_unlabeled, validated_labels
from eulac.data.row_sketch import RowSurvey

__all__ = [
    "ChunkSource",
    "SurveyPlan",
    "chunk_importance",
    "known_codes",
    "require_counted_classes",
]

Codes = NDArray[np.intp]
Chunk = tuple[Any, ...]


@dataclass(frozen=True)
class ChunkSource:
    """Chunks ``(X, y)`` or ``(X, y, sample_weight)`` that can be iterated more than once.

    Examples
    --------
    >>> source = ChunkSource.of([("X1", "y1"), ("X2", "y2")])
    >>> len(list(source)), source.n_chunks, list(source.skipping(1))
    (2, 2, [('X2', 'y2', None)])
    """

    open: Callable[[], Iterable[Chunk]]
    n_chunks: int | None = None

    @classmethod
    def of(cls, chunks: Iterable[Chunk] | Callable[[], Iterable[Chunk]]) -> "ChunkSource":
        """Return the source of an iterable or of a function that returns one."""
        if callable(chunks):
            return cls(chunks)
        if not hasattr(chunks, "__iter__") or iter(chunks) is chunks:
            raise TypeError(
                "`chunks` are looked at twice, so they must be a list, an object that can be "
                "iterated again, or a function that returns an iterator; got "
                f"{type(chunks).__name__}. Pass the function itself, or call `prepare` with a "
                "sample and then `partial_fit` with each chunk."
            )
        return cls(lambda: chunks, len(chunks) if isinstance(chunks, Sized) else None)

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.open())

    def skipping(self, n_done: int) -> Iterator[tuple[Any, Any, Any]]:
        """Yield rows, labels and weights of the chunks after the first `n_done`."""
        for X, y, *weight in islice(iter(self), n_done, None):
            yield X, y, weight[0] if weight else None


@dataclass(frozen=True)
class SurveyPlan:
    """All a worker needs to survey rows."""

    n_kept: int
    floor: int
    seed: int
    unlabeled_label: Any = UNLABELED

    def survey(
        self,
        X: NDArray[Any],
        y: Any,
        classes: NDArray[Any] | None = None,
        sample_weight: Any = None,
    ) -> RowSurvey:
        """Return the survey of rows; `y` is None where none is labeled."""
        labels, codes = self._labels(X, y, classes)
        return self.survey_codes(X, codes, labels, chunk_importance(sample_weight, codes))

    def survey_codes(
        self, X: NDArray[Any], codes: Codes, labels: NDArray[Any], importance: Any = None
    ) -> RowSurvey:
        """Return the survey of rows whose codes are places in `labels`."""
        options = {"n_kept": self.n_kept, "floor": self.floor, "seed": self.seed}
        return RowSurvey.of(X, codes, labels, importance, **options)

    def _labels(
        self, X: NDArray[Any], y: Any, classes: NDArray[Any] | None
    ) -> tuple[NDArray[Any], Codes]:
        codes = np.full(len(X), -1, dtype=np.intp)
        known = np.array([]) if classes is None else np.unique(np.asarray(classes))
        if y is None:
            return known, codes
        y = validated_labels(y, self.unlabeled_label)
        requirements.require_label_per_row(X, y)
        hidden = is_unlabeled(y, self.unlabeled_label)
        # As a list, so that an array of objects becomes one of numbers or of text.
        seen = np.array(y[~hidden].tolist())
        if classes is None:
            known = np.unique(seen)
        elif unknown := sorted(set(seen.tolist()) - set(known.tolist())):
            raise ValueError(f"`classes` must list all labels; {unknown[:5]} are not in it.")
        codes[~hidden] = np.searchsorted(known, seen)
        return known, codes


def known_codes(codec: LabelCodec, n_rows: int, y: Any) -> Codes:
    """Return codes of masked labels, refusing any that is not of a known class."""
    if y is None:
        return np.full(n_rows, UNLABELED, dtype=np.intp)
    codes = codec.encode(y)
    if len(codes) != n_rows:
        raise ValueError(f"`X` and `y` must have as many rows; got {n_rows} and {len(codes)}.")
    if np.any(codes == codec.n_known_classes):
        unknown = np.asarray(y)[codes == codec.n_known_classes].tolist()[0]
        raise ValueError(
            f"the known classes are {codec.known.tolist()}; got the label {unknown!r}. Announce "
            "all classes with the first call (`classes=`), or fit anew."
        )
    return codes


def chunk_importance(sample_weight: Any, codes: Codes) -> NDArray[np.float64] | None:
    """Return how many rows each row of a chunk counts as; None for one each.

    Chunks know nothing of each other, so weights are on one scale: that of an unlabeled row is 1.

    Examples
    --------
    >>> chunk_importance([2, 0.5, 1], np.array([0, 1, -1]))
    array([2. , 0.5, 1. ])
    """
    if sample_weight is None:
        return None
    # Not by scikit-learn's check: all rows of one chunk may weigh nothing.
    weight = np.asarray(sample_weight, dtype=np.float64)
    weight = np.full(len(codes), weight) if weight.ndim == 0 else weight
    if weight.shape != codes.shape:
        raise ValueError(
            f"`sample_weight` must have a number for each of {len(codes)} rows; got an array of "
            f"shape {weight.shape}."
        )
    wrong = weight[~(np.isfinite(weight) & (weight >= 0))]
    if len(wrong):
        raise ValueError(
            f"`sample_weight` must be finite and not negative; got {wrong[0]:g}. Leave out rows "
            "that shall not count, or give them 0."
        )
    other = weight[codes < 0]
    other = other[other != 1.0]
    if len(other):
        raise ValueError(
            "`sample_weight` must be 1 for the unlabeled rows of a chunk, which stand for "
            f"deployment as it is; got {other[0]:g}. Draw unlabeled rows in proportion to their "
            "weights instead."
        )
    return np.asarray(weight)


def require_counted_classes(survey: RowSurvey) -> None:
    """Refuse a class of which no row that was seen counts."""
    missing = survey.labels[survey.class_counts == 0].tolist()
    if missing:
        raise ValueError(
            "`sample_weight` must leave every class a row that counts; all rows of "
            f"{missing[0]!r} weigh zero. Leave them out of `X`."
        )
