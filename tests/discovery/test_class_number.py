import numpy as np
import pytest

from discovery.conftest import clouds
from eulac.discovery.class_number import POWERS, RESOLUTIONS, SLACK, Worth, price, worth_of
from eulac.discovery.link_groups import MOST_LOSS
from eulac.discovery.neighbor_graph import shared_neighbors


def test_worth_is_links_kept_and_squared_shares_of_groups():
    rng = np.random.default_rng(0)
    links = rng.random((12, 12))
    links += links.T
    groups = rng.integers(0, 3, 12)
    worth = worth_of(links, [groups])
    same = groups[:, None] == groups
    assert worth.kept[0] == pytest.approx(links[same].sum() / links.sum())
    shares = [links[groups == g].sum() / links.sum() for g in range(3)]
    assert worth.concentration[0] == pytest.approx(np.sum(np.square(shares)))


def test_a_higher_resolution_never_finds_fewer_groups():
    X, truth = clouds([[0, 0], [1.5, 0], [6, 0]], [40, 40, 40])
    groupings = [np.zeros(120, int), (truth == 2).astype(int), truth]
    bests = worth_of(shared_neighbors(X), groupings).bests()
    assert len(bests) == len(RESOLUTIONS)
    assert np.all(np.diff(bests) >= 0)
    assert bests[0] == 2
    assert bests[-1] == 3


def test_of_numbers_that_are_nearly_as_good_the_largest_is_taken():
    worth = Worth(np.array([1.0, 0.99, 0.96, 0.5]), np.array([1.0, 0.5, 0.33, 0.25]))
    assert worth.best(0.2) == 2
    assert worth.best(0.2, tolerance=0.02) == 3


def test_equal_groups_that_are_not_linked_are_all_found():
    worth = Worth(np.ones(9), 1 / np.arange(1, 10))
    assert worth.best(0.01) == 9


@pytest.mark.parametrize("power", POWERS)
def test_all_prices_agree_at_five_groups_in_value_and_slope(power):
    around = np.array([0.2, 0.2 + 1e-6])
    value, above = price(around, power)
    assert value == pytest.approx(np.sqrt(0.2))
    assert (above - value) / 1e-6 == pytest.approx(0.5 / np.sqrt(0.2), rel=1e-4)


def test_the_best_under_all_resolutions_are_those_under_each():
    rng = np.random.default_rng(0)
    worth = Worth(np.sort(rng.random(9))[::-1], 1 / np.arange(1, 10))
    for power in POWERS:
        each = [worth.best(float(resolution), 0.03, power) for resolution in RESOLUTIONS]
        np.testing.assert_array_equal(worth.bests(power, 0.03), each)


def test_groups_lose_by_being_more_uneven_than_known_classes_and_not_without_limit():
    links = np.ones((100, 100))
    even, uneven, extreme = (np.repeat([0, 1], sizes) for sizes in ([50, 50], [68, 32], [95, 5]))
    worth = worth_of(links, [even, uneven, extreme], 0.0)
    np.testing.assert_allclose(worth.lost, [0.0, 0.36**2 - SLACK, MOST_LOSS])
    np.testing.assert_allclose(worth.evened.kept, worth.kept - worth.lost)
    assert np.all(worth_of(links, [extreme]).lost == 0)


def test_one_group_does_not_gain_by_being_even():
    links = np.ones((100, 100))
    worth = worth_of(links, [np.zeros(100, int), np.repeat([0, 1], [95, 5])], 0.0)
    assert worth.lost.tolist() == [MOST_LOSS, MOST_LOSS]
