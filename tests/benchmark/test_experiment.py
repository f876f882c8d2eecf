"""What every experiment promises of its trials, and what is said of datasets."""

import pytest

from eulac.benchmark.experiment import Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments import plan_experiment

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_trials_come_one_sample_of_everything_at_a_time():
    samples = [trial.draw.sample_draw for trial in plan_experiment("table1").trials]
    assert samples == sorted(samples)


def test_fewer_draws_are_a_part_of_more():
    few = plan_experiment("table1", Scope(draws=3, samples=2, methods=["kernel"])).trials
    assert set(few) < set(plan_experiment("table1").trials)


def test_without_any_dataset_the_bundled_one_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("EULAC_DATA", str(tmp_path / "empty"))
    with pytest.raises(FileNotFoundError, match="--datasets digits"):
        plan_experiment("table1")


def test_methods_of_another_experiment_are_refused():
    with pytest.raises(ValueError, match="unknown method 'softmax'"):
        plan_experiment("table1", Scope(methods=["softmax"]))


def test_quick_trials_are_of_few_rows_and_draws():
    trials = trial_grid("table1", Scope(quick=True), ["digits"], ["osnn"], draws=10, samples=10)
    assert [trial.draw.class_draw for trial in trials] == [0, 1]
    assert {trial.draw.condition("n_labeled") for trial in trials} == {150}


def test_a_stand_in_is_left_out_unless_asked_for():
    names, remarks = datasets_at_hand(None, ("satimage", "landset"), skip_stand_ins=True)
    assert names == ["satimage"]
    assert "landset is left out" in remarks[0]
    names, remarks = datasets_at_hand(["landset"], (), skip_stand_ins=True)
    assert names == ["landset"]
    assert "is read from satimage.npz" in remarks[0]
