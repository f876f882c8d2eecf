import json

from click.testing import CliRunner

from eulac.cli.demo import demo, run_demo


def test_estimates_are_close_to_the_truth():
    result = run_demo(seed=1)
    assert abs(result["known_proportion"] - result["true_known_proportion"]) < 0.08
    assert abs(result["estimated_error"] - result["true_error"]) < 0.08
    assert result["macro_f1"] > 0.85
    assert result["auc"] > 0.95


def test_table_names_every_quantity_and_the_next_commands():
    output = CliRunner().invoke(demo, ["--seed", "1"]).output
    for text in ("known proportion", "test error", "macro-F1", "accuracy", "AUC", "seconds"):
        assert text in output
    assert output.count("\n  ") >= 3


def test_json_is_one_object():
    result = CliRunner().invoke(demo, ["--seed", "1", "--json"])
    assert json.loads(result.output)["n_labeled"] > 100
