"""How a classifier around another one is trained in stages, and the first of them.

The first stage tells which rows look labeled and which unlabeled. The second trains on what the
first one found out. For its held-out rows to be held out from everything, whatever the second stage
learns from while a fold is held out must come from first models without that fold too, and of
course without the row they score. One model for each pair of folds does that: without folds i and
j it scores the rows of j for the second model without i, and those of i for the one without j. Six
models of half of the rows, for four folds, cost as much as four models of three quarters of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from eulac.any_classifier.label_free_steps import prepared_rows
from eulac.any_classifier.weighted_base import CodedModel, fit_weighted
from eulac.data.any_rows import picked_rows
from eulac.data.folds import draw_folds
from eulac.data.lac_table import LacTable
from eulac.maths.threads import blas_threads
from eulac.proportion.reduction import log_odds

__all__ = [
    "FirstStage",
    "Stages",
    "cross_fitted",
    "fit_first_stage",
    "fit_on_all",
    "fit_without",
    "guessed_stage",
    "guesses_by_place",
    "split_folds",
    "table_folds",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_TREES = 30
"""Of a model of the first stage, unless the whole forest has fewer."""


@dataclass(frozen=True)
class Stages:
    """How the stages are run.

    Attributes
    ----------
    base : scikit-learn classifier
        What learns from rows as they are prepared.
    prepare : fitted transformer or None
        Of rows, the same for all folds: see `split_steps`.
    n_folds : int
    matched, closed_set : bool
        Of the decision rule.
    n_jobs : int or None
    seed : int
    """

    base: Any
    n_folds: int = 4
    matched: bool = True
    closed_set: bool = False
    n_jobs: int | None = None
    seed: int = 0
    prepare: Any = None

    def prepared(self, table: LacTable) -> LacTable:
        """Return the table with rows as the base gets them."""
        return replace(table, X=prepared_rows(self.prepare, table.X))


def table_folds(table: LacTable, n_folds: int, seed: int) -> Codes:
    """Return the fold by which each row is held out, labeled rows first."""
    if not table.n_unlabeled:
        return draw_folds(table.y_labeled, table.n_labeled, n_folds, seed).labeled
    folds = draw_folds(table.y_labeled, table.n_unlabeled, n_folds, seed)
    unlabeled = np.minimum(np.arange(table.n_unlabeled) // folds.fold_size, folds.n_folds - 1)
    return np.append(folds.labeled, unlabeled)


def split_folds(table: LacTable, n_folds: int, seed: int) -> tuple[Codes, Codes]:
    """Return the folds of labeled and of unlabeled rows; without unlabeled rows the same twice."""
    labeled, unlabeled = np.split(table_folds(table, n_folds, seed), [table.n_labeled])
    return (labeled, unlabeled) if table.n_unlabeled else (labeled, labeled)


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
    fold = table_folds(table, stages.n_folds, stages.seed)
    out = np.zeros((len(fold), n_codes))
    groups: list[tuple[int, ...]] = [(index,) for index in range(fold.max() + 1)]
    for rows, probabilities in fit_without(
        table, target, weights_without, groups, fold, stages, n_codes=n_codes
    ):
        out[rows] = probabilities
    return out


def fit_without(
    table: LacTable,
    target: Codes,
    weights_without: Callable[..., Array],
    groups: list[tuple[int, ...]],
    fold: Codes,
    stages: Stages,
    *,
    n_codes: int,
) -> list[tuple[Codes, Array]]:
    """Return rows and their probabilities, for each group of folds by a model without it."""

    def one(group: tuple[int, ...]) -> tuple[Codes, Array]:
        inside = np.isin(fold, group)
        kept = np.where(inside, 0.0, weights_without(*group))
        model = fit_weighted(stages.base, table.X, target, kept, n_codes=n_codes, seed=stages.seed)
        held_out = np.flatnonzero(inside)
        return held_out, model.probabilities(picked_rows(table.X, held_out))

    with blas_threads(1):
        return list(Parallel(stages.n_jobs, prefer="threads")(delayed(one)(g) for g in groups))


def fit_on_all(
    table: LacTable, target: Codes, weights: Array, stages: Stages, *, n_codes: int
) -> CodedModel:
    """Return the model that all rows have a part in."""
    with blas_threads(1):
        return fit_weighted(
            stages.base, table.X, target, weights, n_codes=n_codes, seed=stages.seed
        )


@dataclass(frozen=True, eq=False)
class FirstStage:
    """Held-out probabilities of being labeled, and of the same while a fold has no part in them.

    Attributes
    ----------
    probabilities : array of shape (n_rows, n_codes)
        The last column: of being unlabeled. Labeled rows come first.
    without : array of shape (n_folds, n_rows)
        Log odds of being labeled, by models without the fold; nan for its own rows.
    n_labeled : int
    guesses : int array of shape (n_unlabeled,), optional
        What each unlabeled row is taken for, where that is known beforehand; see `guessed_stage`.
    """

    probabilities: Array
    without: Array
    n_labeled: int
    guesses: Codes | None = None

    def scores(self, fold: int | None = None) -> tuple[Array, Array]:
        """Return log odds of being labeled, of labeled and of unlabeled rows.

        Without the fold, where one is given; its own rows have none then.
        """
        odds = log_odds(1.0 - self.probabilities[:, -1]) if fold is None else self.without[fold]
        return odds[: self.n_labeled], odds[self.n_labeled :]


def guessed_stage(table: LacTable, guesses: Codes) -> FirstStage:
    """Return a first stage that follows from what each unlabeled row is taken for.

    Parameters
    ----------
    table : LacTable
    guesses : int array of shape (n_unlabeled,)
        The code of a known class, K for new, -1 for a row that nothing is said of.
    """
    as_labeled: Array = np.append(np.ones(table.n_labeled), guesses < table.n_known_classes)
    probabilities = np.column_stack([as_labeled, 1.0 - as_labeled])
    return FirstStage(probabilities, np.empty((0, len(as_labeled))), table.n_labeled, guesses)


def guesses_by_place(table: LacTable, guesses: Any) -> Codes:
    """Return guesses of unlabeled rows, in the order they were passed, by each row's place.

    Examples
    --------
    >>> table = LacTable.from_masked(np.zeros((4, 1)), [-1, 0, 1, -1])
    >>> guesses_by_place(table, [1, 2])
    array([ 1, -1, -1,  2])
    """
    codes = np.asarray(guesses)
    if codes.shape != (table.n_unlabeled,):
        raise ValueError(
            f"`pool_guesses` must hold a code for each of the {table.n_unlabeled} unlabeled rows; "
            f"got shape {codes.shape}."
        )
    by_place = np.full(int(table.places.max()) + 1, -1, dtype=np.intp)
    by_place[np.sort(table.places[table.n_labeled :])] = codes
    return by_place


def _thinned(base: Any, n_models: int) -> Any:
    """Return a forest of fewer trees for rows that several models score; others as they are."""
    if not isinstance(base, ExtraTreesClassifier | RandomForestClassifier):
        return base
    return clone(base).set_params(
        n_estimators=max(base.n_estimators // n_models, min(base.n_estimators, FEWEST_TREES))
    )


def fit_first_stage(table: LacTable, stages: Stages, *, by_class: bool = False) -> FirstStage:
    """Return the first stage of a table in value order.

    Parameters
    ----------
    table : LacTable
    stages : Stages
    by_class : bool, default=False
        Tell the known classes apart as well: a column for each instead of one for all.
    """
    n_rows = table.n_labeled + table.n_unlabeled
    target = (np.arange(n_rows) >= table.n_labeled).astype(np.intp)
    n_codes = 2
    if by_class:
        n_codes = table.n_known_classes + 1
        target = np.append(table.y_labeled, np.full(table.n_unlabeled, n_codes - 1))
    fold = table_folds(table, stages.n_folds, stages.seed)
    n_folds = int(fold.max()) + 1
    # Two folds leave nothing to train on once both are out.
    pairs: list[tuple[int, ...]] = [(0,), (1,)]
    if n_folds > 2:
        pairs = list(combinations(range(n_folds), 2))
    total, count = np.zeros((n_rows, n_codes)), np.zeros(n_rows)
    without = np.full((n_folds, n_rows), np.nan)
    weights = np.ones(n_rows)
    if table.importance is not None:
        weights[: table.n_labeled] = table.importance
    stages = replace(stages, base=_thinned(stages.base, n_folds - 1))
    fitted = fit_without(table, target, lambda *pair: weights, pairs, fold, stages, n_codes=n_codes)
    for pair, (rows, probabilities) in zip(pairs, fitted, strict=True):
        total[rows] += probabilities
        count[rows] += 1
        odds = log_odds(1.0 - probabilities[:, -1])
        for index in pair if n_folds > 2 else (0, 1):
            others = fold[rows] != index
            without[index, rows[others]] = odds[others]
    return FirstStage(total / count[:, None], without, table.n_labeled)
