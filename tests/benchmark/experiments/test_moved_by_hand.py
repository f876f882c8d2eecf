"""The experiment of classes moved by hand: every way, three shares of new rows."""

import numpy as np

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.moved_by_hand import EXPERIMENT, best_cut, forest_with_best_cut
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.simulated_drift import WAYS
from eulac.benchmark.trial import Draw, Trial


def test_every_move_meets_every_share_of_new_rows():
    plan = plan_experiment("moved", Scope(datasets=["digits"], methods=["osnn"]))
    conditions = {
        (t.draw.condition("moved"), t.draw.condition("known_proportion")) for t in plan.trials
    }
    assert conditions == {(kind, share) for kind in WAYS for share in (1.0, 0.9, 0.5)}


def test_rows_are_moved_and_shares_are_as_asked_for():
    plan = plan_experiment("moved", Scope(datasets=["digits"], methods=["osnn"], draws=1))
    for trial in plan.trials[:3]:
        split = OpenDraw(trial.draw).split
        assert abs(split.known_proportion - trial.draw.condition("known_proportion")) < 0.02


def test_the_table_has_a_row_for_each_move_and_share_that_was_run():
    conditions = {"moved": "noise", "known_proportion": 0.9}
    record = Record(
        Trial("moved", Draw("usps", 0, conditions=conditions), "default"),
        metrics={"accuracy": 0.9, "called_new": 0.2},
        proportion={"estimate": 0.8, "true": 0.9, "interval": [0.7, 0.95]},
        risk={"raw": 0.08, "standard_error": 0.01},
    )
    part = EXPERIMENT.part(Section("moved", "Moved by hand", "moved", [record]))
    rows = part.paragraphs[0].splitlines()
    assert rows[2:] == [
        "| noise | 10% | EULAC | 90.0 | 20.0 | 10.0 | 100.0 | 8.0 | 10.0 | 0.0 | 1 |"
    ]
    assert part.files["moved.csv"].splitlines()[1].startswith("noise,10%,EULAC,90.0,20.0")


def half_new(method, accuracy):
    conditions = {"moved": "noise", "known_proportion": 0.5}
    trial = Trial("moved", Draw("usps", 0, conditions=conditions), method)
    return Record(trial, metrics={"accuracy": accuracy})


def test_the_default_is_compared_with_the_forest_where_half_is_new():
    records = [half_new("default", 0.88), half_new("forest_hindsight", 0.9)]
    paragraphs = EXPERIMENT.part(Section("moved", "", "moved", records)).paragraphs
    assert "| usps | 88.0 | 90.0 | -2.0 | 1 |" in paragraphs[-2]
    assert "on 1 of 1 tables" in paragraphs[-1]


def test_rows_called_new_where_none_is_are_told():
    trial = Trial("moved", Draw("usps", conditions={"moved": "noise", "known_proportion": 1.0}),
                  "default")  # fmt: skip
    risk = {"raw": 0.1, "standard_error": 0.01}
    record = Record(trial, metrics={"accuracy": 0.9, "called_new": 0.04}, risk=risk)
    paragraphs = EXPERIMENT.part(Section("moved", "", "moved", [record])).paragraphs
    assert "calls 4.0 % of the rows new" in paragraphs[2]
    assert "holds the truth in 100.0 %" in paragraphs[2]


def test_the_best_cut_is_that_of_a_search_over_all_cuts():
    rng = np.random.default_rng(0)
    confidence = rng.integers(0, 12, 200) / 12  # with ties
    is_new = rng.random(200) < 0.4
    right = (rng.random(200) < 0.7) & ~is_new
    cuts = [*np.unique(confidence), 2.0]
    found = [np.mean(np.where(confidence < cut, is_new, right)) for cut in cuts]
    accuracy, called_new = best_cut(confidence, right, is_new)
    assert accuracy == max(found)
    assert called_new == np.mean(confidence < cuts[int(np.argmax(found))])


def test_a_forest_with_its_best_cut_is_never_worse_than_without_one():
    opened = OpenDraw(Draw("digits", 0, 0, {"n_labeled": 100, "n_unlabeled": 60, "n_test": 200}))
    found = forest_with_best_cut(opened)
    assert found["accuracy"] > 0.7
    assert 0.2 < found["called_new"] < 0.8
    assert found["auc"] > 0.8
