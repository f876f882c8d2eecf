"""The paper's experimental draws, for any labeled table: who is known, and which rows go where.

Class counts of every part are decided first; rows are then dealt class by class. The labels of
unlabeled and test rows are for evaluation only.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eulac.data.class_counts import checked_sizes, dealt_rows, plan_counts
from eulac.data.labels import UNLABELED, LabelCodec, is_unlabeled, validated_labels
from eulac.data.lac_sample import LacSample

__all__ = [
    "LacSplit",
    "draw_known_classes",
    "draw_parts_split",
    "draw_shift_environment",
    "draw_split",
    "min_max_scale",
    "shift_priors",
]


@dataclass(frozen=True, eq=False, repr=False)
class LacSplit:
    """A sample to fit on, test rows, and the truth about both.

    Parameters
    ----------
    sample : LacSample
        What a classifier may see.
    y_unlabeled : array of shape (n_unlabeled,)
        True labels of the unlabeled rows, for evaluation only; the augmented label for new rows.
    X_test : array of shape (n_test, n_features)
    y_test : array of shape (n_test,)
        True labels; the augmented label for new rows.
    message : str or None, default=None
        A sentence when fewer rows were drawn than asked for.

    Examples
    --------
    >>> X, y = np.arange(40.0).reshape(20, 2), np.repeat(["cat", "dog", "owl", "yak"], 5)
    >>> split = draw_split(
    ...     X, y, known_classes=["cat", "dog"], n_labeled=4, n_unlabeled=6, n_test=6, random_state=0
    ... )
    >>> split
    LacSplit(4 labeled rows of 2 known classes, 6 unlabeled rows (50.0% known), 6 test rows)
    >>> sorted(split.y_test.tolist())[:4]
    ['augmented', 'augmented', 'augmented', 'cat']
    """

    sample: LacSample
    y_unlabeled: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]
    message: str | None = None

    @property
    def known_classes(self) -> NDArray[Any]:
        """Known labels, sorted."""
        return self.sample.codec.known

    @property
    def per_class(self) -> NDArray[np.float64]:
        """True share of each known class among the unlabeled rows."""
        codes = self.sample.codec.encode(self.y_unlabeled)
        counts = np.bincount(codes, minlength=self.sample.n_known_classes + 1)[:-1]
        return np.asarray(counts / len(codes))

    @property
    def known_proportion(self) -> float:
        """True share of known rows among the unlabeled rows."""
        return float(np.mean(self.y_unlabeled != self.sample.codec.augmented_label))

    def __repr__(self) -> str:
        sample = self.sample
        return (
            f"LacSplit({sample.n_labeled} labeled rows of {sample.n_known_classes} known classes, "
            f"{sample.n_unlabeled} unlabeled rows ({self.known_proportion:.1%} known), "
            f"{len(self.X_test)} test rows{', scaled down' if self.message else ''})"
        )


def draw_known_classes(
    y: Any, *, n_augmented: int | None = None, random_state: Any = None
) -> NDArray[Any]:
    """Return the classes that stay known when some are drawn to be augmented, sorted.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    n_augmented : int or None, default=None
        How many classes become augmented, in [0, n_classes - 1]; by default half of them, rounded
        down, as in the paper.
    random_state : int, Generator or None, default=None

    Examples
    --------
    >>> draw_known_classes([3, 1, 2, 0, 1, 2], random_state=0)
    array([2, 3])
    """
    classes = np.unique(_true_labels(y))
    if n_augmented is None:
        n_augmented = len(classes) // 2
    if not 0 <= n_augmented < len(classes):
        raise ValueError(
            f"`n_augmented` must lie in [0, {len(classes) - 1}], so that one of the "
            f"{len(classes)} classes stays known; got {n_augmented!r}."
        )
    rng = np.random.default_rng(random_state)
    return np.sort(rng.choice(classes, len(classes) - n_augmented, replace=False))


def draw_split(
    X: Any,
    y: Any,
    *,
    known_classes: Any = None,
    n_labeled: int = 500,
    n_unlabeled: int = 1000,
    n_test: int = 1000,
    known_proportion: float | None = None,
    labeled_priors: ArrayLike | None = None,
    known_priors: ArrayLike | None = None,
    random_state: Any = None,
) -> LacSplit:
    """Return disjoint labeled, unlabeled and test rows of a labeled table.

    When the table is too small, all three sizes shrink by one factor, the largest that fits, and
    `message` says so. Every known class gets at least one labeled row, if need be in place of a
    row of the most frequent class, because a class without any would not be known.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
        True label of every row.
    known_classes : array-like or None, default=None
        Rows of all other classes are augmented. By default drawn by `draw_known_classes`.
    n_labeled, n_unlabeled, n_test : int
        The paper's sizes by default.
    known_proportion : float or None, default=None
        Share of known rows among unlabeled and test rows, in [0, 1]; by default their share in
        `y`. Rounded to whole rows.
    labeled_priors : array-like of shape (n_known_classes,) or None, default=None
        Class shares of the labeled rows, following the *sorted* known classes, met exactly up to
        rounding. By default rows are drawn at random, whatever their known class.
    known_priors : array-like of shape (n_known_classes,) or None, default=None
        The same for the known rows among unlabeled and test rows. Rows drawn at random come from
        what exact shares leave.
    random_state : int, Generator or None, default=None

    Returns
    -------
    split : LacSplit

    Examples
    --------
    >>> X, y, priors = np.eye(120), np.arange(120) % 6, [0.5, 0.3, 0.2]
    >>> draw_split(X, y, known_priors=priors, n_labeled=9, n_unlabeled=20, n_test=9).per_class
    array([0.25, 0.15, 0.1 ])
    >>> draw_split(X, y, random_state=0).message
    'sizes scaled down from 500 labeled, 1000 unlabeled and 1000 test rows to 20, 40 and 40, ...'
    """
    rng = np.random.default_rng(random_state)
    X, y = np.asarray(X), _true_labels(y)
    if X.ndim < 2 or len(X) != len(y):
        raise ValueError(
            f"`X` must be an array with one row per label; got shape {X.shape} for {len(y)} labels."
        )
    if known_classes is None:
        known_classes = draw_known_classes(y, random_state=rng)
    codec = _codec_of(y, known_classes)
    codes = codec.encode(y)
    n_known_classes = codec.n_known_classes
    available = np.bincount(codes, minlength=n_known_classes + 1)
    plan = plan_counts(available, known_proportion, labeled_priors, known_priors)
    asked = checked_sizes(n_labeled, n_unlabeled, n_test, n_known_classes)
    sizes = plan.fitting_sizes(asked)
    labeled, unlabeled, test = dealt_rows(codes, plan.draw_counts(sizes, rng), rng)
    return LacSplit(
        LacSample(X[labeled], codes[labeled], X[unlabeled], codec),
        codec.decode(codes[unlabeled]),
        X[test],
        codec.decode(codes[test]),
        plan.shortage(asked, sizes, codec.known.tolist()),
    )


def draw_parts_split(
    X: Any,
    y: Any,
    n_first_part: int,
    *,
    known_classes: Any,
    n_labeled: int = 500,
    n_unlabeled: int = 1000,
    n_test: int = 1000,
    random_state: Any = None,
) -> LacSplit:
    """Return labeled rows of the first part of a table, unlabeled and test rows of the rest.

    Where the rest is too small, it is divided in the proportion of the sizes asked for.

    Parameters
    ----------
    X, y
        As in `draw_split`.
    n_first_part : int
        Rows of the first part.
    known_classes : array-like
    n_labeled, n_unlabeled, n_test : int
    random_state : int, Generator or None, default=None

    Examples
    --------
    >>> X, y = np.arange(120.0)[:, None], np.arange(120) % 4
    >>> split = draw_parts_split(
    ...     X, y, 80, known_classes=[0, 1], n_labeled=9, n_unlabeled=20, n_test=10, random_state=0
    ... )
    >>> bool(split.sample.X_labeled.max() < 80 <= split.sample.X_unlabeled.min())
    True
    """
    rng = np.random.default_rng(random_state)
    X, y = np.asarray(X), _true_labels(y)
    codec = _codec_of(y, known_classes)
    codes = codec.encode(y)
    order = rng.permutation(len(y))
    first, last = order[order < n_first_part], order[order >= n_first_part]
    labeled = first[codes[first] < codec.n_known_classes][:n_labeled]
    n_pool = min(n_unlabeled, round(len(last) * n_unlabeled / (n_unlabeled + n_test)))
    unlabeled, test = last[:n_pool], last[n_pool : n_pool + n_test]
    return LacSplit(
        LacSample(X[labeled], codes[labeled], X[unlabeled], codec),
        codec.decode(codes[unlabeled]),
        X[test],
        codec.decode(codes[test]),
    )


def shift_priors(n_known_classes: int, shift_intensity: float) -> NDArray[np.float64]:
    """Return class shares rising evenly from 1 - α to 1 + α, over their sum (Section 5.3).

    Examples
    --------
    >>> shift_priors(5, 0.5)
    array([0.1 , 0.15, 0.2 , 0.25, 0.3 ])
    """
    if n_known_classes < 1:
        raise ValueError(f"`n_known_classes` must be at least 1; got {n_known_classes!r}.")
    if not 0 <= shift_intensity < 1:
        raise ValueError(
            f"`shift_intensity` must lie in [0, 1), so that every known class keeps a share; "
            f"got {shift_intensity!r}."
        )
    priors = 1 + shift_intensity * np.linspace(-1, 1, n_known_classes)
    return np.asarray(priors / priors.sum())


def draw_shift_environment(
    X: Any,
    y: Any,
    *,
    shift_intensity: float,
    known_classes: Any = None,
    known_proportion: float = 0.5,
    n_labeled: int = 500,
    n_unlabeled: int = 1000,
    n_test: int = 1000,
    random_state: Any = None,
) -> LacSplit:
    """Return a draw in which known classes are equally frequent when labeled, and shift after.

    Section 5.3 of the paper for any table. By default every second class in sorted order is
    known, starting with the second: of the digits 0 to 9, the odd ones. The other parameters are
    those of `draw_split` and `shift_priors`.

    Examples
    --------
    >>> X, y = np.eye(80), np.arange(80) % 4
    >>> split = draw_shift_environment(
    ...     X, y, shift_intensity=0.5, n_labeled=8, n_unlabeled=16, n_test=16, random_state=0
    ... )
    >>> split.known_classes, split.sample.labeled_frequency, split.per_class
    (array([1, 3]), array([0.5, 0.5]), array([0.125, 0.375]))
    """
    if known_classes is None:
        known_classes = np.unique(_true_labels(y))[1::2]
    known_classes = np.unique(known_classes)
    n_known_classes = max(1, len(known_classes))
    return draw_split(
        X,
        y,
        known_classes=known_classes,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        n_test=n_test,
        known_proportion=known_proportion,
        labeled_priors=shift_priors(n_known_classes, 0.0),
        known_priors=shift_priors(n_known_classes, shift_intensity),
        random_state=random_state,
    )


def min_max_scale(X: ArrayLike) -> NDArray[np.floating[Any]]:
    """Return the features scaled to [0, 1], as the paper does; constant features become 0.

    Examples
    --------
    >>> min_max_scale([[1, 7], [2, 7], [5, 7]])
    array([[0.  , 0.  ], [0.25, 0.  ], [1.  , 0.  ]])
    """
    X = np.asarray(X)
    X = X.astype(np.result_type(X, np.float32))
    X -= X.min(axis=0)
    span = X.max(axis=0)
    return X / np.where(span > 0, span, 1)


def _true_labels(y: Any) -> NDArray[Any]:
    y = validated_labels(y, UNLABELED)
    n_hidden = int(is_unlabeled(y).sum())
    if n_hidden:
        raise ValueError(
            f"a draw needs the true label of every row; `y` has {n_hidden} rows marked "
            f"{UNLABELED!r} or missing, unlabeled. Drop them, or rename the class."
        )
    return y


def _codec_of(y: NDArray[Any], known_classes: Any) -> LabelCodec:
    classes = np.unique(y).tolist()
    known = np.unique(known_classes).tolist()
    if not known or not set(known) <= set(classes):
        raise ValueError(
            f"`known_classes` must be classes of `y`, at least one; got {known}. "
            f"Classes of `y`: {classes}."
        )
    return LabelCodec.from_labels(y[np.isin(y, known)])
