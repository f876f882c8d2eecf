import numpy as np
import pytest

from eulac.report.by_class import quality_by_class, wilson_interval
from eulac.report.held_out_answers import HeldOutAnswers
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import label_free_macro_f1


def made_up(seed, n_known=3, n_labeled=300, n_unlabeled=400):
    """Answers drawn by one rule for both samples: 90 % of new and 10 % of known rows look new."""
    rng = np.random.default_rng(seed)
    y, truth = rng.integers(0, n_known, n_labeled), rng.integers(0, n_known + 1, n_unlabeled)

    def drawn(classes):
        right = (rng.random(len(classes)) < 0.85) & (classes < n_known)
        known = np.where(right, classes, rng.integers(0, n_known, len(classes)))
        new = rng.random(len(classes)) < np.where(classes == n_known, 0.9, 0.1)
        return known, np.where(new, 1.0, -1.0)

    (known, score), (guess, unlabeled) = drawn(y), drawn(truth)
    return HeldOutAnswers(
        np.zeros((n_labeled, 1)),
        y,
        np.where(score > 0, n_known, known),
        known,
        score,
        np.zeros((n_unlabeled, 1)),
        np.where(unlabeled > 0, n_known, guess),
        unlabeled,
        np.full(n_known, 1 / (n_known + 1)),
    )


@pytest.mark.parametrize("seed", range(5))
def test_mean_f1_is_the_label_free_macro_f1(seed):
    held_out = made_up(seed)
    answers, unlabeled = held_out.labeled_answer, held_out.unlabeled_answer
    expected = label_free_macro_f1(
        answers, held_out.y, labeled_weights(held_out.y, held_out.per_class), unlabeled, augmented=3
    )
    quality = quality_by_class(held_out, ["a", "b", "c", "new"])
    assert np.mean([one.f1 for one in quality]) == pytest.approx(expected, abs=1e-12)


def test_found_and_called_new_are_shares_of_the_labeled_rows_of_the_class():
    held_out = made_up(0)
    answers = held_out.labeled_answer
    for k, one in enumerate(quality_by_class(held_out, [*"abc", "new"])[:3]):
        of_class = answers[held_out.y == k]
        assert one.found == np.mean(of_class == k)
        assert one.called_new == np.mean(of_class == 3)
        assert one.found_interval[0] <= one.found <= one.found_interval[1]


def test_found_and_right_new_rows_are_near_the_truth_on_average():
    quality = [quality_by_class(made_up(seed), [*"abc", "new"])[-1] for seed in range(60)]
    assert np.mean([one.found for one in quality]) == pytest.approx(0.9, abs=0.03)
    # A quarter is new: 0.225 of all rows are found, and 0.075 are wrongly called new.
    assert np.mean([one.right for one in quality]) == pytest.approx(0.75, abs=0.03)


def test_the_interval_of_what_is_found_covers_the_truth():
    intervals = [quality_by_class(made_up(seed), [*"abc", "new"])[-1] for seed in range(60)]
    covered = [low <= 0.9 <= high for low, high in (one.found_interval for one in intervals)]
    assert np.mean(covered) > 0.85


def test_nothing_new_has_no_share_to_be_found():
    held_out = made_up(0)
    whole = HeldOutAnswers(**{**vars(held_out), "per_class": np.full(3, 1 / 3)})
    assert np.isnan(quality_by_class(whole, [*"abc", "new"])[-1].found)


def test_interval_of_no_rows_says_nothing():
    assert wilson_interval(0.5, 0) == (0.0, 1.0)
    low, high = wilson_interval(0.5, 100)
    assert low < 0.5 < high
    assert high - low == pytest.approx(0.192, abs=0.01)
