"""The landmark classifier on Dask: workers read rows and send sums, never rows.

Two passes over the partitions. The first sends back a bounded sample, from which the classifier
freezes its features; the second sends back moments. Both are merged in a tree whose shape depends
on the number of partitions alone, so the number of workers, and whether one of them dies, changes
no bit of the result.
"""

from collections.abc import Callable, Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from eulac.data import requirements
from eulac.data.row_sketch import RowSurvey
from eulac.data.validation import require_same_columns
from eulac.distributed.batch_sums import SPLIT_EVERY, finite_rows, require_landmarks
from eulac.landmark.chunk_source import chunk_importance, known_codes, require_counted_classes
from eulac.solvers.moment_folds import FoldMoments

__all__ = ["fit_dask", "lazily"]


def fit_dask(
    classifier: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any = None,
    *,
    sample_weight: Any = None,
    client: Any = None,
) -> Any:
    """Fit a landmark classifier to Dask arrays or data frames.

    Parameters
    ----------
    classifier : LandmarkEulacClassifier
        Is fitted, and returned.
    X : dask array or data frame of shape (n_rows, n_features)
    y : dask array, series, or array of shape (n_rows,)
        Labels; unlabeled rows carry `unlabeled_label` (-1).
    X_unlabeled : dask array or data frame, optional
        Further unlabeled rows.
    sample_weight : dask array, series, or array of shape (n_rows,), optional
        As how many rows each labeled row of `X` counts; 1 for unlabeled ones.
    client : distributed.Client, optional
        The cluster, such as ``Client("tcp://scheduler:8786")``. Default: the client opened last,
        or threads of this process if there is none.

    Returns
    -------
    classifier

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import LandmarkEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X, y = rng.normal(centers[[0] * 40 + [1] * 40], 0.5), np.repeat([5, 7], 40)
    >>> U = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> clf = LandmarkEulacClassifier(0.5, n_landmarks=40, random_state=0)
    >>> rows, pool = da.from_array(X, chunks=(30, -1)), da.from_array(U, chunks=(50, -1))
    >>> lazily(fit_dask(clf, rows, y, pool), pool[:1]).compute()
    array([5])
    """
    require_landmarks(classifier)
    require_same_columns(X, X_unlabeled)
    partitions = _partitions(X, y, sample_weight)
    if X_unlabeled is not None:
        partitions += _partitions(X_unlabeled, None, None)
    classifier.begin(_header(X))
    columns, survey_plan = _columns(classifier), classifier.survey_plan()
    surveys = [delayed(_survey)(survey_plan, columns, *part) for part in partitions]
    survey = _computed(_tree(surveys, RowSurvey.merged), client)
    require_counted_classes(survey)
    classifier.freeze(survey)
    # One copy of the landmarks in the graph, not one per partition.
    plan, codec = delayed(classifier.plan_), classifier.codec_
    moments = [delayed(_moments)(plan, codec, columns, *part) for part in partitions]
    return classifier.finish(_computed(_tree(moments, FoldMoments.merge), client))


def lazily(classifier: Any, X: Any, method: str = "predict") -> Any:
    """Return what a method of a fitted classifier says of rows, without computing it.

    Parameters
    ----------
    classifier : fitted classifier
    X : dask array or data frame
    method : {"predict", "predict_proba", "decision_function", "augmented_score"}

    Returns
    -------
    dask array, or series or data frame for a data frame
    """
    requirements.require_choice("method", method, METHODS)
    shared = delayed(classifier)
    example = getattr(classifier, method)(_header(X))
    if isinstance(X, da.Array):
        X = _one_column_chunk(X)
        options: dict[str, Any] = {"dtype": example.dtype, "meta": example[:0]}
        if example.ndim == 1:
            options["drop_axis"] = 1
        else:
            options["chunks"] = (X.chunks[0], (example.shape[1],))
        return X.map_blocks(_answer, classifier=shared, method=method, **options)
    frame = _labeled_answer(example, _header(X).index, classifier)
    return X.map_partitions(_frame_answer, shared, method, meta=frame.iloc[:0])


METHODS = ("predict", "predict_proba", "decision_function", "augmented_score")


def _answer(block: Any, classifier: Any, method: str) -> Any:
    return getattr(classifier, method)(block)


