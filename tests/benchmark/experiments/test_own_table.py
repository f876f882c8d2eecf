import pytest

from eulac.benchmark.draws import TableSource
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment


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


def test_a_table_is_asked_for():
    with pytest.raises(ValueError, match="--table"):
        plan_experiment("mine")


def test_every_classifier_of_rows_may_be_asked_for(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("a,y\n1,2\n")
    source = TableSource(str(path), "y")
    for name in ("default", "random_forest", "linear", "boosted_risk", "kernel_shift", "osnn"):
        planned = plan_experiment("mine", Scope(table=source, methods=[name], draws=1, samples=1))
        assert [trial.method for trial in planned.trials] == [name]
    with pytest.raises(ValueError, match="openmax"):
        plan_experiment("mine", Scope(table=source, methods=["openmax"]))
