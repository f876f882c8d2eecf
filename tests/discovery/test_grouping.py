import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from discovery.conftest import clouds
from eulac.discovery import grouping
from eulac.discovery.grouping import group_rows, recovery
from eulac.discovery.spaces import KnownRows
from eulac.discovery.ways import WAYS

CENTERS = [[0, 0], [5, 0], [0, 5], [6, 7]]


@pytest.fixture(scope="module")
def found(known):
    X, truth = clouds(CENTERS, [30, 50, 40, 35])
    return group_rows(known, X), truth


def test_clear_clouds_are_found_largest_first(found):
    groups, truth = found
    assert groups.n_groups == 4
    assert adjusted_rand_score(truth, groups.assignment) == 1.0
    assert np.bincount(groups.assignment).tolist() == [50, 40, 35, 30]
    assert np.all(groups.steadiness > 0.95)
    assert groups.interval[0] <= 4 <= groups.interval[1]
    assert max(groups.worth, key=groups.worth.get) == 4


def test_one_step_coarser_merges_two_groups_and_one_step_finer_splits_one(found):
    groups, _ = found
    coarser, finer = groups.tree.cut(3), groups.tree.cut(5)
    for step, n_groups in ((coarser, 3), (finer, 5)):
        assert len(np.unique(step)) == n_groups
    pairs = np.unique(np.column_stack([groups.assignment, coarser]), axis=0)
    assert len(pairs) == 4
    pairs = np.unique(np.column_stack([groups.assignment, finer]), axis=0)
    assert len(pairs) == 5
    np.testing.assert_array_equal(groups.tree.cut(4), groups.assignment)


def test_the_closest_groups_merge_first(known):
    X, truth = clouds([[0, 0], [2.2, 0], [30, 0]], [50, 50, 50])
    groups = group_rows(known, X, n_groups=3, ways=WAYS[:1])
    assert adjusted_rand_score(truth == 2, groups.tree.cut(2)) == 1.0


def test_one_cloud_is_one_group():
    codes = np.repeat([0, 1, 2], 60)
    rng = np.random.default_rng(0)
    known = KnownRows(rng.normal(6.0 * codes[:, None] * np.eye(6)[0]), codes)
    groups = group_rows(known, rng.normal([0, 9, 0, 0, 0, 0], 1.0, (150, 6)), ways=WAYS[:1])
    assert groups.n_groups == 1
    assert np.all(groups.steadiness == 1)


def test_a_given_number_is_taken(known):
    X, _ = clouds([[0, 0], [5, 0]], [40, 40])
    groups = group_rows(known, X, n_groups=5, ways=WAYS[:1])
    assert (groups.n_groups, groups.interval) == (5, (5, 5))
    with pytest.raises(ValueError, match="`n_groups` must be a whole number of at least 1; got 0"):
        group_rows(known, X, n_groups=0)


@pytest.mark.parametrize("n_rows", [0, 1, 3, 9])
def test_a_handful_of_rows_is_one_group(n_rows, known):
    groups = group_rows(known, np.random.default_rng(0).normal(size=(n_rows, 2)))
    assert groups.n_groups == min(n_rows, 1)
    assert groups.assignment.shape == groups.typicality.shape == (n_rows,)


def test_copies_of_one_row_are_one_group(known):
    assert group_rows(known, np.ones((50, 2))).n_groups == 1


def test_without_known_rows_the_first_way_is_taken():
    X, truth = clouds(CENTERS, [30, 50, 40, 35])
    nobody = KnownRows(np.empty((0, 2)), np.empty(0, dtype=np.intp))
    groups = group_rows(nobody, X)
    assert (groups.way, groups.tuning) == (WAYS[0], None)
    assert adjusted_rand_score(truth, groups.assignment) == 1.0


@pytest.mark.slow
def test_more_than_ten_groups_are_found():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(6), 20)
    known = KnownRows(rng.normal(codes[:, None] * [8.0, 0.0], 0.5), codes)
    centers = [[8 * i, 8 * j] for i in range(6) for j in (1, 2, 3)]
    X, truth = clouds(centers, [20] * 18)
    groups = group_rows(known, X, ways=WAYS[:1])
    assert groups.n_groups == 18
    assert adjusted_rand_score(truth, groups.assignment) == 1.0


def test_rows_beyond_the_most_join_their_neighbors(known, monkeypatch):
    monkeypatch.setattr(grouping, "MOST_ROWS", 80)
    X, truth = clouds(CENTERS, [30, 50, 40, 35])
    groups = group_rows(known, X, ways=WAYS[:1])
    assert adjusted_rand_score(truth, groups.assignment) == 1.0
    assert groups.votes.shape == (155, 4)
    assert np.all(groups.votes.argmax(axis=1) == groups.assignment)


def test_recovery_is_the_best_overlap_in_resamples():
    assignment = np.array([0, 0, 0, 1])
    rows = np.arange(4)
    assert recovery(assignment, 0, [(rows, np.array([0, 0, 1, 1]))]) == pytest.approx(2 / 3)
    assert recovery(assignment, 0, []) == 1.0


@pytest.mark.parametrize("n_known", [1, 2])
def test_one_or_two_known_classes_are_enough(n_known):
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(n_known), 60)
    known = KnownRows(rng.normal(9.0 * codes[:, None] * np.eye(4)[0], 1.0), codes)
    centers = 9.0 * np.array([[0, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]])
    X, truth = clouds(centers, [60, 50, 40], seed=1, spread=1.0)
    groups = group_rows(known, X)
    assert groups.n_groups == 3
    assert adjusted_rand_score(truth, groups.assignment) == 1.0


def test_fewer_than_thirty_rows_are_grouped_where_groups_are_clear(known):
    X, truth = clouds([[0, 0], [9, 0]], [14, 12])
    groups = group_rows(known, X)
    assert groups.n_groups == 2
    assert adjusted_rand_score(truth, groups.assignment) == 1.0


def test_a_small_group_beside_a_large_one_is_found():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [150, 20, 60])
    known = KnownRows(rng.normal(codes[:, None] * [9.0, 0.0], 0.5), codes)
    X, truth = clouds([[0, 9], [9, 9]], [180, 20])
    groups = group_rows(known, X)
    assert groups.n_groups == 2
    assert adjusted_rand_score(truth, groups.assignment) == 1.0
