"""Everything a page says about a classifier and a pool, as numbers, before a word is written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.labeled_rows import (
    LabeledRows,
    as_matrix,
    labeled_rows,
    score_pool,
    was_fitted_on,
)
from eulac.discovery.new_classes import (
    NewClasses,
    known_rows_of,
    new_classes_of,
    probability_of_new,
)
from eulac.discovery.spaces import SPACES, KnownRows
from eulac.proportion.estimate import ProportionEstimate
from eulac.report.embedding import Embedding, plane_map
from eulac.report.held_out_answers import HeldOutAnswers, held_out_answers
from eulac.report.moved_classes import MovedClass, moved_classes
from eulac.report.pool_checks import PoolFacts, run_checks
from eulac.report.proportion_checks import Check
from eulac.report.sensitivity import Sensitivity, proportion_sensitivity
from eulac.report.sure_rows import SureRows, sure_rows
from eulac.risk.class_quality import ClassQuality, quality_by_class
from eulac.risk.zero_one import RiskEstimate

__all__ = ["Findings", "PoolAnswers", "Settings", "answer_pool", "examine"]

RATHER_FINE = 0.04
"""Tolerance in the worth of groupings: to merge two groups is to type a name twice."""

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Settings:
    """How a pool is looked at.

    Attributes
    ----------
    map : {"auto", "pca", "tsne"}
    n_groups : int or "auto"
    n_folds : int
        Refits behind errors by class and the test of moved classes; 0 leaves them out.
    random_state : int
    """

    map: str = "auto"
    n_groups: Any = "auto"
    n_folds: int = 5
    random_state: int = 0


@dataclass(frozen=True, eq=False)
class PoolAnswers:
    """What a classifier answers in a pool, and the groups of what looks new.

    Attributes
    ----------
    X : array of shape (n_rows, n_features)
    labels : list
        Of the known classes, then "new" (or what else new rows are called).
    reserved : list of str
        Names that mean new, or unlabeled.
    scores : array of shape (n_rows,)
        Bigger for rows that look newer.
    new : int array
        Rows that look new.
    answers, known : int arrays of shape (n_rows,)
        Codes of the answers, and of the likeliest known class.
    groups : NewClasses
        Of the rows `new`.
    known_rows : KnownRows
        What the groups were tuned on.
    was_fitted_on : bool
        Whether the rows are the unlabeled rows of the fit, all of them.
    n_held_out : int
        Rows answered by models that have not seen them, being of the fit.
    sure : SureRows or None
        P-values, where the classifier has them.
    """

    X: Array
    labels: list[Any]
    reserved: list[str]
    scores: Array
    new: Codes
    answers: Codes
    known: Codes
    groups: NewClasses
    known_rows: KnownRows
    was_fitted_on: bool
    n_held_out: int
    sure: SureRows | None = None

    @property
    def answer_shares(self) -> Array:
        """Share of the pool given each answer."""
        counts = np.bincount(self.answers, minlength=len(self.labels))
        return np.asarray(counts / max(len(self.answers), 1))


@dataclass(frozen=True, eq=False)
class Findings:
    """The answers in a pool, and all that is estimated about them.

    What needs labeled rows or a known proportion is None, or empty, without them.
    """

    pool: PoolAnswers
    proportion: ProportionEstimate | None
    risk: RiskEstimate | None
    labeled: LabeledRows | None
    held_out: HeldOutAnswers | None
    quality: list[ClassQuality]
    moved: list[MovedClass]
    sensitivity: Sensitivity | None
    map: Embedding
    checks: list[Check]


def answer_pool(
    classifier: Any,
    X: Any,
    settings: Settings | None = None,
    X_labeled: Any = None,
    y_labeled: Any = None,
) -> PoolAnswers:
    """Return answers, scores and groups of new-looking rows in a pool."""
    settings = Settings() if settings is None else settings
    values, codec = as_matrix(X), classifier.codec_
    if not len(values):
        raise ValueError("a page needs at least one row; the pool has 0. Pass rows.")
    scored = score_pool(classifier, X)
    known_rows = known_rows_of(classifier, X, X_labeled, y_labeled, scored)
    groups = new_classes_of(
        known_rows,
        values,
        np.flatnonzero(scored.is_new),
        probability_of_new(classifier, X),
        n_classes=settings.n_groups,
        tolerance=RATHER_FINE,
        random_state=settings.random_state,
    )
    return PoolAnswers(
        values,
        _shown_labels(codec),
        [str(codec.augmented_label), str(codec.unlabeled_label)],
        scored.scores,
        groups.rows,
        np.where(scored.is_new, codec.n_known_classes, scored.known),
        scored.known,
        groups,
        known_rows,
        was_fitted_on(classifier, X),
        int(scored.is_held_out.sum()),
        sure_rows(classifier, X),
    )


def examine(
    classifier: Any,
    X: Any,
    X_labeled: Any = None,
    y_labeled: Any = None,
    *,
    settings: Settings | None = None,
    feature_names: Any = None,
) -> Findings:
    """Return what there is to say of a classifier and a pool of unlabeled rows.

    Parameters
    ----------
    classifier : fitted classifier
    X : array of shape (n_rows, n_features)
        The pool.
    X_labeled, y_labeled : arrays, optional
        Labeled rows of the fit. A kernel classifier carries its own.
    settings : Settings, optional
    feature_names : sequence of str, optional
    """
    settings = Settings() if settings is None else settings
    pool = answer_pool(classifier, X, settings, X_labeled, y_labeled)
    proportion = getattr(classifier, "proportion_", None)
    labeled = labeled_rows(classifier, X_labeled, y_labeled)
    held_out = None
    if labeled is not None and proportion is not None and settings.n_folds and np.ndim(X) == 2:
        held_out = held_out_answers(
            classifier,
            labeled,
            pool.X,
            n_folds=settings.n_folds,
            random_state=settings.random_state,
        )
    left_out = getattr(classifier, "left_out_columns_", np.empty(0, dtype=np.intp))
    about = held_out, proportion, pool.labels, left_out, settings
    quality, moved, sensitivity = _from_held_out(*about)
    risk = getattr(classifier, "risk_", None)
    if risk is None and held_out is not None and proportion is not None:
        risk = held_out.risk(proportion.standard_error)
    rows = pool.X if labeled is None else np.vstack([labeled.X, pool.X])
    names = _names(feature_names, pool.X.shape[1])
    facts = PoolFacts(
        pool.labels,
        proportion,
        risk,
        pool.answer_shares,
        len(pool.X),
        None if labeled is None else np.bincount(labeled.codes, minlength=len(pool.labels) - 1),
        moved,
        names,
        [names[place] for place in left_out],
    )
    return Findings(
        pool,
        proportion,
        risk,
        labeled,
        held_out,
        quality,
        moved,
        sensitivity,
        plane_map(
            rows,
            method=settings.map,
            space=_space(pool),
            random_state=settings.random_state,
        ),
        run_checks(facts),
    )


def _space(pool: PoolAnswers) -> Callable[[Array], Array]:
    """Return the space in which new rows were grouped, as a function of rows."""
    space = SPACES[pool.groups.way.spaces[0]]
    return lambda rows: space(pool.known_rows, rows)


def _shown_labels(codec: Any) -> list[Any]:
    known = codec.known.tolist()
    return [*known, codec.augmented_label if "new" in known else "new"]


def _from_held_out(
    held_out: HeldOutAnswers | None,
    proportion: ProportionEstimate | None,
    labels: list[Any],
    left_out: Codes,
    settings: Settings,
) -> tuple[list[ClassQuality], list[MovedClass], Sensitivity | None]:
    if held_out is None or proportion is None:
        return [], [], None
    quality = quality_by_class(held_out.table(proportion.standard_error), labels)
    options: dict[str, Any] = {"left_out": left_out, "random_state": settings.random_state}
    moved = moved_classes(held_out, quality, **options)
    return quality, moved, proportion_sensitivity(held_out, proportion)


def _names(feature_names: Any, n_features: int) -> list[str]:
    if feature_names is None or len(feature_names) != n_features:
        return [f"column {index}" for index in range(n_features)]
    return [str(name) for name in feature_names]
