"""The known share of tables as `EulacClassifier` reads it, so that both say the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eulac.any_classifier.default_proportion import read_table
from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.classifier.input_rows import drawn_seed
from eulac.data.lac_table import LacTable, in_value_order
from eulac.data.preprocessing import fit_columns
from eulac.proportion.estimate import ProportionEstimate
from eulac.tables.training_tables import TrainingTables

__all__ = ["TWO_READINGS", "two_readings_of_tables"]

TWO_READINGS = "two_readings"
"""Name of the method beside those of `eulac.proportion.methods`."""


def two_readings_of_tables(
    tables: TrainingTables, drop: Sequence[str] = (), *, random_state: int = 0
) -> ProportionEstimate:
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
    return read_table(classifier, in_value_order(table, seed), seed).estimate
