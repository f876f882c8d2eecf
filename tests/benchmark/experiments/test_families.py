import pytest

from benchmark.made_up import of_experiment
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.families import by_method

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_families_run_on_the_draws_of_table_1():
    families = {trial.draw for trial in plan_experiment("families").trials}
    assert families < {trial.draw for trial in plan_experiment("table1").trials}


def test_select_and_oracle_of_families_are_found_in_the_records():
    records = of_experiment("families")
    table = by_method(records, "digits")
    own = {r.trial.method: r for r in records if r.trial.method in ("extra_trees", "neighbors")}
    [select], [oracle] = table["select"], table["oracle"]
    assert select.risk["raw"] == min(record.risk["raw"] for record in own.values())
    assert oracle.metrics["accuracy"] == max(r.metrics["accuracy"] for r in own.values())
