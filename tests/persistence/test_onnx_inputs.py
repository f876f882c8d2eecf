"""Columns of a table as inputs of a graph: gaps are filled, categories encoded as in the model."""

import json

import numpy as np
import pandas as pd
import pytest

import eulac
from easy_mixture import easy_split
from eulac.persistence.onnx import to_onnx
from eulac.tables.table_model import fit_table_model

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
FIXED = {"bandwidth": 1.0, "penalty": 0.01, "known_proportion": 0.6, "random_state": 0}


def test_missing_values_are_filled_in_the_graph():
    sample = easy_split().sample
    frames = {
        name: pd.DataFrame(X, columns=list("abcd")).assign(wild=X[:, 0] > 1)
        for name, X in {"train": sample.X_labeled, "pool": sample.X_unlabeled}.items()
    }
    frames["train"].loc[::9, "b"] = np.nan
    clf = eulac.KernelEulacClassifier(**FIXED)
    model = fit_table_model(clf, frames, sample.y_labeled)
    X = frames["train"][model.columns.feature_names].to_numpy(dtype=float)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    [label] = session.run(["label"], {"X": X})
    np.testing.assert_array_equal(label, model.predict(frames["train"]))


@pytest.mark.parametrize("numbers", [True, False], ids=["mixed", "categories alone"])
def test_categories_are_encoded_in_the_graph(numbers):
    rng = np.random.default_rng(0)
    colors = np.array(["red", "blue", "green", "rare one", None], dtype=object)
    y = np.arange(300) % 3
    frame = pd.DataFrame(
        {
            "color": colors[np.where(rng.random(300) < 0.8, y, rng.integers(5, size=300))],
            "shape": np.array(["round", "flat", "long"])[rng.integers(3, size=300)],
        }
    )
    frame.loc[7, "color"] = "seen once"
    if numbers:
        frame = frame.assign(size=y + rng.normal(size=300), wild=rng.random(300) < 0.5)
        frame.loc[::11, "size"] = np.nan
    train, pool = frame.iloc[: 200 if numbers else 150], frame.iloc[100:]
    clf = eulac.KernelEulacClassifier(**FIXED)
    known = y[: len(train)] < 2
    frames = {"train": train[known], "pool": pool}
    model = fit_table_model(clf, frames, y[: len(train)][known])
    graph = to_onnx(model)
    session = runtime.InferenceSession(graph.SerializeToString())
    where = json.loads({p.key: p.value for p in graph.metadata_props}["columns"])
    fresh = pool.copy()
    fresh.loc[fresh.index[:5], "color"] = "purple"
    given = {"categories": fresh[where["categories"]].fillna("").to_numpy(dtype=object)}
    if numbers:
        given["X"] = fresh[where["X"]].to_numpy(dtype=float)
    label, probabilities = session.run(["label", "probabilities"], given)
    np.testing.assert_allclose(probabilities, model.predict_proba(fresh), atol=1e-7)
    assert np.mean(label == model.predict(fresh)) >= 0.999
