"""Reducing rows to scores that rank known rows first, every score from a model without the row.

Rows must come in random order, as `in_canonical_order` leaves them: folds are runs of rows.
In-sample scores are biased; scores of a classifier trained on the labeled classes alone say
nothing about what is new. Here a classifier tells labeled from unlabeled rows, out of fold.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.maths.kernels import median_distance
from eulac.maths.quick_forest import fit_quickly, probabilities_of

__all__ = [
    "cross_fit_folds",
    "cross_fitted_probabilities",
    "cross_fitted_scores",
    "extra_trees",
    "known_log_odds",
    "nystroem_logistic",
]

Array = NDArray[np.float64]


def cross_fitted_scores(
    sample: LacSample,
    classifier: Any = None,
    *,
    by_class: bool = False,
    n_folds: int = 5,
    random_state: Any = None,
) -> tuple[Array, Array]:
    """Return out-of-fold log odds of being labeled, for labeled and for unlabeled rows.

    Parameters
    ----------
    sample : LacSample
    classifier : scikit-learn classifier with `predict_proba`, optional
        Default: `nystroem_logistic`.
    by_class : bool, default=False
        Tell each known class apart from the unlabeled rows, instead of all of them together.
    n_folds : int, default=5
    random_state : int, optional
    """
    options: dict[str, Any] = {"n_folds": n_folds, "random_state": random_state}
    return known_log_odds(
        cross_fitted_probabilities(sample, classifier, by_class=by_class, **options)
    )


def cross_fitted_probabilities(
    sample: LacSample,
    classifier: Any = None,
    *,
    by_class: bool = True,
    n_folds: int = 5,
    random_state: Any = None,
) -> tuple[Array, Array]:
    """Return out-of-fold probabilities of the known classes and, last, of being unlabeled.

    Rows of shape ``(n, n_known_classes + 1)``; with ``by_class=False`` the known classes are one.
    Each row is scored by a model that has not seen it. Parameters as in `cross_fitted_scores`.
    """
    if min(sample.n_labeled, sample.n_unlabeled) < 2:
        raise ValueError(
            f"at least two labeled and two unlabeled rows are needed to score each out of fold; "
            f"got {sample.n_labeled} and {sample.n_unlabeled}."
        )
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    if classifier is None:
        classifier = nystroem_logistic(X, random_state)
    n_columns = sample.n_known_classes if by_class else 1
    codes = np.minimum(sample.y_labeled, n_columns - 1)
    target = np.append(codes, np.full(sample.n_unlabeled, n_columns))
    fold = np.concatenate(cross_fit_folds(sample, n_folds, random_state))
    probabilities = np.zeros((len(X), n_columns + 1))
    for index in range(fold.max() + 1):
        held_out = fold == index
        model = fit_quickly(clone(classifier), X[~held_out], target[~held_out])
        # A class with one row is missing from the fold that holds it out: probability zero.
        columns = np.asarray(model.classes_, dtype=np.intp)
        probabilities[np.ix_(held_out, columns)] = probabilities_of(model, X[held_out])
    return probabilities[: sample.n_labeled], probabilities[sample.n_labeled :]


def cross_fit_folds(
    sample: LacSample, n_folds: int = 5, random_state: Any = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the fold by which each labeled and each unlabeled row is held out."""
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, n_folds, random_state)
    # Unlike the solvers', these folds may differ in size: the last rows join the last fold.
    unlabeled = np.arange(sample.n_unlabeled) // folds.fold_size
    return folds.labeled, np.minimum(unlabeled, folds.n_folds - 1)


def log_odds(probability: Array, *, limit: float = 1e-3) -> Array:
    """Return ``log(p / (1 - p))``, probabilities kept `limit` away from 0 and 1."""
    p = np.clip(probability, limit, 1 - limit)
    return np.log(p / (1 - p))


def known_log_odds(probabilities: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return log odds of not being of the last class, of labeled and of unlabeled rows.

    Examples
    --------
    >>> rows = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> known_log_odds((rows, rows))[0].round(2)
    array([2.2, 0. ])
    """
    labeled, unlabeled = probabilities
    return log_odds(1.0 - labeled[:, -1]), log_odds(1.0 - unlabeled[:, -1])


def nystroem_logistic(X: Array, random_state: Any = None) -> Any:
    """Return logistic regression on a Nystroem map of a Gaussian kernel scaled to the rows."""
    # Imported here: `import eulac` stays as quick as scikit-learn's own base.
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    # Bounded below: squares of much smaller distances cannot be divided by.
    bandwidth = 0.6 * max(median_distance(X, random_state=random_state), 1e-70)
    feature_map = Nystroem(
        gamma=0.5 / bandwidth**2,
        # The smallest training fold has half of the rows.
        n_components=max(1, min(300, len(X) // 2)),
        random_state=random_state,
    )
    return make_pipeline(feature_map, LogisticRegression(C=10.0, max_iter=1000))


def extra_trees(random_state: Any = None, n_jobs: int | None = None) -> Any:
    """Return a forest that needs no tuning and no scaling."""
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(100, min_samples_leaf=2, random_state=random_state, n_jobs=n_jobs)
