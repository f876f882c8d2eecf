import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.moved_images import EXPERIMENT
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial


def record(draw, share, interval):
    return Record(
        Trial("deep_moved", Draw("cifar10", draw), "deep_pulse"),
        metrics={"accuracy": 0.7, "auc": 0.8},
        proportion={"estimate": share, "interval": interval, "true": 0.8},
        seconds={"fit": 60.0},
    )


def test_the_table_says_how_far_shares_are_off_and_how_many_intervals_hold():
    records = [record(0, 0.84, [0.7, 0.9]), record(1, 0.86, [0.82, 0.9])]
    table, note = EXPERIMENT.part(Section("deep_moved", "Moved", "moved", records)).paragraphs
    assert table.splitlines()[2:] == [
        "| cifar10 | PULSE | 15.0 ± 1.0 | 20.0 | 5.0 ± 1.0 | 1 of 2 | 70.0 | 80.0 | 1.0 | 2 |"
    ]
    assert "One class of ten is new" in note


@pytest.mark.usefixtures("three_datasets")
def test_trials_are_of_moved_shares_and_need_images():
    trials = plan_experiment("deep_moved", Scope(datasets=["digits"], draws=2)).trials
    assert [trial.draw.class_draw for trial in trials] == [0, 0, 1, 1]
    assert all(trial.draw.condition("moved_shares") for trial in trials)
    with pytest.raises(ValueError, match="got satimage"):
        plan_experiment("deep_moved", Scope(datasets=["satimage"]))
