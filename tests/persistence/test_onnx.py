"""ONNX graphs say what the classifier says."""

import numpy as np
import pandas as pd
import pytest

import eulac
from estimators.easy_mixture import easy_split
from eulac.persistence.onnx import to_onnx
from eulac.persistence.table_model import fit_table_model

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
    clf = eulac.EulacClassifier(**(FIXED | settings))
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    assert_agree(clf, rows())


@pytest.mark.parametrize("labels", [["ant", "bee", "fly"], [1.0, 2.0, 3.0], [1, 2, 3]])
def test_labels_of_all_kinds(labels):
    sample = easy_split().sample
    y = np.array(labels)[sample.y_labeled]
    clf = eulac.EulacClassifier(**FIXED).fit(sample.X_labeled, y, X_unlabeled=sample.X_unlabeled)
    assert_agree(clf, rows())


def test_one_known_class_and_no_unlabeled_rows():
    sample = easy_split(n_known=1, cycle=(0, 1)).sample
    X = np.random.default_rng(0).normal(scale=4.0, size=(500, 2))
    clf = eulac.EulacClassifier(**FIXED)
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
    clf = eulac.EulacClassifier(**FIXED)
    model = fit_table_model(clf, frames, sample.y_labeled)
    X = frames["train"][model.columns.feature_names].to_numpy(dtype=float)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    [label] = session.run(["label"], {"X": X})
    np.testing.assert_array_equal(label, model.predict(frames["train"]))


def test_what_has_no_graph_is_named():
    with pytest.raises(ValueError, match="got OsnnClassifier"):
        to_onnx(eulac.OsnnClassifier())
    frame = pd.DataFrame({"size": np.arange(20.0), "color": ["red", "blue"] * 10})
    clf = eulac.EulacClassifier(**(FIXED | {"cv": 2}))
    model = fit_table_model(clf, {"a": frame, "b": frame}, np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"\['color'\] hold categories"):
        to_onnx(model)
