"""Reducing rows to scores that rank known rows first, every score from a model without the row.

In-sample scores are biased; scores of a classifier trained on the labeled classes alone say
nothing about what is new. Here a classifier tells labeled from unlabeled rows, out of fold.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from eulac.data.lac_sample import LacSample

__all__ = ["cross_fitted_scores"]

Array = NDArray[np.float64]


def cross_fitted_scores(
    sample: LacSample, classifier: Any, *, n_folds: int = 5, random_state: Any = None
) -> tuple[Array, Array]:
    """Return out-of-fold log odds of being labeled, for labeled and for unlabeled rows.

    Parameters
    ----------
    sample : LacSample
    classifier : scikit-learn classifier with `predict_proba`
    n_folds : int, default=5
    random_state : int, optional
    """
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    is_labeled = np.repeat([1, 0], [sample.n_labeled, sample.n_unlabeled])
    n_folds = max(2, min(n_folds, sample.n_labeled, sample.n_unlabeled))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    odds = np.empty(len(X))
    for train, held_out in folds.split(X, is_labeled):
        model = clone(classifier).fit(X[train], is_labeled[train])
        odds[held_out] = log_odds(model.predict_proba(X[held_out])[:, 1])
    return odds[: sample.n_labeled], odds[sample.n_labeled :]


def log_odds(probability: Array, *, limit: float = 1e-3) -> Array:
    """Return ``log(p / (1 - p))``, probabilities kept `limit` away from 0 and 1."""
    p = np.clip(probability, limit, 1 - limit)
    return np.log(p / (1 - p))
