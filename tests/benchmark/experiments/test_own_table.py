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
