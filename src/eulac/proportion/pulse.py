"""PULSE's two steps: the label marginal first, the known share second (Garg et al., NeurIPS 2022).

Summing separate estimates of K classes is fragile; here they only fix the ratios between classes,
and one more estimate, with the labeled rows brought to those ratios, fixes the total.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import best_bin, estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.on_scores import ScoreProportion
from eulac.proportion.reduction import cross_fitted_scores, extra_trees, log_odds

__all__ = ["PulseProportion", "class_marginal"]

Array = NDArray[np.float64]


class PulseProportion(ScoreProportion):
    """Estimate known priors by best bins on K-way probabilities, then the known share.

    Parameters
    ----------
    classifier : scikit-learn classifier, optional
        Used K-way and for labeled against unlabeled rows; default: extremely randomized trees.
    n_folds : int, default=5
    n_resamples : int, default=100
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([0.0, 9.0, 0.0, 9.0, 4.5], [80, 80, 120, 40, 40])[:, None], 1.0)
    >>> y = np.repeat([0, 1, -1], [80, 80, 200])
    >>> per_class = PulseProportion(random_state=0).fit(X, y).estimate_.per_class  # 0.6, 0.2
    >>> bool(per_class[0] > 2 * per_class[1])
    True
    """

    def estimate(self, sample: LacSample) -> ProportionEstimate:
        """Return the estimate with its bootstrap interval."""
        classifier = self.classifier
        if classifier is None:
            classifier = extra_trees(self.random_state)
        priors = class_marginal(sample, classifier, self.n_folds, self.random_state)
        weights = (priors / sample.labeled_frequency)[sample.y_labeled]
        pair = cross_fitted_scores(
            sample, classifier, n_folds=self.n_folds, random_state=self.random_state
        )
        return estimate_from_scores(
            {"pulse": pair},
            priors,
            method="pulse",
            known_weights=weights,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
            diagnostics={"known_priors": priors.tolist()},
        )


def class_marginal(
    sample: LacSample, classifier: Any, n_folds: int, random_state: int | None
) -> Array:
    """Return the priors of the known classes among the unlabeled rows, summing to one.

    Best bin estimates on the probabilities of a classifier of the known classes. Each labeled row
    is scored by the model that has not seen it, each unlabeled row by one of the models too: their
    mean would be less extreme, and not comparable.
    """
    n_known = sample.n_known_classes
    if n_known == 1:
        return np.ones(1)
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, n_folds, random_state)
    labeled = np.zeros((sample.n_labeled, n_known))
    unlabeled = np.zeros((sample.n_unlabeled, n_known))
    model_of = np.arange(sample.n_unlabeled) % folds.n_folds
    for index, (held_out, _) in enumerate(folds):
        kept = np.setdiff1d(np.arange(sample.n_labeled), held_out)
        theirs, left = np.flatnonzero(model_of == index), np.unique(sample.y_labeled[kept])
        if len(left) == 1:  # most classifiers refuse a single class
            labeled[held_out, left] = unlabeled[theirs, left] = 1.0
            continue
        model = clone(classifier).fit(sample.X_labeled[kept], sample.y_labeled[kept])
        labeled[np.ix_(held_out, model.classes_)] = model.predict_proba(sample.X_labeled[held_out])
        unlabeled[np.ix_(theirs, model.classes_)] = model.predict_proba(sample.X_unlabeled[theirs])
    shares = np.array(
        [
            best_bin(log_odds(labeled[sample.y_labeled == k, k]), log_odds(unlabeled[:, k]))[0]
            for k in range(n_known)
        ]
    )
    total = shares.sum()
    return shares / total if total > 0 else sample.labeled_frequency
