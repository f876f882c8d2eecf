"""`eulac benchmark`: runs, goes on where it stopped, and reports."""

import json
from pathlib import Path

import pytest
from sklearn.datasets import load_digits

from cli.apart import runner
from eulac.benchmark.experiments import EXPERIMENTS
from eulac.benchmark.readme_table import BEGIN, END
from eulac.benchmark.records import read_records
from eulac.cli.benchmark import benchmark

QUICK = ("run", "table1", "--datasets", "digits", "--methods", "osnn,evm", "--quick")


@pytest.fixture
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    result = runner().invoke(benchmark, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_command_offers_every_experiment():
    shown = run("run", "--help").output
    assert all(f"{name}:" in shown for name in EXPERIMENTS)


@pytest.mark.parametrize("name", ["osn", "nonsense", "ovr-svm"])
def test_a_method_that_is_none_is_refused_before_anything_runs(inside, name):
    result = run("run", "table1", "--datasets", "digits", "--methods", name)
    assert result.exit_code == 2
    assert f"unknown method {name!r}" in result.stderr
    assert not (inside / "runs.jsonl").exists()


def test_a_misspelled_method_is_guessed(inside):
    result = run("run", "table1", "--datasets", "digits", "--methods", "ovr-svm")
    assert "Did you mean 'ovr_svm'?" in result.stderr


def test_run_appends_records_and_a_second_run_has_nothing_to_do(inside):
    first = run(*QUICK, "--draws", "1")
    assert "2 records in runs.jsonl, 0 of them failed." in first.stdout
    assert "2 of 2 trials" in first.stderr
    before = (inside / "runs.jsonl").read_bytes()
    assert run(*QUICK, "--draws", "1").exit_code == 0
    assert (inside / "runs.jsonl").read_bytes() == before
    run(*QUICK, "--draws", "2")
    assert len(read_records(inside / "runs.jsonl")) == 4


def test_report_writes_beside_the_records_and_does_not_overwrite(inside):
    run(*QUICK, "--draws", "1")
    result = run("report", "runs.jsonl", "--no-figures")
    assert result.stdout.split()[0] == "runs_report/report.md"
    assert (inside / "runs_report" / "report.md").exists()
    again = run("report", "runs.jsonl", "--no-figures")
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert run("report", "runs.jsonl", "--no-figures", "--force").exit_code == 0


def test_both_commands_speak_json(inside):
    said = json.loads(run(*QUICK, "--draws", "1", "--json").stdout)
    assert said == {"records": "runs.jsonl", "n_records": 2, "n_failed": 0}
    said = json.loads(run("report", "runs.jsonl", "--no-figures", "--json").stdout)
    assert said["n_records"] == 2
    assert "runs_report/report.md" in said["files"]


def test_report_of_an_empty_file_says_what_to_do(inside):
    (inside / "runs.jsonl").touch()
    result = run("report", "runs.jsonl")
    assert result.exit_code == 1
    assert "eulac benchmark run" in result.stderr


def test_mine_runs_the_protocol_on_a_table(inside):
    X, y = load_digits(return_X_y=True, as_frame=True)
    X.iloc[:600].assign(digit=y[:600]).to_csv("my.csv", index=False)
    wanted = ("--methods", "osnn", "--draws", "2", "--samples", "1")
    result = run("run", "mine", "--table", "my.csv", "--label-column", "digit", *wanted)
    assert "2 records" in result.stdout
    records = read_records(inside / "runs.jsonl")
    assert all(record.ok for record in records), records
    assert {record.trial.draw.dataset for record in records} == {"my"}
    assert "scaled down" in records[0].draw["message"]


def test_a_table_that_cannot_be_read_is_said_before_anything_runs(inside):
    Path("two.csv").write_text("a,kind\n1,x\n2,y\n")
    with pytest.raises(ValueError, match=r"must be a column of two\.csv; got 'kin'"):
        run("run", "mine", "--table", "two.csv", "--label-column", "kin")
    assert not Path("runs.jsonl").exists()


def test_a_misspelled_experiment_is_guessed(inside):
    assert "Did you mean 'table1'?" in run("run", "tabel1").stderr


def test_tables_go_with_mine_and_mine_with_a_table(inside):
    assert "--table my.csv" in run("run", "mine").stderr
    assert "is for the experiment `mine`" in run("run", "table1", "--table", "a.csv").stderr


def test_failed_trials_are_shown(inside):
    draws = ("--draws", "1", "--samples", "1")
    (inside / "two.csv").write_text("a,b,y\n" + "1,2,x\n3,4,x\n5,6,z\n" * 3)
    options = ("--table", "two.csv", "--label-column", "y", "--methods", "osnn")
    result = run("run", "mine", *options, *draws)
    assert "1 of them failed" in result.stdout
    assert result.exit_code == 1
    assert "failed: Trial(mine: osnn on two" in result.stderr


def test_readme_is_rewritten_from_records_and_checked(inside):
    run(*QUICK, "--draws", "1")
    (inside / "README.md").write_text(f"{BEGIN}\n{END}\n")
    assert run("readme", "runs.jsonl", "--check").exit_code == 1
    assert "rewritten" in run("readme", "runs.jsonl").stdout
    assert run("readme", "runs.jsonl", "--check").exit_code == 0
