"""Base classifiers of scikit-learn in model files, and classes of others where they are named."""

from pickle import whichmodule

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import eulac
from easy_mixture import easy_masked, easy_split
from eulac.exceptions import ModelFileError
from eulac.persistence.files import load, save
from persistence.forging import forged, states

TWO = [("line", LogisticRegression()), ("bayes", GaussianNB())]
BASES = {
    "neighbors": KNeighborsClassifier(),
    "neighbors of a pipeline": make_pipeline(
        FunctionTransformer(), KNeighborsClassifier(3, algorithm="ball_tree")
    ),
    "layers": MLPClassifier((4,), max_iter=10, random_state=0),
    "layers by gradient descent": MLPClassifier((4,), solver="sgd", max_iter=10, random_state=0),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=2),
    "calibrated by steps": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2),
    "voting": VotingClassifier(TWO, voting="soft"),
    "stacked": StackingClassifier(TWO, final_estimator=LogisticRegression(), cv=2),
    "searched": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "Gaussian process": GaussianProcessClassifier(),
    "stages": GradientBoostingClassifier(n_estimators=2),
}
HALVED = f"{__name__}.Halved"
FUNCTION = f"{whichmodule(np.absolute, 'absolute')}.absolute"  # NumPy 2.0 names the inner module


class Halved(TransformerMixin, BaseEstimator):
    """A step of the user's own."""

    def fit(self, X, y=None):
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X) / 2


def fitted(base):
    _, X, y = easy_masked(n_unlabeled=90)
    clf = eulac.TwoStageEulacClassifier(base, known_proportion=0.6, n_folds=3, random_state=0)
    return clf.fit(X, y)


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
@pytest.mark.parametrize("name", BASES)
def test_base_classifiers_of_scikit_learn_come_back_as_they_were(name, tmp_path):
    clf = fitted(BASES[name])
    same = load(save(clf, tmp_path / "model.eulac"))
    rows = easy_split().X_test
    np.testing.assert_array_equal(same.predict_proba(rows), clf.predict_proba(rows))
    np.testing.assert_array_equal(same.predict(rows), clf.predict(rows))


@pytest.fixture(scope="module")
def own():
    steps = Halved(), FunctionTransformer(np.absolute), LogisticRegression()
    return fitted(make_pipeline(*steps))


def test_classes_and_functions_of_others_come_back_where_they_are_named(own, tmp_path):
    names = [HALVED, FUNCTION]
    path = save(own, tmp_path / "model.eulac", trusted_types=names)
    rows = easy_split().X_test
    same = load(path, trusted_types=names)
    np.testing.assert_array_equal(same.predict_proba(rows), own.predict_proba(rows))


@pytest.mark.parametrize(
    ("named", "missing"), [((), FUNCTION), ([FUNCTION], HALVED), ([HALVED], FUNCTION)]
)
def test_who_saves_and_who_loads_must_both_have_named_them(named, missing, own, tmp_path):
    path = tmp_path / "model.eulac"
    remedy = rf"name it, trusted_types=\['{missing}'\], both to eulac.save and to eulac.load"
    with pytest.raises(ModelFileError, match=remedy):
        save(own, path, trusted_types=named)
    assert not path.exists()
    save(own, path, trusted_types=[HALVED, FUNCTION])
    with pytest.raises(ModelFileError, match=remedy):
        load(path, trusted_types=named)


@pytest.mark.parametrize("loader", ["ConstructorFromReduceNode", "PartialNode", "MethodNode"])
def test_what_is_named_is_never_called_with_arguments_of_the_file(loader, own, tmp_path):
    path = save(own, tmp_path / "model.eulac", trusted_types=[HALVED, FUNCTION])

    def change(schema, parts):
        for state in states(schema):
            if state["__class__"] == "Halved":
                state["__loader__"] = loader

    with pytest.raises(ModelFileError, match=f"loaded as '{loader}'.*cannot be stored safely"):
        load(forged(path, change), trusted_types=[HALVED, FUNCTION])


def test_one_text_is_not_a_list_of_names(own, tmp_path):
    for ask in (
        lambda: save(own, tmp_path / "a", trusted_types=HALVED),
        lambda: load(tmp_path / "a", trusted_types=HALVED),
    ):
        with pytest.raises(TypeError, match=r"must be a list of names; got the text .*Halved'"):
            ask()
