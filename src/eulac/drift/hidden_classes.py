"""How new a row is, by what new classes look like: known classes are hidden in turn.

Forests of the known classes say of a row how sure they are and how near labeled rows it is (the
class view). What they say of rows of a class that nobody labeled can be tried out: a known class is
hidden, forests are trained on the others, and its rows are looked at. What they say after drift can
be tried out, too: rows are moved on trial (`trial_moves`). Logistic regression learns to tell
hidden from known rows by these marks, moved or not. Unlabeled rows have no part in any of it. So
whatever else moved between labeled and unlabeled rows, a row is as new as it looks beside hidden
classes.

The known share follows from the scores: unlabeled ones are a mixture of known and hidden ones,
after that move under which the mixture fits best.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.optimize import brentq
from scipy.stats import rankdata

from eulac.drift.class_view import ClassView, HeldOutView, class_view_of
from eulac.drift.trial_moves import trial_moves

__all__ = [
    "MOST_HIDDEN",
    "HiddenClassScores",
    "hidden_class_scores",
    "share_beside_hidden",
    "share_by_both_scores",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

MOST_HIDDEN = 8
"""Classes that are hidden, one at a time."""

MOST_MOVED = 300
"""Labeled rows that are moved on trial."""

GRID_SIZE = 4096
MARGIN = 6.0
"""Densities are kept so many deviations beyond the outermost scores."""

SMALLEST_DENSITY = 1e-4
"""Per deviation: a score that nothing explains is no proof of anything."""

N_PARTS = 6
"""Parts of about as many unlabeled rows, by the columns' score, whose known share is free."""

STARTS = (0.3, 0.7, 0.97)
MOST_STEPS = 300
SMALLEST_STEP = 1e-4
LIMITS = (1e-4, 1.0 - 1e-4)


@dataclass(frozen=True, eq=False)
class HiddenClassScores:
    """Log odds of belonging to a hidden class, bigger meaning newer.

    Attributes
    ----------
    unlabeled : array of shape (m,)
    known : tuple of arrays
        Of labeled rows that forests of all known classes see and were not trained on: as they are
        first, then after each move.
    hidden : tuple of arrays
        Of known rows while their class was hidden, after the same moves.
    n_hidden : int
        How many classes were hidden in turn: the more, the better they stand for new ones.
    """

    unlabeled: Array
    known: tuple[Array, ...]
    hidden: tuple[Array, ...]
    n_hidden: int = 1

    @cached_property
    def densities(self) -> list[tuple[Array, Array]]:
        """For each move, how dense known and hidden scores are at the unlabeled ones."""
        center, deviation = float(self.known[0].mean()), float(self.known[0].std()) or 1.0

        def dense(scores: Array) -> Array:
            found = _density_on_grid((scores - center) / deviation)
            return found((self.unlabeled - center) / deviation) + SMALLEST_DENSITY

        pairs = zip(self.known, self.hidden, strict=True)
        return [(dense(known), dense(hidden)) for known, hidden in pairs]


def hidden_class_scores(
    X: Array, y: Codes, seen: HeldOutView, *, seed: int = 0
) -> HiddenClassScores | None:
    """Return scores by forests that hide known classes; None where too few can be hidden.

    Parameters
    ----------
    X, y
        Labeled rows.
    seen : HeldOutView
        What forests of all known classes say of labeled and unlabeled rows.
    seed : int, default=0

    Examples
    --------
    >>> from eulac.drift.class_view import held_out_class_view
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    >>> y = np.arange(200) % 3
    >>> X, new = rng.normal(centers[y]), rng.normal(centers[[3] * 100])
    >>> seen = held_out_class_view(X, y, new, n_known_classes=3)
    >>> scores = hidden_class_scores(X, y, seen)
    >>> bool(np.median(scores.unlabeled) > np.median(scores.known[0]) + 2)
    True
    """
    n_known_classes = seen.view.n_known_classes
    if n_known_classes < 3:  # hiding one of two leaves nothing to tell apart
        return None
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(n_known_classes)[:MOST_HIDDEN]
    held_out = rng.integers(0, 5, len(y))
    kept = [np.flatnonzero((y != k) & (held_out != i % 5)) for i, k in enumerate(hidden)]
    if any(len(np.unique(y[rows])) < 2 for rows in kept):
        return None
    view = class_view_of(X, y, kept, n_known_classes, seed=seed + 50)
    moved = rng.permutation(len(y))[:MOST_MOVED]
    moves = list(trial_moves(X[moved], y[moved], seed).values())
    beside = _beside_hidden(view, moves, y[moved], hidden, held_out[moved])
    score = _fitted_log_odds(*(np.vstack(part) for part in zip(*beside, strict=True)))
    labeled = _typicality(seen.view, moves, seen.fold[moved])
    return HiddenClassScores(
        score(seen.unlabeled.typicality),
        tuple(score(rows) for rows in labeled),
        tuple(score(new) for _, new in beside),
        len(hidden),
    )


def share_beside_hidden(scores: HiddenClassScores) -> float:
    """Return the known share: unlabeled scores as known and hidden ones after the likeliest move.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> known, moved = rng.normal(0, 1, 500), rng.normal(0.5, 1, 500)
    >>> hidden = rng.normal(4, 1, 300)
    >>> pool = np.append(rng.normal(0.5, 1, 600), rng.normal(4, 1, 400))
    >>> scores = HiddenClassScores(pool, (known, moved), (hidden, hidden))
    >>> bool(abs(share_beside_hidden(scores) - 0.6) < 0.03)
    True
    """
    fits = [_share_of(known, hidden) for known, hidden in scores.densities]
    return _by_likelihood([share for share, _ in fits], [fit for _, fit in fits])


