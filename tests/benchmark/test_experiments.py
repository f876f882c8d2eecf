"""All experiments: small when quick, no trial twice, and names that exist."""

import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import EXPERIMENTS, find_experiment, plan_experiment
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS

pytestmark = pytest.mark.usefixtures("three_datasets")
NAMES = [name for name in EXPERIMENTS if name != "mine"]  # which needs a table


@pytest.mark.parametrize("name", NAMES)
def test_quick_experiments_are_small_and_no_part_of_the_full_one(name):
    quick = plan_experiment(name, Scope(quick=True)).trials
    full = plan_experiment(name).trials
    assert 0 < len(quick) <= 60
    assert len(quick) < len(full) / 4
    if name != "theory":
        assert not set(quick) & set(full)


@pytest.mark.parametrize("name", NAMES)
def test_no_trial_is_listed_twice(name):
    trials = plan_experiment(name).trials
    assert len(set(trials)) == len(trials)


def test_names_are_checked_before_anything_runs():
    with pytest.raises(ValueError, match="Did you mean 'table1'"):
        plan_experiment("tabel1")
    with pytest.raises(ValueError, match="Did you mean 'osnn'"):
        plan_experiment("table1", Scope(methods=["osn"]))
    with pytest.raises(ValueError, match="Did you mean 'usps'"):
        plan_experiment("table1", Scope(datasets=["upsps"]))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_names_methods_that_exist(name):
    experiment = find_experiment(name)
    assert set(experiment.methods) | set(experiment.other_methods) <= set(TRIAL_METHODS)
    assert len(set(experiment.methods)) == len(experiment.methods)
