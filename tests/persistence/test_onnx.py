"""ONNX graphs say what the classifier says."""

import numpy as np
import pytest

import eulac
from easy_mixture import easy_split
from eulac.persistence.onnx import to_onnx

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


def test_what_has_no_graph_is_named():
    with pytest.raises(ValueError, match="got OsnnClassifier"):
        to_onnx(eulac.OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1]))
