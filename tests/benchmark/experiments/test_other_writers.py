"""The experiment of labeled rows and pool of other writers."""

import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments.other_writers import EXPERIMENT, METHODS, error_is_inside
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial
from eulac.data.datasets import list_datasets


def record(method, accuracy, share, risk, draw=0):
    return Record(
        Trial("drift", Draw("usps", draw, conditions={"parts": True}), method),
        metrics={"accuracy": accuracy},
        proportion={"estimate": share, "true": 0.5, "interval": [share - 0.05, share + 0.05]},
        risk={"raw": risk, "standard_error": 0.01},
    )


def test_the_table_says_how_often_intervals_hold_the_truth():
    records = [record("default", 0.9, 0.48, 0.09), record("default", 0.8, 0.3, 0.09, draw=1)]
    [table, _] = EXPERIMENT.part(
        Section("drift", "Known classes that moved", "drift", records)
    ).paragraphs
    row = table.splitlines()[2]
    assert row == "| usps | EULAC | 85.0 | – | 11.0 | 50.0 | 9.0 | 15.0 | 50.0 | 2 |"


def test_the_best_contender_is_named_beside_ours():
    def answered(method, accuracy):
        trial = Trial("drift", Draw("usps", 0, conditions={"parts": True}), method)
        return Record(trial, metrics={"accuracy": accuracy})

    records = [record("default", 0.9, 0.5, 0.1), answered("osnn", 0.7), answered("evm", 0.8)]
    found = EXPERIMENT.part(Section("drift", "", "drift", records))
    assert found.paragraphs[-1] == "usps: EULAC 90.0, the best contender, EVM, 80.0."


def test_an_interval_of_the_error_that_was_recorded_is_used():
    trial = Trial("drift", Draw("usps"), "default")
    risk = {"raw": 0.05, "standard_error": 0.001, "interval": [0.0, 0.2]}
    assert error_is_inside(Record(trial, metrics={"accuracy": 0.9}, risk=risk))
    del risk["interval"]
    assert not error_is_inside(Record(trial, metrics={"accuracy": 0.9}, risk=risk))


def test_methods_without_estimates_have_dashes():
    plain = Record(
        Trial("drift", Draw("usps", 0, conditions={"parts": True}), "osnn"),
        metrics={"accuracy": 0.9},
    )
    [table, _] = EXPERIMENT.part(
        Section("drift", "Known classes that moved", "drift", [plain])
    ).paragraphs
    assert "| 90.0 | – | – | – | – | 10.0 | – | 1 |" in table


def test_trials_draw_parts():
    here = [status.name for status in list_datasets() if status.path is not None]
    if "usps" not in here:
        pytest.skip("usps is not at hand; see EULAC_DATA")
    trials = EXPERIMENT.list_trials(Scope(["usps"], draws=2)).trials
    assert len(trials) == 2 * len(METHODS)
    assert all(trial.draw.condition("parts") for trial in trials)
