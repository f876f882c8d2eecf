import numpy as np
import pytest

from eulac.discovery.class_number import POWERS, RESOLUTIONS, USUAL_RESOLUTION, Worth
from eulac.discovery.number_votes import NumberVotes, votes_of


def curve(n_clear, n_numbers=10, cost=0.3, waste=0.02):
    """Cuts between equal groups cost little up to so many groups, and much beyond."""
    numbers = np.arange(1, n_numbers + 1)
    kept = (
        1 - waste * np.minimum(numbers - 1, n_clear - 1) - cost * np.maximum(numbers - n_clear, 0)
    )
    return Worth(np.maximum(kept, 0.0), 1 / numbers)


def one_price(power, resolution):
    weights = np.zeros((2 * len(POWERS), len(RESOLUTIONS)))
    weights[POWERS.index(power), resolution] = 1.0
    return NumberVotes(weights)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("resolution", [10, 30, 45])
def test_a_single_price_gives_the_number_it_finds(power, resolution):
    worth = curve(4, cost=0.05)
    found = worth.best(float(RESOLUTIONS[resolution]), power=power)
    votes = one_price(power, resolution)
    assert votes.number(worth) == found
    assert votes.interval(worth) == (max(1, found - 1), found + 1)
    assert votes.values(worth).argmax() + 1 == found


@pytest.mark.parametrize("n_classes", [1, 2, 4, 7])
def test_clear_groups_are_counted_by_the_usual_prices(n_classes):
    votes = votes_of([], [])
    assert votes.resolution == USUAL_RESOLUTION
    assert votes.number(curve(n_classes, waste=0.01)) == n_classes


def test_prices_that_miscount_hidden_classes_lose_their_weight():
    # Each hidden class is two clouds that touch: what cuts them apart counts twice too many.
    halves = [curve(2 * n, n_numbers=2 * n + 6, waste=0.04) for n in (2, 3, 4)]
    as_two, as_one = votes_of(halves, [4, 6, 8]), votes_of(halves, [2, 3, 4])
    assert as_one.resolution < as_two.resolution
    assert as_two.number(curve(6, waste=0.04)) == 6
    assert as_one.number(curve(6, waste=0.04)) < 6
    for votes in (as_one, as_two):
        np.testing.assert_allclose(votes.weights.sum(axis=1), 1.0)


def test_a_lucky_price_does_not_outvote_the_others():
    votes = votes_of([], [])
    odd = votes.weights.copy()
    odd[0, -1] = 1.2 * odd.max()  # the finest resolution, a little better than any other
    worth = curve(4, cost=0.05)
    assert worth.best(float(RESOLUTIONS[-1]), power=POWERS[0]) == 10
    assert NumberVotes(odd).number(worth) == votes.number(worth) == 4


def test_where_votes_differ_the_interval_is_wide():
    clear, open_ = curve(4, waste=0.001, cost=0.5), curve(2, waste=0.02, cost=0.06)
    votes = votes_of([], [])
    widths = [np.diff(votes.interval(worth))[0] for worth in (clear, open_)]
    assert widths[0] == 2
    assert widths[1] > 2


def test_a_tolerance_finds_no_fewer_and_its_number_lies_in_the_interval():
    votes, worth = votes_of([], []), curve(3, cost=0.06)
    assert votes.number(worth) < votes.number(worth, 0.1)
    low, high = votes.interval(worth, 0.1)
    assert low <= votes.number(worth) < votes.number(worth, 0.1) <= high


def test_where_known_classes_are_even_an_uneven_grouping_loses_votes():
    # Three groups leave one twice as large as the others; a fourth parts it, at some cost.
    kept, concentration = np.array([1.0, 0.9, 0.95, 0.86]), np.array([1.0, 0.5, 0.375, 0.25])
    lost = np.array([0.0, 0.0, 0.06, 0.0])
    votes = votes_of([], [])
    assert votes.number(Worth(kept, concentration)) == 3
    assert votes.interval(Worth(kept, concentration, lost))[1] >= 4
    sized = votes.weights.copy()
    sized[: len(POWERS)] = 0.0
    assert NumberVotes(sized).number(Worth(kept, concentration, lost)) == 4
