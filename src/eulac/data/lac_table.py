"""Labeled and unlabeled rows of any kind of table, and an order that depends on values alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.data.any_rows import columns_sorted, joined_rows, n_rows, picked_rows, row_keys
from eulac.data.labels import UNLABELED, LabelCodec, refuse_lost_class
from eulac.data.lac_sample import LacSample, row_importance

__all__ = ["LacTable", "in_value_order"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LacTable:
    """Labeled rows, then unlabeled ones, of any kind of table.

    Attributes
    ----------
    X : array, data frame, sparse matrix or texts
        All rows, labeled ones first.
    y_labeled : int array of shape (n_labeled,)
        Class codes 0..K-1; see `codec`.
    codec : LabelCodec
    n_unlabeled : int
    places : int array of shape (n_labeled + n_unlabeled,)
        Where each row stood in what the user passed, `X` first and `X_unlabeled` after it.
    importance : array of shape (n_labeled,), optional
        As in `LacSample`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"color": ["red", "blue", None], "size": [1.0, 2.0, 3.0]})
    >>> LacTable.from_masked(X, ["cat", "dog", "-1"]).sample()
    LacSample(2 labeled rows of 2 known classes, 1 unlabeled rows, 1 features)
    """

    X: Any
    y_labeled: NDArray[np.intp]
    codec: LabelCodec
    n_unlabeled: int
    places: NDArray[np.intp]
    importance: Array | None = None

    @classmethod
    def from_masked(
        cls, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None, **markers: Any
    ) -> "LacTable":
        """Return the table of a masked `y`, plus further unlabeled rows if there are any.

        Sample weights, where there are any, are those of the rows of `X`.
        """
        requirements.require_label_per_row(X, y)
        codec = LabelCodec.from_labels(y, **markers)
        refuse_lost_class(y, codec, X_unlabeled)
        codes = codec.encode(y)
        hidden = codes == UNLABELED
        places = np.argsort(hidden, kind="stable")
        rows = picked_rows(X, places)
        if X_unlabeled is not None:
            rows = joined_rows(rows, X_unlabeled)
            places = np.append(places, len(places) + np.arange(n_rows(X_unlabeled)))
        n_labeled = int((~hidden).sum())
        importance = row_importance(sample_weight, codes, codec)
        return cls(rows, codes[~hidden], codec, len(places) - n_labeled, places, importance)

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return len(self.y_labeled)

    @property
    def n_known_classes(self) -> int:
        """Number of known classes, K."""
        return self.codec.n_known_classes

    def taken(self, labeled: NDArray[np.intp], unlabeled: NDArray[np.intp]) -> "LacTable":
        """Return the table of some labeled and some unlabeled rows, in the order given."""
        kept = np.append(labeled, self.n_labeled + unlabeled)
        rows, places = picked_rows(self.X, kept), self.places[kept]
        importance = None if self.importance is None else self.importance[labeled]
        y_labeled = self.y_labeled[labeled]
        return LacTable(rows, y_labeled, self.codec, len(unlabeled), places, importance)

    def masked_codes(self) -> NDArray[np.intp]:
        """Return the class code of every row, `UNLABELED` for unlabeled ones."""
        return np.append(self.y_labeled, np.full(self.n_unlabeled, UNLABELED))

    def sample(self, numbers: Array | None = None) -> LacSample:
        """Return the rows as a `LacSample`: of their numbers, or of their positions."""
        if numbers is None:
            numbers = np.arange(self.n_labeled + self.n_unlabeled, dtype=float)[:, None]
        labeled, unlabeled = np.split(numbers, [self.n_labeled])
        return LacSample(labeled, self.y_labeled, unlabeled, self.codec, self.importance)


def in_value_order(table: LacTable, random_state: Any = None) -> LacTable:
    """Return the table shuffled in a way that depends on its rows, not on their order.

    Nor on that of columns with names. As `in_canonical_order`, for rows of any kind: copies stay
    next to each other, so that folds, which are runs of rows, do not hold out a row and train on
    its copy.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"color": ["red", "blue", "red", "green"]})
    >>> one = in_value_order(LacTable.from_masked(X, ["a", "b", "a", "-1"]), 0)
    >>> two = in_value_order(LacTable.from_masked(X[::-1], ["-1", "a", "b", "a"]), 0)
    >>> one.X["color"].tolist() == two.X["color"].tolist()
    True
    """
    rng = np.random.default_rng(random_state)
    labeled, unlabeled = np.split(row_keys(columns_sorted(table.X)), [table.n_labeled])
    # Labels, and then weights, decide only between rows that coincide, so that renaming classes
    # changes nothing else.
    importance = np.zeros(table.n_labeled) if table.importance is None else table.importance
    by_label = np.lexsort((importance, table.y_labeled))
    return table.taken(by_label[_shuffled(labeled[by_label], rng)], _shuffled(unlabeled, rng))


def _shuffled(keys: NDArray[np.uint64], rng: np.random.Generator) -> NDArray[np.intp]:
    values, group = np.unique(keys, return_inverse=True)
    return np.argsort(rng.permutation(len(values))[group], kind="stable")
