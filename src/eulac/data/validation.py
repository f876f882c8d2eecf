"""The door of every classifier and estimator: user's arrays and frames in, a `LacSample` out.

Rows of numbers enter through `checked_rows`, wherever they come from. It knows the columns of the
fit again by name, and says in a sentence of ours what is wrong with them.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from eulac.data import requirements
from eulac.data.any_rows import FitRows, in_name_order, take_column_order, with_readable_names
from eulac.data.lac_sample import LacSample
from eulac.exceptions import NoUnlabeledRowsWarning, warn_caller

__all__ = [
    "checked_rows",
    "require_columns_of_fit",
    "require_same_columns",
    "rows_by_name",
    "validated_rows",
    "validated_sample",
    "with_deployment_rows",
]


def validated_sample(
    estimator: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any = None,
    *,
    augmented_label: Any = "auto",
    unlabeled_label: Any = -1,
    dtype: Any = np.float64,
    allow_nd: bool = False,
    by_name: bool = False,
) -> LacSample:
    """Return the sample of a call to `fit`, after scikit-learn's checks of the features.

    Masked `y` and `X_unlabeled` may be used alone or together; both end in the same sample.
    Sets `n_features_in_` (and `feature_names_in_`) on the estimator, and checks `X_unlabeled`
    against them; sets `fit_rows_`, by which the rows are known again. With `allow_nd` rows may be
    images; with `by_name` columns are sorted by name, and rows to answer pass `rows_by_name`.
    """
    X, X_unlabeled = validated_rows(estimator, X, y, X_unlabeled, dtype=dtype, allow_nd=allow_nd)
    sample = LacSample.from_masked(
        X,
        y,
        X_unlabeled=X_unlabeled,
        augmented_label=augmented_label,
        unlabeled_label=unlabeled_label,
    )
    estimator.fit_rows_ = FitRows.of(X, sample.codec.encode(y), X_unlabeled)
    take_column_order(estimator, by_name=by_name)
    labeled, unlabeled = sample.X_labeled, sample.X_unlabeled
    return sample.with_rows(
        X_labeled=in_name_order(estimator, labeled), X_unlabeled=in_name_order(estimator, unlabeled)
    )


def validated_rows(
    estimator: Any, X: Any, y: Any, X_unlabeled: Any, **options: Any
) -> tuple[Any, Any]:
    """Return the rows of a call to `fit`, checked; there is a label for each of `X`."""
    if y is None:
        # scikit-learn's wording, which its own checks look for.
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    requirements.require_jobs(getattr(estimator, "n_jobs", None))
    require_same_columns(X, X_unlabeled)
    X = checked_rows(estimator, X, reset=True, ensure_min_samples=2, **options)
    requirements.require_label_per_row(X, y)
    if X_unlabeled is not None:
        X_unlabeled = checked_rows(estimator, X_unlabeled, **options)
    return X, X_unlabeled


def checked_rows(
    estimator: Any, X: Any, *, reset: bool = False, dtype: Any = np.float64, **options: Any
) -> Any:
    """Return rows as an array of numbers; set, or compare, names and number of features.

    Parameters
    ----------
    estimator : estimator
    X : array or data frame
    reset : bool, default=False
        Whether these rows say what the columns are; others must have the same.
    dtype : dtype, default=float64
    **options
        Of scikit-learn's `check_array`.
    """
    requirements.require_dense(X, type(estimator).__name__)
    requirements.require_distinct_names(X)
    X = with_readable_names(X)
    try:
        return validate_data(estimator, X, reset=reset, dtype=dtype, **options)
    except ValueError as error:
        requirements.require_number_cells(X, error)
        raise


def rows_by_name(estimator: Any, X: Any) -> Any:
    """Return rows of numbers to answer, checked, with the columns in the order of the fit."""
    return in_name_order(estimator, checked_rows(estimator, X))


def require_columns_of_fit(classifier: Any, X: Any, name: str = "X_labeled") -> None:
    """Refuse rows whose columns are not those the classifier was fitted with, in their order.

    For rows that meet the classifier's rows without being given to it. Rows without names are
    taken as they are.
    """
    names = getattr(classifier, "feature_names_in_", None)
    if names is not None and hasattr(X, "columns"):
        _require_same_names(list(names), list(X.columns), name, "the fit")


def require_same_columns(X: Any, X_unlabeled: Any, name: str = "X_unlabeled") -> None:
    """Refuse unlabeled rows with other names of features, or another number of them.

    Or rows of that name.

    Examples
    --------
    >>> require_same_columns(np.zeros((2, 3)), np.zeros((4, 3)))
    """
    ours, theirs = (getattr(rows, "columns", None) for rows in (X, X_unlabeled))
    if ours is not None and theirs is not None:
        _require_same_names(list(ours), list(theirs), name, "`X`")
        return
    one, other = (tuple(getattr(rows, "shape", ())) for rows in (X, X_unlabeled))
    if len(one) == len(other) == 2 and one[1] != other[1]:
        raise ValueError(
            f"`{name}` must have the features of `X`, {one[1]} of them; got {other[1]}."
        )


def _require_same_names(ours: list[Any], theirs: list[Any], name: str, whose: str) -> None:
    if ours == theirs:
        return
    missing, more = ([c for c in a if c not in b] for a, b in ((ours, theirs), (theirs, ours)))
    got = [f"{word} {names}" for word, names in (("no", missing), ("also", more)) if names]
    order = "X.columns" if whose == "`X`" else "classifier.feature_names_in_"
    raise ValueError(
        f"`{name}` must have the columns of {whose} in the same order; it has "
        f"{' and '.join(got) or 'them in another order'}. Pass `{name}[{order}]`, once all "
        "of them are there."
    )


def with_deployment_rows(sample: LacSample) -> LacSample:
    """Return the sample; without unlabeled rows, the labeled ones stand in for them."""
    if sample.n_labeled == 1:
        raise ValueError(
            "at least two labeled rows are needed, to learn from one and try on the other; got 1. "
            "Label more."
        )
    if sample.n_unlabeled == 1:
        raise ValueError(
            "at least two unlabeled rows are needed to learn from them; got n_samples = 1. "
            "Pass more, or none for a classifier of the known classes only."
        )
    if sample.n_unlabeled:
        return sample
    warn_caller(
        "`y` has no unlabeled rows (none marked, no `X_unlabeled`), so nothing can be called "
        "augmented: fitting a classifier of the known classes only.",
        NoUnlabeledRowsWarning,
    )
    return sample.with_rows(X_unlabeled=sample.X_labeled)
