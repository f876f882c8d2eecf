import pytest

from eulac.benchmark.experiments import plan_experiment

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_a_stand_in_is_said_where_it_is_used():
    plan = plan_experiment("unlabeled_size")
    assert {trial.draw.dataset for trial in plan.trials} == {"mnist", "landset", "usps"}
    assert any("landset is read from satimage.npz" in remark for remark in plan.remarks)
    sizes = {trial.draw.condition("n_unlabeled") for trial in plan.trials}
    assert sizes == set(range(250, 1501, 250))
