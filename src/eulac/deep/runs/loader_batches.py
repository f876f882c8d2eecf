"""Rows that do not fit in memory: one look over loaders, then paired batches of what they give.

A row is held out by its values, whatever the order in which loaders give rows. So they must give
rows as they are: random changes belong to `augmentation`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.row_sketch import fold_of_rows, hash_rows
from eulac.deep.row_scaling import RowScaling, as_channels_first

__all__ = ["LoaderBatches", "LoaderSurvey", "OpenedLoaders", "RowStream"]

Rows = NDArray[Any]
Piece = tuple[Rows, NDArray[Any], NDArray[np.uint64]]

N_FOLDS = 5
MOST_HELD_OUT = 5000
"""Rows of either kind that are kept in memory, to be judged by."""


def pieces(loader: Iterable[Any], *, labeled: bool) -> Iterator[Piece]:
    """Yield rows with channels first, their labels (none if unlabeled), and their hashes."""
    for batch in loader:
        X, y = _opened(batch, labeled=labeled)
        yield X, y, hash_rows(X.reshape(len(X), -1))


def _opened(batch: Any, *, labeled: bool) -> tuple[Rows, NDArray[Any]]:
    if labeled and not (isinstance(batch, tuple | list) and len(batch) == 2):
        raise ValueError(
            "the labeled loader must give pairs of rows and labels; got "
            f"{type(batch).__name__}. Wrap rows and labels in a `TensorDataset`."
        )
    X = batch[0] if isinstance(batch, tuple | list) else batch
    rows = as_channels_first(np.asarray(X, dtype=np.float32))
    y = np.asarray(batch[1]) if labeled else np.zeros(0)
    if labeled and len(y) != len(rows):
        raise ValueError(f"a batch must have a label for each of {len(rows)} rows; got {len(y)}.")
    return rows, y


@dataclass(eq=False)
class LoaderSurvey:
    """What one look over a loader tells: sizes, labels, scale, and the rows to be held out.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
    >>> survey = LoaderSurvey.of([(rows, np.arange(100) % 2)], labeled=True)
    >>> survey.n_rows, len(survey.y), survey.X_held_out.shape[1]
    (100, 100, 3)
    """

    n_rows: int
    sums: NDArray[np.float64]
    y: NDArray[Any]
    hashes: NDArray[np.uint64]
    X_held_out: Rows
    held_out: NDArray[np.intp]
    """Places of the rows held out among all."""

    @classmethod
    def of(cls, loader: Iterable[Any], *, labeled: bool) -> "LoaderSurvey":
        """Look once over a loader."""
        sums: Any = 0.0
        columns: list[list[NDArray[Any]]] = [[], [], [], []]
        n_rows = n_held_out = 0
        for X, y, found in pieces(loader, labeled=labeled):
            sums = sums + _moments(X)
            chosen = np.flatnonzero(fold_of_rows(found, N_FOLDS) == 0)
            chosen = chosen[: MOST_HELD_OUT - n_held_out]
            parts = y, found[chosen], X[chosen], chosen + n_rows
            for column, part in zip(columns, parts, strict=True):
                column.append(part)
            n_rows, n_held_out = n_rows + len(X), n_held_out + len(chosen)
        if not n_rows:
            raise ValueError("a loader must give rows; got none.")
        y, hashes, kept, places = map(np.concatenate, columns)
        return cls(n_rows, sums, y, hashes, kept, places)

    def taken(self, rows: NDArray[np.bool_]) -> "LoaderSurvey":
        """Return the survey with only some of the held-out rows held out."""
        parts = self.hashes[rows], self.X_held_out[rows], self.held_out[rows]
        return LoaderSurvey(self.n_rows, self.sums, self.y, *parts)

    @property
    def n_kept(self) -> int:
        """Number of rows to train on."""
        return self.n_rows - len(self.held_out)


def scaling_of(*surveys: LoaderSurvey) -> RowScaling:
    """Return mean and spread of the rows of all loaders together."""
    count, total, squares = np.sum([survey.sums for survey in surveys], axis=0)
    mean = total / count
    spread = np.sqrt(np.maximum(squares / count - mean**2, 0.0))
    spread[spread < 1e-12] = 1.0
    shape = (1, -1) if surveys[0].X_held_out.ndim == 2 else (1, -1, 1, 1)
    return RowScaling(*(part.astype(np.float32).reshape(shape) for part in (mean, spread)))


def surveyed_samples(
    labeled: LoaderSurvey, unlabeled: LoaderSurvey, codec: LabelCodec
) -> tuple[LacSample, LacSample, LoaderSurvey]:
    """Return the rows to train on, without features, the rows held out, and their survey.

    A class all of whose rows would be held out stays with the rows to train on.
    """
    codes = codec.encode(labeled.y)
    if np.any(codes < 0) or np.any(codes >= codec.n_known_classes):
        raise ValueError(
            "the labeled loader must give labels of known classes; it also gives unlabeled rows. "
            "Those belong to the other loader."
        )
    kept = np.bincount(np.delete(codes, labeled.held_out), minlength=codec.n_known_classes)
    labeled = labeled.taken(kept[codes[labeled.held_out]] > 0)
    y_held_out = codes[labeled.held_out]
    if min(len(y_held_out), len(unlabeled.X_held_out)) == 0:
        raise ValueError(
            "a fifth of both loaders' rows is held out, by a hash of their values; got "
            f"{labeled.n_rows} labeled and {unlabeled.n_rows} unlabeled rows, of which none is. "
            "Give more rows, or use `fit`."
        )
    bare = [np.empty((survey.n_kept, 0)) for survey in (labeled, unlabeled)]
    # Sorted, as loaders may give rows in another order next time.
    y = np.sort(np.delete(codes, labeled.held_out))
    held_out = LacSample(labeled.X_held_out, y_held_out, unlabeled.X_held_out, codec)
    return LacSample(bare[0], y, bare[1], codec), held_out, labeled


def _moments(X: Rows) -> NDArray[np.float64]:
    """Return count, sum and sum of squares of each channel or feature."""
    values = X.astype(np.float64)
    axes = (0, 2, 3) if X.ndim == 4 else (0,)
    total = values.sum(axis=axes)
    count = np.full(len(total), values.size / len(total))
    return np.stack([count, total, (values**2).sum(axis=axes)])


class RowStream:
    """Rows of a loader without end, as many at a time as asked for; none that is held out."""

    def __init__(self, loader: Iterable[Any], survey: LoaderSurvey, *, labeled: bool):
        self.loader, self.labeled = loader, labeled
        self.left_out = np.sort(survey.hashes)
        self.rows: list[Rows] = []
        self.labels: list[NDArray[Any]] = []
        self.pieces = self._endless()

    def take(self, n_rows: int) -> tuple[Rows, NDArray[Any]]:
        """Return the next rows and labels."""
        while sum(map(len, self.rows)) < n_rows:
            X, y = next(self.pieces)
            self.rows.append(X)
            self.labels.append(y)
        X, y = np.concatenate(self.rows), np.concatenate(self.labels)
        self.rows, self.labels = [X[n_rows:]], [y[n_rows:]]
        return X[:n_rows], y[:n_rows]

    def _endless(self) -> Iterator[tuple[Rows, NDArray[Any]]]:
        while True:
            n_found = n_rows = 0
            for X, y, hashes in pieces(self.loader, labeled=self.labeled):
                fresh = ~np.isin(hashes, self.left_out)
                n_found, n_rows = n_found + int((~fresh).sum()), n_rows + len(X)
                yield X[fresh], y[fresh] if self.labeled else y
            self._require_same_rows(n_found, n_rows)

    def _require_same_rows(self, n_found: int, n_rows: int) -> None:
        """Refuse loaders that change rows: what is held out would be trained on."""
        if n_found < 0.5 * len(self.left_out) or n_found == n_rows:
            raise ValueError(
                "a loader must give the same rows on each pass, so that held-out ones are known "
                f"again; {n_found} of {len(self.left_out)} came back. Leave random changes of rows "
                "to `augmentation`."
            )


@dataclass(eq=False)
class LoaderBatches:
    """Paired batches as `PairedBatches` gives them, from streams of rows.

    Attributes
    ----------
    labeled, unlabeled : RowStream
    n_batches : int
        In an epoch.
    sizes : (int, int)
        Labeled and unlabeled rows in a batch.
    encode : callable
        From labels to codes.
    scaling : RowScaling
    generator : torch.Generator
    augment : callable
        From rows and the generator to rows.
    """

    labeled: RowStream
    unlabeled: RowStream
    n_batches: int
    sizes: tuple[int, int]
    encode: Callable[[Any], NDArray[np.intp]]
    scaling: RowScaling
    generator: torch.Generator
    augment: Callable[[Tensor, torch.Generator], Tensor] = field(default=lambda rows, _: rows)

    def __len__(self) -> int:
        return self.n_batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        for _ in range(self.n_batches):
            X, y = self.labeled.take(self.sizes[0])
            U, _none = self.unlabeled.take(self.sizes[1])
            codes = torch.from_numpy(self.encode(y))
            yield self._prepared(X), codes, self._prepared(U)

    def _prepared(self, rows: Rows) -> Tensor:
        return self.augment(torch.from_numpy(self.scaling.scaled(rows)), self.generator)


class OpenedLoaders(NamedTuple):
    """Two loaders after one look: rows to train on, without features, and rows held out, scaled.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = [(rng.normal(size=(50, 3)), np.arange(50) % 2)]
    >>> opened = OpenedLoaders.of(labeled, [rng.normal(size=(80, 3))])
    >>> opened.rows.n_labeled + opened.held_out.n_labeled, opened.held_out.X_labeled.shape[1]
    (50, 3)
    """

    rows: LacSample
    held_out: LacSample
    scaling: RowScaling
    streams: tuple[RowStream, RowStream]

    @classmethod
    def of(cls, labeled: Any, unlabeled: Any, **markers: Any) -> "OpenedLoaders":
        """Look over both loaders; `markers` are those of `LabelCodec.from_labels`."""
        known, others = (
            LoaderSurvey.of(labeled, labeled=True),
            LoaderSurvey.of(unlabeled, labeled=False),
        )
        codec = LabelCodec.from_labels(known.y, **markers)
        rows, held_out, known = surveyed_samples(known, others, codec)
        scaling = scaling_of(known, others)
        scaled = held_out.with_rows(
            X_labeled=scaling.scaled(held_out.X_labeled),
            X_unlabeled=scaling.scaled(held_out.X_unlabeled),
        )
        streams = (
            RowStream(labeled, known, labeled=True),
            RowStream(unlabeled, others, labeled=False),
        )
        return cls(rows, scaled, scaling, streams)

    def batches(
        self, batch_size: int, fewest: int, generator: torch.Generator, augment: Any
    ) -> LoaderBatches:
        """Return paired batches; an epoch passes once over the longer loader."""
        counts = self.rows.n_labeled, self.rows.n_unlabeled
        sizes = min(batch_size, counts[0]), min(batch_size, counts[1])
        n_batches = max(fewest, *(-(-n // size) for n, size in zip(counts, sizes, strict=True)))
        encode = self.rows.codec.encode
        return LoaderBatches(
            *self.streams, n_batches, sizes, encode, self.scaling, generator, augment
        )
