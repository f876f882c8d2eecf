import numpy as np
import pandas as pd
import pytest

from eulac.benchmark.draws import OpenDraw, TableSource, load_rows
from eulac.benchmark.trial import Draw

SIZES = {"n_labeled": 60, "n_unlabeled": 100, "n_test": 80}


def test_rows_of_a_draw_are_the_same_every_time():
    one, two = (OpenDraw(Draw("digits", 1, 2, SIZES)).split for _ in range(2))
    np.testing.assert_array_equal(one.sample.X_unlabeled, two.sample.X_unlabeled)
    np.testing.assert_array_equal(one.y_test, two.y_test)


def test_class_draws_differ_and_sample_draws_keep_the_classes():
    known = {
        (i, j): tuple(OpenDraw(Draw("digits", i, j, SIZES)).split.known_classes)
        for i in range(3)
        for j in range(2)
    }
    assert all(known[i, 0] == known[i, 1] for i in range(3))
    assert len(set(known.values())) == 3


def test_conditions_reach_the_draw():
    split = OpenDraw(Draw("digits", conditions={**SIZES, "known_proportion": 0.3})).split
    assert split.known_proportion == pytest.approx(0.3)
    shifted = OpenDraw(Draw("digits", conditions={**SIZES, "shift_intensity": 0.5})).split
    assert shifted.known_classes.tolist() == [1, 3, 5, 7, 9]
    assert shifted.per_class[0] < shifted.per_class[-1]


def test_features_are_scaled_to_the_unit_interval():
    X, _ = load_rows("digits")
    assert X.min() == 0
    assert X.max() == 1


def test_a_draw_tells_its_seeds_and_sizes():
    told = OpenDraw(Draw("digits", conditions=SIZES)).describe()
    assert set(told["seeds"]) == {"classes", "rows", "fit"}
    assert (told["n_labeled"], told["n_unlabeled"], told["n_test"]) == (60, 100, 80)


def write(tmp_path, frame):
    path = tmp_path / "mine.csv"
    frame.to_csv(path, index=False)
    return TableSource(str(path), "y")


def test_a_table_of_the_user_s_is_read_without_its_unlabeled_rows(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0, 5, 9], "y": ["x", None, "z"]})
    X, y = load_rows("mine", write(tmp_path, frame))
    np.testing.assert_allclose(X, [[0, 0], [1, 1]])
    assert y.tolist() == ["x", "z"]


def test_columns_of_any_kind_and_gaps_become_numbers(tmp_path):
    frame = pd.DataFrame({"a": [1.0, None, 3.0] * 5, "color": ["red", "blue", "red"] * 5, "y": "x"})
    source = write(tmp_path, frame)
    X, _ = load_rows("mixed", source)
    np.testing.assert_allclose(X[:3], [[0, 0, 1], [0.5, 1, 0], [1, 0, 1]])
    with pytest.raises(ValueError, match="--label-column"):
        load_rows("unnamed", TableSource(source.path, None))
