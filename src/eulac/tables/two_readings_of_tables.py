"""The known share of tables as `EulacClassifier` reads it, so that both say the same."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.any_classifier.default_proportion import read_table
from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.classifier.input_rows import drawn_seed
from eulac.data.lac_table import LacTable, in_value_order
from eulac.data.preprocessing import fit_columns
from eulac.exceptions import SeparatingColumnWarning
from eulac.proportion.estimate import ProportionEstimate
from eulac.tables.training_tables import TrainingTables

__all__ = ["TablesReading", "two_readings_of_tables"]


class TablesReading(NamedTuple):
    """The known share of tables, and what was left out to read it.

    Attributes
    ----------
    estimate : ProportionEstimate
    left_out : int array
        Places, among the features, of those that alone make nearly all rows new.
    names : list of str
        Their names.
    """

    estimate: ProportionEstimate
    left_out: NDArray[np.intp]
    names: list[str]


def two_readings_of_tables(
    tables: TrainingTables, drop: Sequence[str] = (), *, random_state: int = 0
) -> TablesReading:
    """Return the known share of training tables, read twice.

    The rows take the way they take in a fit of `EulacClassifier`: the same columns, order and
    seed.

    Parameters
    ----------
    tables : TrainingTables
    drop : sequence of str, default=()
        Columns to leave out.
    random_state : int, default=0
        As that of the classifier.
    """
    columns = fit_columns(tables.frames, drop)
    rows = [columns.transform(frame, source) for source, frame in tables.frames.items()]
    classifier = EulacClassifier(random_state=random_state)
    seed = drawn_seed(classifier)
    table = LacTable.from_masked(rows[0], tables.y, np.vstack(rows[1:]))
    with warnings.catch_warnings():
        # It knows columns by number; names are returned.
        warnings.simplefilter("ignore", SeparatingColumnWarning)
        found = read_table(classifier, in_value_order(table, seed), seed)
    names = [columns.feature_names[place] for place in found.left_out]
    return TablesReading(found.estimate, found.left_out, names)
