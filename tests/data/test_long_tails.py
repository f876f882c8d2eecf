"""Columns with long tails are scaled by rank."""

import numpy as np
import pytest

from eulac.data.encoded_rows import encoded_rows
from eulac.data.long_tails import EvenScaler, LongTails, _quantile


def rows(n=300, seed=0):
    """A column of amounts, mostly small ones, and a plain one."""
    rng = np.random.default_rng(seed)
    return np.column_stack([np.exp(3.0 * rng.normal(size=n)), rng.uniform(size=n)])


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0, 1, 200),
        np.repeat([0.0, 1.0], 100),
        np.append(np.zeros(195), np.arange(5)),
        np.append(np.zeros(180), np.ones(20)),
    ],
    ids=["even", "two values", "rare values", "rare ones"],
)
def test_columns_without_a_tail_keep_their_values(values):
    assert not len(LongTails.of(values[:, None]).columns)


def test_rare_values_of_a_column_of_zeros_are_no_tail_but_a_wild_one_is():
    rng = np.random.default_rng(0)
    pixel = np.append(np.zeros(270), rng.uniform(50, 250, 30))
    assert not len(LongTails.of(pixel[:, None]).columns)
    assert len(LongTails.of(np.append(pixel, 1e9)[:, None]).columns)


def test_a_group_of_rows_far_away_keeps_its_distance():
    rng = np.random.default_rng(0)
    far = np.append(rng.normal(size=576), rng.normal(30, 1, 24))[:, None]
    assert not len(LongTails.of(far).columns)
    scaled = np.sort(EvenScaler().fit_transform(far).ravel())
    assert np.diff(scaled).max() > 0.5
    few = np.append(rng.normal(size=597), [1e4, 2e4, 3e4])[:, None]
    assert len(LongTails.of(few).columns)


def test_a_wild_value_leaves_the_other_rows_apart():
    X = rows()
    X[0, 1] = 1e12
    spread = [part.std(axis=0)[1] for part in (encoded_rows(X), encoded_rows(rows()))]
    assert spread[0] == pytest.approx(spread[1], rel=0.1)


def test_rows_the_fit_has_not_seen_are_ranked_among_those_it_has():
    scaler = EvenScaler().fit(rows())
    fresh = scaler.transform(rows(seed=1))
    assert np.abs(np.quantile(fresh[:, 0], [0.25, 0.5, 0.75]) - [0.25, 0.5, 0.75]).max() < 0.1
    beyond = scaler.transform(np.array([[1e9, 0.5], [-1e9, 0.5]]))[:, 0]
    assert beyond == pytest.approx([1.0, 0.0], abs=0.01)


def test_any_increasing_change_of_a_column_with_long_tails_changes_nothing():
    X = rows()
    logs = X.copy()
    logs[:, 0] = X[:, 0] ** 3
    np.testing.assert_allclose(EvenScaler().fit_transform(X), EvenScaler().fit_transform(logs))


@pytest.mark.parametrize("n_values", [1, 2, 3, 10, 101, 256])
def test_quantiles_of_values_in_order_are_those_of_numpy(n_values):
    values = np.random.default_rng(n_values).standard_t(2, n_values)
    for share in (0.05, 0.5, 0.95):
        found = _quantile(np.sort(values), share)
        assert found == pytest.approx(np.quantile(values, share), rel=1e-12)
