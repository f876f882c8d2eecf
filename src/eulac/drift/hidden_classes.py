"""How new a row is, by what new classes look like: known classes are hidden in turn.

Forests of the known classes say of a row how sure they are and how near labeled rows it is (the
class view). What they say of rows of a class that nobody labeled can be tried out: a known class is
hidden, forests are trained on the others, and its rows are looked at. Logistic regression learns to
tell hidden from known rows by these marks. Unlabeled rows have no part in any of it. So whatever
else moved between labeled and unlabeled rows, a row is as new as it looks beside hidden classes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from eulac.drift.class_view import SeenRows, class_view_of
from eulac.drift.moved_mixture import density_on_grid

__all__ = ["HiddenClassScores", "hidden_class_scores", "share_beside_hidden"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

MOST_HIDDEN = 8
"""Classes that are hidden, one at a time."""

SHIFT_DEVIATION = 1.0
"""Of how far known rows, or new ones, lie from labeled or hidden ones, in their priors; in
deviations of the labeled scores."""

BOUNDS = ((-6.0, 6.0), (0.0, 3.0), (-2.0, 3.0))
"""Of the logit of the share and of both distances. Known rows look less like labeled ones or the
same, never more."""

STARTS = tuple((share, shift, 0.0) for share in (0.2, 0.6, 0.95) for shift in (0.0, 0.7))


@dataclass(frozen=True, eq=False)
class HiddenClassScores:
    """Log odds of belonging to a hidden class, bigger meaning newer.

    Attributes
    ----------
    labeled, unlabeled : arrays of shape (n,) and (m,)
        Of rows that forests of all known classes see and were not trained on.
    hidden : array of shape (n_hidden_rows,)
        Of known rows while their class was hidden.
    """

    labeled: Array
    unlabeled: Array
    hidden: Array


def hidden_class_scores(
    X: Array,
    y: Codes,
    seen: tuple[SeenRows, SeenRows],
    *,
    n_known_classes: int,
    seed: int = 0,
) -> HiddenClassScores | None:
    """Return scores by forests that hide known classes; None where too few can be hidden.

    Parameters
    ----------
    X, y
        Labeled rows.
    seen : (labeled, unlabeled) SeenRows
        What forests of all known classes say of rows they were not trained on.
    n_known_classes : int
    seed : int, default=0

    Examples
    --------
    >>> from eulac.drift.class_view import held_out_class_view
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    >>> y = np.arange(200) % 3
    >>> X, new = rng.normal(centers[y]), rng.normal(centers[[3] * 100])
    >>> seen = held_out_class_view(X, y, new, n_known_classes=3)
    >>> scores = hidden_class_scores(X, y, seen, n_known_classes=3)
    >>> bool(np.median(scores.unlabeled) > np.median(scores.labeled) + 2)
    True
    """
    if n_known_classes < 3:  # hiding one of two leaves nothing to tell apart
        return None
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(n_known_classes)[:MOST_HIDDEN]
    held_out = rng.integers(0, 5, len(y))
    kept = [np.flatnonzero((y != k) & (held_out != i % 5)) for i, k in enumerate(hidden)]
    if any(len(np.unique(y[rows])) < 2 for rows in kept):
        return None
    view = class_view_of(X, y, kept, n_known_classes, seed=seed + 50)
    new: list[Array] = []
    known: list[Array] = []
    for index, (k, rows) in enumerate(zip(hidden, kept, strict=True)):
        others = np.setdiff1d(np.flatnonzero(y != k), rows)
        for found, part in ((new, np.flatnonzero(y == k)), (known, others)):
            found.append(view.seen_by(X[part], np.full(len(part), index)).typicality)
    score = _fitted_log_odds(np.vstack(known), np.vstack(new))
    labeled, unlabeled = (score(part.typicality) for part in seen)
    return HiddenClassScores(labeled, unlabeled, score(np.vstack(new)))


def share_beside_hidden(scores: HiddenClassScores) -> float:
    """Return the known share: unlabeled scores as labeled and hidden ones, both perhaps moved.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> moved, new = rng.normal(0.5, 1, 600), rng.normal(4, 1, 400)
    >>> scores = HiddenClassScores(
    ...     rng.normal(0, 1, 500), np.append(moved, new), rng.normal(4, 1, 300)
    ... )
    >>> bool(abs(share_beside_hidden(scores) - 0.6) < 0.03)
    True
    """
    deviation = float(scores.labeled.std()) or 1.0
    center = float(scores.labeled.mean())
    labeled, unlabeled, hidden = (
        (part - center) / deviation for part in (scores.labeled, scores.unlabeled, scores.hidden)
    )
    known_density, new_density = density_on_grid(labeled), density_on_grid(hidden)

    def loss(parameters: Array) -> float:
        share, shift, distance = parameters
        likelihood = expit(share) * known_density(unlabeled - shift)
        likelihood += expit(-share) * new_density(unlabeled - distance)
        prior = 0.5 * (shift**2 + distance**2) / SHIFT_DEVIATION**2
        return float(prior - np.log(likelihood + 1e-6).sum())

    starts = [(logit(share), *rest) for share, *rest in STARTS]
    found = (minimize(loss, start, method="L-BFGS-B", bounds=BOUNDS) for start in starts)
    return float(expit(min(found, key=lambda one: one.fun).x[0]))


def _fitted_log_odds(known: Array, new: Array) -> Callable[[Array], Array]:
    """Return a function of typicality: log odds of new, both kinds of rows counting the same."""
    from sklearn.linear_model import LogisticRegression

    rows = np.vstack([known, new])
    center, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    target = np.repeat([0, 1], [len(known), len(new)])
    model = LogisticRegression(max_iter=500, class_weight="balanced")
    model.fit((rows - center) / scale, target)
    return lambda part: np.asarray(model.decision_function((part - center) / scale))
