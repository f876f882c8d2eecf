"""The door of every classifier: user's arrays and frames in, a `LacSample` out."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, validate_data

from eulac.data.any_rows import FitRows
from eulac.data.lac_sample import LacSample
from eulac.exceptions import NoUnlabeledRowsWarning

__all__ = ["require_same_columns", "validated_sample", "with_deployment_rows"]


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
) -> LacSample:
    """Return the sample of a call to `fit`, after scikit-learn's checks of the features.

    Masked `y` and `X_unlabeled` may be used alone or together; both end in the same sample.
    Sets `n_features_in_` (and `feature_names_in_`) on the estimator, and checks `X_unlabeled`
    against them; sets `fit_rows_`, by which the rows are known again. With `allow_nd` rows may be
    images.
    """
    if y is None:
        # scikit-learn's wording, which its own checks look for.
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    require_same_columns(X, X_unlabeled)
    options = {"dtype": dtype, "allow_nd": allow_nd}
    X = validate_data(estimator, X, ensure_min_samples=2, **options)
    check_consistent_length(X, y)
    if X_unlabeled is not None:
        X_unlabeled = validate_data(estimator, X_unlabeled, reset=False, **options)
    sample = LacSample.from_masked(
        X,
        y,
        X_unlabeled=X_unlabeled,
        augmented_label=augmented_label,
        unlabeled_label=unlabeled_label,
    )
    estimator.fit_rows_ = FitRows.of(X, sample.codec.encode(y), X_unlabeled)
    return sample


def require_same_columns(X: Any, X_unlabeled: Any) -> None:
    """Refuse unlabeled rows with other names of features, or another number of them.

    Examples
    --------
    >>> require_same_columns(np.zeros((2, 3)), np.zeros((4, 3)))
    """
    ours, theirs = (getattr(rows, "columns", None) for rows in (X, X_unlabeled))
    if ours is not None and theirs is not None:
        _require_same_names(list(ours), list(theirs))
        return
    one, other = (tuple(getattr(rows, "shape", ())) for rows in (X, X_unlabeled))
    if len(one) == len(other) == 2 and one[1] != other[1]:
        raise ValueError(
            f"`X_unlabeled` must have the features of `X`, {one[1]} of them; got {other[1]}."
        )


def _require_same_names(ours: list[Any], theirs: list[Any]) -> None:
    if ours == theirs:
        return
    missing, more = ([c for c in a if c not in b] for a, b in ((ours, theirs), (theirs, ours)))
    got = [f"{word} {names}" for word, names in (("no", missing), ("also", more)) if names]
    raise ValueError(
        "`X_unlabeled` must have the columns of `X` in the same order; it has "
        f"{' and '.join(got) or 'them in another order'}. Pass `X_unlabeled[X.columns]`, once all "
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
    warnings.warn(
        "`y` has no unlabeled rows (none marked, no `X_unlabeled`), so nothing can be called "
        "augmented: fitting a classifier of the known classes only.",
        NoUnlabeledRowsWarning,
        stacklevel=4,
    )
    return sample.with_rows(X_unlabeled=sample.X_labeled)
