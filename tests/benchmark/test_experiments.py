import numpy as np
import pytest

from benchmark.made_up import of_experiment
from eulac.benchmark.draws import TableSource
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import EXPERIMENTS, find_experiment, plan_experiment
from eulac.benchmark.experiments.families import by_method
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.data.datasets import DATASETS

HERE = ("usps", "satimage", "mnist")
NAMES = [name for name in EXPERIMENTS if name != "mine"]  # which needs a table


@pytest.fixture(autouse=True)
def datasets(tmp_path, monkeypatch):
    """Three datasets seem to be at hand; nothing is read here."""
    monkeypatch.setenv("EULAC_DATA", str(tmp_path))
    monkeypatch.setenv("EULAC_CACHE", str(tmp_path / "cache"))
    for name in HERE:
        (tmp_path / DATASETS[name].file_name).touch()


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


def test_a_stand_in_is_said_where_it_is_used():
    plan = plan_experiment("unlabeled_size")
    assert {trial.draw.dataset for trial in plan.trials} == {"mnist", "landset", "usps"}
    assert any("landset is read from satimage.npz" in remark for remark in plan.remarks)
    sizes = {trial.draw.condition("n_unlabeled") for trial in plan.trials}
    assert sizes == set(range(250, 1501, 250))


def test_trials_come_one_sample_of_everything_at_a_time():
    samples = [trial.draw.sample_draw for trial in plan_experiment("table1").trials]
    assert samples == sorted(samples)


def test_fewer_draws_are_a_part_of_more():
    few = plan_experiment("table1", Scope(draws=3, samples=2, methods=["kernel"])).trials
    assert set(few) < set(plan_experiment("table1").trials)


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


def test_environments_count_draws_of_rows():
    trials = plan_experiment("environments", Scope(draws=4)).trials
    assert {trial.draw.class_draw for trial in trials} == {0}
    assert {trial.draw.sample_draw for trial in trials} == {0, 1, 2, 3}
    assert max(trial.draw.condition("shift_intensity") for trial in trials) == 0.7


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


def test_without_any_dataset_the_bundled_one_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("EULAC_DATA", str(tmp_path / "empty"))
    with pytest.raises(FileNotFoundError, match="--datasets digits"):
        plan_experiment("table1")


def test_a_changed_table_is_a_new_experiment(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("a,y\n1,2\n")
    scope = Scope(table=TableSource(str(path), "y"))
    first = plan_experiment("mine", scope).trials
    assert plan_experiment("mine", scope).trials == first
    path.write_text("a,y\n1,3\n")
    assert not set(plan_experiment("mine", scope).trials) & set(first)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        plan_experiment("mine", Scope(table=TableSource("nowhere.csv", "y")))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_names_methods_that_exist(name):
    experiment = find_experiment(name)
    assert set(experiment.methods) | set(experiment.other_methods) <= set(TRIAL_METHODS)
    assert len(set(experiment.methods)) == len(experiment.methods)


def test_methods_of_another_experiment_are_refused():
    with pytest.raises(ValueError, match="unknown method 'softmax'"):
        plan_experiment("table1", Scope(methods=["softmax"]))


def test_families_run_on_the_draws_of_table_1():
    families = {trial.draw for trial in plan_experiment("families").trials}
    assert families < {trial.draw for trial in plan_experiment("table1").trials}


def test_networks_need_images():
    with pytest.raises(ValueError, match="got usps"):
        plan_experiment("deep", Scope(datasets=["usps"]))


def test_select_and_oracle_of_families_are_found_in_the_records():
    records = of_experiment("families")
    table = by_method(records, "digits")
    own = {r.trial.method: r for r in records if r.trial.method in ("extra_trees", "neighbors")}
    [select], [oracle] = table["select"], table["oracle"]
    assert select.risk["raw"] == min(record.risk["raw"] for record in own.values())
    assert oracle.metrics["accuracy"] == max(r.metrics["accuracy"] for r in own.values())
