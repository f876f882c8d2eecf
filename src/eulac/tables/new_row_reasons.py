"""Why rows are called new: the columns that set a row apart from its likeliest known class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from eulac.data.preprocessing import CATEGORY, DATE, FLAG, NUMBER

if TYPE_CHECKING:
    import pandas as pd

    from eulac.classifier.answering import Answers
    from eulac.tables.table_model import TableModel

__all__ = ["NewRowReasons", "column_distances", "new_row_reasons"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FARTHEST = 2.0
"""A column sets a row apart from so many spreads of the class on."""

MOST_COLUMNS = 3
NO_COLUMN = "no column by itself, but several together"
CENTRAL = (2.5, 97.5)
"""Percentiles shown as what is usual in a class."""


class NewRowReasons(NamedTuple):
    """What sets new rows apart.

    Attributes
    ----------
    texts : list of str
        A sentence for each row; empty for rows that are not called new.
    by_column : Counter
        How many new rows each column sets apart.
    """

    texts: list[str]
    by_column: Counter[str]


def column_distances(model: TableModel, X: Array, known: Codes) -> Array:
    """Return how far each row lies from a known class in each column, in spreads of that class.

    Numbers and dates: the distance from the median of the class over its interquartile range,
    scaled to be the standard deviation of a normal column; of several parts of a date the largest.
    Flags and categories: the normal deviate that is as rare as the value in the class.

    Parameters
    ----------
    model : TableModel
    X : array of shape (n_rows, n_features)
    known : int array of shape (n_rows,)
        Codes of the classes to compare with.

    Returns
    -------
    array of shape (n_rows, n_columns)
        Columns in the order of ``model.columns.names``.
    """
    names = model.columns.names
    of_class, of = _rows_by_class(model), np.array(model.columns.feature_columns)
    found = np.zeros((len(X), len(names)))
    spread_of_all = _spread(_flat(model.X_labeled))
    for code in np.unique(known):
        inside, rows = of_class[code], known == code
        for place, name in enumerate(names):
            at = np.flatnonzero(of == name)
            if model.columns.kinds[name] in (NUMBER, DATE):
                distances = _of_numbers(X[rows][:, at], inside[:, at], spread_of_all[at])
            else:
                distances = _of_values(X[rows][:, at], inside[:, at])
            found[rows, place] = distances
    return found


def new_row_reasons(
    model: TableModel, frame: pd.DataFrame, X: Array, answers: Answers
) -> NewRowReasons:
    """Return why rows are called new, in words.

    Parameters
    ----------
    model : TableModel
    frame : pandas.DataFrame
        The rows as they stand in the table.
    X : array
        The same rows as the classifier takes them.
    answers : Answers
        What it says of them.
    """
    texts, by_column = [""] * len(X), Counter[str]()
    new = np.flatnonzero(answers.labels == model.codec_.augmented_label)
    if not len(new):
        return NewRowReasons(texts, by_column)
    X = _flat(X)[new]
    known = _likeliest(model, X, answers, new)
    distances = np.where(_is_usual(model, X, known), 0.0, column_distances(model, X, known))
    of_class, names = _rows_by_class(model), model.columns.names
    for place, row in enumerate(new.tolist()):
        far = [
            int(column)
            for column in np.argsort(-distances[place], kind="stable")
            if distances[place, column] >= FARTHEST
        ]
        by_column.update(names[column] for column in far)
        label, inside = model.codec_.known.tolist()[known[place]], of_class[known[place]]
        said = [
            _in_words(model, names[column], frame.iloc[row], X[place], label, inside)
            for column in far[:MOST_COLUMNS]
        ]
        texts[row] = "; ".join(said) or NO_COLUMN
    return NewRowReasons(texts, by_column)


def _is_usual(model: TableModel, X: Array, known: Codes) -> NDArray[np.bool_]:
    """Return which numbers lie within what is shown as usual in the class.

    Where a class has tails, its spread alone would set such rows apart.
    """
    of_class, of = _rows_by_class(model), model.columns.feature_columns
    is_number = np.array([model.columns.kinds[name] == NUMBER for name in model.columns.names])
    first = [of.index(name) for name in model.columns.names]  # others describe gaps
    usual = np.zeros((len(X), len(first)), dtype=bool)
    for code in np.unique(known):
        low, high = np.percentile(of_class[code][:, first], CENTRAL, axis=0)
        rows = X[known == code][:, first]
        usual[known == code] = is_number & (rows >= low) & (rows <= high)
    return usual


def _rows_by_class(model: TableModel) -> dict[int, Array]:
    """Return the labeled rows of each known class, by its code."""
    labeled, codes = _flat(model.X_labeled), model.codec_.encode(model.y_labeled)
    return {code: labeled[codes == code] for code in np.unique(codes).tolist()}


def _flat(X: Any) -> Array:
    return np.asarray(X).reshape(len(X), -1)


def _likeliest(model: TableModel, X: Array, answers: Answers, new: Codes) -> Codes:
    n_known = model.codec_.n_known_classes
    if answers.probabilities is not None:
        return np.asarray(answers.probabilities[new, :n_known].argmax(axis=1))
    # A method without probabilities: the class that fewest columns speak against.
    every = [column_distances(model, X, np.full(len(X), code)) for code in range(n_known)]
    return np.argmin([np.minimum(one, 10.0).mean(axis=1) for one in every], axis=0)


def _spread(X: Array) -> Array:
    low, high = np.percentile(X, [25, 75], axis=0)
    by_quartiles = (high - low) / 1.349
    return np.asarray(np.where(by_quartiles > 0, by_quartiles, X.std(axis=0)))


def _of_numbers(X: Array, inside: Array, spread_of_all: Array) -> Array:
    spread = _spread(inside)
    # A class in which a column never varies: a hundredth of its spread in all classes.
    spread = np.maximum(spread, 0.01 * spread_of_all)
    away = np.abs(X - np.median(inside, axis=0))
    distances = np.divide(away, spread, out=np.where(away > 0, 99.0, 0.0), where=spread > 0)
    return np.asarray(distances.max(axis=1))


def _of_values(X: Array, inside: Array) -> Array:
    # A value is a one among zeros, or nothing but zeros: its place tells it from the others.
    keys, places = X @ np.arange(1, X.shape[1] + 1), inside @ np.arange(1, X.shape[1] + 1)
    n_same = np.array([np.sum(places == key) for key in np.unique(keys)])
    rare = (n_same[np.unique(keys, return_inverse=True)[1]] + 0.5) / (len(inside) + 1)
    return np.asarray(norm.isf(rare / 2))


def _in_words(
    model: TableModel, name: str, row: pd.Series, x: Array, label: Any, inside: Array
) -> str:
    """Return what stands in a column of a row, and what usually does in its likeliest class."""
    import pandas as pd

    at = np.flatnonzero(np.array(model.columns.feature_columns) == name)
    inside = inside[:, at]
    cell = row[name]
    value = "missing" if pd.isna(cell) else f"{cell:.4g}" if isinstance(cell, float) else f"{cell}"
    if model.columns.kinds[name] in (CATEGORY, FLAG):
        n_same = int((inside == x[at]).all(axis=1).sum())
        return f"{name} {value} ({label}: {n_same} of {len(inside)} rows)"
    if model.columns.kinds[name] == DATE:
        return f"{name} {value} (not when {label} rows are from)"
    low, high = np.percentile(inside[:, 0], CENTRAL)
    return f"{name} {value} ({label}: {low:.4g} to {high:.4g})"
