"""The easy mixture as a table in value order, and the same with some rows changed."""

from dataclasses import replace

from easy_mixture import easy_masked
from eulac.data.lac_table import LacTable, in_value_order


def easy_table():
    split, X, y = easy_masked()
    return split, in_value_order(LacTable.from_masked(X, y), 0)


def moved(table, rows):
    """Return the table with the values of some rows changed beyond recognition."""
    X = table.X.copy()
    X[rows] = 10.0 - 3.0 * X[rows]
    return replace(table, X=X)
