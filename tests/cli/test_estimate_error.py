import json
from pathlib import Path

import numpy as np
import pytest

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


def test_batches_need_no_labels_and_are_a_table_over_time(birds, run):
    rng = np.random.default_rng(2)
    for name, n_new in (("monday", 15), ("tuesday", 90)):
        codes = np.repeat([0, 1, 2, 3], [30, 30, 30, n_new])
        rows(codes, rng).drop(columns="species").to_csv(f"{name}.csv", index=False)
    tables = "monday.csv", "tuesday.csv", "pool.csv"
    code, out, err = run("estimate-error", "birds.eulac", *tables, "--json", "--plot", "days.png")
    assert (code, err) == (0, "")
    said = json.loads(out)
    monday, tuesday, pool = said["batches"]
    assert said["intervals_are_of"]["new"] == "the rows of the table themselves"
    assert [one["table"] for one in said["batches"]] == [*tables]
    assert [one["n_held_out"] for one in said["batches"]] == [0, 0, 160]
    assert abs(monday["shares"]["augmented"] - 15 / 105) < 0.1
    assert abs(tuesday["shares"]["augmented"] - 0.5) < 0.1
    assert abs(pool["shares"]["augmented"] - 0.25) < 0.1
    for one in said["batches"]:
        assert sum(one["shares"].values()) == pytest.approx(1.0)
        assert sum(one["answer_shares"].values()) == pytest.approx(1.0)
        low, high = one["estimated_error_interval"]
        assert 0.0 <= low <= one["estimated_error"] <= high <= 1.0
    assert Path("days.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = run("estimate-error", "birds.eulac", "--unlabeled", "pool.csv")
    assert code == 0
    assert "pool.csv" in out
    assert (
        "what is new, of the rows of the table themselves; the error, of the traffic"
        in " ".join(out.split())
    )
    assert "160 of 160 rows are unlabeled rows of the fit" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labeled", "train.csv"], "needs `--unlabeled` and no batches"),
        (
            ["pool.csv", "--labeled", "train.csv", "--unlabeled", "pool.csv"],
            "needs `--unlabeled` and no batches",
        ),
        (["--plot", "days.png"], "`--plot` draws batches; got none"),
        (["pool.csv", "--plot", "days.doc"], "one of .png, .svg, .pdf; got 'days.doc'"),
    ],
)
def test_requests_that_leave_something_open_are_refused(birds, run, arguments, message):
    code, _, err = run("estimate-error", "birds.eulac", *arguments)
    assert code == 2
    assert message in " ".join(err.split())
