import pandas as pd

from eulac.tables.table_evaluation import evaluate_table


def test_true_labels_give_metrics_of_every_class(fit, files):
    found = evaluate_table(fit.model, files / "test.csv")
    assert found.n_rows == 60
    assert found.metrics.accuracy > 0.9
    assert [row["rows"] for row in found.classes] == [20, 20, 20]
    assert found.notes == ["Not known to the model, and counted as new: 'cow'."]


def test_rows_without_a_label_are_left_out_and_said_so(fit, files):
    frame = pd.read_csv(files / "test.csv")
    frame.loc[:4, "kind"] = None
    frame.to_csv(files / "gaps.csv", index=False)
    found = evaluate_table(fit.model, files / "gaps.csv")
    assert found.n_rows == 55
    assert found.notes[-1].startswith("5 rows of")
