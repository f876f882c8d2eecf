"""The door of the classifiers: the user's rows in, a `LacSample` or `LacTable` out, and a seed."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from eulac.classifier.fit_warnings import warn_of_small_classes
from eulac.data import requirements
from eulac.data.any_rows import opened_rows
from eulac.data.fit_rows import FitRows
from eulac.data.folds import canonical_order, in_canonical_order
from eulac.data.labels import UNLABELED, LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.lac_table import LacTable, in_value_order
from eulac.data.validation import (
    require_same_columns,
    validated_sample,
    with_deployment_rows,
)

__all__ = ["OpenedSample", "open_sample", "open_table"]


class OpenedSample(NamedTuple):
    """The sample of a call to `fit` in canonical order.

    `places` says where its rows, labeled ones first, stand in `X` followed by `X_unlabeled`; rows
    that stand in for missing unlabeled ones have none.
    """

    sample: LacSample
    seed: int
    places: NDArray[np.intp]


def open_sample(classifier: Any, X: Any, y: Any, X_unlabeled: Any, *, n_folds: int) -> OpenedSample:
    """Return the sample of a call to `fit`, and the seed drawn for this fit.

    Sets on the classifier what `fit` knows of labels, as `open_table` does.
    """
    requirements.require_finite_labels(y)
    sample = validated_sample(classifier, X, y, X_unlabeled, **_markers(classifier))
    _take_labels(classifier, sample.codec, sample.n_unlabeled)
    sample = with_deployment_rows(sample)
    warn_of_small_classes(sample, n_folds)
    seed = _drawn_seed(classifier)
    # Rows are ordered by their bytes: before scaling, as a mean over rows in another order
    # differs in its last bit, and without minus zero, which is zero all the same.
    pieces = {"X_labeled": sample.X_labeled + 0.0, "X_unlabeled": sample.X_unlabeled + 0.0}
    sample = replace(sample, **pieces)
    places = _places(classifier, y, sample, seed)
    sample = in_canonical_order(sample, seed)
    requirements.require_bounded(np.vstack([sample.X_labeled, sample.X_unlabeled]))
    return OpenedSample(sample, seed, places)


def _places(classifier: Any, y: Any, sample: LacSample, seed: int) -> NDArray[np.intp]:
    codes = classifier.codec_.encode(y)
    n_more = 0 if classifier.closed_set_ else sample.n_unlabeled - int(np.sum(codes < 0))
    given = np.append(codes, np.full(n_more, -1))
    labeled, unlabeled = canonical_order(sample, seed)
    known, hidden = np.flatnonzero(given >= 0)[labeled], np.flatnonzero(given < 0)
    return known if classifier.closed_set_ else np.append(known, hidden[unlabeled])


def open_table(
    classifier: Any, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any = None, *, inner: Any
) -> tuple[LacTable, int]:
    """Return the table of a call to `fit` in value order, and the seed drawn for this fit.

    For classifiers around other classifiers; `inner` is the one that gets the rows. Sets on the
    classifier what `fit` knows of labels: `codec_`, `classes_`, `known_classes_`, `closed_set_`.
    """
    if y is None:
        # scikit-learn's wording, which its own checks look for.
        raise ValueError(
            f"{type(classifier).__name__} requires y to be passed, but the target y is None."
        )
    requirements.require_finite_labels(y)
    X = opened_rows(classifier, X, inner=inner, reset=True)
    if X_unlabeled is not None:
        require_same_columns(X, X_unlabeled)
        X_unlabeled = opened_rows(classifier, X_unlabeled, inner=inner)
    table = LacTable.from_masked(X, y, X_unlabeled, sample_weight, **_markers(classifier))
    classifier.fit_rows_ = FitRows.of(X, table.codec.encode(y) == UNLABELED, X_unlabeled)
    _take_labels(classifier, table.codec, table.n_unlabeled)
    with_deployment_rows(table.sample())  # refuses a single row, warns of none
    warn_of_small_classes(table.sample(), classifier.n_folds)
    seed = _drawn_seed(classifier)
    return in_value_order(table, seed), seed


def _markers(classifier: Any) -> dict[str, Any]:
    return {name: getattr(classifier, name) for name in ("augmented_label", "unlabeled_label")}


def _take_labels(classifier: Any, codec: LabelCodec, n_unlabeled: int) -> None:
    classifier.codec_ = codec
    classifier.known_classes_ = codec.known
    classifier.closed_set_ = n_unlabeled == 0
    classifier.classes_ = codec.known if classifier.closed_set_ else codec.all_labels


def _drawn_seed(classifier: Any) -> int:
    return int(check_random_state(classifier.random_state).randint(2**31 - 1))
