import pytest

from benchmark.tiny import tiny_trials, without_seconds
from eulac.benchmark.experiments.families import by_method
from eulac.benchmark.measure import run_group

CANDIDATES = ("extra_trees", "kernel_logistic", "boosting", "neighbors")
OTHERS = ("kernel_refined", "linear")


pytestmark = pytest.mark.slow  # five classifiers on three folds and more


@pytest.fixture(scope="module")
def records():
    trials = tiny_trials("auto", *CANDIDATES, *OTHERS, experiment="families")
    return {record.trial.method: record for record in run_group(trials)}


def test_the_mixture_tells_its_weights_and_every_proportion(records):
    auto = records["auto"]
    assert auto.ok, auto.reason
    assert set(auto.parameters["weights"]) == set(CANDIDATES)
    assert sum(auto.parameters["weights"].values()) == pytest.approx(1)
    assert {"consensus", "refined", "by_score", "estimate", "true"} <= set(auto.proportion)


@pytest.mark.parametrize("name", [*CANDIDATES, *OTHERS])
def test_every_family_leaves_metrics_and_a_label_free_error(records, name):
    record = records[name]
    assert record.ok, record.reason
    assert set(record.metrics) == {"macro_f1", "accuracy", "auc", "called_new"}
    assert record.risk["standard_error"] > 0


@pytest.mark.parametrize("name", OTHERS)
def test_others_answer_by_the_proportion_the_forest_refined(records, name):
    refined = records["auto"].proportion["refined"]
    assert records[name].proportion["estimate"] == pytest.approx(refined, abs=1e-4)


def test_select_and_oracle_are_candidates_found_in_the_records(records):
    table = by_method(records.values(), "digits")
    [select], [oracle] = table["select"], table["oracle"]
    candidates = [records[name] for name in CANDIDATES]
    assert select.risk["raw"] == min(record.risk["raw"] for record in candidates)
    assert oracle.metrics["accuracy"] == max(r.metrics["accuracy"] for r in candidates)


def test_the_mixture_is_the_same_in_table_1(records):
    [alone] = run_group(tiny_trials("auto"))
    one, two = without_seconds(alone), without_seconds(records["auto"])
    assert {k: v for k, v in one.items() if k != "trial"} == {
        k: v for k, v in two.items() if k != "trial"
    }
