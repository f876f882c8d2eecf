"""From scores to decisions: shares of the classes, prior ratios, held-out outputs."""

import numpy as np
import pytest

from eulac.data.lac_sample import LacSample
from eulac.frozen.frozen_model import (
    FrozenSample,
    closed_estimate,
    estimate_frozen,
    fit_frozen_model,
)
from eulac.frozen.score_features import ScorePlaces, split_columns
from eulac.proportion.given import GivenProportion


def drawn(shares, n=600, seed=0):
    """Rows of two known classes and a new one, whose logits are near zero."""
    rng = np.random.default_rng(seed)
    means = np.array([[5.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    y, pool = np.resize([0, 1], n), rng.choice(3, n, p=shares)
    X = rng.normal(means[np.append(y, pool)])
    sample = LacSample.from_masked(X, np.append(y, np.full(n, -1)))
    table = split_columns(X, logits=True, oddness_column=None)
    places = ScorePlaces.of(table.newness)
    return FrozenSample.of(sample, table, places, 5, seed), places, table, pool


def test_shares_of_moved_classes_follow_from_the_scores():
    rows, *_ = drawn([0.15, 0.55, 0.3])
    found = estimate_frozen(rows, "auto", True)
    np.testing.assert_allclose(found.per_class, [0.15, 0.55], atol=0.07)
    given = estimate_frozen(rows, 0.7, True)
    assert given.total == pytest.approx(0.7)
    np.testing.assert_allclose(given.per_class, [0.15, 0.55], atol=0.05)
    np.testing.assert_allclose(estimate_frozen(rows, 0.7, False).per_class, 0.35)


def test_held_out_rows_are_answered_as_fresh_ones_are():
    rows, places, table, pool = drawn([0.3, 0.3, 0.4])
    estimate = GivenProportion(0.6).estimate(rows.sample)
    model = fit_frozen_model(rows, places, estimate)
    held_out, fresh = model.held_out_probabilities(), model.decide(table)
    np.testing.assert_allclose(held_out.sum(axis=1), 1.0)
    assert np.mean(held_out.argmax(axis=1) == fresh.argmax(axis=1)) > 0.98
    assert model.answer_shares[-1] == pytest.approx(0.4, abs=0.02)
    error = np.mean(held_out[600:].argmax(axis=1) != pool)
    assert model.risk.value == pytest.approx(error, abs=0.05)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_shares_at_their_ends_give_finite_answers(share):
    rows, places, table, _ = drawn([0.3, 0.3, 0.4], n=100)
    model = fit_frozen_model(rows, places, GivenProportion(share).estimate(rows.sample))
    assert np.isfinite(model.decide(table)).all()
    assert model.answer_shares[-1] == 1.0 - share


def test_without_a_pool_everything_is_known():
    rows, places, table, _ = drawn([0.5, 0.5, 0.0], n=100)
    model = fit_frozen_model(rows, places, closed_estimate(rows), closed_set=True)
    assert model.decide(table).shape == (200, 2)
    assert model.estimate.total == 1.0
