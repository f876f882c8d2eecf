"""Scikit-learn's own checks on every deep classifier, with what they cannot know about them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from contract import STRICTLY

pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.deep import generator
from eulac.deep.counterfactual import CounterfactualClassifier
from eulac.deep.deep_classifier import DeepEulacClassifier
from eulac.deep.ensemble_classifier import EnsembleEulacClassifier
from eulac.deep.generative_openmax import GenerativeOpenMaxClassifier
from eulac.deep.openmax import OpenMaxClassifier
from eulac.deep.softmax import SoftmaxThresholdClassifier

GENERATED = {"generator_epochs": 1, "n_generated": 10, "max_epochs": 2}
CLASSIFIERS = [
    DeepEulacClassifier(max_epochs=2, learning_rate=0.005),
    EnsembleEulacClassifier(DeepEulacClassifier(max_epochs=2, learning_rate=0.005), n_folds=2),
    SoftmaxThresholdClassifier(max_epochs=2),
    OpenMaxClassifier(max_epochs=2),
    GenerativeOpenMaxClassifier(**GENERATED),
    CounterfactualClassifier(**GENERATED, n_steps=5),
]
MARKER = {"check_classifiers_classes": "-1 is a class there; here it marks an unlabeled row"}
COLUMNS = {"check_classifiers_train": "predict_proba has a column for the augmented class too"}
ROUNDING = "check_methods_subset_invariance"


def expected_failures(estimator):
    has_own_column = hasattr(estimator, "predict_proba")
    needs_unlabeled = isinstance(estimator, DeepEulacClassifier | EnsembleEulacClassifier)
    return MARKER | (COLUMNS if has_own_column and not needs_unlabeled else {})


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@parametrize_with_checks(CLASSIFIERS[:1], expected_failed_checks=expected_failures, **STRICTLY)
def test_scikit_learn_checks(estimator, check):
    run_check(estimator, check)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@parametrize_with_checks(CLASSIFIERS[1:], expected_failed_checks=expected_failures, **STRICTLY)
def test_scikit_learn_checks_of_contenders(estimator, check):
    run_check(estimator, check)


def run_check(estimator, check):
    if check.func.__name__ == ROUNDING:
        pytest.skip("single precision rounds differently in batches of another size")
    check(estimator)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_scores_of_a_row_do_not_depend_on_the_rows_beside_it(classifier, monkeypatch):
    monkeypatch.setattr(generator, "FEWEST_STEPS", 1)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.repeat([0, 1, -1], [12, 12, 16])
    fitted = clone(classifier).set_params(random_state=0).fit(X, y)
    alone = np.concatenate([fitted.augmented_score(X[i : i + 1]) for i in range(len(X))])
    np.testing.assert_allclose(alone, fitted.augmented_score(X), rtol=1e-4, atol=1e-4)
