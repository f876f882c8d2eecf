import numpy as np
import pytest

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments.discovered import (
    EXPERIMENT,
    METHODS,
    find_in_true,
    hdbscan,
    k_means,
    true_classes,
)
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial

SIZES = {"n_labeled": 150, "n_unlabeled": 300, "known_proportion": 0.5, "n_test": 0}


@pytest.fixture(scope="module")
def opened():
    return OpenDraw(Draw("digits", conditions=SIZES))


def test_true_classes_agree_with_what_the_draw_says(opened):
    truth, told = true_classes(opened), opened.split.y_unlabeled
    known = np.isin(truth, opened.split.known_classes)
    np.testing.assert_array_equal(truth[known], told[known])
    assert len(np.unique(truth[~known])) == 5


@pytest.mark.slow
def test_new_digits_are_found_and_the_number_is_told_to_k_means_only(opened):
    ours, told, density = find_in_true(opened), k_means(opened), hdbscan(opened)
    assert told["n_found"] == ours["n_classes"] == 5
    assert ours["accuracy"] > max(0.5, density["accuracy"])
    assert 0 < ours["ari"] < ours["nmi"] <= 1
    assert ours["covered"] in (0.0, 1.0)


def record(method, n_found, draw=0, **metrics):
    told = {"accuracy": 0.8, "ari": 0.7, "nmi": 0.6, "n_classes": 5.0, "n_found": n_found}
    return Record(Trial("discovery", Draw("usps", draw), method), metrics=told | metrics)


def test_the_table_says_how_often_the_number_is_near_enough():
    records = [
        record("new_classes", 6.0, covered=1.0),
        record("new_classes", 8.0, draw=1, covered=0.0),
        record("hdbscan", 2.0),
    ]
    [table, _] = EXPERIMENT.part(Section("discovery", "New classes", "d", records)).paragraphs
    lines = table.splitlines()
    assert lines[2] == "| usps | find_new_classes | 80.0 | 70.0 | 60.0 | 5.0 | 7.0 | 50 | 50 | 2 |"
    assert lines[3] == "| usps | HDBSCAN | 80.0 | 70.0 | 60.0 | 5.0 | 2.0 | 0 | – | 1 |"
    assert lines[4].startswith("| all | find_new_classes |")


def test_the_plan_lists_every_method_on_every_draw():
    trials = EXPERIMENT.plan(Scope(datasets=["digits"], draws=3)).trials
    assert [trial.method for trial in trials] == [*METHODS] * 3
