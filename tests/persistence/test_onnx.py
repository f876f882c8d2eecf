"""ONNX graphs say what the classifier says."""

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
SETTINGS = {
    "default": {},
    "linear": {"kernel": "linear", "bandwidth": None},
    "logistic": {"loss": "logistic"},
    "double hinge": {"loss": "double_hinge"},
    "largest, standard": {"decision": "largest", "scale": "standard"},
    "no scale, offset": {"scale": None, "offset": 0.5, "bandwidth": 5.0},
}


def answers(classifier, X):
    session = runtime.InferenceSession(to_onnx(classifier).SerializeToString())
    return session.run(["label", "probabilities", "augmented_score"], {"X": X})


def rows():
    """Return rows within the data, between it, far from it and beyond all numbers."""
    rng = np.random.default_rng(1)
    split = easy_split()
    between = rng.normal(scale=6.0, size=(3000, 4))
    return np.vstack([split.X_test, between, [[1e6] * 4, [1e100] * 4, [-1e300] * 4]])


def assert_agree(classifier, X):
    label, probabilities, score = answers(classifier, X)
    assert np.mean(label == classifier.predict(X)) >= 0.999
    np.testing.assert_allclose(probabilities, classifier.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(score, classifier.augmented_score(X), atol=1e-7)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_graph_agrees_with_the_classifier(settings):
    sample = easy_split().sample
    clf = eulac.KernelEulacClassifier(**(FIXED | settings))
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    assert_agree(clf, rows())


@pytest.mark.parametrize("labels", [["ant", "bee", "fly"], [1.0, 2.0, 3.0], [1, 2, 3]])
def test_labels_of_all_kinds(labels):
    sample = easy_split().sample
    y = np.array(labels)[sample.y_labeled]
    clf = eulac.KernelEulacClassifier(**FIXED).fit(
        sample.X_labeled, y, X_unlabeled=sample.X_unlabeled
    )
    assert_agree(clf, rows())


def test_one_known_class_and_no_unlabeled_rows():
    sample = easy_split(n_known=1, cycle=(0, 1)).sample
    X = np.random.default_rng(0).normal(scale=4.0, size=(500, 2))
    clf = eulac.KernelEulacClassifier(**FIXED)
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    assert_agree(clf, X)
    three = easy_split().sample
    assert_agree(clf.fit(three.X_labeled, three.y_labeled), rows())


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


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"feature_map": "fourier", "n_landmarks": 200},
        {"dtype": "float32"},
        {"scale": "standard"},
    ],
    ids=["landmarks", "waves", "single", "standard"],
)
def test_graph_agrees_with_landmarks(settings):
    sample = easy_split(120, 300).sample
    clf = eulac.LandmarkEulacClassifier(**({"n_landmarks": 60} | FIXED | settings))
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    X = rows()
    if "feature_map" in settings:
        X = X[np.abs(X).max(axis=1) < 1e3]  # the phase of a wave that far away is rounding
    label, probabilities, score = answers(clf, X)
    assert np.mean(label == clf.predict(X)) >= 0.999
    tolerance = 1e-2 if "dtype" in settings else 1e-6
    np.testing.assert_allclose(probabilities, clf.predict_proba(X), atol=tolerance)
    np.testing.assert_allclose(score, clf.augmented_score(X), atol=tolerance)


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


def test_what_has_no_graph_is_named():
    with pytest.raises(ValueError, match="got OsnnClassifier"):
        to_onnx(eulac.OsnnClassifier())