def _frame_answer(part: Any, classifier: Any, method: str) -> Any:
    if not len(part):
        header = pd.DataFrame(np.zeros((1, part.shape[1])), columns=part.columns)
        return _labeled_answer(_answer(header, classifier, method), header.index, classifier)[:0]
    return _labeled_answer(_answer(part, classifier, method), part.index, classifier)


def _labeled_answer(answer: Any, index: Any, classifier: Any) -> Any:
    if answer.ndim == 1:
        return pd.Series(answer, index=index)
    return pd.DataFrame(answer, index=index, columns=[str(label) for label in classifier.classes_])


def _columns(classifier: Any) -> NDArray[np.intp]:
    """Return the places of the columns in the order the classifier has them in."""
    order = classifier.column_order_
    return np.arange(classifier.n_features_in_) if order is None else order


def _survey(plan: Any, columns: NDArray[np.intp], X: Any, y: Any, weight: Any) -> RowSurvey:
    X = finite_rows(X, len(columns))[:, columns]
    return plan.survey(X, None if y is None else np.asarray(y), sample_weight=weight)


def _moments(
    plan: Any, codec: Any, columns: NDArray[np.intp], X: Any, y: Any, weight: Any
) -> FoldMoments:
    X = finite_rows(X, len(columns))[:, columns]
    codes = known_codes(codec, len(X), None if y is None else np.asarray(y))
    return plan.moments(X, codes, chunk_importance(weight, codes))


def _partitions(X: Any, y: Any, sample_weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return delayed partitions of rows with their labels and weights."""
    if not hasattr(X, "to_delayed"):
        raise TypeError(
            f"`X` must be a dask array or data frame; got {type(X).__name__}. Use `fit` for rows "
            "in memory."
        )
    if isinstance(X, da.Array):
        X = _one_column_chunk(X)
        blocks = list(X.to_delayed()[:, 0])
    else:
        blocks = list(X.to_delayed())
    labels, weights = (
        _row_partitions(X, given, name, len(blocks))
        for given, name in ((y, "y"), (sample_weight, "sample_weight"))
    )
    return list(zip(blocks, labels, weights, strict=True))


def _row_partitions(X: Any, y: Any, name: str, n_blocks: int) -> list[Any]:
    """Return the partitions of what has a value for each row of X; None for each if it is None."""
    if y is None:
        return [None] * n_blocks
    parts = _value_partitions(X, y, name)
    if len(parts) != n_blocks:
        raise ValueError(
            f"`X` and `{name}` must have the same partitions; got {n_blocks} and {len(parts)}. "
            "Rechunk or repartition them."
        )
    return parts


def _value_partitions(X: Any, y: Any, name: str) -> list[Delayed]:
    if isinstance(X, da.Array) and not np.isnan(X.chunks[0]).any():
        if not hasattr(y, "to_delayed"):
            _require_value_per_row(X, y, name)
            y = da.from_array(np.asarray(y), chunks=(X.chunks[0],))
        if isinstance(y, da.Array) and not np.isnan(y.chunks[0]).any():
            _require_value_per_row(X, y, name)
            y = y.rechunk((X.chunks[0],))
    if not hasattr(y, "to_delayed"):
        raise TypeError(
            f"`{name}` must be a dask collection with the partitions of `X`; got "
            f"{type(y).__name__}."
        )
    return list(np.ravel(y.to_delayed()))


def _require_value_per_row(X: Any, values: Any, name: str) -> None:
    if name == "y":
        requirements.require_label_per_row(X, values)
    elif len(values) != len(X):
        raise ValueError(
            f"`{name}` must have a number for each row of `X`, {len(X)} of them; got {len(values)}."
        )


def _one_column_chunk(X: Any) -> Any:
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _header(X: Any) -> Any:
    """Return one row of zeros with the columns of a collection, to learn its width and names."""
    zeros = np.zeros((1, X.shape[1]))
    return pd.DataFrame(zeros, columns=X.columns) if hasattr(X, "columns") else zeros


def _tree(parts: Sequence[Delayed], merge: Callable[[Sequence[Any]], Any]) -> Delayed:
    """Merge partial results in a tree, a few at a time and always in the same order."""
    join = delayed(merge)
    while len(parts) > 1:
        groups = [parts[i : i + SPLIT_EVERY] for i in range(0, len(parts), SPLIT_EVERY)]
        parts = [join(group) if len(group) > 1 else group[0] for group in groups]
    return parts[0]


def _computed(result: Delayed, client: Any) -> Any:
    if client is None:
        return dask.compute(result)[0]
    return client.compute(result).result()
