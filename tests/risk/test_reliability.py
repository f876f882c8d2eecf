"""Reliability without labels: true probabilities are reliable, sharpened ones are not."""

import numpy as np
import pytest
from scipy.special import softmax

from eulac.risk.held_out import HeldOut
from eulac.risk.reliability import ReliabilityCurve, reliability_curve

MEANS = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]])
PRIORS = np.array([0.3, 0.3, 0.4])


def drawn(seed, sharpness=1.0, n=2000):
    """Two known classes and a new one; probabilities that are true, or too sharp."""
    rng = np.random.default_rng(seed)
    y, truth = rng.integers(0, 2, n), rng.choice(3, n, p=PRIORS)

    def probabilities(codes):
        X = rng.normal(MEANS[codes])
        logits = np.log(PRIORS) - 0.5 * ((X[:, None] - MEANS) ** 2).sum(axis=2)
        return softmax(sharpness * logits, axis=1)

    return HeldOut(probabilities(y), probabilities(truth), y, np.full(n, 0.6)), truth


def true_ece(held_out, truth, column, n_bins=10):
    rows = held_out.unlabeled
    claim = rows.max(axis=1) if column is None else rows[:, column]
    hit = truth == (rows.argmax(axis=1) if column is None else column % 3)
    at = np.searchsorted(np.quantile(claim, np.linspace(0, 1, n_bins + 1)[1:-1]), claim, "right")
    gaps = [abs(np.sum((claim - hit)[at == b])) for b in np.unique(at)]
    return sum(gaps) / len(claim)


@pytest.mark.parametrize("column", [None, 0, -1], ids=["answers", "known", "new"])
def test_true_probabilities_are_reliable_up_to_chance(column):
    curves = [reliability_curve(drawn(seed)[0], column) for seed in range(10)]
    apart = np.array([curve.observed - curve.claimed for curve in curves])
    errors = np.array([curve.observed_error for curve in curves])
    assert np.mean(np.abs(apart) <= 2 * errors) > 0.85
    assert np.mean([curve.ece for curve in curves]) == pytest.approx(
        np.mean([curve.ece_by_chance for curve in curves]), rel=0.4
    )


@pytest.mark.parametrize("column", [None, 0, -1], ids=["answers", "known", "new"])
def test_the_error_of_sharpened_probabilities_is_found_without_labels(column):
    found = []
    for seed in range(10):
        held_out, truth = drawn(seed, sharpness=4.0)
        curve = reliability_curve(held_out, column)
        assert curve.ece > 2 * curve.ece_by_chance
        found.append((curve.ece, true_ece(held_out, truth, column)))
    claimed, true = np.mean(found, axis=0)
    assert claimed == pytest.approx(true, abs=0.02)


def test_where_nothing_is_new_it_is_the_usual_curve():
    rng = np.random.default_rng(0)
    rows = np.column_stack([softmax(rng.normal(size=(400, 2)), axis=1), np.zeros(400)])
    y = (rng.random(400) > rows[:, 0]).astype(int)
    curve = reliability_curve(HeldOut(rows, rows, y, np.ones(400)), n_bins=5)
    claim, hit = rows.max(axis=1), rows.argmax(axis=1) == y
    at = np.searchsorted(np.quantile(claim, [0.2, 0.4, 0.6, 0.8]), claim, side="right")
    np.testing.assert_allclose(curve.observed, [hit[at == b].mean() for b in range(5)])
    np.testing.assert_allclose(curve.claimed, [claim[at == b].mean() for b in range(5)])


def test_errors_of_observed_shares_are_their_spread_over_draws():
    curves = [reliability_curve(drawn(seed, n=300)[0], -1, n_bins=4) for seed in range(250)]
    spread = np.std([curve.observed for curve in curves], axis=0)
    said = np.sqrt(np.mean([curve.observed_error**2 for curve in curves], axis=0))
    np.testing.assert_allclose(said, spread, rtol=0.25)


def test_by_chance_alone_the_error_is_the_mean_distance_of_normal_noise():
    weight, errors = np.array([0.25, 0.75]), np.array([0.1, 0.04])
    curve = ReliabilityCurve(weight, np.array([0.2, 0.8]), np.array([0.3, 0.6]), errors)
    noise = np.random.default_rng(0).normal(0, errors, (200_000, 2))
    assert curve.ece_by_chance == pytest.approx(np.mean(np.abs(noise) @ weight), rel=0.01)
    assert curve.ece == pytest.approx(0.25 * 0.1 + 0.75 * 0.2)


def test_bins_are_tenths_of_the_unlabeled_rows_unless_told_otherwise():
    rows, _ = drawn(0)
    np.testing.assert_allclose(reliability_curve(rows).weight, np.full(10, 0.1))
    np.testing.assert_allclose(reliability_curve(rows, n_bins=4).weight, np.full(4, 0.25))
