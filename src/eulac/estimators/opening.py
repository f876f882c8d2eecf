"""The door of the classifiers: the user's rows in, a `LacSample` or `LacTable` out, and a seed."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from eulac.data import checks
from eulac.data.folds import in_canonical_order
from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.validation import validated_sample, with_deployment_rows
from eulac.estimators.checks import warn_of_small_classes
from eulac.estimators.rows import LacTable, in_value_order, opened_rows

__all__ = ["open_sample", "open_table"]


def open_sample(
    classifier: Any, X: Any, y: Any, X_unlabeled: Any, *, n_folds: int
) -> tuple[LacSample, int]:
    """Return the sample of a call to `fit` in canonical order, and the seed drawn for this fit.

    Sets on the classifier what `fit` knows of labels, as `open_table` does.
    """
    checks.require_finite_labels(y)
    sample = validated_sample(classifier, X, y, X_unlabeled, **_markers(classifier))
    _take_labels(classifier, sample.codec, sample.n_unlabeled)
    sample = with_deployment_rows(sample)
    warn_of_small_classes(sample, n_folds)
    seed = _drawn_seed(classifier)
    # Rows are ordered by their bytes: before scaling, as a mean over rows in another order
    # differs in its last bit, and without minus zero, which is zero all the same.
    pieces = {"X_labeled": sample.X_labeled + 0.0, "X_unlabeled": sample.X_unlabeled + 0.0}
    sample = in_canonical_order(replace(sample, **pieces), seed)
    checks.require_bounded(np.vstack([sample.X_labeled, sample.X_unlabeled]))
    return sample, seed


def open_table(
    classifier: Any, X: Any, y: Any, X_unlabeled: Any, *, inner: Any
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
    checks.require_finite_labels(y)
    X = opened_rows(classifier, X, inner=inner, reset=True)
    if X_unlabeled is not None:
        X_unlabeled = opened_rows(classifier, X_unlabeled, inner=inner)
    table = LacTable.from_masked(X, y, X_unlabeled, **_markers(classifier))
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
