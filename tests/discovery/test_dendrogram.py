import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from discovery.conftest import clouds
from eulac.discovery.dendrogram import Dendrogram, dendrogram_of
from eulac.discovery.neighbor_graph import shared_neighbors

CENTERS, SIZES = [[0, 0], [2.2, 0], [30, 0], [34, 0]], [40, 30, 40, 35]


@pytest.fixture(scope="module")
def tree():
    """Two groups, each of two clouds."""
    X, truth = clouds(CENTERS, SIZES)
    return dendrogram_of(shared_neighbors(X, 8), X, truth // 2, 4), truth


def test_the_grouping_itself_is_a_cut(tree):
    np.testing.assert_array_equal(tree[0].cut(2), tree[1] // 2)


def test_finer_groups_lie_within_coarser_ones(tree):
    for number in range(1, 4):
        pairs = np.column_stack([tree[0].cut(number + 1), tree[0].cut(number)])
        assert len(np.unique(pairs, axis=0)) == number + 1


def test_what_looks_like_two_parts_first(tree):
    found, truth = tree
    assert found.n_most == 4
    assert adjusted_rand_score(truth, found.cut(4)) > 0.95
    apart = truth[found.pieces == 2]
    assert len(np.unique(apart)) == 1
    assert apart[0] >= 2  # the clouds that are farther from one another


def test_numbers_that_cannot_be_give_the_nearest_that_can(tree):
    np.testing.assert_array_equal(tree[0].cut(9), tree[0].cut(4))
    assert np.all(tree[0].cut(0) == 0)


def test_groups_too_small_to_part_stay():
    X, truth = clouds([[0, 0], [9, 0]], [6, 6])
    assert dendrogram_of(shared_neighbors(X, 3), X, truth, 5).n_most == 2


def test_rows_in_no_group_stay_in_none():
    tree = Dendrogram(np.array([0, -1, 1]), ((0, 1),)).placed(5, np.array([0, 2, 4]))
    assert tree.cut(2).tolist() == [0, -1, -1, -1, 1]
    assert tree.cut(1).tolist() == [0, -1, -1, -1, 0]
    assert tree.pieces_in(1) == [[0, 1]]
