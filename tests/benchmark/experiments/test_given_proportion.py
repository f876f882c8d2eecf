import numpy as np
import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_theta_varies_the_truth_and_what_is_given():
    trials = plan_experiment("theta", Scope(draws=1)).trials
    pairs = {
        (trial.draw.condition("known_proportion"), trial.setting("known_proportion"))
        for trial in trials
        if trial.method == "kernel_given"
    }
    tenths = np.arange(1, 10) / 10
    assert pairs == {(true, given) for true in tenths for given in tenths}
    assert {"kme_base", "kme_shift", "consensus"} < {trial.method for trial in trials}
