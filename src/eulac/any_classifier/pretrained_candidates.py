"""Networks trained on tables beforehand, TabPFN and TabICL, as candidates where they are installed.

They answer all rows anew from the rows they are given, so that nearly all of the time goes into
answers. Their weights are downloaded by them, the first time they are fitted: nothing is imported
or fetched here before somebody asks.
"""

import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier

__all__ = ["pretrained_candidates"]


class _Pretrained(NamedTuple):
    """Where a network is found, and how many classes it tells apart at the most."""

    module: str
    name: str
    most_classes: int | None = None


PRETRAINED = {
    "tabpfn": _Pretrained("tabpfn", "TabPFNClassifier", 10),
    "tabicl": _Pretrained("tabicl", "TabICLClassifier"),
}

N_FOLDS = 3
PASSES = 4 * N_FOLDS
"""Times all rows are answered, about: both stages, all folds, and pairs of these."""

TRIAL_ROWS = 100


def pretrained_candidates(
    X: Any,
    n_known_classes: int,
    *,
    time_budget: float | None = None,
    n_estimators: int = 4,
    random_state: int = 0,
) -> dict[str, Any]:
    """Return the pretrained networks that are installed and suit the rows, as candidates by name.

    For `EulacClassifier(candidates=...)`, beside others. Model files cannot hold them.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Labeled and unlabeled rows.
    n_known_classes : int
        A network that cannot tell one class more apart is left out.
    time_budget : float, optional
        Seconds a candidate may take: it is tried on a few rows first, and left out where all rows
        would take longer at that pace. That trial is what may download its weights.
    n_estimators : int, default=4
        Members of each network's ensemble; their own defaults take several times as long.
    random_state : int, default=0
        Draws the rows of the trial.

    Returns
    -------
    candidates : dict
        Names to classifiers that are not fitted; empty where no such network is installed.

    Examples
    --------
    >>> sorted({*pretrained_candidates(np.zeros((30, 2)), 11)} - {"tabicl"})  # TabPFN knows 10
    []
    """
    found = {}
    for name, known in PRETRAINED.items():
        if known.most_classes is not None and n_known_classes + 1 > known.most_classes:
            continue
        if find_spec(known.module) is None:
            continue
        network = getattr(import_module(known.module), known.name)(n_estimators=n_estimators)
        if time_budget is None or _seconds(network, X, random_state) <= time_budget:
            found[name] = TwoStageEulacClassifier(network, n_folds=N_FOLDS)
    return found


def _seconds(network: Any, X: Any, random_state: int) -> float:
    """Return how long both stages would take, at the pace of a few rows."""
    rng = np.random.default_rng(random_state)
    rows = np.asarray(X)[rng.permutation(len(X))[:TRIAL_ROWS]]
    codes = np.arange(len(rows)) % 2
    network = clone(network).fit(rows, codes)  # the first time, weights are loaded
    begun = time.perf_counter()
    network.fit(rows, codes).predict_proba(rows)
    return (time.perf_counter() - begun) / len(rows) * len(X) * PASSES
