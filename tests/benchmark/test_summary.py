import re

import pytest

from benchmark.made_up import comparison, of_experiment
from eulac.benchmark.experiments import EXPERIMENTS
from eulac.benchmark.records import Record
from eulac.benchmark.summary import sections_of, write_summary
from eulac.benchmark.trial import Draw, Trial

NAMES = [name for name in EXPERIMENTS if name != "mine"]  # which needs a table


def texts(paths):
    return {path.name: path.read_text() for path in paths if path.suffix != ".png"}


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_becomes_a_page_and_a_table(name, tmp_path):
    paths = write_summary(of_experiment(name), tmp_path, figures=False)
    written = texts(paths)
    assert paths[0].name == "report.md"
    assert {f"{name}.csv", "origin.md"} <= set(written)
    lines = written[f"{name}.csv"].splitlines()
    assert len({line.count(",") for line in lines}) == 1
    assert len(lines) > 1


def test_tables_of_the_page_are_whole(tmp_path):
    for name in NAMES:
        page = texts(write_summary(of_experiment(name), tmp_path, figures=False))["report.md"]
        for table in re.findall(r"(?:^\|.*\n)+", page, flags=re.M):
            assert len({line.count("|") for line in table.splitlines()}) == 1, table


def test_the_order_of_records_does_not_change_a_byte(tmp_path):
    records = comparison({"kernel": 0.9, "osnn": 0.7}) + of_experiment("theta")
    one = write_summary(records, tmp_path / "one")
    two = write_summary(records[::-1], tmp_path / "two")
    for a, b in zip(one, two, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name


def test_samples_of_other_sizes_get_their_own_section(tmp_path):
    full, quick = comparison({"kernel": 0.9}), of_experiment("table1")
    sections = sections_of([*full, *quick])
    assert [section.stem for section in sections] == ["table1", "table1_2"]
    assert sections[0].records == full
    page = texts(write_summary([*full, *quick], tmp_path, figures=False))["report.md"]
    assert "150 labeled rows, 300 unlabeled rows, 300 test rows" in page


def test_failures_are_told_with_their_reason(tmp_path):
    failed = Record(Trial("table1", Draw("usps"), "evm"), "failed", "ValueError: too few rows.")
    page = texts(write_summary([*comparison({"kernel": 0.9}), failed], tmp_path, figures=False))
    assert "Failed 1 times: evm on usps: ValueError: too few rows." in page["report.md"]


def test_sizes_that_were_scaled_down_are_told(tmp_path):
    scaled = Record(
        Trial("table1", Draw("segment"), "kernel"),
        metrics={"macro_f1": 0.9, "accuracy": 0.9, "auc": 0.9},
        draw={"message": "sizes scaled down"},
    )
    page = texts(write_summary([scaled], tmp_path, figures=False))["report.md"]
    assert "segment: sizes scaled down." in page


def test_titles_name_the_experiment_and_methods_are_rows(tmp_path):
    records = comparison({"kernel": 0.9, "osnn": 0.7}) + of_experiment("theta")
    written = texts(write_summary(records, tmp_path, figures=False))
    assert written["report.md"].startswith("# table1, theta: what the records say\n")
    origin = written["origin.md"].splitlines()
    assert origin[0] == "# table1, theta: how the records were made"
    assert any(line.startswith("| method | ") for line in origin)
