from pathlib import Path


def test_card_says_what_the_model_file_knows(birds, run):
    code, out, err = run("card", "birds.eulac")
    assert (code, err) == (0, "")
    assert out.startswith("# Model card: birds.eulac\n")
    for title in ("Data", "Answers", "Known share of the pool", "Error", "Warnings", "Versions"):
        assert f"\n## {title}\n" in out
    assert "120 labeled rows in column `species`" in out
    assert "160 unlabeled rows." in out
    assert "- `seen`:" in out  # a column left out, and why
    code, out, err = run("card", "birds.eulac", "--output", "birds.md")
    assert (code, out, err) == (0, "Model card: birds.md\n", "")
    assert "| hen | 40 |" in Path("birds.md").read_text()


def test_an_existing_file_is_not_replaced_unasked(birds, run):
    code, _, err = run("card", "birds.eulac", "--output", "train.csv")
    assert code == 2
    assert "--force" in err
