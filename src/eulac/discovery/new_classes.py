"""`find_new_classes`: how many new classes there are in a pool, and which rows belong to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from eulac.data import requirements
from eulac.discovery.dendrogram import Dendrogram
from eulac.discovery.false_alarms import among_known
from eulac.discovery.grouping import group_rows
from eulac.discovery.labeled_rows import (
    ScoredPool,
    as_matrices,
    as_matrix,
    held_out_in_fit,
    labeled_rows,
    score_pool,
    was_fitted_on,
)
from eulac.discovery.overlooked import overlooked
from eulac.discovery.spaces import KnownRows
from eulac.discovery.ways import WAYS, Way

__all__ = [
    "NewClasses",
    "find_new_classes",
    "known_rows_of",
    "new_classes_of",
    "probability_of_new",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class NewClasses:
    """New classes in a pool, the largest first.

    Attributes
    ----------
    n_classes : int
    interval : (int, int)
        Plausible numbers of new classes.
    rows : int array
        Rows of the pool that look new: called new, or most of their neighbors are in one new class.
    assignment : int array of shape (n_rows,)
        New class of each row of the pool; -1 for rows that look known, lie among known ones after
        all, or belong to none.
    probabilities : array of shape (n_rows, n_classes)
        Probability that a row belongs to each new class; what is missing to 1 is known.
    typical_rows : tuple of int arrays
        Rows of each class, the most typical first.
    directions : array of shape (n_rows, n_coordinates)
        Rows of length one, alike where they are linked by others like them; 0 for rows in no class.
        What `spread_names` goes by.
    steadiness : array of shape (n_classes,)
        How much of each class comes back in resamples, 1 for all.
    tree : Dendrogram
        Which classes merge first, and which part first; `tree.cut(n)` is the assignment with n.
    worth : dict
        Worth of each number of classes that was tried; the largest is taken.
    way : Way
        How rows were grouped, and in which spaces.
    """

    n_classes: int
    interval: tuple[int, int]
    rows: Codes
    assignment: Codes
    probabilities: Array
    typical_rows: tuple[Codes, ...]
    directions: Array
    steadiness: Array
    tree: Dendrogram
    worth: dict[int, float]
    way: Way

    @property
    def coarser(self) -> Codes:
        """The assignment with two classes merged."""
        return self.tree.cut(self.n_classes - 1)

    @property
    def finer(self) -> Codes:
        """The assignment with one class parted, as far as one can be."""
        return self.tree.cut(self.n_classes + 1)

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(rows)) for rows in self.typical_rows)
        low, high = self.interval
        return f"NewClasses({self.n_classes}, plausible {low} to {high}; rows {sizes})"


def find_new_classes(
    classifier: Any,
    X: Any,
    X_labeled: Any = None,
    y_labeled: Any = None,
    *,
    n_classes: Any = "auto",
    ways: Sequence[Way] = WAYS,
    tolerance: float = 0.0,
    random_state: int = 0,
) -> NewClasses:
    """Find how many new classes there are in a pool, and which rows belong to which.

    Rows that the classifier calls new are grouped; others join a group that holds most of their
    neighbors. In which space, in which way, and how fine, is what finds *known* classes best when
    some of them are hidden; no label of a new class is needed.

    Parameters
    ----------
    classifier : fitted classifier
    X : array of shape (n_rows, n_features)
        The pool of the fit, or new rows.
    X_labeled, y_labeled : arrays, optional
        Labeled rows of the fit. A kernel classifier carries its own; without any, rows of the pool
        that look known stand in.
    n_classes : int or "auto", default="auto"
    ways : sequence of Way
        Ways of grouping that are tried; the first is taken unless another is clearly better.
    tolerance : float, default=0.0
        Of numbers of classes whose worth is within this of the best the largest is taken. A few
        hundredths help where people name classes: to merge is to type a name twice, but nobody can
        part what is shown as one.
    random_state : int, default=0

    Returns
    -------
    classes : NewClasses

    Examples
    --------
    >>> from eulac import KernelEulacClassifier, find_new_classes
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    >>> X, y = rng.normal(centers[[0] * 40 + [1] * 40], 0.5), np.repeat(["left", "right"], 40)
    >>> pool = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 40 + [3] * 30], 0.5)
    >>> clf = KernelEulacClassifier(random_state=0).fit(X, y, X_unlabeled=pool)
    >>> find_new_classes(clf, pool).n_classes
    2
    """
    _require_fitted(classifier)
    if n_classes != "auto":
        requirements.require_at_least("n_classes", n_classes, 1)
    scored = score_pool(classifier, X)
    pool, labeled = as_matrices(X, X_labeled)
    given = labeled_rows(classifier, X_labeled, y_labeled, labeled)
    in_pool = KnownRows(pool[~scored.is_new], scored.known[~scored.is_new])
    known = in_pool if given is None else KnownRows(given.X, given.codes)
    return new_classes_of(
        known,
        pool,
        np.flatnonzero(scored.is_new),
        probability_of_new(classifier, X),
        n_classes=n_classes,
        ways=ways,
        tolerance=tolerance,
        unevenness=max(known.unevenness(), in_pool.unevenness()),
        random_state=random_state,
    )


def _require_fitted(classifier: Any) -> None:
    """Refuse what is no classifier of ours, and one before its fit."""
    if hasattr(classifier, "known_classes_"):
        return
    if isinstance(classifier, BaseEstimator):
        check_is_fitted(classifier, "known_classes_")
    raise TypeError(
        "`classifier` must be a fitted classifier of arrays or frames; got a "
        f"{type(classifier).__name__}. Of a model of a table pass its `classifier` and "
        "`matrix(frame)`, or use `eulac review`."
    )


def known_rows_of(
    classifier: Any, X: Any, X_labeled: Any, y_labeled: Any, scored: ScoredPool
) -> KnownRows:
    """Return labeled rows, or rows of the pool that look known where there are none."""
    labeled = labeled_rows(classifier, X_labeled, y_labeled)
    if labeled is not None:
        return KnownRows(labeled.X, labeled.codes)
    return KnownRows(as_matrix(X)[~scored.is_new], scored.known[~scored.is_new])


def new_classes_of(
    known: KnownRows,
    X: Array,
    rows: Codes,
    sureness: Array | None = None,
    *,
    are_certain: bool = False,
    n_classes: Any = "auto",
    ways: Sequence[Way] = WAYS,
    tolerance: float = 0.0,
    unevenness: float | None = None,
    random_state: int = 0,
) -> NewClasses:
    """Return the classes in some rows of a pool; `find_new_classes` without a classifier.

    Parameters
    ----------
    known : KnownRows
    X : array of shape (n_rows, n_features)
        The pool.
    rows : int array
        Rows of the pool that look new.
    sureness : array of shape (n_rows,), optional
        Probability that a row is new; 1 for all by default.
    are_certain : bool, default=False
        Whether the rows are new for certain, and all others known. Where they only look so, those
        that lie among rows of known classes are in no group, and others that lie in the midst of
        one group join it.
    unevenness : float, optional
        How uneven in size classes may be before it counts; as the known rows by default.
    n_classes, ways, tolerance, random_state
        As in `find_new_classes`.
    """
    kept = rows if are_certain else rows[~among_known(known, X[rows], random_state)]
    found = group_rows(
        *(known, X[kept]),
        n_groups=n_classes,
        ways=ways,
        tolerance=tolerance,
        unevenness=unevenness,
        random_state=random_state,
    )
    if not are_certain:
        others = np.setdiff1d(np.arange(len(X)), rows)
        more = overlooked(known, X, kept, found.assignment, others, random_state)
        found, kept = found.joined_by(more.like), np.append(kept, more.rows)
        rows = np.union1d(rows, more.rows)
    sure = np.ones(len(X)) if sureness is None else sureness
    probabilities = np.zeros((len(X), found.n_groups))
    probabilities[kept] = found.votes * sure[kept, None]
    placed = np.full(len(X), -1, dtype=np.intp)
    placed[kept] = found.assignment
    order = kept[np.argsort(-found.typicality * sure[kept], kind="stable")]
    typical = tuple(order[placed[order] == group] for group in range(found.n_groups))
    directions = np.zeros((len(X), found.directions.shape[1]))
    directions[kept] = found.directions * (found.assignment >= 0)[:, None]
    return NewClasses(
        found.n_groups,
        found.interval,
        rows,
        placed,
        probabilities,
        typical,
        directions,
        found.steadiness,
        found.tree.placed(len(X), kept),
        found.worth,
        found.way,
    )


def probability_of_new(classifier: Any, X: Any) -> Array | None:
    """Return how probably each row is new, by models that have not seen it where there are some."""
    is_own = was_fitted_on(classifier, X)
    held_out = held_out_in_fit(classifier, X, unlabeled=True) if is_own else None
    if held_out is None and hasattr(classifier, "predict_proba"):
        held_out = classifier.predict_proba(X)
        if held_out.shape[1] <= classifier.codec_.n_known_classes:
            return None
    return None if held_out is None else np.asarray(held_out[:, -1])
