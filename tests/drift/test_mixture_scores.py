"""Scores of a model that knows the unlabeled rows are a mixture."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.metrics import roc_auc_score

from eulac.data.lac_sample import LacSample
from eulac.data.synthetic import make_gaussian_task
from eulac.drift.mixture_scores import SourceLikelihood, mixture_logits
from eulac.risk.evidence import augmented_log_odds


def likelihood_of(weights=None):
    return SourceLikelihood.of(np.array([0, 1, 1]), 4, 2, 0.3, weights)


@pytest.mark.parametrize("weights", [None, np.array([0.5, 2.0, 0.5])])
def test_gradient_is_that_of_the_loss(weights):
    likelihood = likelihood_of(weights)
    logits = np.random.default_rng(0).normal(size=(7, 3))
    numeric = approx_fprime(logits.ravel(), lambda z: likelihood.loss(z.reshape(7, 3))[0], 1e-7)
    np.testing.assert_allclose(likelihood.loss(logits)[1].ravel(), numeric, atol=1e-5)


def test_loss_is_the_negative_log_likelihood_of_the_sources():
    logits = np.random.default_rng(1).normal(size=(7, 3))
    e = np.exp(logits)
    unlabeled = 4 / 3 * (0.3 * e[:, :2].sum(axis=1) + 0.7 * e[:, 2])
    total = e[:, :2].sum(axis=1) + unlabeled
    own = np.append(e[[0, 1, 2], [0, 1, 1]], unlabeled[3:])
    assert likelihood_of().loss(logits)[0] == pytest.approx(-np.log(own / total).sum())


def test_a_weight_of_two_is_a_row_twice():
    logits = np.random.default_rng(2).normal(size=(3, 3))
    once = SourceLikelihood.of(np.array([0, 1]), 1, 2, 0.3, np.array([2.0, 1.0]))
    twice = SourceLikelihood(np.array([0, 0, 1]), np.ones(3), once.log_shares)
    assert once.loss(logits)[0] == pytest.approx(twice.loss(logits[[0, 0, 1, 2]])[0])


def test_scores_rank_new_rows_above_known_ones():
    task = make_gaussian_task(random_state=0)
    split = task.draw(200, 300, 10, random_state=1)
    unlabeled = augmented_log_odds(mixture_logits(split.sample, 0.5, random_state=0)[1])
    known = np.isin(split.y_unlabeled, split.sample.codec.known)
    assert roc_auc_score(~known, unlabeled) > 0.8


def test_held_out_rows_have_no_say_in_their_own_score():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(60) % 2, np.full(60, -1))
    noise = LacSample.from_masked(rng.normal(size=(120, 40)), y)
    labeled, unlabeled = map(augmented_log_odds, mixture_logits(noise, 0.5, random_state=0))
    auc = roc_auc_score(np.repeat([0, 1], 60), np.append(labeled, unlabeled))
    assert 0.3 < auc < 0.7  # in-sample scores would tell all of them apart
