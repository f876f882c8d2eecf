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
from eulac.maths.kernels import median_distance

__all__ = ["cross_fitted_scores", "nystroem_logistic"]

Array = NDArray[np.float64]


def cross_fitted_scores(
    sample: LacSample, classifier: Any = None, *, n_folds: int = 5, random_state: Any = None
) -> tuple[Array, Array]:
    """Return out-of-fold log odds of being labeled, for labeled and for unlabeled rows.

    Parameters
    ----------
    sample : LacSample
    classifier : scikit-learn classifier with `predict_proba`, optional
        Default: `nystroem_logistic`.
    n_folds : int, default=5
    random_state : int, optional
    """
    if min(sample.n_labeled, sample.n_unlabeled) < 2:
        raise ValueError(
            f"at least two labeled and two unlabeled rows are needed to score each out of fold; "
            f"got {sample.n_labeled} and {sample.n_unlabeled}."
        )
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    if classifier is None:
        classifier = nystroem_logistic(X, random_state)
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


def nystroem_logistic(X: Array, random_state: Any = None) -> Any:
    """Return logistic regression on a Nystroem map of a Gaussian kernel scaled to the rows."""
    # Imported here: `import eulac` stays as quick as scikit-learn's own base.
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    bandwidth = 0.6 * median_distance(X, random_state=random_state)
    feature_map = Nystroem(
        gamma=0.5 / bandwidth**2,
        # The smallest training fold has half of the rows.
        n_components=max(1, min(300, len(X) // 2)),
        random_state=random_state,
    )
    return make_pipeline(feature_map, LogisticRegression(C=10.0, max_iter=1000))
