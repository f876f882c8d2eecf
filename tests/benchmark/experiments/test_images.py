import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.methods.network_methods import IMAGES

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_networks_need_images():
    with pytest.raises(ValueError, match="got satimage"):
        plan_experiment("deep", Scope(datasets=["satimage"]))


def test_there_are_no_more_class_splits_than_the_literature_has():
    trials = plan_experiment("deep", Scope(draws=9)).trials
    assert {trial.draw.class_draw for trial in trials} == set(range(5))
    assert {trial.draw.condition("epochs") for trial in trials} == {IMAGES["mnist"].n_epochs}
