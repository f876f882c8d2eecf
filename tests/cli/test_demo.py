"""`eulac demo`: estimates beside the truth, as a table or as JSON."""

import json
from functools import partial

import pytest
from click.testing import CliRunner

import eulac
from eulac.cli.demo import demo


@pytest.fixture
def one_family(monkeypatch):
    """Stand one family in for all of them, which takes a tenth of the time."""
    monkeypatch.setattr(eulac, "EulacClassifier", eulac.KernelEulacClassifier)


def require_close_estimates(result):
    assert result["n_labeled"] > 100
    assert abs(result["known_proportion"] - result["true_known_proportion"]) < 0.08
    assert abs(result["estimated_error"] - result["true_error"]) < 0.08
    assert result["macro_f1"] > 0.85
    assert result["auc"] > 0.95


@pytest.mark.slow
def test_estimates_of_the_default_are_close_to_the_truth():
    require_close_estimates(json.loads(CliRunner().invoke(demo, ["--seed", "1", "--json"]).output))


def test_estimates_are_close_to_the_truth_and_json_is_one_object(one_family):
    require_close_estimates(json.loads(CliRunner().invoke(demo, ["--seed", "1", "--json"]).output))


def test_table_names_every_quantity_and_the_next_commands(monkeypatch):
    monkeypatch.setattr(eulac, "EulacClassifier", partial(eulac.KernelEulacClassifier, 0.5))
    output = CliRunner().invoke(demo, ["--seed", "1"]).output
    for text in ("known proportion", "test error", "macro-F1", "accuracy", "AUC", "seconds"):
        assert text in output
    assert output.count("\n  ") >= 3
