"""Any classifier fitted to weighted rows: weights count however they are passed on."""

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eulac.any_classifier.weighted_base import fit_weighted, with_random_state

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 2))
CODES = np.resize([0, 2], 400)
WEIGHTS = np.where(CODES == 0, 3.0, 1.0)


@pytest.mark.parametrize(
    "base",
    [
        DummyClassifier(),
        GaussianNB(),
        make_pipeline(StandardScaler(), GaussianNB()),
        KNeighborsClassifier(50),
        VotingClassifier(
            [("near", KNeighborsClassifier(50)), ("bayes", GaussianNB())], voting="soft"
        ),
    ],
    ids=["sample_weight", "bayes", "pipeline", "drawn rows", "votes, some without weights"],
)
def test_weights_decide_how_often_a_class_is_expected(base):
    model = fit_weighted(base, X, CODES, WEIGHTS, n_codes=4, seed=0)
    probabilities = model.probabilities(X)
    assert probabilities.shape == (400, 4)
    np.testing.assert_allclose(probabilities.mean(axis=0), [0.75, 0, 0.25, 0], atol=0.06)


def test_a_pipeline_gets_drawn_rows_where_metadata_is_routed():
    base = make_pipeline(StandardScaler(), GaussianNB())
    with sklearn.config_context(enable_metadata_routing=True):
        model = fit_weighted(base, X, CODES, WEIGHTS, n_codes=3, seed=0)
    np.testing.assert_allclose(model.probabilities(X).mean(axis=0), [0.75, 0, 0.25], atol=0.06)


def test_rows_without_weight_are_not_seen():
    weights = np.where(CODES == 0, 1.0, 0.0)
    model = fit_weighted(LogisticRegression(), X, CODES, weights, n_codes=3, seed=0)
    np.testing.assert_array_equal(model.probabilities(X[:2]), [[1, 0, 0], [1, 0, 0]])


def test_names_of_classes_do_not_change_a_bit():
    other = np.where(CODES == 0, 2, 0)
    forest = ExtraTreesClassifier(5)
    one = fit_weighted(forest, X, CODES, WEIGHTS, n_codes=3, seed=0).probabilities(X)
    two = fit_weighted(forest, X, other, WEIGHTS, n_codes=3, seed=0).probabilities(X)
    np.testing.assert_array_equal(one[:, [0, 2]], two[:, [2, 0]])


def test_open_random_states_are_set_and_others_kept():
    base = make_pipeline(StandardScaler(), ExtraTreesClassifier(2))
    assert with_random_state(base, 7)[-1].random_state == 7
    assert base[-1].random_state is None
    assert with_random_state(ExtraTreesClassifier(2, random_state=3), 7).random_state == 3


def test_a_list_of_classifiers_without_names_is_nothing_to_look_into():
    class Many(GaussianNB):
        estimators = (LogisticRegression(),)

    model = fit_weighted(Many(), X, CODES, WEIGHTS, n_codes=4, seed=0)
    np.testing.assert_allclose(model.probabilities(X).mean(axis=0), [0.75, 0, 0.25, 0], atol=0.06)
