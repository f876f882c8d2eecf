"""Partial results of Arrow batches, without an engine: merged they are the fit in memory."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from eulac import EulacClassifier
from eulac.distributed.batch_sums import (
    fit_by_parts,
    merged_parts,
    packed,
    require_landmarks,
    row_columns,
)
from table_in_parts import CLASSIFIER, NAMES, assert_agree, labeled_table


def fitted(table, n_rows, label_column="kind", *, reverse=False, names=NAMES):
    """Return the fit of a table in parts of so many rows, of two batches each."""

    def merged(tasks):
        [task] = tasks
        pieces = [table.slice(start, n_rows) for start in range(0, len(table), n_rows)]
        parts = [task.of(piece.to_batches(max_chunksize=n_rows // 2)) for piece in pieces]
        found = [packed(part) for part in parts if part is not None]
        return merged_parts(task, found[::-1] if reverse else found) if found else None

    return fit_by_parts(clone(CLASSIFIER), names, [label_column], merged)


@pytest.fixture(scope="module")
def in_memory():
    _, X, y = labeled_table()
    return clone(CLASSIFIER).fit(X, y)


@pytest.mark.parametrize(("n_rows", "reverse"), [(60, False), (333, True), (5000, False)])
def test_parts_of_any_size_in_any_order_give_the_fit_in_memory(in_memory, n_rows, reverse):
    table, _, _ = labeled_table()
    assert_agree(fitted(table, n_rows, reverse=reverse), in_memory)


def test_the_order_of_columns_changes_no_bit():
    table, _, _ = labeled_table()
    one, two = (fitted(table, 60, names=names) for names in (NAMES, NAMES[::-1]))
    np.testing.assert_array_equal(one.model_.coefficients, two.model_.coefficients)
    assert two.feature_names_in_.tolist() == list(NAMES[::-1])


def test_a_part_computed_twice_is_the_same_to_the_bit():
    table, _, _ = labeled_table()
    kept = []

    def merged(tasks):
        parts = [packed(tasks[0].of(table.to_batches(max_chunksize=100))) for _ in range(2)]
        kept.append(parts)
        return parts[0]

    fit_by_parts(clone(CLASSIFIER), NAMES, ["kind"], merged)
    assert all(once == again for once, again in kept)


def test_labels_may_be_texts_with_gaps_for_unlabeled_rows():
    table, X, y = labeled_table()
    names = np.array(["ant", "bee", "fly"], dtype=object)
    texts = pa.array([None if code < 0 else names[code] for code in y], pa.string())
    place = table.schema.get_field_index("kind")
    found = fitted(table.set_column(place, "kind", texts), 200)
    expected = clone(CLASSIFIER).fit(X, np.array([str(v or -1) for v in texts.to_pylist()]))
    assert found.classes_.tolist() == ["ant", "bee", "fly", "augmented"]
    assert_agree(found, expected)


def test_what_does_not_fit_is_refused():
    table, _, _ = labeled_table()
    with pytest.raises(ValueError, match="must have rows; got none"):
        fitted(table.slice(0, 0), 10)
    spoiled = table.set_column(0, NAMES[0], pa.array([None] * len(table), pa.float64()))
    with pytest.raises(ValueError, match="contains NaN"):
        fitted(spoiled, 100)
    with pytest.raises(TypeError, match="got EulacClassifier"):
        require_landmarks(EulacClassifier())
    with pytest.raises(ValueError, match="got 'sort'"):
        row_columns(["size", "kind"], "sort", None, None)
    with pytest.raises(ValueError, match=r"`unlabeled` must have the columns.* lacks 'size'"):
        row_columns(["size", "kind"], "kind", None, ["weight"])
    with pytest.raises(ValueError, match=r"labels must have the columns.* lacks 'color'"):
        row_columns(["size", "kind"], "kind", ["color"], None)


def test_parts_travel_as_bytes():
    assert pickle.loads(packed([1, 2])) == [1, 2]
