from pathlib import Path

FAST = ("--map", "pca", "--folds", "0", "--groups", "1")


def test_report_writes_one_page_that_names_its_files(birds, run):
    code, out, err = run("report", "birds.eulac", "--data", "pool.csv", *FAST)
    assert (code, err) == (0, "")
    assert "A page about 160 rows: report.html." in out
    text = Path("report.html").read_text()
    assert "eulac promote birds.eulac decisions.json --unlabeled pool.csv" in text
    assert "color" in text  # a category, shown as it is in the table
