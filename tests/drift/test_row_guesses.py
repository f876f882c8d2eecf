"""What single rows are taken for where known classes have moved."""

import numpy as np
import pytest

from eulac.drift.row_guesses import disagreement, guessed_priors, newest_last, row_guesses

OF_CLASSES = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])


SCORES = np.array([0.0, 3.0, 1.0, 2.0])


def test_two_scores_count_alike_and_the_first_decides_between_equals():
    assert newest_last(SCORES).tolist() == [0, 2, 3, 1]
    assert newest_last(SCORES, np.array([9.0, 0.0, 7.0, 8.0])).tolist()[:2] == [2, 0]


@pytest.mark.parametrize(("share", "n_new"), [(1.0, 0), (0.75, 1), (0.0, 4)])
def test_as_many_rows_are_new_as_the_share_says_and_the_newest(share, n_new):
    found = row_guesses(newest_last(SCORES), OF_CLASSES, share)
    assert (found == 2).sum() == n_new
    assert n_new == 0 or found[1] == 2
    known = found != 2
    assert (found[known] == OF_CLASSES.argmax(axis=1)[known]).all()


def test_views_that_say_the_same_never_disagree():
    same, other = SCORES, np.array([3.0, 0.0, 2.0, 1.0])
    assert disagreement((same, same), (OF_CLASSES, OF_CLASSES), 0.5) == 0.0
    assert disagreement((same, other), (OF_CLASSES, OF_CLASSES), 0.5) == 1.0
    assert disagreement((same, other), (OF_CLASSES, OF_CLASSES), 1.0) == 0.0


def test_guessed_priors_are_shares_drawn_to_those_of_the_labels():
    labeled = np.array([0.5, 0.5])
    found = guessed_priors(np.array([0] * 90 + [1] * 10 + [2] * 50), labeled)
    assert found.sum() == pytest.approx(1.0)
    assert 0.8 < found[0] < 0.9
    assert guessed_priors(np.array([2, 2]), labeled) == pytest.approx(labeled)
