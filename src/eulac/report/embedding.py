"""All rows on a plane: the columns themselves, principal directions, or t-SNE for a few rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE

from eulac.data import requirements
from eulac.discovery.spaces import SPACES, KnownRows

__all__ = ["MAPS", "Embedding", "plane_map"]

Array = NDArray[np.float64]

MAPS = ("auto", "pca", "tsne")

MOST_POINTS = 3000
"""Points drawn at most."""

FEW_POINTS = 1200
"""Up to so many t-SNE takes seconds."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points of some rows on a plane.

    Attributes
    ----------
    points : array of shape (n_points, 2)
    rows : int array of shape (n_points,)
        Which rows they are.
    method : {"columns", "pca", "tsne"}
    explained : float
        Share of the variance the plane shows; NaN for t-SNE.
    """

    points: Array
    rows: NDArray[np.intp]
    method: str
    explained: float


def plane_map(
    X: Array,
    *,
    method: str = "auto",
    space: Callable[[Array], Array] | None = None,
    random_state: int = 0,
) -> Embedding:
    """Return a map of the rows, of at most `MOST_POINTS` of them.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    method : {"auto", "pca", "tsne"}, default="auto"
        By itself: the columns where there are two, t-SNE for few rows, principal directions else.
    space : callable, optional
        From rows to rows whose distances are meant; columns are scaled without.
    random_state : int, default=0

    Examples
    --------
    >>> plane_map(np.eye(5), method="pca").points.shape
    (5, 2)
    """
    requirements.require_choice("map", method, MAPS)
    rng = np.random.default_rng(random_state)
    rows = np.arange(len(X))
    limit = MOST_POINTS if method != "tsne" else FEW_POINTS
    if len(rows) > limit:
        rows = np.sort(rng.choice(rows, limit, replace=False))
    if X.shape[1] <= 2:
        points = np.column_stack([X[rows], np.zeros((len(rows), 2))])[:, :2]
        return Embedding(points, rows, "columns", 1.0)
    values = _scaled(X[rows]) if space is None else space(X[rows])
    if values.shape[1] < 2:
        values = np.column_stack([values, np.zeros(len(values))])
    if method == "tsne" or (method == "auto" and 30 <= len(rows) <= FEW_POINTS):
        return Embedding(_tsne(values, random_state), rows, "tsne", np.nan)
    plane = PCA(2, svd_solver="full").fit(values) if len(values) > 1 else None
    if plane is None:
        return Embedding(np.zeros((len(values), 2)), rows, "pca", 1.0)
    explained = float(np.nan_to_num(plane.explained_variance_ratio_).sum())
    return Embedding(plane.transform(values), rows, "pca", explained)


def _scaled(X: Array) -> Array:
    nobody = KnownRows(np.empty((0, X.shape[1])), np.empty(0, dtype=np.intp))
    return SPACES["columns"](nobody, X)


def _tsne(X: Array, random_state: int) -> Array:
    perplexity = min(30.0, max((len(X) - 1) / 3, 1.0))
    return TSNE(2, perplexity=perplexity, init="pca", random_state=random_state).fit_transform(X)
