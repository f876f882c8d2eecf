import json

import numpy as np

import eulac
from cli.birds import rows


def test_estimated_error_of_the_fit_and_of_another_pool(birds, run):
    said = json.loads(run("estimate-error", "birds.eulac", "--json")[1])
    model = eulac.load("birds.eulac")
    assert said["estimated_error"] == model.risk_.value
    rng = np.random.default_rng(1)
    rows(np.arange(90) % 3, rng).to_csv("fresh.csv", index=False)
    code, out, err = run(
        "estimate-error",
        "birds.eulac",
        "--labeled",
        "fresh.csv",
        "--unlabeled",
        "pool.csv",
        "--json",
    )
    assert (code, err) == (0, "")
    said = json.loads(out)
    truth = json.loads(run("evaluate", "birds.eulac", "test.csv", "--json")[1])
    low, high = said["estimated_error_interval"]
    assert low <= 1 - truth["accuracy"] <= high
    assert not any("learned from" in warning for warning in said["warnings"])


def test_rows_of_the_training_are_noticed_when_the_error_is_estimated(birds, run):
    arguments = ("--labeled", "train.csv", "--unlabeled", "pool.csv", "--json")
    said = json.loads(run("estimate-error", "birds.eulac", *arguments)[1])
    assert any("120 labeled rows are among those" in warning for warning in said["warnings"])
