"""The proportion from sums alone: density ratios of held-out rows."""

import numpy as np
import pytest

from eulac.landmark.landmark_model import KeptRows
from eulac.landmark.moment_proportion import held_out_ratios, moment_proportion
from landmark.easy_survey import N_FOLDS, easy_moments


def estimated(cycle, **options):
    split, survey, plan, moments = easy_moments(
        n_labeled=300, n_unlabeled=600, n_kept=3000, cycle=cycle
    )
    kept = KeptRows.of(survey, plan)
    return moment_proportion(moments, kept, split.sample.codec, random_state=0, **options)


@pytest.mark.parametrize(
    ("cycle", "known"), [((0, 1, 2, 3, 3), 0.6), ((0, 1, 2), 1.0), ((0, 1, 2, 3, 3, 3), 0.5)]
)
def test_the_known_share_is_found(cycle, known):
    estimate = estimated(cycle)
    assert estimate.total == pytest.approx(known, abs=0.06)
    assert estimate.interval[0] - 0.02 <= known <= estimate.interval[1] + 0.02
    assert estimate.method == "density_ratio"
    assert (estimate.n_labeled, estimate.n_unlabeled) == (300, 600)


def test_moved_priors_are_used_where_they_may_be():
    moved = (0, 0, 0, 0, 1, 2, 3, 3)
    found = estimated(moved, shift=True)
    np.testing.assert_allclose(found.per_class, [0.5, 0.125, 0.125], atol=0.06)
    assert not found.diagnostics["labeled_priors"]
    kept = estimated(moved, shift=False)
    np.testing.assert_allclose(kept.per_class, kept.total / 3, atol=1e-9)
    assert kept.diagnostics["labeled_priors"]


def test_there_is_one_ratio_a_class_and_fold_trained_without_that_fold():
    _, _, _, moments = easy_moments()
    ratios = held_out_ratios(moments, ridges=[1e-2])
    assert len(ratios) == N_FOLDS
    for index, found in enumerate(ratios):
        np.testing.assert_allclose(found, moments.without(index).density_ratios(1e-2))


def test_the_ridge_is_chosen_by_held_out_error():
    _, _, _, moments = easy_moments(n_labeled=600, n_unlabeled=1200)
    useless = 1e9
    chosen = held_out_ratios(moments, ridges=[useless, 1e-3])
    for one, two in zip(chosen, held_out_ratios(moments, ridges=[1e-3]), strict=True):
        np.testing.assert_array_equal(one, two)


def test_ratios_are_high_where_a_class_is_and_low_where_rows_are_new():
    split, _, plan, moments = easy_moments()
    coefficients = held_out_ratios(moments)[0]
    ratios = plan.encoder(split.X_test) @ coefficients
    is_first, is_new = split.y_test == 0, split.y_test == -2
    assert np.median(ratios[is_first, 0]) > 5 * abs(np.median(ratios[is_new, 0]))
