"""Rows of any table a scikit-learn classifier takes: arrays, data frames, sparse matrices, texts.

A classifier around another one must hand on what it was given: frames with strings and missing
values go to the inner classifier untouched. Here is what can be done with rows all the same: check
them, pick some, put two tables into one, and know them again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import minmax_scale
from sklearn.utils import InputTags, _safe_indexing, check_array, get_tags
from sklearn.utils.validation import _get_feature_names, validate_data

from eulac.data import requirements
from eulac.data.labels import UNLABELED
from eulac.data.row_sketch import hash_rows

__all__ = [
    "FitRows",
    "as_numbers",
    "as_pandas",
    "columns_sorted",
    "given_places",
    "in_given_order_of_columns",
    "in_name_order",
    "input_tags",
    "joined_rows",
    "n_rows",
    "opened_rows",
    "picked_rows",
    "places_by_name",
    "row_keys",
    "scaled_numbers",
    "take_column_order",
    "with_readable_names",
]

Array = NDArray[np.float64]

SINGLE = 2.0**24
"""Numbers are compared to so many steps of their leading digit: as single precision has."""


def with_readable_names(X: Any) -> Any:
    """Return rows as they came, or as a pandas frame where scikit-learn would not see their names.

    Older versions, such as 1.6, ask other frames for `__dataframe__`, which polars 2 has not.
    Without names columns in another order would be taken as they stand.

    Examples
    --------
    >>> with_readable_names([[1.0, 2.0]])
    [[1.0, 2.0]]
    """
    if not hasattr(X, "columns") or isinstance(X, pd.DataFrame):
        return X
    names = list(X.columns)
    if not all(isinstance(name, str) for name in names) or _get_feature_names(X) is not None:
        return X
    return pd.DataFrame({name: X[name].to_numpy() for name in names})


def opened_rows(estimator: Any, X: Any, *, inner: Any, reset: bool = False) -> Any:
    """Return the rows after scikit-learn's checks, as they came wherever that is possible.

    Numbers are checked as `inner`, the classifier that gets them, would check them: whether they
    may be sparse or missing is its business. Sets, or compares, names and number of features.
    """
    requirements.require_table(X)
    if not hasattr(X, "shape") or (not hasattr(X, "ndim") and not hasattr(X, "columns")):
        X = np.asarray(X)
    requirements.require_distinct_names(X)
    X = with_readable_names(X)
    tags = input_tags(inner)
    if not tags.sparse:
        requirements.require_dense(X, type(inner).__name__)
    missing = get_tags(_first_step(inner)).input_tags.allow_nan
    numbers = {
        "accept_sparse": "csr" if tags.sparse else False,
        "ensure_all_finite": "allow-nan" if missing else True,
        "dtype": "numeric",
        "ensure_min_samples": 2 if reset else 1,
    }
    if (isinstance(X, np.ndarray) and X.dtype.kind in "biufc") or sparse.issparse(X):
        if reset:
            estimator.takes_text_ = False
        return validate_data(estimator, X, reset=reset, **numbers)
    if n_rows(X) == 0:
        check_array(X, dtype=None, ensure_2d=False)  # refuses it, in scikit-learn's words
    X = validate_data(estimator, X, reset=reset, skip_check_array=True)
    is_number = as_numbers(X) is not None
    if reset:
        estimator.takes_text_ = not is_number
    elif not is_number and not getattr(estimator, "takes_text_", True):
        requirements.require_number_cells(X)
    if is_number:
        check_array(X, input_name="X", estimator=estimator, **numbers)
    return X


def input_tags(inner: Any) -> InputTags:
    """Return what rows a classifier takes, sparse ones included.

    Before scikit-learn 1.7 its own do not tell of sparse rows: there each of them may get some, and
    says itself if it takes none. A pipeline's steps may not: it gets none.

    Examples
    --------
    >>> input_tags(LogisticRegression()).sparse
    True
    """
    tags = get_tags(inner).input_tags
    told = get_tags(LogisticRegression()).input_tags.sparse
    if (
        not told
        and type(inner).__module__.startswith("sklearn.")
        and not isinstance(inner, Pipeline)
    ):
        tags.sparse = True
    return tags


def take_column_order(estimator: Any, *, by_name: bool = True) -> None:
    """Set `column_order_`: where the columns of the fit stand, sorted by name.

    Forests draw columns by their places, and rows are shuffled by their bytes: with columns in an
    order of their own, that of the user changes nothing. `feature_names_in_` keeps the user's.
    None without names, or where not names but places tell columns apart.
    """
    names = getattr(estimator, "feature_names_in_", None) if by_name else None
    estimator.column_order_ = None if names is None else np.argsort(names, kind="stable")


def in_name_order(estimator: Any, X: Any) -> Any:
    """Return rows, whose columns are as in the user's fit, with these sorted by name.

    As they are where `take_column_order` found no names, or was not asked.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> estimator = SimpleNamespace(feature_names_in_=np.array(["b", "c", "a"]))
    >>> take_column_order(estimator)
    >>> in_name_order(estimator, np.array([[2, 3, 1]])).tolist()
    [[1, 2, 3]]
    """
    order = getattr(estimator, "column_order_", None)
    return X if order is None or X is None else _safe_indexing(X, order, axis=1)


def in_given_order_of_columns(estimator: Any, X: Any) -> Any:
    """Return an array of rows whose columns are sorted by name with these as the user had them."""
    order = getattr(estimator, "column_order_", None)
    return X if order is None else X[:, np.argsort(order)]


def given_places(estimator: Any, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where columns, which stand at these places by name, stood in the user's fit."""
    order = getattr(estimator, "column_order_", None)
    return places if order is None else np.sort(order[places])


