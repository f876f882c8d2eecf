"""The share read off tables is the one `EulacClassifier` reads off the same tables."""

import numpy as np
import pytest

from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.tables.fit_tables import fit_tables
from eulac.tables.training_tables import read_training_tables
from eulac.tables.two_readings_of_tables import two_readings_of_tables


@pytest.mark.slow
def test_a_fit_and_the_estimate_say_the_same(files):
    labeled, pool = files / "train.csv", files / "pool.csv"
    tables = read_training_tables(labeled, pool, "kind")
    found = two_readings_of_tables(tables, random_state=3).estimate
    assert found.total == pytest.approx(2 / 3, abs=0.1)
    classifier = EulacClassifier(time_budget=0.001, random_state=3)
    fitted = fit_tables(classifier, labeled, pool, "kind").model.proportion_
    assert fitted.total == pytest.approx(found.total, abs=1e-9)
    assert fitted.interval == pytest.approx(found.interval, abs=1e-9)


def test_columns_to_drop_have_no_say(files):
    tables = read_training_tables(files / "train.csv", files / "pool.csv", "kind")
    found = two_readings_of_tables(tables, ["a", "b"], random_state=0).estimate
    assert found.method == "two_readings"
    assert (found.n_labeled, found.n_unlabeled) == (80, 120)


def test_columns_that_alone_make_everything_new_are_named(files):
    tables = read_training_tables(files / "train.csv", files / "pool.csv", "kind")
    for number, frame in enumerate(tables.frames.values()):
        frame["lamp"] = 7.0 * number + np.random.default_rng(number).normal(size=len(frame))
    found = two_readings_of_tables(tables, random_state=0)
    assert found.names == ["lamp"]
    assert found.estimate.total == pytest.approx(2 / 3, abs=0.15)