def share_by_both_scores(scores: HiddenClassScores, column_scores: Array) -> float:
    """Return the known share by a score of the columns, too.

    The columns' score of known rows may lie anywhere: of it only the order of the unlabeled rows is
    used, cut into parts of the same size. How many of the known and of the new rows fall into each
    part is estimated along with the share, as if both scores told different things.

    Parameters
    ----------
    scores : HiddenClassScores
    column_scores : array of shape (m,)
        Of the unlabeled rows, bigger meaning newer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> pool = np.append(rng.normal(0, 1, 600), rng.normal(2, 1, 400))
    >>> scores = HiddenClassScores(pool, (rng.normal(0, 1, 500),), (rng.normal(2, 1, 300),))
    >>> columns = np.append(rng.normal(7, 1, 600), rng.normal(12, 1, 400))  # known rows moved by 7
    >>> bool(abs(share_by_both_scores(scores, columns) - 0.6) < 0.03)
    True
    """
    rank = rankdata(column_scores, method="ordinal") - 1
    part = (rank * N_PARTS // len(rank)).astype(np.intp)
    fits = [
        max((_joint_share(*pair, part, start) for start in STARTS), key=lambda fit: fit[1])
        for pair in scores.densities
    ]
    return _by_likelihood([share for share, _ in fits], [fit for _, fit in fits])


def _beside_hidden(
    view: ClassView, moves: Sequence[Array], y: Codes, hidden: Codes, held_out: Codes
) -> list[tuple[Array, Array]]:
    """Return for each move the marks of held-out known rows and of hidden ones.

    They are seen by forests that hide a class.
    """
    known: list[list[Array]] = [[] for _ in moves]
    new: list[list[Array]] = [[] for _ in moves]
    for index, k in enumerate(hidden):
        others = np.flatnonzero((y != k) & (held_out == index % 5))
        for found, rows in ((known, others), (new, np.flatnonzero(y == k))):
            marks = _typicality(view, [X[rows] for X in moves], np.full(len(rows), index))
            for of_move, part in zip(found, marks, strict=True):
                of_move.append(part)
    return [(np.vstack(some), np.vstack(rest)) for some, rest in zip(known, new, strict=True)]


def _typicality(view: ClassView, moves: Sequence[Array], fold: Codes) -> list[Array]:
    """Return the marks of rows after each move, all of them looked at together."""
    seen = view.seen_by(np.vstack(moves), np.tile(fold, len(moves)))
    return np.split(seen.typicality, len(moves))


def _share_of(known: Array, hidden: Array) -> tuple[float, float]:
    """Return the share under which a mixture of both densities is likeliest, and how likely."""

    def slope(share: float) -> float:
        return float(((known - hidden) / (share * known + (1.0 - share) * hidden)).sum())

    low, high = LIMITS
    if slope(low) <= 0.0:
        share = low
    elif slope(high) >= 0.0:
        share = high
    else:
        share = float(brentq(slope, low, high, xtol=1e-5))
    return share, float(np.log(share * known + (1.0 - share) * hidden).sum())


def _joint_share(known: Array, hidden: Array, part: Codes, share: float) -> tuple[float, float]:
    """Return share and likelihood, found by expectation maximization."""
    weight = share * known / (share * known + (1.0 - share) * hidden)
    for _ in range(MOST_STEPS):
        in_parts = [np.bincount(part, one, N_PARTS) + 0.5 for one in (weight, 1.0 - weight)]
        as_known = share * known * (in_parts[0] / in_parts[0].sum())[part]
        as_new = (1.0 - share) * hidden * (in_parts[1] / in_parts[1].sum())[part]
        before, weight = weight, as_known / (as_known + as_new)
        share = float(np.clip(weight.mean(), *LIMITS))
        if np.abs(weight - before).max() < SMALLEST_STEP:
            break
    return share, float(np.log(as_known + as_new).sum())


def _by_likelihood(shares: list[float], likelihoods: list[float]) -> float:
    """Return the mean share over moves, each as likely as it makes the scores."""
    weights = np.exp(np.array(likelihoods) - max(likelihoods))
    return float(weights @ np.array(shares) / weights.sum())


def _fitted_log_odds(known: Array, new: Array) -> Callable[[Array], Array]:
    """Return a function of marks: log odds of new, both kinds of rows counting the same."""
    from sklearn.linear_model import LogisticRegression

    rows = np.vstack([known, new])
    center, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    target = np.repeat([0, 1], [len(known), len(new)])

    def features(part: Array) -> Array:
        scaled = (part - center) / scale
        pairs = [scaled[:, [i]] * scaled[:, i:] for i in range(scaled.shape[1])]
        return np.hstack([scaled, *pairs])

    model = LogisticRegression(max_iter=500, class_weight="balanced")
    model.fit(features(rows), target)
    return lambda part: np.asarray(model.decision_function(features(part)))


def _density_on_grid(scores: Array) -> Callable[[Array], Array]:
    """Return a kernel density estimate of scores, kept on a grid."""
    low, high = scores.min() - MARGIN, scores.max() + MARGIN
    counts, edges = np.histogram(scores, bins=GRID_SIZE, range=(low, high))
    step = edges[1] - edges[0]
    bandwidth = 1.06 * max(float(scores.std()), 1e-3) * len(scores) ** -0.2
    heights = gaussian_filter1d(counts.astype(float), bandwidth / step) / (len(scores) * step)
    centers = edges[:-1] + 0.5 * step
    return lambda at: np.asarray(np.interp(at, centers, heights, left=0.0, right=0.0) + 1e-9)