def places_by_name(estimator: Any, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where columns at these places of the user's fit stand by name.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> estimator = SimpleNamespace(column_order_=np.array([2, 0, 1]))
    >>> places_by_name(estimator, np.array([2])), given_places(estimator, np.array([0]))
    (array([0]), array([2]))
    """
    order = getattr(estimator, "column_order_", None)
    return places if order is None else np.flatnonzero(np.isin(order, places))


def columns_sorted(X: Any) -> Any:
    """Return a frame with its columns sorted by name; rows without names as they are."""
    names = list(getattr(X, "columns", ()))
    if not names or not all(isinstance(name, str) for name in names):
        return X
    return X[sorted(names)]


def _first_step(inner: Any) -> Any:
    """Return what gets the rows first: in a pipeline, which says nothing of its own, a step."""
    if not isinstance(inner, Pipeline):
        return inner
    steps = [step for _, step in inner.steps if step not in (None, "passthrough")]
    return _first_step(steps[0]) if steps else inner


def as_numbers(X: Any) -> Array | None:
    """Return the rows as an array of numbers; None where there are columns of another kind.

    Examples
    --------
    >>> as_numbers(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})) is None
    True
    """
    if sparse.issparse(X):
        return None
    if isinstance(X, pd.DataFrame):
        if not all(pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes):
            return None
        return X.to_numpy(dtype=float, na_value=np.nan)
    numbers = np.asarray(X)
    if numbers.ndim != 2 or numbers.dtype.kind not in "biuf":
        return None
    return numbers.astype(float)


def as_pandas(X: Any) -> Any:
    """Return frames of other kinds, and arrays of objects, as pandas frames; the rest as it is.

    Columns whose values are all numbers become numbers; text stays text.

    Examples
    --------
    >>> as_pandas(np.array([[1, "red"], [2.5, None]], dtype=object))[0].tolist()
    [1.0, 2.5]
    """
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OUS":
        frame = pd.DataFrame(X)
    elif hasattr(X, "columns") and not isinstance(X, pd.DataFrame):
        frame = pd.DataFrame({name: pd.Series(list(X[name]), dtype=object) for name in X.columns})
    else:
        return X
    numbers = {"integer", "floating", "mixed-integer-float"}
    kinds = {
        name: float
        for name in frame.columns
        if pd.api.types.infer_dtype(frame[name], skipna=True) in numbers
    }
    return frame.astype(kinds)


def scaled_numbers(X: Any) -> Array | None:
    """Return the rows scaled to [0, 1]; None where they are no finite numbers of sane size."""
    numbers = as_numbers(X)
    if numbers is None or not np.all(np.abs(numbers) <= requirements.LARGEST):
        return None
    return np.asarray(minmax_scale(numbers))


def picked_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows, as the kind of table they are in."""
    return _safe_indexing(X, rows)


def joined_rows(first: Any, second: Any) -> Any:
    """Return one table of two: both of a kind, or the first one's kind."""
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.vstack([first, second], format="csr")
    if isinstance(first, pd.DataFrame | pd.Series):
        if not isinstance(second, type(first)):
            second = pd.DataFrame(second, columns=first.columns)
        return pd.concat([first, _with_categories(second, first)], ignore_index=True)
    if hasattr(first, "vstack") and hasattr(second, "columns"):  # polars
        return first.vstack(type(first)({name: second[name] for name in first.columns}))
    one, two = np.asarray(first), np.asarray(second)
    try:
        return np.concatenate([one, two])
    except TypeError as error:  # dates beside numbers
        raise ValueError(
            "labeled and unlabeled rows must hold cells of one kind; got "
            f"{one.dtype} and {two.dtype}. Convert one of them."
        ) from error


