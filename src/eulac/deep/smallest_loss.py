"""The paper's rule for the known proportion of networks: the one with the smallest training loss.

Kept apart, because it is no estimate: training losses are not comparable across proportions. In
the paper's tables the loss falls all the way to the largest proportion, far above the true one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from eulac.deep.deep_classifier import DeepEulacClassifier

__all__ = ["PAPER_PROPORTIONS", "LossAtProportion", "fit_by_smallest_loss"]

PAPER_PROPORTIONS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)


@dataclass(frozen=True, eq=False)
class LossAtProportion:
    """A classifier fitted with a given known proportion, and its training loss.

    Attributes
    ----------
    known_proportion : float
    training_loss : float
        Non-negative risk on the rows trained on, mean over the batches of the last epoch.
    estimator : DeepEulacClassifier
    """

    known_proportion: float
    training_loss: float
    estimator: DeepEulacClassifier


def fit_by_smallest_loss(
    estimator: DeepEulacClassifier,
    X: Any,
    y: Any,
    X_unlabeled: Any = None,
    *,
    known_proportions: Sequence[float] = PAPER_PROPORTIONS,
) -> list[LossAtProportion]:
    """Fit a classifier with each proportion; the first of the list has the smallest loss.

    Parameters
    ----------
    estimator : DeepEulacClassifier
        Cloned for each fit; its own `known_proportion` does not matter.
    X, y, X_unlabeled : see `DeepEulacClassifier.fit`
    known_proportions : sequence of floats
        The paper's grid by default, 0.6 to 0.9 in steps of 0.05.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, U = rng.normal(size=(60, 2)), rng.normal(size=(90, 2)) + 1.0
    >>> classifier = DeepEulacClassifier(objective="paper", max_epochs=5, random_state=0)
    >>> fits = fit_by_smallest_loss(
    ...     classifier, X, np.arange(60) % 2, U, known_proportions=(0.5, 0.7)
    ... )
    >>> fits[0].training_loss <= fits[1].training_loss
    True
    """
    if len(known_proportions) == 0:
        raise ValueError("`known_proportions` must name one proportion or more; got none.")
    fits = []
    for proportion in known_proportions:
        one = clone(estimator).set_params(known_proportion=float(proportion))
        one.fit(X, y, X_unlabeled)
        fits.append(LossAtProportion(float(proportion), one.history_[-1]["risk"], one))
    return sorted(fits, key=lambda fit: fit.training_loss)
