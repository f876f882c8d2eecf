"""From moments and kept rows to a model: the same whoever added them up, and judged held out."""

import numpy as np
import pytest

from eulac.landmark import landmark_model
from eulac.landmark.landmark_model import (
    KeptRows,
    assess_sample,
    fit_landmark_model,
    held_out_scores,
)
from eulac.proportion.given import GivenProportion
from eulac.solvers.moment_folds import held_out_solutions
from landmark.easy_survey import BANDWIDTH, N_FOLDS, easy_moments, easy_rows

PENALTIES = [1e-6, 1e-3, 1e3]


@pytest.fixture(scope="module")
def easy():
    split, survey, plan, moments = easy_moments()
    estimate = GivenProportion(0.6).estimate(split.sample)
    return split, KeptRows.of(survey, plan), plan, moments, estimate


def fitted(easy, **options):
    _, kept, plan, moments, estimate = easy
    options = {"penalties": PENALTIES, "bandwidth": BANDWIDTH, **options}
    return fit_landmark_model(moments, kept, estimate, plan, **options)


@pytest.mark.parametrize(
    ("selection", "column"), [("zero_one", "zero_one_risk"), ("surrogate", "surrogate_risk")]
)
def test_the_model_with_the_smallest_risk_tells_classes_apart(easy, selection, column):
    split = easy[0]
    model = fitted(easy, selection=selection)
    answers = split.sample.codec.decode(model.decide(split.X_test).argmax(axis=1))
    assert np.mean(answers == split.y_test) > 0.95
    assert model.penalty == PENALTIES[model.cv_results[column].argmin()]
    np.testing.assert_array_equal(model.cv_results["penalty"], PENALTIES)


def test_the_rule_matches_the_augmented_share_of_the_kept_rows(easy):
    assert fitted(easy).answer_shares[-1] == pytest.approx(0.4, abs=0.02)
    assert fitted(easy, matched=False).rule.shift == 0.0


def test_moments_of_parts_add_up_to_those_of_all_rows(easy):
    _, _, plan, moments, estimate = easy
    _, X, codes = easy_rows()
    parts = [plan.moments(X[rows], codes[rows]) for rows in (slice(0, 50), slice(50, None))]
    whole = (parts[0] + parts[1]).total.solve(estimate.per_class, 1e-3)
    np.testing.assert_allclose(whole, moments.total.solve(estimate.per_class, 1e-3), atol=1e-9)


def test_scores_do_not_depend_on_blocks(easy, monkeypatch):
    split, model = easy[0], fitted(easy)
    whole = model.scores(split.X_test)
    monkeypatch.setattr(landmark_model, "BLOCK_ROWS", 7)
    np.testing.assert_allclose(model.scores(split.X_test), whole)


def test_a_row_of_the_fit_is_scored_without_its_fold(easy):
    split, _, plan, moments, estimate = easy
    X = split.sample.X_unlabeled[:20]
    found = held_out_scores(X, moments, estimate.per_class, 1e-3, plan)
    fold = landmark_model.fold_of_rows(landmark_model.hash_rows(X, plan.seed), N_FOLDS)
    for row in range(3):
        alone = moments.without(fold[row]).solve(estimate.per_class, 1e-3)
        np.testing.assert_allclose(found[row], (plan.encoder(X[[row]]) @ alone)[0], atol=1e-7)


def test_kept_rows_are_held_out_by_the_same_folds_as_their_sums(easy):
    split, kept, plan, moments, estimate = easy
    [solution] = held_out_solutions(moments, estimate.per_class, [1e-3])
    labeled, unlabeled = kept.scores(solution)
    assert (labeled.shape, unlabeled.shape) == ((60, 4), (120, 4))
    every = split.sample.X_unlabeled
    expected = held_out_scores(every, moments, estimate.per_class, 1e-3, plan)
    # Kept rows come in the order of their hashes.
    np.testing.assert_allclose(np.sort(unlabeled, axis=0), np.sort(expected, axis=0))


def test_without_unlabeled_rows_labeled_ones_stand_in_and_nothing_is_new():
    split, survey, plan, moments = easy_moments(closed_set=True, n_unlabeled=120)
    kept = KeptRows.of(survey, plan)
    np.testing.assert_array_equal(kept.labeled, kept.unlabeled)
    np.testing.assert_array_equal(kept.labeled_fold, kept.unlabeled_fold)
    estimate = GivenProportion(1.0).estimate(split.sample)
    model = fit_landmark_model(moments, kept, estimate, plan, penalties=[1e-3], bandwidth=BANDWIDTH)
    assert model.decide(split.X_test).shape == (150, 3)


def test_a_sample_is_assessed_as_its_own_sums_say(easy):
    split, _, plan, _, estimate = easy
    candidates = assess_sample(plan, split.sample, estimate, PENALTIES, BANDWIDTH)
    assert [candidate.penalty for candidate in candidates] == PENALTIES
    model = fitted(easy)
    found = [candidate.surrogate for candidate in candidates]
    np.testing.assert_allclose(found, model.cv_results["surrogate_risk"], atol=1e-8)
    assert candidates[1].surrogate < min(candidates[0].surrogate, candidates[2].surrogate)
