"""The door of the classifiers around other classifiers: the user's tables in, a `LacTable` out."""

from typing import Any

from sklearn.utils import check_random_state

from eulac.data import checks
from eulac.data.validation import with_deployment_rows
from eulac.estimators.checks import warn_of_small_classes
from eulac.estimators.rows import LacTable, in_value_order, opened_rows

__all__ = ["open_table"]


def open_table(
    classifier: Any, X: Any, y: Any, X_unlabeled: Any, *, inner: Any
) -> tuple[LacTable, int]:
    """Return the table of a call to `fit` in value order, and the seed drawn for this fit.

    Sets on the classifier what `fit` knows of labels: `codec_`, `classes_`, `known_classes_`,
    `closed_set_`. `inner` is the classifier that gets the rows.
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
    markers = {name: getattr(classifier, name) for name in ("augmented_label", "unlabeled_label")}
    table = LacTable.from_masked(X, y, X_unlabeled, **markers)
    classifier.codec_ = table.codec
    classifier.known_classes_ = table.codec.known
    classifier.closed_set_ = table.n_unlabeled == 0
    known_only = classifier.closed_set_
    classifier.classes_ = table.codec.known if known_only else table.codec.all_labels
    with_deployment_rows(table.sample())  # refuses a single row, warns of none
    warn_of_small_classes(table.sample(), classifier.n_folds)
    seed = int(check_random_state(classifier.random_state).randint(2**31 - 1))
    return in_value_order(table, seed), seed
