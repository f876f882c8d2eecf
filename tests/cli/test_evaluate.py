import json

from cli.birds import NAMES


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
