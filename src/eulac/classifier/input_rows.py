"""From what the user passes to `fit` to what a fit works with.

The rows become a `LacSample` or a `LacTable` in an order of their own, labels become codes, and
features are scaled; a seed is drawn, and the known proportion estimated.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from eulac.classifier.options import SCALERS, Progress
from eulac.data import requirements
from eulac.data.any_rows import FitRows, in_name_order, opened_rows, take_column_order
from eulac.data.folds import canonical_order, in_canonical_order, rows_standing_in, seed_of
from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample, row_importance
from eulac.data.lac_table import LacTable, in_value_order
from eulac.data.validation import (
    require_same_columns,
    validated_sample,
    with_deployment_rows,
)
from eulac.exceptions import SmallClassWarning, warn_caller

__all__ = [
    "OpenedSample",
    "drawn_seed",
    "fit_scaler",
    "in_given_order",
    "markers",
    "open_sample",
    "open_table",
    "scaled_rows",
    "scaled_sample",
    "step_counter",
    "take_labels",
    "unordered_sample",
    "warn_of_small_classes",
]

Array = NDArray[np.float64]


class OpenedSample(NamedTuple):
    """The sample of a call to `fit` in canonical order.

    `places` says where its rows, labeled ones first, stand in `X` followed by `X_unlabeled`; rows
    that stand in for missing unlabeled ones have none.
    """

    sample: LacSample
    seed: int
    places: NDArray[np.intp]


def open_sample(
    classifier: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    sample_weight: Any = None,
    *,
    n_folds: int,
    by_name: bool = True,
) -> OpenedSample:
    """Return the sample of a call to `fit`, and the seed drawn for this fit.

    Sets on the classifier what `fit` knows of labels, as `take_labels` does. With `by_name` the
    columns of frames are sorted by name; rows to answer must come through `rows_by_name` then.
    """
    sample = unordered_sample(classifier, X, y, X_unlabeled, sample_weight, by_name=by_name)
    take_labels(classifier, sample.codec, closed_set=sample.n_unlabeled == 0)
    sample = with_deployment_rows(sample)
    warn_of_small_classes(sample, n_folds)
    seed = drawn_seed(classifier)
    # Rows are ordered by their bytes: before scaling, as a mean over rows in another order
    # differs in its last bit, and without minus zero, which is zero all the same.
    sample = replace(sample, X_labeled=sample.X_labeled + 0.0, X_unlabeled=sample.X_unlabeled + 0.0)
    places = _places(classifier, y, sample, seed)
    sample = in_canonical_order(sample, seed)
    if classifier.closed_set_ and sample.importance is not None:
        stand_ins = rows_standing_in(sample.importance, seed)
        sample = sample.with_rows(X_unlabeled=sample.X_labeled[stand_ins])
    requirements.require_bounded(np.vstack([sample.X_labeled, sample.X_unlabeled]))
    return OpenedSample(sample, seed, places)


def unordered_sample(
    classifier: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    sample_weight: Any = None,
    *,
    by_name: bool = False,
) -> LacSample:
    """Return the rows of a call to `fit` as they came, checked; `by_name` as in `open_sample`."""
    requirements.require_finite_labels(y)
    options = {**markers(classifier), "by_name": by_name}
    sample = validated_sample(classifier, X, y, X_unlabeled, **options)
    importance = row_importance(sample_weight, sample.codec.encode(y), sample.codec)
    classifier.fit_rows_ = replace(classifier.fit_rows_, importance=importance)
    return replace(sample, importance=importance)


def _places(classifier: Any, y: Any, sample: LacSample, seed: int) -> NDArray[np.intp]:
    codes = classifier.codec_.encode(y)
    n_more = 0 if classifier.closed_set_ else sample.n_unlabeled - int(np.sum(codes < 0))
    given = np.append(codes, np.full(n_more, -1))
    labeled, unlabeled = canonical_order(sample, seed)
    known, hidden = np.flatnonzero(given >= 0)[labeled], np.flatnonzero(given < 0)
    return known if classifier.closed_set_ else np.append(known, hidden[unlabeled])


def in_given_order(rows: Array, places: NDArray[np.intp]) -> Array:
    """Return what belongs to the rows of a fit in the order of `X`, then `X_unlabeled`.

    Rows that stand in for missing unlabeled ones come last and are left out.

    Examples
    --------
    >>> in_given_order(np.array([0.1, 0.2, 0.3, 0.4]), np.array([2, 0, 1]))
    array([0.2, 0.3, 0.1])
    """
    return np.asarray(rows[: len(places)][np.argsort(places)])


def open_table(
    classifier: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    sample_weight: Any = None,
    *,
    inner: Any,
    by_name: bool = False,
) -> tuple[LacTable, int]:
    """Return the table of a call to `fit` in value order, and the seed drawn for this fit.

    For classifiers around other classifiers; `inner` is the one that gets the rows. Sets on the
    classifier what `fit` knows of labels, as `take_labels` does. With `by_name` the columns of
    frames are sorted by name: not where `inner` is the user's, who may mean columns by place.
    """
    if y is None:
        # scikit-learn's wording, which its own checks look for.
        raise ValueError(
            f"{type(classifier).__name__} requires y to be passed, but the target y is None."
        )
    requirements.require_finite_labels(y)
    requirements.require_jobs(getattr(classifier, "n_jobs", None))
    X = opened_rows(classifier, X, inner=inner, reset=True)
    if X_unlabeled is not None:
        require_same_columns(X, X_unlabeled)
        X_unlabeled = opened_rows(classifier, X_unlabeled, inner=inner)
    table = LacTable.from_masked(X, y, X_unlabeled, sample_weight, **markers(classifier))
    rows = FitRows.of(X, table.codec.encode(y), X_unlabeled)
    classifier.fit_rows_ = replace(rows, importance=table.importance)
    take_labels(classifier, table.codec, closed_set=table.n_unlabeled == 0)
    with_deployment_rows(table.sample())  # refuses a single row, warns of none
    warn_of_small_classes(table.sample(), classifier.n_folds)
    take_column_order(classifier, by_name=by_name)
    table = replace(table, X=in_name_order(classifier, table.X))
    seed = drawn_seed(classifier)
    return in_value_order(table, seed), seed


def markers(classifier: Any) -> dict[str, Any]:
    """Return what the classifier calls augmented and unlabeled rows."""
    return {name: getattr(classifier, name) for name in ("augmented_label", "unlabeled_label")}


def take_labels(classifier: Any, codec: LabelCodec, *, closed_set: bool) -> None:
    """Set what `fit` knows of labels: `codec_`, `known_classes_`, `classes_`, `closed_set_`."""
    classifier.codec_ = codec
    classifier.known_classes_ = codec.known
    classifier.closed_set_ = closed_set
    classifier.classes_ = codec.known if closed_set else codec.all_labels


def drawn_seed(classifier: Any) -> int:
    """Return the seed of one fit, drawn from the classifier's `random_state`."""
    return seed_of(classifier.random_state)


