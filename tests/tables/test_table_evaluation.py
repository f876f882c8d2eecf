from collections import Counter

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.exceptions import OwnPoolWarning
from eulac.tables.fit_tables import fit_tables
from eulac.tables.table_answers import write_answers
from eulac.tables.table_evaluation import evaluate_table


def test_true_labels_give_metrics_of_every_class(fit, files):
    found = evaluate_table(fit.model, files / "test.csv")
    assert found.n_rows == 60
    assert found.metrics.accuracy > 0.9
    assert [row["rows"] for row in found.classes] == [20, 20, 20]
    assert found.notes == ["Not known to the model, and counted as new: 'cow'."]


def test_rows_the_model_learned_from_are_noticed(fit, files):
    assert evaluate_table(fit.model, files / "test.csv").warnings == []
    [warning] = evaluate_table(fit.model, files / "train.csv").warnings
    assert "80 labeled rows are among those the model learned from" in warning


def test_rows_without_a_label_are_left_out_and_said_so(fit, files):
    frame = pd.read_csv(files / "test.csv")
    frame.loc[:4, "kind"] = None
    frame.to_csv(files / "gaps.csv", index=False)
    found = evaluate_table(fit.model, files / "gaps.csv")
    assert found.n_rows == 55
    assert found.notes[-1].startswith("5 rows of")


def test_rows_of_the_pool_are_judged_by_the_answers_that_are_written_of_them(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 40)
    pool = pd.DataFrame(rng.normal(2.0 * np.eye(3)[codes], 1.0), columns=["a", "b", "c"])
    pool.to_csv(tmp_path / "pool.csv", index=False)
    pool.assign(kind=np.array(["ant", "bee", "cow"])[codes]).to_csv(
        tmp_path / "truth.csv", index=False
    )
    y = np.arange(60) % 2
    train = pd.DataFrame(rng.normal(2.0 * np.eye(3)[y], 1.0), columns=["a", "b", "c"])
    train.assign(kind=np.array(["ant", "bee"])[y]).to_csv(tmp_path / "train.csv", index=False)
    classifier = eulac.LinearEulacClassifier(known_proportion=2 / 3, random_state=0)
    model = fit_tables(classifier, tmp_path / "train.csv", tmp_path / "pool.csv").model
    found = evaluate_table(model, tmp_path / "truth.csv")
    written = write_answers(model, tmp_path / "pool.csv", tmp_path / "answers.csv")
    answered = np.sum(found.confusion, axis=0)
    assert found.n_held_out == 120
    assert (
        Counter(dict(zip(model.classes_.tolist(), answered.tolist(), strict=True)))
        == written.counts
    )
    with pytest.warns(OwnPoolWarning):
        seen = model.classifier.predict(model.matrix(pool, "pool.csv"))
    assert written.counts != Counter(seen.tolist())  # which the fitted model answers otherwise
