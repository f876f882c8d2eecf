import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, VotingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eulac
from easy_mixture import easy_split
from eulac import EulacClassifier, KernelEulacClassifier, TwoStageEulacClassifier
from eulac.any_classifier.default_candidates import (
    kernel_logistic,
    nearest_neighbors,
    small_boosting,
)
from eulac.persistence.onnx import to_onnx
from persistence.onnx_answers import assert_graph_agrees

pytest.importorskip("onnx", reason="needs the extra `onnx`")
pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
GIVEN = {"known_proportion": 0.6, "random_state": 0}
SETTINGS = {"shift": False, "n_folds": 3, **GIVEN}


def fitted(classifier, **options):
    sample = easy_split(**options).sample
    return classifier.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)


def rows():
    """Return rows within the data and between its classes."""
    between = np.random.default_rng(1).normal(scale=5.0, size=(1000, 4))
    return np.vstack([easy_split().X_test, between])


def default_families():
    """Return the families of `EulacClassifier`, small ones."""
    bases = {
        "extra_trees": ExtraTreesClassifier(10),
        "kernel_logistic": kernel_logistic(),
        "boosting": small_boosting().set_params(boosting__min_samples_leaf=5),
        "neighbors": nearest_neighbors(),
    }
    return {name: TwoStageEulacClassifier(base, n_folds=3) for name, base in bases.items()}


@pytest.mark.parametrize("family", default_families())
def test_two_stages_around_each_default_family(family):
    clf = default_families()[family].set_params(**SETTINGS)
    assert_graph_agrees(fitted(clf), rows())


def test_mean_of_repeats():
    clf = TwoStageEulacClassifier(ExtraTreesClassifier(4), n_repeats=2, **SETTINGS)
    assert_graph_agrees(fitted(clf), rows())


@pytest.mark.parametrize("choose", ["stack", "select"])
def test_mixture_of_default_families_and_others(choose):
    scaled = make_pipeline(StandardScaler(), KernelEulacClassifier(bandwidth=1.0, penalty=0.1))
    few = {"n_labeled": 45, "n_unlabeled": 60}
    clf = EulacClassifier(
        {**default_families(), "scaled": scaled}, choose=choose, shift=False, n_folds=2, **GIVEN
    )
    assert_graph_agrees(fitted(clf, **few), rows())


@pytest.mark.slow
def test_default_classifier_on_digits():
    from sklearn.datasets import load_digits

    from eulac.data.splits import draw_split

    X, y = load_digits(return_X_y=True)
    split = draw_split(X, y, n_labeled=200, n_unlabeled=400, n_test=500, random_state=1)
    clf = EulacClassifier(random_state=1).fit(*split.sample.as_masked())
    assert len(clf.candidates_) == 4
    assert_graph_agrees(clf, split.X_test)


def test_columns_that_are_left_out_are_left_out_of_the_graph():
    clf = fitted(EulacClassifier({"bayes": TwoStageEulacClassifier(GaussianNB())}, **SETTINGS))
    # As a fit leaves it that found the third of five columns to be an ID.
    clf.left_out_columns_, clf.n_features_in_ = np.array([2]), 5
    assert_graph_agrees(clf, np.insert(rows(), 2, 1e4, axis=1))


def test_columns_enter_the_graph_as_the_user_had_them():
    sample, names = easy_split().sample, ["north", "east", "south", "west"]
    X, pool = (pd.DataFrame(A, columns=names) for A in (sample.X_labeled, sample.X_unlabeled))
    clf = KernelEulacClassifier(bandwidth=1.0, penalty=0.1, **GIVEN).fit(X, sample.y_labeled, pool)
    assert_graph_agrees(clf, pd.DataFrame(rows(), columns=names))


@pytest.mark.parametrize(
    "classifier",
    [
        eulac.LinearEulacClassifier(loss="brier", penalty=0.01, **SETTINGS),
        eulac.BoostedEulacClassifier(n_trees=8, **SETTINGS),
    ],
    ids=["linear", "boosted"],
)
def test_classifiers_of_the_risk_itself(classifier):
    assert_graph_agrees(fitted(classifier), rows())


def test_one_known_class_closed_set_and_pipelines():
    bayes = TwoStageEulacClassifier(GaussianNB(), **SETTINGS)
    one = fitted(bayes, n_known=1, cycle=(0, 1))
    assert_graph_agrees(one, np.random.default_rng(0).normal(scale=4.0, size=(300, 2)))
    sample = easy_split().sample
    assert_graph_agrees(bayes.fit(sample.X_labeled, sample.y_labeled), rows())
    piped = make_pipeline(StandardScaler(), bayes).fit(*sample.as_masked())
    session = pytest.importorskip("onnxruntime").InferenceSession(
        to_onnx(piped).SerializeToString()
    )
    [found] = session.run(["probabilities"], {"X": rows()})
    np.testing.assert_allclose(found, piped.predict_proba(rows()), atol=1e-5)


def test_bases_without_nodes_are_named():
    voters = VotingClassifier([("bayes", GaussianNB())], voting="soft")
    clf = fitted(TwoStageEulacClassifier(voters, **SETTINGS))
    with pytest.raises(ValueError, match="VotingClassifier has no nodes"):
        to_onnx(clf)
