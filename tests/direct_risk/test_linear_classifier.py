"""Linear EULAC: gradients against differences, the correction, and the contract."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import check_grad
from sklearn.base import clone

from contract import (
    HELD_OUT,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked
from eulac import LinearEulacClassifier
from eulac.direct_risk.linear_model import fit_linear_scores
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES
from eulac.risk.nonnegative import corrected_risk
from eulac.risk.unbiased import log_lac_risk

QUICK = LinearEulacClassifier(0.6, penalty=1e-2, n_folds=2, random_state=0)


@parametrize_with_contract([QUICK], *HELD_OUT)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_scikit_learn_checks(
    [LinearEulacClassifier(penalty=1e-2, n_folds=2)],
    check_sample_weight_equivalence_on_dense_data="a row twice falls into other folds",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def logits(n, seed):
    return np.random.default_rng(seed).normal(size=(n, 3))


LOG = MULTICLASS_LOSSES["log"]


@pytest.mark.parametrize("loss", MULTICLASS_LOSSES.values(), ids=lambda loss: loss.name)
@pytest.mark.parametrize("proportion", [0.3, 1.0])
def test_gradients_are_those_of_differences(proportion, loss):
    y, weights = np.resize([0, 1], 6), np.full(6, proportion)

    def value(flat):
        rows = flat.reshape(14, 3)
        return corrected_risk(rows[:6], y, weights, rows[6:], loss)[0]

    def gradient(flat):
        rows = flat.reshape(14, 3)
        return np.vstack(corrected_risk(rows[:6], y, weights, rows[6:], loss)[1:]).ravel()

    assert check_grad(value, gradient, logits(14, 1).ravel()) < 1e-5


def test_it_is_the_unbiased_risk_while_the_bracket_is_positive():
    y, weights = np.resize([0, 1], 6), np.full(6, 0.3)
    value, _, _ = corrected_risk(logits(6, 0), y, weights, logits(8, 1), LOG)
    assert value == pytest.approx(log_lac_risk(logits(6, 0), y, weights, logits(8, 1)))


def test_a_negative_bracket_counts_as_zero():
    known, new = np.array([[9.0, 0.0, 0.0]] * 4), np.array([[0.0, 0.0, 9.0]] * 4)
    y, weights = np.zeros(4, int), np.ones(4)
    assert log_lac_risk(known, y, weights, new) < 0
    value, _, slope = corrected_risk(known, y, weights, new, LOG)
    assert value >= 0
    assert not slope.any()


def test_a_larger_penalty_gives_smaller_coefficients():
    split, _, _ = easy_masked()
    weights = np.full(split.sample.n_labeled, 0.6)
    norms = [
        np.linalg.norm(fit_linear_scores(split.sample, weights, penalty, LOG).coefficients)
        for penalty in (1.0, 1e-2)
    ]
    assert norms[0] < norms[1]


def test_the_penalty_is_one_of_those_given():
    split, X, y = easy_masked()
    classifier = LinearEulacClassifier(0.6, penalty=[1e-3, 1.0], n_folds=2, random_state=0)
    assert classifier.fit(X, y).penalty_ in (1e-3, 1.0)
    assert classifier.coef_.shape == (4, 4)
    named = clone(classifier).fit(pd.DataFrame(X, columns=list("dacb")), y)
    np.testing.assert_allclose(named.coef_, classifier.coef_, atol=0.05)  # rows as the columns
    assert classifier.score(split.X_test, split.y_test) > 0.95
    assert classifier.risk_.value < 0.1
