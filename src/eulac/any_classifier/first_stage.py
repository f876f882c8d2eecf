"""The first stage: which rows look labeled and which unlabeled, to models that know no better.

The second stage trains on what the first one found out. For its held-out rows to be held out from
everything, whatever the second stage is told while a fold is held out must come from first models
without that fold too, and of course without the row they score. One model for each pair of folds
does that: without folds i and j it scores the rows of j for the second model without i, and those
of i for the one without j. Six models of half of the rows, for four folds, cost as much as four
models of three quarters of them.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from eulac.any_classifier.stages import Stages, fit_without, fold_of_rows
from eulac.data.lac_table import LacTable
from eulac.proportion.reduction import log_odds

__all__ = ["FirstStage", "fit_first_stage"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


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
    """

    probabilities: Array
    without: Array
    n_labeled: int

    def scores(self, fold: int | None = None) -> tuple[Array, Array]:
        """Return log odds of being labeled, of labeled and of unlabeled rows.

        Without the fold, where one is given; its own rows have none then.
        """
        odds = log_odds(1.0 - self.probabilities[:, -1]) if fold is None else self.without[fold]
        return odds[: self.n_labeled], odds[self.n_labeled :]


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
    fold = fold_of_rows(table, stages.n_folds, stages.seed)
    n_folds = int(fold.max()) + 1
    # Two folds leave nothing to train on once both are out.
    lots = list(combinations(range(n_folds), 2)) if n_folds > 2 else [(0,), (1,)]
    total, count = np.zeros((n_rows, n_codes)), np.zeros(n_rows)
    without = np.full((n_folds, n_rows), np.nan)
    weights = np.ones(n_rows)
    if table.importance is not None:
        weights[: table.n_labeled] = table.importance
    fitted = fit_without(table, target, lambda *lot: weights, lots, fold, stages, n_codes=n_codes)
    for lot, (rows, probabilities) in zip(lots, fitted, strict=True):
        total[rows] += probabilities
        count[rows] += 1
        odds = log_odds(1.0 - probabilities[:, -1])
        for index in lot if n_folds > 2 else (0, 1):
            others = fold[rows] != index
            without[index, rows[others]] = odds[others]
    return FirstStage(total / count[:, None], without, table.n_labeled)