def warn_of_small_classes(sample: LacSample, n_folds: int) -> None:
    """Warn of known classes that cannot be in every fold."""
    counted = sample.y_labeled
    if sample.importance is not None:  # rows that weigh nothing do not count
        counted = counted[sample.importance > 0]
    counts = np.bincount(counted, minlength=sample.n_known_classes)
    labels = sample.codec.known.tolist()
    small = [f"{labels[k]!r} ({counts[k]})" for k in np.flatnonzero(counts < n_folds)]
    if small:
        others = f" and {len(small) - 5} others" if len(small) > 5 else ""
        warn_caller(
            f"known classes with fewer labeled rows than the {n_folds} folds: "
            f"{', '.join(small[:5])}{others}. What is estimated for them is unreliable; label "
            "more of them.",
            SmallClassWarning,
        )


def fit_scaler(scale: str | None, rows: Array, weights: Array | None = None) -> Any:
    """Return the scaler of that name fitted to rows; None where there is to be none.

    With weights, rows that weigh nothing have no part in it, and a mean counts the others by them.
    """
    if scale is None:
        return None
    scaler = SCALERS[scale]()
    if weights is None:
        return scaler.fit(rows)
    counted = weights > 0
    if not has_fit_parameter(scaler, "sample_weight"):
        return scaler.fit(rows[counted])
    return scaler.fit(rows[counted], sample_weight=weights[counted])


def scaled_rows(scaler: Any, X: Array) -> Array:
    """Return rows on the scale of `fit_scaler`; what would overflow when squared is moved in.

    Examples
    --------
    >>> scaler = fit_scaler("minmax", np.array([[0.0], [10.0]]))
    >>> scaled_rows(scaler, np.array([[5.0], [20.0]])).ravel()
    array([0.5, 2. ])
    """
    X = requirements.moderate(X)
    return X if scaler is None or not len(X) else requirements.moderate(scaler.transform(X))


def scaled_sample(scale: str | None, sample: LacSample) -> tuple[Any, LacSample]:
    """Return a scaler fitted to all rows of a sample, and the sample on its scale."""
    rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
    weights = None
    if sample.importance is not None:
        weights = np.append(sample.importance, np.ones(sample.n_unlabeled))
    scaler = fit_scaler(scale, rows, weights)
    rows = scaled_rows(scaler, rows)
    requirements.require_spread(rows)
    labeled, unlabeled = np.split(rows, [sample.n_labeled])
    return scaler, replace(sample, X_labeled=labeled, X_unlabeled=unlabeled)


def step_counter(progress: Progress, total: int) -> Callable[[int], Any]:
    """Return a function of the index just finished that reports ``(done, total)``."""
    if progress is None:
        return lambda index: None
    return lambda index: progress(index + 1, total)
