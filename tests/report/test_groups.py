import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

from eulac.report.groups import METHODS, find_groups, grouping_space, stability


def clouds(centers, sizes, seed=0, spread=0.4):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(np.asarray(centers, dtype=float)[truth], spread), truth


@pytest.mark.parametrize("method", METHODS)
def test_clear_clouds_are_found_largest_first(method):
    X, truth = clouds([[0, 0], [5, 0], [0, 5], [6, 7]], [30, 50, 40, 35])
    groups = find_groups(X, method=method)
    assert groups.n_groups == 4
    grouped = groups.assignment >= 0
    assert adjusted_rand_score(truth[grouped], groups.assignment[grouped]) == 1.0
    sizes = np.bincount(groups.assignment[grouped])
    assert np.all(np.diff(sizes) <= 0)
    assert np.all(groups.steadiness > 0.9)


def test_one_cloud_is_one_group():
    X, _ = clouds([[0] * 6], [150])
    assert find_groups(X).n_groups == 1


def test_a_given_number_is_taken():
    X, _ = clouds([[0, 0], [5, 0]], [40, 40])
    groups = find_groups(X, n_groups=5)
    assert groups.n_groups == 5
    assert list(groups.candidates) == [5]


@pytest.mark.parametrize("n_rows", [0, 1, 3, 9])
def test_a_handful_of_rows_is_one_group(n_rows):
    groups = find_groups(np.random.default_rng(0).normal(size=(n_rows, 2)))
    assert groups.n_groups == (1 if n_rows else 0)
    assert groups.assignment.shape == (n_rows,)


def test_copies_of_one_row_are_one_group():
    assert find_groups(np.ones((50, 3))).n_groups == 1


def test_members_come_typical_first():
    X, _ = clouds([[0, 0], [9, 9]], [40, 30])
    groups = find_groups(X)
    for group in range(2):
        members = groups.members(group)
        distance = np.linalg.norm(
            grouping_space(X)[members] - grouping_space(X)[members].mean(axis=0), axis=1
        )
        assert np.all(np.diff(distance) >= 0)


def test_hdbscan_leaves_stray_rows_alone():
    X, _ = clouds([[0, 0], [9, 0]], [60, 60])
    X = np.vstack([X, [[100, 100]]])
    assert find_groups(X, method="hdbscan", scaler=MinMaxScaler().fit(X[:-1])).assignment[-1] == -1


def test_the_same_seed_gives_the_same_groups():
    X, _ = clouds([[0, 0], [2, 0], [1, 2]], [30, 30, 30], spread=0.6)
    one, two = find_groups(X, random_state=3), find_groups(X, random_state=3)
    np.testing.assert_array_equal(one.assignment, two.assignment)
    assert one.candidates == two.candidates


def test_many_columns_are_cut_to_main_directions():
    assert grouping_space(np.random.default_rng(0).normal(size=(50, 60))).shape == (50, 20)


def test_agreement_of_a_clusterer_that_never_changes_is_one():
    X, truth = clouds([[0, 0], [5, 0]], [20, 20])
    found = stability(X, lambda part: (part[:, 0] > 2.5).astype(int), [np.arange(0, 40, 2)])
    assert found.agreement == 1.0
    np.testing.assert_array_equal(found.assignment, truth)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "dbscan"}, "must be one of 'kmeans', 'hdbscan'; got 'dbscan'"),
        ({"n_groups": 0}, "`n_groups` must be a whole number of at least 1; got 0"),
        ({"n_groups": "many"}, "`n_groups` must be a whole number of at least 1; got 'many'"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        find_groups(np.random.default_rng(0).normal(size=(30, 2)), **options)
