"""A fit on files takes the road its classifier can: rows at once, or in pieces."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.exceptions import TableRequestError
from eulac.tables.fit_tables import fit_tables, is_read_in_pieces
from eulac.tables.label_free_error import table_error
from eulac.tables.pool_table import read_pool_table
from eulac.tables.table_answers import answers_frame, write_answers
from eulac.tables.table_evaluation import evaluate_table

CENTERS = 6 * np.eye(3)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for name, codes in {
        "train": [0, 1] * 40,
        "pool": [0, 1, 2] * 40,
        "test": [0, 1, 2] * 20,
    }.items():
        frame = pd.DataFrame(rng.normal(CENTERS[codes], 0.5), columns=["a", "b", "c"])
        if name != "pool":
            frame["kind"] = np.array(["ant", "bee", "cow"])[codes]
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def fit(files):
    classifier = eulac.OsnnClassifier(ratio=0.5, known_proportion=2 / 3)
    return fit_tables(classifier, files / "train.csv", files / "pool.csv", "kind")


def test_a_fit_says_what_it_was_made_of(fit):
    assert (fit.n_labeled, fit.n_unlabeled, fit.in_pieces) == (80, 120, False)
    assert fit.model.label_column == "kind"
    assert fit.model.classes_.tolist() == ["ant", "bee", "augmented"]


def test_pieces_need_a_classifier_and_files_that_can_be_read_so(files):
    long = SimpleNamespace(fit_chunks=None)
    assert is_read_in_pieces(long, files / "train.csv", files / "pool.csv")
    assert not is_read_in_pieces(SimpleNamespace(), files / "train.csv")
    np.savez(files / "pool.npz", X=np.eye(3))
    assert not is_read_in_pieces(long, files / "train.csv", files / "pool.npz")


def test_methods_that_learn_from_unlabeled_rows_ask_for_them(files):
    classifier = eulac.KernelEulacClassifier()
    with pytest.raises(TableRequestError, match="unlabeled rows are needed"):
        fit_tables(classifier, files / "train.csv", label_column="kind")


def test_answers_are_written_as_they_are_given(fit, files):
    steps = []
    counts = write_answers(
        fit.model,
        files / "test.csv",
        files / "answers.csv",
        keep=["kind"],
        progress=lambda done, total: steps.append(done),
    )
    written = pd.read_csv(files / "answers.csv")
    assert counts == Counter(written["label"])
    assert steps == [60]
    assert next(iter(written)) == "kind"
    pool = read_pool_table(fit.model, files / "test.csv")
    assert written["label"].tolist() == fit.model.classifier.predict(pool.X).tolist()


def test_a_column_to_keep_must_not_be_named_as_an_answer(fit, files):
    frame = pd.read_csv(files / "test.csv").assign(label=1)
    with pytest.raises(TableRequestError, match="'label' is"):
        answers_frame(fit.model, frame, "test.csv", ["label"])


def test_true_labels_give_metrics_of_every_class(fit, files):
    found = evaluate_table(fit.model, files / "test.csv")
    assert found.n_rows == 60
    assert found.metrics.accuracy > 0.9
    assert [row["rows"] for row in found.classes] == [20, 20, 20]
    assert found.notes == ["Not known to the model, and counted as new: 'cow'."]


def test_the_error_of_a_table_leaves_out_new_labels_and_doubts_known_rows(fit, files):
    error = table_error(fit.model, files / "test.csv", files / "pool.csv")
    assert (error.n_labeled, error.n_unlabeled, error.warnings) == (40, 120, [])
    assert error.risk.value < 0.2
    assert error.notes == ["Not known to the model, and left out: 'cow'."]
    again = table_error(fit.model, files / "train.csv", files / "pool.csv")
    assert "80 labeled rows are among those the model learned from" in again.warnings[0]
