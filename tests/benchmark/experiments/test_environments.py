import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_environments_count_draws_of_rows():
    trials = plan_experiment("environments", Scope(draws=4)).trials
    assert {trial.draw.class_draw for trial in trials} == {0}
    assert {trial.draw.sample_draw for trial in trials} == {0, 1, 2, 3}
    assert max(trial.draw.condition("shift_intensity") for trial in trials) == 0.7
