"""What a worker of any engine does in a fit: Arrow batches in, one partial result out.

A partial result is a survey or moments of the rows of one partition, and depends on those rows
alone: computed once more after a failure it is the same, and only one copy of it is merged.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from eulac.data import requirements
from eulac.data.labels import LabelCodec
from eulac.data.row_sketch import RowSurvey
from eulac.landmark.chunk_source import SurveyPlan, known_codes
from eulac.landmark.landmark_classifier import LandmarkEulacClassifier
from eulac.landmark.landmark_model import MomentPlan
from eulac.solvers.moment_folds import FoldMoments

__all__ = [
    "SPLIT_EVERY",
    "BatchMoments",
    "BatchSurvey",
    "finite_rows",
    "fit_by_parts",
    "merged_parts",
    "packed",
    "require_landmarks",
    "row_columns",
]

SPLIT_EVERY = 8
"""Partial results merged by one task."""

PROTOCOL = 5
"""Of pickles between workers, whatever versions of Python they run."""

Merged = Callable[[Sequence[Any]], bytes | None]


def require_landmarks(classifier: Any) -> None:
    """Refuse classifiers that do not learn from sums."""
    if not isinstance(classifier, LandmarkEulacClassifier):
        raise TypeError(
            "`classifier` must be a LandmarkEulacClassifier, which learns from sums that workers "
            f"can take; got {type(classifier).__name__}. Use its own `fit` for rows in memory."
        )


def finite_rows(X: Any, width: int | None) -> Any:
    """Return rows of a partition as doubles, an empty one included."""
    X = check_array(X, dtype=np.float64, ensure_min_samples=0)
    if width is not None and X.shape[1] != width:
        raise ValueError(f"rows must have {width} features; a partition has {X.shape[1]}.")
    if len(X):
        requirements.require_bounded(X)
    return X


@dataclass(frozen=True)
class _BatchRows:
    """Which columns of a batch are features, and which holds labels, if any."""

    columns: tuple[str, ...]
    label_column: str | None
    unlabeled_label: Any

    def of(self, batch: Any) -> tuple[NDArray[np.float64], Any]:
        """Return features and masked labels of a batch; None where it has no labels."""
        parts = [batch.column(name).to_numpy(zero_copy_only=False) for name in self.columns]
        X = np.column_stack([np.asarray(part, dtype=np.float64) for part in parts])
        rows = finite_rows(X, None)
        if self.label_column is None:
            return rows, None
        labels = batch.column(self.label_column)
        if labels.null_count:
            texts = pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)
            marker = str(self.unlabeled_label) if texts else self.unlabeled_label
            labels = pc.fill_null(labels, pa.scalar(marker, labels.type))
        return rows, np.array(labels.to_pylist())

    def each(self, batches: Iterable[Any]) -> Iterator[tuple[NDArray[np.float64], Any]]:
        """Yield features and labels of batches that have rows."""
        return (self.of(batch) for batch in batches if batch.num_rows)


@dataclass(frozen=True)
class BatchSurvey:
    """All a worker needs to survey its rows; merges surveys too."""

    rows: _BatchRows
    plan: SurveyPlan

    def of(self, batches: Iterable[Any]) -> RowSurvey | None:
        """Return the survey of batches; None where there are no rows."""
        found = (self.plan.survey(X, y) for X, y in self.rows.each(batches))
        return reduce(RowSurvey.merge, found) if (found := _some(found)) else None

    def merge(self, parts: Sequence[RowSurvey]) -> RowSurvey:
        """Return the survey of all rows."""
        return RowSurvey.merged(parts)


@dataclass(frozen=True)
class BatchMoments:
    """All a worker needs to turn its rows into moments; merges moments too."""

    rows: _BatchRows
    plan: MomentPlan
    codec: LabelCodec

    def of(self, batches: Iterable[Any]) -> FoldMoments | None:
        """Return the moments of batches; None where there are no rows."""
        found = (
            self.plan.moments(X, known_codes(self.codec, len(X), y))
            for X, y in self.rows.each(batches)
        )
        return reduce(FoldMoments.__add__, found) if (found := _some(found)) else None

    def merge(self, parts: Sequence[FoldMoments]) -> FoldMoments:
        """Return the moments of all rows."""
        return FoldMoments.merge(parts)


def _some(parts: Iterator[Any]) -> Any:
    """Return an iterator of the same parts, or nothing where there are none."""
    first = next(parts, None)
    return None if first is None else chain([first], parts)


def packed(part: Any) -> bytes:
    """Return a partial result as bytes, to be sent between processes of the engine."""
    return pickle.dumps(part, protocol=PROTOCOL)


def merged_parts(task: Any, parts: Iterable[bytes]) -> bytes:
    """Return the merged result of parts, in the order given."""
    return packed(task.merge([pickle.loads(part) for part in parts]))


def row_columns(
    names: Sequence[str], label_column: str, columns: Sequence[str] | None, unlabeled: Any
) -> tuple[str, ...]:
    """Return the columns to learn from, and refuse tables that do not have them.

    Parameters
    ----------
    names : sequence of str
        Columns of the table with labels.
    label_column : str
    columns : sequence of str, optional
        To learn from; default: all but the labels.
    unlabeled : sequence of str, optional
        Columns of the table without labels, where there is one.

    Examples
    --------
    >>> row_columns(["size", "kind", "weight"], "kind", None, ["weight", "size"])
    ('size', 'weight')
    """
    if label_column not in names:
        raise ValueError(
            f"`label_column` must be one of the columns {', '.join(names)}; got {label_column!r}."
        )
    chosen = tuple(name for name in names if name != label_column)
    chosen = chosen if columns is None else tuple(columns)
    for kind, there in (("the table with labels", names), ("`unlabeled`", unlabeled)):
        missing = [] if there is None else [name for name in chosen if name not in there]
        if missing:
            raise ValueError(
                f"{kind} must have the columns that are learned from; it lacks {missing[0]!r}. "
                "Name those to take with `columns`."
            )
    return chosen


def fit_by_parts(
    classifier: Any, columns: Sequence[str], label_columns: Sequence[str | None], merged: Merged
) -> Any:
    """Return the classifier fitted in two passes, each of them partial results merged.

    Parameters
    ----------
    classifier : LandmarkEulacClassifier
    columns : sequence of str
    label_columns : sequence of (str or None)
        Of each table, None where it has no labels.
    merged : callable
        Called with a task for each table, it returns the merged result of their partitions as
        bytes, or None where there are no rows.
    """
    classifier.begin(pd.DataFrame(np.zeros((1, len(columns))), columns=list(columns)))
    marker = classifier.unlabeled_label
    # Batches know their columns by name; sums are taken in the order the classifier has them in.
    names = tuple(columns[place] for place in classifier.column_order_)
    rows = [_BatchRows(names, name, marker) for name in label_columns]
    survey_plan = classifier.survey_plan()
    survey = merged([BatchSurvey(one, survey_plan) for one in rows])
    if survey is None:
        raise ValueError("the tables must have rows; got none.")
    classifier.freeze(pickle.loads(survey))
    plan, codec = classifier.plan_, classifier.codec_
    moments = merged([BatchMoments(one, plan, codec) for one in rows])
    return classifier.finish(pickle.loads(moments or b""))
