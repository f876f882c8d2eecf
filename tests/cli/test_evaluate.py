import json

from cli.birds import NAMES


def test_praise_for_rows_it_learned_from_comes_with_a_warning(birds, run):
    code, out, _ = run("evaluate", "birds.eulac", "train.csv")
    assert code == 0
    assert "120 labeled rows are among those the model learned from" in " ".join(out.split())


def test_evaluate_counts_unknown_labels_as_new(birds, run):
    code, out, err = run("evaluate", "birds.eulac", "test.csv", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["notes"] == ["Not known to the model, and counted as new: 'swan'."]
    assert said["accuracy"] > 0.9
    assert [row["label"] for row in said["classes"]] == [*NAMES[:3], "augmented"]
    assert [row["rows"] for row in said["classes"]] == [40, 40, 40, 40]
    code, out, _ = run("evaluate", "birds.eulac", "test.csv")
    assert "AUC of new rows" in out
