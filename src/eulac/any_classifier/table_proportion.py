"""The known proportion of a table: by the usual estimators, or from a classifier's own scores.

Rows of numbers go to the estimator the user chose, read twice by default. Rows with strings or
missing values cannot, and rows that count differently would be counted alike; there the held-out
scores of the first stage tell.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.known_proportion import choose_proportion
from eulac.data.any_rows import scaled_numbers
from eulac.data.lac_sample import LacSample
from eulac.data.lac_table import LacTable
from eulac.proportion.best_bin import estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate, with_column_names
from eulac.proportion.known_priors import used_priors
from eulac.proportion.reduction import known_log_odds

__all__ = [
    "REFINES",
    "estimate_table_proportion",
    "proportion_of_scores",
    "readable_numbers",
    "reads_rows",
    "refines",
    "require_readable",
]

Array = NDArray[np.float64]

REFINES = ("auto", True, False)


def refines(classifier: Any) -> bool:
    """Return whether a classifier's settings ask for the proportion to be refined."""
    if classifier.refine_proportion == "auto":
        return isinstance(classifier.known_proportion, str)
    return bool(classifier.refine_proportion)


def reads_rows(estimator: Any) -> bool:
    """Return whether a proportion estimator needs the rows as finite numbers."""
    return bool(getattr(estimator, "reads_rows", True))


def estimate_table_proportion(
    table: LacTable,
    first: tuple[Array, Array],
    known_proportion: Any,
    moves: tuple[Any, Any],
    *,
    seed: int,
    n_jobs: int | None,
) -> ProportionEstimate:
    """Return how much of the unlabeled rows is known.

    Parameters
    ----------
    table : LacTable
        In value order.
    first : (labeled, unlabeled) arrays of shape (n, n_known_classes + 1)
        Held-out probabilities of the known classes and, last, of being unlabeled.
    known_proportion
        What the user passed.
    moves : (shift, drift)
        Likewise. Scores cannot tell drift.
    seed : int
    n_jobs : int or None
    """
    shift, numbers = moves[0], readable_numbers(table)
    if numbers is not None:
        chosen = choose_proportion(known_proportion, *moves, random_state=seed, n_jobs=n_jobs)
        names = [str(name) for name in getattr(table.X, "columns", ())]
        estimate = chosen.estimate(table.sample(numbers))
        return with_column_names(estimate, names)
    if isinstance(known_proportion, str) and known_proportion == "auto":
        return proportion_of_scores(table.sample(), first, shift, seed=seed)
    estimate = choose_proportion(known_proportion, shift=False).estimate(table.sample())
    if shift is True and not hasattr(known_proportion, "__len__"):
        priors = used_priors(table.sample(), first, shift, random_state=seed)
        estimate = replace(estimate, per_class=estimate.total * priors.used)
    return estimate


def require_readable(table: LacTable, known_proportion: Any) -> None:
    """Refuse an estimator that reads rows where they are not what it can read."""
    own_scores = isinstance(known_proportion, str) and known_proportion == "auto"
    if own_scores or readable_numbers(table) is not None:
        return
    if reads_rows(choose_proportion(known_proportion, shift=False)):
        raise ValueError(
            f"{known_proportion!r} estimates the proportion from rows of finite numbers that all "
            "count the same; some columns are none, or there are sample weights. Pass 'auto', "
            "which uses the classifier's own scores, or a number."
        )


def readable_numbers(table: LacTable) -> Array | None:
    """Return the rows as estimators of the proportion read them, None where they cannot."""
    return scaled_numbers(table.X) if table.importance is None else None


def proportion_of_scores(
    sample: LacSample, first: tuple[Array, Array], shift: Any, *, seed: int
) -> ProportionEstimate:
    """Return the best bin estimate on held-out probabilities of being labeled.

    The best bin is corrected for its optimism; priors of the known classes come from the same
    probabilities where `shift` asks for them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sample = LacSample.from_masked(np.zeros((800, 1)), np.repeat([0, -1], 400))
    >>> p = np.append(rng.beta(8, 2, 700), rng.beta(1, 30, 100))
    >>> first = [np.column_stack([part, 1 - part]) for part in np.split(p, 2)]
    >>> bool(abs(proportion_of_scores(sample, first, False, seed=0).total - 0.75) < 0.1)
    True
    """
    priors = used_priors(sample, first, shift, random_state=seed)
    return estimate_from_scores(
        {"own_scores": known_log_odds(first)},
        priors.used,
        method="own_scores",
        known_weights=priors.weights(sample.y_labeled, sample.importance),
        random_state=seed,
        diagnostics=priors.diagnostics(),
    )
