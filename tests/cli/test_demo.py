"""`eulac demo`: estimates beside the truth, as a table or as JSON."""

import json

from click.testing import CliRunner

from eulac.cli.demo import demo


def test_estimates_are_close_to_the_truth_and_json_is_one_object():
    result = json.loads(CliRunner().invoke(demo, ["--seed", "1", "--json"]).output)
    assert result["n_labeled"] > 100
    assert abs(result["known_proportion"] - result["true_known_proportion"]) < 0.08
    assert abs(result["estimated_error"] - result["true_error"]) < 0.08
    assert result["macro_f1"] > 0.85
    assert result["auc"] > 0.95


def test_table_names_every_quantity_and_the_next_commands():
    output = CliRunner().invoke(demo, ["--seed", "1"]).output
    for text in ("known proportion", "test error", "macro-F1", "accuracy", "AUC", "seconds"):
        assert text in output
    assert output.count("\n  ") >= 3
