"""Answers in Arrow batches: what the model says, whatever the batches, in bounded memory."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import eulac
from eulac.classifier.own_answers import own_answers_of
from eulac.distributed.answer_batches import BLOCK_ROWS, answer_schema, predict_batches


def in_batches(table, *cuts):
    """Return a table in record batches cut at some rows."""
    edges = [0, *cuts, table.num_rows]
    parts = [table.slice(a, b - a) for a, b in pairwise(edges)]
    return [batch for part in parts for batch in part.combine_chunks().to_batches()]


def as_bytes(answers):
    """Return answers as the bytes of an Arrow stream of one batch."""
    sink = pa.BufferOutputStream()
    whole = answers.read_all().combine_chunks()
    with pa.ipc.new_stream(sink, whole.schema) as writer:
        writer.write_table(whole)
    return sink.getvalue().to_pybytes()


def test_answers_are_those_of_the_classifier(machine, table):
    clf, _ = machine
    X = np.column_stack([table[name] for name in "abcd"])
    found = predict_batches(clf, table.to_batches(), keep=["id"]).read_all().to_pandas()
    assert found["id"].tolist() == table["id"].to_pylist()
    said = own_answers_of(clf, X).answers
    assert found["label"].tolist() == said.labels.tolist()
    columns = [f"p_{label}" for label in clf.classes_]
    np.testing.assert_allclose(found[columns], said.probabilities, atol=1e-5)
    np.testing.assert_allclose(found["augmented_score"], said.augmented_score, atol=1e-3)
    np.testing.assert_allclose(found["new_p_value"], clf.new_p_values(X), atol=1e-5)
    assert 0.2 < (found["label"] == eulac.AUGMENTED).mean() < 0.6


@pytest.mark.parametrize(
    "cuts", [(), (1,), (4999,), (2047, 2049), tuple(range(7, 5000, 7)), (2048, 4096), (9, 9, 9)]
)
def test_chunking_changes_no_byte(machine, table, cuts):
    clf, _ = machine
    whole = as_bytes(predict_batches(clf, table, keep=["id"]))
    assert as_bytes(predict_batches(clf, in_batches(table, *cuts), keep=["id"])) == whole


def test_a_row_has_the_same_answer_among_other_rows(machine, table):
    """Partitions of an engine are other rows together, which round differently."""
    clf, _ = machine
    whole = predict_batches(clf, table, columns=list("abcd")).read_all().to_pandas()
    order = np.random.default_rng(3).permutation(5000)[:700]
    part = table.take(pa.array(order))
    some = predict_batches(clf, part, columns=list("abcd")).read_all().to_pandas()
    expected = whole.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(some, expected, rtol=1e-5, atol=1e-7)


def test_columns_of_any_kind_and_gaps_are_answered_as_by_the_model_of_the_table(flowers):
    path, model, rows = flowers
    rows = rows.assign(id=np.arange(len(rows)))[["wild", "id", "color", "size"]]
    batches = pa.Table.from_pandas(rows).to_batches(max_chunksize=333)
    answers = predict_batches(path, batches, keep=["id"]).read_all().to_pandas()
    assert answers["label"].tolist() == model.predict(rows).tolist()
    assert answers["id"].tolist() == rows["id"].tolist()
    np.testing.assert_allclose(answers["p_ivy"], model.predict_proba(rows)[:, 0], atol=1e-5)


def test_the_schema_is_known_before_any_row(machine, table, flowers):
    clf, _ = machine
    schema = answer_schema(clf, ["id"], table.schema)
    names = ["id", "label", "p_0", "p_1", "p_2", "p_-2", "augmented_score", "new_p_value"]
    assert schema.names == names
    assert schema.field("label").type == pa.int64()
    answers = predict_batches(clf, iter(table.to_batches()), keep=["id"])
    assert answers.schema == schema
    assert all(batch.schema == schema for batch in answers)
    assert answer_schema(flowers[0]).field("label").type == pa.string()
    empty = predict_batches(clf, iter(()), keep=["id"], schema=table.schema).read_all()
    assert (empty.schema, empty.num_rows) == (schema, 0)
    assert predict_batches(clf, []).read_all().schema == answer_schema(clf)


def test_what_a_classifier_cannot_tell_is_not_in_the_schema(machine, table):
    X, y = machine[1][:40], np.arange(40) % 2
    assert answer_schema(eulac.OsnnClassifier(ratio=0.5).fit(X, y)).names == [
        "label",
        "augmented_score",
    ]
    with pytest.warns(eulac.exceptions.NoUnlabeledRowsWarning):
        closed = eulac.KernelEulacClassifier(bandwidth=2.0, penalty=0.1).fit(X, y)
    assert "new_p_value" not in answer_schema(closed).names
    assert predict_batches(closed, table.drop(["id"])).read_all().num_rows == 5000


def test_rows_are_taken_as_they_come_and_answered_in_blocks(machine, table):
    clf, _ = machine
    taken = []

    def batches():
        for batch in table.to_batches(max_chunksize=500):
            taken.append(batch.num_rows)
            yield batch

    answers = predict_batches(clf, batches(), columns=list("abcd"))
    assert len(taken) == 1
    assert next(answers).num_rows == BLOCK_ROWS
    assert sum(taken) == 2500
    assert [batch.num_rows for batch in answers] == [BLOCK_ROWS, 5000 - 2 * BLOCK_ROWS]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(machine):
    clf, X = machine
    batch = pa.RecordBatch.from_pandas(pd.DataFrame(np.tile(X, (20, 1)), columns=list("abcd")))

    def peak(n_batches):
        before = pa.total_allocated_bytes()
        answers = predict_batches(clf, (batch for _ in range(n_batches)))
        return max(pa.total_allocated_bytes() - before for _ in answers)

    assert peak(60) <= 1.2 * peak(6)


def test_frames_with_names_go_to_a_classifier_fitted_on_names(machine):
    X = pd.DataFrame(machine[1][:60], columns=list("abcd"))
    clf = eulac.OsnnClassifier(ratio=0.5).fit(X, np.arange(60) % 2)
    rows = pa.Table.from_pandas(X.assign(note="x")[["d", "note", "b", "a", "c"]])
    found = predict_batches(clf, rows).read_all()["label"].to_pylist()
    assert found == clf.predict(X).tolist()


def test_what_does_not_fit_is_refused_in_words(machine, table, flowers):
    clf, _ = machine
    with pytest.raises(ValueError, match=r"fitted on 4 columns without names; the batches have 5"):
        predict_batches(clf, table)
    with pytest.raises(ValueError, match=r"every column to keep; it lacks 'ids'.*mean 'id'"):
        predict_batches(clf, table, keep=["ids"])
    with pytest.raises(ValueError, match=r"the batches must have every column.*lacks 'size'"):
        predict_batches(flowers[0], table)
    with pytest.raises(ValueError, match=r"columns to keep \(id\) come from the rows"):
        predict_batches(clf, [], keep=["id"])
    clash = table.rename_columns(["label", *"abcd"])
    with pytest.raises(ValueError, match=r"must not be named as an answer; 'label' is"):
        predict_batches(clf, clash, keep=["label"])
    with pytest.raises(TypeError, match=r"got ndarray"):
        predict_batches(clf, machine[1])


def test_values_the_fit_never_saw_are_told_at_the_end(flowers):
    path, _, rows = flowers
    odd = pa.Table.from_pandas(rows[:50].assign(color="pink"))
    with pytest.warns(eulac.exceptions.UnfamiliarValuesWarning, match=r"'pink' \(50\)"):
        predict_batches(path, odd).read_all()
