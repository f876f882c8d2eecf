"""How a classifier around another one is trained in stages, and fitted fold by fold."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from eulac.any_classifier.weighted_base import CodedModel, fit_weighted
from eulac.data.any_rows import picked_rows
from eulac.data.folds import draw_folds
from eulac.data.lac_table import LacTable
from eulac.maths.threads import blas_threads

__all__ = ["Stages", "cross_fitted", "fit_on_all", "fit_without", "fold_of_rows"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Stages:
    """How the stages are run.

    Attributes
    ----------
    base : scikit-learn classifier
    n_folds : int
    rounds : int
        At most so many second stages; the one with the smallest label-free risk is kept.
    soft : bool
        Weight unlabeled rows by their newness; otherwise the newest ones weigh one, others zero.
    matched, closed_set : bool
        Of the decision rule.
    n_jobs : int or None
    seed : int
    """

    base: Any
    n_folds: int = 4
    rounds: int = 1
    soft: bool = False
    matched: bool = True
    closed_set: bool = False
    n_jobs: int | None = None
    seed: int = 0


def fold_of_rows(table: LacTable, n_folds: int, seed: int) -> Codes:
    """Return the fold by which each row is held out, labeled rows first."""
    if not table.n_unlabeled:
        return draw_folds(table.y_labeled, table.n_labeled, n_folds, seed).labeled
    folds = draw_folds(table.y_labeled, table.n_unlabeled, n_folds, seed)
    unlabeled = np.minimum(np.arange(table.n_unlabeled) // folds.fold_size, folds.n_folds - 1)
    return np.append(folds.labeled, unlabeled)


def cross_fitted(
    table: LacTable,
    target: Codes,
    weights_without: Callable[[int], Array],
    stages: Stages,
    *,
    n_codes: int,
) -> Array:
    """Return probabilities of all rows, each by a model fitted without its fold.

    Parameters
    ----------
    table : LacTable
    target : int array of shape (n_rows,)
    weights_without : callable
        Row weights for the model that a fold has no part in; those of its rows do not matter.
    stages : Stages
    n_codes : int
        Columns of the probabilities.
    """
    fold = fold_of_rows(table, stages.n_folds, stages.seed)
    out = np.zeros((len(fold), n_codes))
    lots = [(index,) for index in range(fold.max() + 1)]
    for rows, probabilities in fit_without(
        table, target, weights_without, lots, fold, stages, n_codes=n_codes
    ):
        out[rows] = probabilities
    return out


def fit_without(
    table: LacTable,
    target: Codes,
    weights_without: Callable[..., Array],
    lots: list[tuple[int, ...]],
    fold: Codes,
    stages: Stages,
    *,
    n_codes: int,
) -> list[tuple[Codes, Array]]:
    """Return rows and their probabilities, for each lot of folds by a model without the lot."""

    def one(lot: tuple[int, ...]) -> tuple[Codes, Array]:
        inside = np.isin(fold, lot)
        kept = np.where(inside, 0.0, weights_without(*lot))
        model = fit_weighted(stages.base, table.X, target, kept, n_codes=n_codes, seed=stages.seed)
        held_out = np.flatnonzero(inside)
        return held_out, model.probabilities(picked_rows(table.X, held_out))

    with blas_threads(1):
        return Parallel(stages.n_jobs, prefer="threads")(delayed(one)(lot) for lot in lots)


def fit_on_all(
    table: LacTable, target: Codes, weights: Array, stages: Stages, *, n_codes: int
) -> CodedModel:
    """Return the model that all rows have a part in."""
    with blas_threads(1):
        return fit_weighted(
            stages.base, table.X, target, weights, n_codes=n_codes, seed=stages.seed
        )
