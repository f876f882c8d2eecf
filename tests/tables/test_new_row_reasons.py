"""New rows are told by the columns that set them apart, and known rows are not told at all."""

import numpy as np
import pandas as pd
import pytest

from eulac.classifier.own_answers import answers_of
from eulac.contenders.osnn import OsnnClassifier
from eulac.tables.new_row_reasons import NO_COLUMN, column_distances, new_row_reasons
from eulac.tables.table_model import fit_table_model


def birds(n_rows, rng, **columns):
    frame = pd.DataFrame({"size": rng.normal(10, 1, n_rows), "age": rng.normal(5, 1, n_rows)})
    return frame.assign(color="red", wild=True).assign(**columns)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    frame = pd.concat([birds(40, rng), birds(40, rng, size=lambda f: f["size"] + 40)])
    frame["color"] = ["red", "blue"] * 40
    frame = frame.reset_index(drop=True)
    y = np.repeat(["owl", "swan"], 40)
    return fit_table_model(OsnnClassifier(ratio=0.9), {"t.csv": frame}, y)


def told(model, frame):
    X = model.matrix(frame)
    answers = answers_of(model.classifier, X)
    everything = answers._replace(labels=np.full(len(X), "augmented"))
    return new_row_reasons(model, frame, X, everything)


def test_the_column_that_differs_is_named_with_value_and_usual_range(model):
    found = told(model, pd.DataFrame({"size": [10.0], "age": [25.0], "color": "red", "wild": True}))
    assert found.texts[0].startswith("age 25 (owl: ")
    assert "size" not in found.texts[0]
    assert found.by_column == {"age": 1}


def test_values_that_a_class_never_has_are_counted(model):
    row = pd.DataFrame({"size": [50.0], "age": [5.0], "color": ["green"], "wild": [False]})
    found = told(model, row)
    assert "color green (swan: 0 of 40 rows)" in found.texts[0]
    assert "wild False (swan: 0 of 40 rows)" in found.texts[0]


def test_rows_like_known_ones_have_no_single_reason(model):
    row = pd.DataFrame({"size": [10.0], "age": [5.0], "color": ["red"], "wild": [True]})
    assert told(model, row).texts == [NO_COLUMN]


def test_a_number_within_what_is_usual_in_the_class_is_no_reason():
    rng = np.random.default_rng(0)
    tails = np.append(rng.normal(5, 0.1, 36), [2.0, 2.1, 8.0, 8.1])
    frame = pd.concat([birds(40, rng, age=tails), birds(40, rng, size=50.0)], ignore_index=True)
    y = np.repeat(["owl", "swan"], 40)
    model = fit_table_model(OsnnClassifier(ratio=0.9), {"t.csv": frame}, y)
    row = {"size": 10.0, "color": "red", "wild": True}
    usual, beyond = (told(model, pd.DataFrame([{**row, "age": age}])) for age in (7.9, 9.9))
    assert usual.texts == [NO_COLUMN]
    assert beyond.by_column == {"age": 1}


def test_only_new_rows_are_told(model):
    frame = pd.DataFrame({"size": [10.0, 99.0], "age": 5.0, "color": "red", "wild": True})
    X = model.matrix(frame)
    answers = answers_of(model.classifier, X)._replace(labels=np.array(["owl", "augmented"]))
    found = new_row_reasons(model, frame, X, answers)
    assert found.texts[0] == ""
    assert found.texts[1].startswith("size 99 (swan: ")
    none = answers._replace(labels=np.array(["owl", "owl"]))
    assert new_row_reasons(model, frame, X, none).texts == ["", ""]


def test_distances_are_deviations_of_a_normal_column(model):
    frame = pd.DataFrame({"size": [12.0, 8.0], "age": 5.0, "color": "red", "wild": True})
    distances = column_distances(model, model.matrix(frame), np.array([0, 0]))
    assert distances.shape == (2, 4)
    assert distances[:, 0] == pytest.approx([2.0, 2.0], abs=1.0)
    assert distances[:, 1:].max() < 1.0
