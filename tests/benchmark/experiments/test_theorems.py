import numpy as np

from eulac.benchmark.draws import MIXTURE, OpenDraw
from eulac.benchmark.experiments import theorems
from eulac.benchmark.experiments.theorems import (
    RISKS,
    excess_risk,
    expected_error,
    expected_risk,
    unbiasedness,
)
from eulac.benchmark.trial import Draw
from eulac.maths.losses import LOSSES

POSTERIOR = np.random.default_rng(0).dirichlet(np.ones(4), size=500)


def test_the_bayes_rule_has_the_least_error_and_twice_the_posterior_less_one_the_least_risk():
    best, square = 2 * POSTERIOR - 1, LOSSES["square"]
    noise = np.random.default_rng(1).normal(size=POSTERIOR.shape)
    for size in (0.01, 0.3, 2.0):
        other = best + size * noise
        assert expected_error(best, POSTERIOR) <= expected_error(other, POSTERIOR)
        assert expected_risk(best, POSTERIOR, square) < expected_risk(other, POSTERIOR, square)


def test_expected_risk_is_the_mean_over_drawn_labels():
    rng = np.random.default_rng(2)
    posterior = np.tile([[0.5, 0.2, 0.3]], (200_000, 1))
    scores = np.tile([[0.4, -0.3, 0.1]], (200_000, 1))
    labels = rng.choice(3, p=posterior[0], size=len(posterior))
    signs = np.where(np.arange(3) == labels[:, None], 1.0, -1.0)
    drawn = LOSSES["logistic"].value(signs * scores).sum(axis=1)
    error = drawn.std() / np.sqrt(len(drawn))
    assert abs(expected_risk(scores, posterior, LOSSES["logistic"]) - drawn.mean()) < 4 * error


def test_a_fit_obeys_theorem_2_and_does_not_beat_the_bayes_rule():
    sizes = {"n_labeled": 60, "n_unlabeled": 120, "n_test": 2000}
    told = excess_risk(OpenDraw(Draw(MIXTURE, conditions=sizes)))
    assert 0 <= told["excess_error"] <= told["bound"]
    assert told["bayes_error"] < told["error"] < 0.75


def test_means_of_risk_estimates_are_the_truth():
    told = unbiasedness(OpenDraw(Draw(MIXTURE, conditions={"n_labeled": 40, "n_unlabeled": 60})))
    for name in RISKS:
        apart = told[f"{name}_mean"] - told[f"{name}_truth"]
        assert abs(apart) < 4 * told[f"{name}_standard_error"], name
        assert told[f"{name}_standard_error"] > 0


def test_simulations_depend_on_the_draw_alone(monkeypatch):
    monkeypatch.setattr(theorems, "N_SIMULATIONS", 20)
    monkeypatch.setattr(theorems, "N_ROWS", 1000)
    draws = [Draw(MIXTURE, 0, i, {"n_labeled": 20, "n_unlabeled": 20}) for i in (0, 0, 1)]
    one, same, other = (unbiasedness(OpenDraw(draw))["square_mean"] for draw in draws)
    assert one == same != other