def _with_categories(second: Any, first: Any) -> Any:
    """Return the second frame with the first one's categories where they differ.

    Concatenated otherwise, a categorical column would silently become one of objects.
    """
    if not isinstance(first, pd.DataFrame):
        return second
    kinds = {
        name: kind
        for name, kind in first.dtypes.items()
        if isinstance(kind, pd.CategoricalDtype) and second[name].dtype != kind
    }
    second = second.copy() if kinds else second
    for name, kind in kinds.items():
        known = second[name].isin(kind.categories)
        # A category that the first frame does not have is a gap, as for scikit-learn's boosting.
        second[name] = second[name].astype(object).where(known).astype(kind)
    return second


def n_rows(X: Any) -> int:
    """Return the number of rows of any kind of table."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def row_keys(X: Any) -> NDArray[np.uint64]:
    """Return a number per row that depends on its values alone."""
    if sparse.issparse(X):
        # Two fixed random sums of a row tell it from others as well as its bytes would.
        X = sparse.csr_array(X) @ np.random.default_rng(0).normal(size=(X.shape[1], 2))
    numbers = as_numbers(X)
    if numbers is not None:
        X = numbers + 0.0  # minus zero is zero all the same
    elif hasattr(X, "columns") and not isinstance(X, pd.DataFrame):  # polars
        X = {name: list(X[name]) for name in X.columns}
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    try:
        return pd.util.hash_pandas_object(frame, index=False).to_numpy()
    except TypeError:  # cells that have no hash still have a text
        return pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy()


@dataclass(frozen=True, eq=False)
class FitRows:
    """The rows of a fit, `X` first and `X_unlabeled` after it.

    Attributes
    ----------
    keys : uint64 array of shape (n_rows,)
        Equal for rows of equal values, whatever holds them; to 24 bits.
    codes : int array of shape (n_rows,)
        Class of each row, `UNLABELED` (-1) for rows without a label.
    importance : array of shape (n_labeled,), optional
        How much each labeled row counts beside the others; None where all count the same.

    Examples
    --------
    >>> rows = FitRows.of(np.eye(3), np.array([0, -1, -1]))
    >>> rows.is_pool(np.eye(3)[[2, 1]]), rows.is_pool(np.eye(3)[:2])
    (True, False)
    """

    keys: NDArray[np.uint64]
    codes: NDArray[np.intp]
    importance: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, X: Any, codes: NDArray[np.intp], X_unlabeled: Any = None) -> "FitRows":
        """Return the rows of a fit; the codes are those of `X`."""
        keys, codes = _keys(X), np.asarray(codes)
        if X_unlabeled is None:
            return cls(keys, codes)
        more = _keys(X_unlabeled)
        return cls(np.append(keys, more), np.append(codes, np.full(len(more), UNLABELED)))

    @property
    def is_unlabeled(self) -> NDArray[np.bool_]:
        """Which rows have no label."""
        return self.codes == UNLABELED

    def is_pool(self, X: Any) -> bool:
        """Whether these are the unlabeled rows of the fit, in whatever order."""
        given, own = np.sort(_keys(X)), np.sort(self.keys[self.is_unlabeled])
        return len(own) > 0 and np.array_equal(given, own)

    def places(self, X: Any, *, unlabeled: bool) -> NDArray[np.intp]:
        """Return where rows stood in the fit, -1 for rows that were not there.

        Of copies of a row any place is as good: they were held out together.

        Parameters
        ----------
        X : rows
        unlabeled : bool
            Whether to look among the unlabeled rows, or among the labeled ones.
        """
        own = np.flatnonzero(self.is_unlabeled == unlabeled)
        given = _keys(X)
        if not len(own):
            return np.full(len(given), -1)
        by_key = own[np.argsort(self.keys[own], kind="stable")]
        at = np.searchsorted(self.keys[by_key], given)
        found = by_key[np.minimum(at, len(by_key) - 1)]
        return np.where(self.keys[found] == given, found, -1)

    def labeled(self) -> "FitRows":
        """Return the labeled rows only."""
        kept = ~self.is_unlabeled
        return FitRows(self.keys[kept], self.codes[kept], self.importance)


def _keys(X: Any) -> NDArray[np.uint64]:
    if np.ndim(X) > 2:
        X = np.reshape(X, (len(X), -1))
    numbers = as_numbers(X)
    if numbers is None:
        return row_keys(X)
    # As in single precision, but for numbers of any size.
    fraction, exponent = np.frexp(numbers)
    return hash_rows(np.ldexp(np.round(fraction * SINGLE) / SINGLE, exponent))
