import csv
import io

import pytest

from benchmark.made_up import comparison
from eulac.benchmark.comparison_tables import METRICS, comparison_table
from eulac.benchmark.formats import latex_table, long_csv, markdown_table, notes_on
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Draw, Trial

RECORDS = comparison({"kernel": 0.9, "osnn": 0.7, "evm": 0.95, "lacu_svm": 0.9}, n=12, spread=0.02)
TABLE = comparison_table(RECORDS, "macro_f1")


def test_markdown_has_bold_bullets_and_the_paper():
    text = markdown_table(TABLE)
    row = text.splitlines()[2]
    cells = dict(zip(["dataset", *TABLE.methods], row.strip("| ").split(" | "), strict=True))
    assert cells["evm"].startswith("**")
    assert "∘" in cells["evm"]
    assert "•" in cells["osnn"]
    assert "•" not in cells["lacu_svm"]
    assert "(86.5, +" in cells["kernel"]
    assert text.splitlines()[-1].endswith("| first in 0 of 1 |")


def test_every_markdown_line_has_as_many_cells():
    counts = {line.count("|") for line in markdown_table(TABLE).splitlines()}
    assert counts == {len(TABLE.methods) + 2}


def test_latex_is_balanced_and_marks_as_the_paper_does():
    text = latex_table(TABLE)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert r"$\bullet$" in text
    assert r"\textbf{" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count(" & ") for line in rows} == {len(TABLE.methods)}
    assert text.count("{") == text.count("}")


def test_csv_can_be_read_and_holds_the_tests():
    tables = [comparison_table(RECORDS, metric) for metric in METRICS]
    rows = list(csv.DictReader(io.StringIO(long_csv(tables))))
    assert len(rows) == sum(len(table.methods) for table in tables)
    osnn = next(row for row in rows if row["method"] == "osnn" and row["metric"] == "macro_f1")
    assert float(osnn["mean"]) == pytest.approx(70, abs=3)
    assert float(osnn["p_value"]) < 0.05
    assert osnn["reference_outcome"] == "win"
    assert float(osnn["difference"]) == pytest.approx(float(osnn["mean"]) - 63.14, abs=0.01)


def test_notes_say_what_was_corrected_counted_and_lost():
    failed = Record(Trial("table1", Draw("usps", 99), "evm"), "failed", "ValueError: no")
    notes = "\n".join(notes_on(comparison_table([*RECORDS, failed], "auc")))
    assert "100 less the printed number" in notes
    assert "Configurations per dataset: OSNN 12" in notes
    assert "Failed: EVM on usps 1 times." in notes


def test_notes_do_not_speak_of_the_paper_where_it_has_nothing():
    notes = "\n".join(notes_on(comparison_table(comparison({"kernel": 1}, dataset="mine"), "auc")))
    assert "paper" not in notes
