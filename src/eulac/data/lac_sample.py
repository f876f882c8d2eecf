"""The pair of samples everything else works on: labeled rows of known classes, unlabeled rows."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from eulac.data.labels import UNLABELED, LabelCodec, refuse_lost_class

__all__ = ["LacSample", "row_importance"]

Rows = NDArray[Any] | slice


@dataclass(frozen=True, eq=False, repr=False)
class LacSample:
    """Labeled rows of K known classes and unlabeled rows from deployment.

    Parameters
    ----------
    X_labeled : array of shape (n_labeled, n_features)
    y_labeled : int array of shape (n_labeled,)
        Class codes 0..K-1; see `codec`.
    X_unlabeled : array of shape (n_unlabeled, n_features)
    codec : LabelCodec
        How codes and the user's labels correspond.
    importance : array of shape (n_labeled,), optional
        How much each labeled row counts beside the others, one on average; all the same if None.

    Examples
    --------
    >>> import numpy as np
    >>> LacSample.from_masked(np.eye(4), ["cat", "dog", "-1", "-1"])
    LacSample(2 labeled rows of 2 known classes, 2 unlabeled rows, 4 features)
    """

    X_labeled: NDArray[np.float64]
    y_labeled: NDArray[np.intp]
    X_unlabeled: NDArray[np.float64]
    codec: LabelCodec
    importance: NDArray[np.float64] | None = None

    @classmethod
    def from_masked(
        cls,
        X: NDArray[np.float64],
        y: Any,
        *,
        X_unlabeled: NDArray[np.float64] | None = None,
        augmented_label: Any = "auto",
        unlabeled_label: Any = UNLABELED,
    ) -> "LacSample":
        """Return the sample of a masked `y`, plus further unlabeled rows if there are any."""
        codec = LabelCodec.from_labels(
            y, augmented_label=augmented_label, unlabeled_label=unlabeled_label
        )
        refuse_lost_class(y, codec, X_unlabeled)
        codes = codec.encode(y)
        hidden = codes == UNLABELED
        unlabeled = X[hidden]
        if X_unlabeled is not None:
            unlabeled = np.vstack([unlabeled, X_unlabeled]) if hidden.any() else X_unlabeled
        return cls(X[~hidden], codes[~hidden], unlabeled, codec)

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return len(self.X_labeled)

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled rows."""
        return len(self.X_unlabeled)

    @property
    def n_known_classes(self) -> int:
        """Number of known classes, K."""
        return self.codec.n_known_classes

    @property
    def labeled_frequency(self) -> NDArray[np.float64]:
        """Share of each known class among the labeled rows, each counted by its importance."""
        counts = np.bincount(self.y_labeled, self.importance, minlength=self.n_known_classes)
        return np.asarray(counts / self.n_labeled)

    def taken(self, labeled: Rows, unlabeled: Rows) -> "LacSample":
        """Return some labeled and some unlabeled rows, in the order given.

        Labels and importance go with their rows; the known classes stay the same.

        Examples
        --------
        >>> import numpy as np
        >>> sample = LacSample.from_masked(np.eye(4), [5, 7, -1, -1])
        >>> sample.taken(np.array([1]), np.array([0, 1]))
        LacSample(1 labeled rows of 2 known classes, 2 unlabeled rows, 4 features)
        """
        return replace(
            self,
            X_labeled=self.X_labeled[labeled],
            y_labeled=self.y_labeled[labeled],
            X_unlabeled=self.X_unlabeled[unlabeled],
            importance=None if self.importance is None else self.importance[labeled],
        )

    def with_rows(
        self,
        *,
        X_labeled: NDArray[Any] | None = None,
        X_unlabeled: NDArray[Any] | None = None,
    ) -> "LacSample":
        """Return the sample with other features of its labeled rows, or other unlabeled rows.

        Examples
        --------
        >>> import numpy as np
        >>> sample = LacSample.from_masked(np.eye(4), [5, 7, -1, -1])
        >>> sample.with_rows(X_unlabeled=sample.X_labeled).X_unlabeled[0]
        array([1., 0., 0., 0.])
        """
        labeled = self.X_labeled if X_labeled is None else X_labeled
        if len(labeled) != self.n_labeled:
            raise ValueError(
                f"`X_labeled` must have a row per label, {self.n_labeled}; got {len(labeled)}. "
                "Use `taken` for some of the rows."
            )
        unlabeled = self.X_unlabeled if X_unlabeled is None else X_unlabeled
        return replace(self, X_labeled=labeled, X_unlabeled=unlabeled)

    def as_masked(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return ``(X, y)`` in masked form, labeled rows first.

        Examples
        --------
        >>> import numpy as np
        >>> LacSample.from_masked(np.eye(3), [-1, 7, 5]).as_masked()[1]
        array([ 7,  5, -1])
        """
        labels = self.codec.decode(self.y_labeled)
        marker = self.codec.unlabeled_label
        text = labels.dtype.kind in "US"
        if text:
            marker = str(marker)
        hidden = np.full(self.n_unlabeled, marker, dtype=object)
        y = np.concatenate([labels.astype(object), hidden])
        # A text marker would turn the numbers beside it into text.
        if labels.dtype.kind != "O" and isinstance(marker, str) == text:
            y = np.array(y.tolist())
        return np.vstack([self.X_labeled, self.X_unlabeled]), y

    def __repr__(self) -> str:
        return (
            f"LacSample({self.n_labeled} labeled rows of {self.n_known_classes} known classes, "
            f"{self.n_unlabeled} unlabeled rows, {self.X_labeled.shape[1]} features)"
        )


def row_importance(
    sample_weight: Any, codes: NDArray[np.intp], codec: LabelCodec
) -> NDArray[np.float64] | None:
    """Return sample weights of the labeled rows, one on average; None where all are the same.

    The unlabeled rows are the deployment as it is: they must weigh the same.

    Parameters
    ----------
    sample_weight : array of shape (n_rows,), number or None
    codes : int array of shape (n_rows,)
        `UNLABELED` where a row is.
    codec : LabelCodec

    Examples
    --------
    >>> import numpy as np
    >>> codec = LabelCodec.from_labels([5, 7, -1])
    >>> row_importance([3.0, 1.0, 1.0], np.array([0, 1, -1]), codec)
    array([1.5, 0.5])
    """
    if sample_weight is None:
        return None
    weight = _check_sample_weight(sample_weight, codes, dtype=np.float64, ensure_non_negative=True)
    hidden = codes == UNLABELED
    if hidden.any() and np.ptp(weight[hidden]) > 0:
        raise ValueError(
            "`sample_weight` must be the same for all unlabeled rows, which stand for deployment "
            f"as it is; got {weight[hidden].min():g} to {weight[hidden].max():g}. Draw unlabeled "
            "rows in proportion to their weights instead."
        )
    weight = weight[~hidden]
    totals = np.bincount(codes[~hidden], weight, minlength=codec.n_known_classes)
    if np.any(totals == 0):
        label = codec.known.tolist()[int(np.argmin(totals))]
        raise ValueError(
            "`sample_weight` must leave every class a row that counts; all rows of "
            f"{label!r} weigh zero. Leave them out of `X`."
        )
    # An exact sum does not depend on the order of the rows, and nothing after it may either.
    mean = math.fsum(weight) / len(weight)
    return None if np.ptp(weight) == 0 else np.asarray(weight / mean)
