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

__all__ = ["ChunkSource", "SurveyPlan", "known_codes"]

Codes = NDArray[np.intp]
Chunk = tuple[Any, Any]


@dataclass(frozen=True)
class ChunkSource:
    """Chunks ``(X, y)`` that can be iterated more than once.

    Examples
    --------
    >>> source = ChunkSource.of([("X1", "y1"), ("X2", "y2")])
    >>> len(list(source)), source.n_chunks, list(source.skipping(1))
    (2, 2, [('X2', 'y2')])
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

    def skipping(self, n_done: int) -> Iterator[Chunk]:
        """Return the chunks after the first `n_done`."""
        return islice(iter(self), n_done, None)


@dataclass(frozen=True)
class SurveyPlan:
    """All a worker needs to survey rows."""

    n_kept: int
    floor: int
    seed: int
    unlabeled_label: Any = UNLABELED

    def survey(self, X: NDArray[Any], y: Any, classes: NDArray[Any] | None = None) -> RowSurvey:
        """Return the survey of rows; `y` is None where none is labeled."""
        labels, codes = self._labels(X, y, classes)
        return self.survey_codes(X, codes, labels)

    def survey_codes(self, X: NDArray[Any], codes: Codes, labels: NDArray[Any]) -> RowSurvey:
        """Return the survey of rows whose codes are places in `labels`."""
        options = {"n_kept": self.n_kept, "floor": self.floor, "seed": self.seed}
        return RowSurvey.of(X, codes, labels, **options)

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
