import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from discovery.conftest import clouds
from eulac.discovery.link_groups import evened, k_means, link_groups
from eulac.discovery.neighbor_graph import shared_neighbors, spectrum_of
from eulac.discovery.spaces import uneven


def grouped(X, n_groups, unevenness):
    links = shared_neighbors(X)
    return link_groups(links, spectrum_of(links, 2 * n_groups + 4), n_groups, unevenness, 0)


@pytest.mark.parametrize("unevenness", [0.0, np.inf])
def test_clear_groups_are_found_however_uneven(unevenness):
    X, truth = clouds([[0, 0], [6, 0], [0, 6]], [200, 25, 20])
    assert adjusted_rand_score(truth, grouped(X, 3, unevenness)) == 1.0


def test_where_links_do_not_tell_groups_are_as_even_as_known_classes():
    X, _ = clouds([[0, 0]], [300], spread=1.0)
    free, even = (uneven(np.bincount(grouped(X, 4, level))) for level in (np.inf, 0.01))
    assert even < 0.05
    assert even <= free


def test_evened_groups_are_even_and_what_is_even_stays():
    X = np.sort(np.random.default_rng(0).uniform(size=(100, 1)), axis=0)
    groups = (np.arange(100) >= 85).astype(np.intp)
    made = evened(X, groups, 0.02)
    assert uneven(np.bincount(made)) <= 0.02
    assert np.all(np.diff(made) >= 0)
    np.testing.assert_array_equal(evened(X, groups, 1.0), groups)


def test_k_means_makes_no_more_groups_than_there_are_distinct_rows():
    assert len(np.unique(k_means(np.repeat([[0.0], [1.0]], 5, axis=0), 4, 0))) == 2


def spread_within(X, groups):
    return sum(
        ((X[groups == g] - X[groups == g].mean(axis=0)) ** 2).sum() for g in np.unique(groups)
    )


@pytest.mark.parametrize("n_groups", [2, 5, 9])
def test_k_means_spreads_groups_about_as_little_as_scikit_learn_does(n_groups):
    X = np.random.default_rng(n_groups).normal(size=(200, 4))
    ours = spread_within(X, k_means(X, n_groups, 0))
    theirs = KMeans(n_groups, n_init=10, random_state=0).fit(X).inertia_
    assert ours <= 1.05 * theirs


def test_k_means_stops_where_no_row_is_nearer_to_another_middle():
    X, _ = clouds([[0, 0], [2, 0], [0, 2]], [40, 40, 40], spread=1.0)
    groups = k_means(X, 3, 0)
    middles = np.stack([X[groups == g].mean(axis=0) for g in range(3)])
    distance = ((X[:, None] - middles) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distance.argmin(axis=1), groups)
