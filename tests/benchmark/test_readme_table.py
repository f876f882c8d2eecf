from pathlib import Path

import pytest

from benchmark.made_up import comparison
from eulac.benchmark.readme_table import BEGIN, END, readme_table, rewrite_readme, with_table
from eulac.benchmark.records import read_records

ROOT = Path(__file__).parents[2]
RECORDS = [
    ROOT / "docs/results" / name / "records.jsonl.gz" for name in ("table1", "any_classifier")
]


def test_the_table_of_the_readme_is_what_committed_records_say():
    found = [record for path in RECORDS for record in read_records(path)]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_table(text, readme_table(found)) == text


def test_a_row_has_the_default_the_paper_s_best_the_kernel_and_the_best_contender():
    records = comparison({"kernel": 0.9, "osnn": 0.7, "evm": 0.8, "default": 0.95}, spread=0.0)
    [row] = readme_table(records).splitlines()[2:]
    paper = ("86.5", "90.0", "97.0")
    own = " | ".join(f"95.0 ({printed})" for printed in paper)
    assert row == f"| usps | {own} | 90.0 | 80.0 (EVM) |"


def test_the_paper_s_best_is_not_always_its_own_method():
    [row] = readme_table(comparison({"default": 0.9}, dataset="pendigits")).splitlines()[2:]
    assert "(89.9)" in row.split("|")[2]  # EVM


def test_all_columns_are_over_the_draws_of_the_default_classifier():
    records = comparison({"default": 0.9}, n=3, spread=0.0)
    few = comparison({"kernel": 0.8}, n=3, spread=0.0)
    more = comparison({"kernel": 0.2}, n=9, spread=0.0)[3:]
    assert readme_table([*records, *few, *more]) == readme_table([*records, *few])


def test_what_is_not_recorded_is_a_dash():
    [row] = readme_table(comparison({"default": 0.9}, spread=0.0)).splitlines()[2:]
    assert row.endswith("| – | – |")


def test_only_the_marked_part_of_a_file_changes(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    records = comparison({"kernel": 0.9})
    assert rewrite_readme(path, records)
    assert not rewrite_readme(path, records)
    text = path.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| dataset")
    assert text.endswith(f"|\n{END}\nafter\n")


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_file_without_the_two_comments_is_refused(text):
    with pytest.raises(ValueError, match="numbers: begin"):
        with_table(text, "table")
