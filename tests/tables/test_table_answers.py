"""Answers to the rows of a table."""

from collections import Counter
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import eulac
from easy_mixture import easy_split
from eulac.data.row_chunks import read_chunks
from eulac.exceptions import TableRequestError
from eulac.tables import table_answers
from eulac.tables.fit_tables import fit_tables
from eulac.tables.pool_table import read_pool_table
from eulac.tables.table_answers import (
    answers_frame,
    largest_selected,
    write_answers,
)

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
KERNEL = {"bandwidth": 1.0, "penalty": 0.01, "known_proportion": 0.6, "random_state": 0}


def test_answers_are_written_as_they_are_given(fit, files):
    steps = []
    counts, n_held_out, n_selected = write_answers(
        fit.model,
        files / "test.csv",
        files / "answers.csv",
        keep=["kind"],
        progress=lambda done, total: steps.append(done),
    )
    written = pd.read_csv(files / "answers.csv")
    assert (n_held_out, n_selected) == (0, None)
    assert counts == Counter(written["label"])
    assert steps == [60]
    assert next(iter(written)) == "kind"
    pool = read_pool_table(fit.model, files / "test.csv")
    assert written["label"].tolist() == fit.model.classifier.predict(pool.X).tolist()


def test_a_column_to_keep_must_not_be_named_as_an_answer(fit, files):
    frame = pd.read_csv(files / "test.csv").assign(label=1)
    with pytest.raises(TableRequestError, match="'label' is"):
        answers_frame(fit.model, frame, "test.csv", ["label"])


def test_rows_selected_over_pieces_are_those_selected_at_once(files, monkeypatch):
    clf = eulac.KernelEulacClassifier(**KERNEL)
    model = fit_tables(clf, files / "train.csv", files / "pool.csv", "kind").model
    monkeypatch.setattr(table_answers, "read_chunks", partial(read_chunks, chunk_rows=25))
    written = write_answers(model, files / "test.csv", files / "answers.csv", alpha=0.2)
    answers = pd.read_csv(files / "answers.csv")
    X = read_pool_table(model, files / "test.csv").X
    np.testing.assert_array_equal(answers["selected_new"], clf.select_new(X, 0.2))
    np.testing.assert_allclose(answers["new_p_value"], clf.new_p_values(X))
    assert written.n_selected_new == answers["selected_new"].sum() > 0


def test_models_that_keep_nothing_cannot_select(files):
    split = easy_split()
    clf = eulac.OsnnClassifier(ratio=0.8).fit(split.sample.X_labeled, split.sample.y_labeled)
    with pytest.raises(TableRequestError, match="OsnnClassifier does not"):
        largest_selected(SimpleNamespace(classifier=clf), files / "test.csv", 0.1)
