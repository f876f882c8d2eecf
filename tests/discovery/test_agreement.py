from itertools import permutations

import numpy as np

from eulac.discovery.agreement import matched_accuracy, overlaps


def test_the_best_matching_is_found():
    rng = np.random.default_rng(0)
    for _ in range(10):
        groups, truth = rng.integers(0, 4, 60), rng.integers(0, 4, 60)
        naive = max(np.mean(np.array(names)[groups] == truth) for names in permutations(range(4)))
        assert matched_accuracy(groups, truth) == naive


def test_a_class_in_two_groups_counts_once():
    assert matched_accuracy([0, 0, 1, 1], [5, 5, 5, 5]) == 0.5


def test_rows_in_no_group_count_in_no_overlap():
    assert overlaps([0, -1, 1], ["a", "a", "b"]).tolist() == [[1, 0], [0, 1]]
