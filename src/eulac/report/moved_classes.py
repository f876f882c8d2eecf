"""Do the known classes look in deployment as they do in the labels? The class-shift condition.

A classifier two-sample test for each known class: can labeled rows answered k be told from
unlabeled rows answered k? Both are answered by models that did not see them, so that both are cut
off alike. Some unlabeled rows answered k are of other classes; they alone can lift the area under
the curve to ``0.5 + share / 2``, and only what goes beyond counts as moved.

What the test cannot see: rows that moved so far that they are called new (or something else), and
what lies within the wrong answers. Silence is no proof.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from eulac.maths.quick_forest import fit_quickly, probabilities_of
from eulac.proportion.reduction import extra_trees
from eulac.report.held_out_answers import HeldOutAnswers
from eulac.risk.class_quality import ClassQuality

__all__ = ["MovedClass", "moved_classes", "two_sample_auc"]

Array = NDArray[np.float64]

FEWEST_ROWS = 20
"""Rows on either side below which nothing can be said."""

MOST_ROWS = 500
"""Rows on either side that are compared at most."""

LEVEL = 0.01
"""Chance of a false alarm over all classes together."""

PAIRS_COUNT = 2.0
"""Folds share their training rows: each pair counts twice in the variance of their sum."""


@dataclass(frozen=True)
class MovedClass:
    """What the test says of one known class.

    Attributes
    ----------
    label : object
    n_labeled, n_unlabeled : int
        Rows compared.
    auc : float
        How well labeled and unlabeled rows are told apart; 0.5 is not at all. NaN if too few.
    allowed : float
        What wrong answers among the unlabeled rows explain.
    p_value : float
        Of "no further apart than allowed".
    moved : bool
    feature : int
        Column whose mean differs most, in standard deviations of the labeled rows.
    difference : float
        That difference.
    """

    label: Any
    n_labeled: int
    n_unlabeled: int
    auc: float = math.nan
    allowed: float = 0.5
    p_value: float = 1.0
    moved: bool = False
    feature: int = -1
    difference: float = 0.0


def moved_classes(
    held_out: HeldOutAnswers,
    quality: Sequence[ClassQuality],
    *,
    left_out: Sequence[int] = (),
    random_state: int = 0,
) -> list[MovedClass]:
    """Test each known class; see the module for what the test can and cannot see.

    Parameters
    ----------
    held_out : HeldOutAnswers
    quality : sequence of ClassQuality
        Of the known classes, in order: how many answers are wrong.
    left_out : sequence of int, default=()
        Columns the classifier does not look at: what moved there moves no answer.
    random_state : int, default=0
    """
    answers, unlabeled = held_out.labeled_answer, held_out.unlabeled_answer
    level = LEVEL / held_out.augmented
    columns = np.setdiff1d(np.arange(held_out.X_labeled.shape[1]), left_out)
    rows = []
    for k in range(held_out.augmented):
        labeled = held_out.X_labeled[(held_out.y == k) & (answers == k)][:MOST_ROWS]
        answered = held_out.X_unlabeled[unlabeled == k][:MOST_ROWS]
        pair = labeled[:, columns], answered[:, columns]
        found = _compare(quality[k], *pair, level, random_state)
        place = int(columns[found.feature]) if found.feature >= 0 else -1
        rows.append(replace(found, feature=place))
    return rows


def _compare(
    quality: ClassQuality, labeled: Array, answered: Array, level: float, random_state: int
) -> MovedClass:
    n, m = len(labeled), len(answered)
    if min(n, m) < FEWEST_ROWS:
        return MovedClass(quality.label, n, m)
    auc = two_sample_auc(labeled, answered, random_state=random_state)
    wrong = min(max(1.0 - quality.right + 2 * quality.right_error, 0.0), 1.0)
    allowed = 0.5 + wrong / 2
    error = math.sqrt(PAIRS_COUNT * (n + m + 1) / (12 * n * m))
    p_value = 1.0 - NormalDist().cdf((auc - allowed) / error)
    spread = labeled.std(axis=0)
    shift = (answered.mean(axis=0) - labeled.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    top = int(np.abs(shift).argmax())
    return MovedClass(
        quality.label, n, m, auc, allowed, p_value, p_value < level, top, float(shift[top])
    )


def two_sample_auc(A: Array, B: Array, *, n_folds: int = 3, random_state: int = 0) -> float:
    """Return how well held-out rows of two samples are told apart by a forest.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> same = two_sample_auc(rng.normal(size=(100, 2)), rng.normal(size=(100, 2)))
    >>> moved = two_sample_auc(rng.normal(size=(100, 2)), rng.normal(2, 1, size=(100, 2)))
    >>> bool(0.35 < same < 0.65), bool(moved > 0.9)
    (True, True)
    """
    X, is_second = np.vstack([A, B]), np.repeat([0, 1], [len(A), len(B)])
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    areas = []
    for kept, held_out in folds.split(X, is_second):
        forest = fit_quickly(extra_trees(random_state), X[kept], is_second[kept])
        probability = probabilities_of(forest, X[held_out])[:, 1]
        areas.append(roc_auc_score(is_second[held_out], probability))
    return float(np.mean(areas))
