"""Table 1: what is planned, and what is left out."""

import pytest

from benchmark.conftest import HERE
from eulac.benchmark.experiments import plan_experiment

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_table_1_is_a_hundred_configurations_of_nine_methods():
    plan = plan_experiment("table1")
    for name in HERE:
        trials = [trial for trial in plan.trials if trial.draw.dataset == name]
        assert len({trial.draw for trial in trials}) == 100
        assert len({trial.method for trial in trials}) == 9
        assert len(trials) == 900


def test_what_is_not_at_hand_is_said_and_left_out():
    plan = plan_experiment("table1")
    assert {trial.draw.dataset for trial in plan.trials} == set(HERE)
    text = "\n".join(plan.remarks)
    assert "senseveh is left out: not at hand" in text
    assert "landset is left out: satimage" in text
