"""Mixing and choosing: weights, nested risk, and probabilities of candidates in common columns."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from easy_mixture import easy_masked
from eulac import TwoStageEulacClassifier
from eulac.any_classifier import selection
from eulac.any_classifier.selection import (
    code_probabilities,
    fit_mixture,
    held_out_outputs,
    in_columns,
    mixed,
    mixed_candidates,
    own_risk,
    stack_weights,
)
from eulac.data.lac_table import LacTable
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.held_out import HeldOut
from eulac.risk.zero_one import label_free_macro_f1

N_LABELED, N_UNLABELED, PROPORTION = 600, 900, 0.6
ESTIMATE = ProportionEstimate(np.full(2, 0.3), (0.6, 0.6), "given", N_LABELED, N_UNLABELED)


def candidates(*noises, seed=0):
    """Return candidates that know the truth, each but for noise of its own."""
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], N_LABELED)
    hidden = rng.choice(3, N_UNLABELED, p=[0.3, 0.3, 0.4])
    weights = np.full(N_LABELED, PROPORTION)
    out = []
    for noise in noises:
        parts = []
        for truth in (y, hidden):
            logits = 4 * np.eye(3)[truth] + noise * rng.normal(size=(len(truth), 3))
            odds = np.exp(logits)
            parts.append(odds / odds.sum(axis=1, keepdims=True))
        out.append(HeldOut(*parts, y, weights))
    return out, hidden


def folds():
    return np.arange(N_LABELED) % 5, np.arange(N_UNLABELED) % 5


def test_the_same_candidate_thrice_has_equal_weights_and_equally_good_ones_all_count():
    equal, _ = candidates(2.0, 2.0, 2.0)
    np.testing.assert_allclose(stack_weights([equal[0]] * 3, random_state=0), 1 / 3)
    assert np.all(stack_weights(equal, random_state=0) > 0.05)


def test_weights_follow_the_seed_and_nothing_else():
    pair, _ = candidates(2.0, 2.5)
    one, same, other = (stack_weights(pair, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert np.any(one != other)


def test_a_candidate_that_gives_up_a_small_class_loses_weight_though_errors_are_level():
    y = np.repeat([0, 1], [190, 10])
    weights = np.full(200, 0.5)
    unlabeled = np.repeat([[0.9, 0.05, 0.05], [0.05, 0.05, 0.9]], 100, axis=0)
    certain = np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05]])
    slips = certain[y]
    slips[:10] = certain[1]  # as many mistakes, all in the large class
    careful = HeldOut(slips, unlabeled, y, weights)
    blind = HeldOut(np.tile(certain[0], (200, 1)), unlabeled, y, weights)
    assert stack_weights([careful, blind], random_state=0)[0] > 0.9


def test_a_useless_candidate_gets_hardly_any_weight():
    useful, _ = candidates(1.0, 30.0)
    weights = stack_weights(useful, random_state=0)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.85


def test_one_candidate_has_all_the_weight():
    alone, _ = candidates(1.0)
    np.testing.assert_array_equal(stack_weights(alone), [1.0])


def test_a_mixture_of_independent_errors_beats_its_parts():
    parts, hidden = candidates(3.0, 3.0)
    mixture = fit_mixture(parts, random_state=0)

    def error(answers):
        return np.mean(answers != hidden)

    own = [error(fit_mixture([part]).decide([part.unlabeled]).argmax(axis=1)) for part in parts]
    both = error(mixture.decide([part.unlabeled for part in parts]).argmax(axis=1))
    assert both < min(own)


def test_the_risk_of_a_candidate_is_its_error_on_the_hidden_labels():
    [candidate], hidden = candidates(2.5)
    risk = own_risk(candidate, ESTIMATE)
    answers = fit_mixture([candidate]).decide([candidate.unlabeled]).argmax(axis=1)
    assert abs(risk.raw - np.mean(answers != hidden)) < 4 * risk.standard_error


@pytest.mark.parametrize("choose", ["stack", "select", "equal"])
def test_choosing_among_many_equal_ones_does_not_look_better_than_it_is(choose):
    many, hidden = candidates(*[4.0] * 12)
    mixture, nested = mixed_candidates(many, folds(), ESTIMATE, choose=choose, random_state=0)
    smallest = min(own_risk(candidate, ESTIMATE).raw for candidate in many)
    if choose == "select":
        assert nested.raw >= smallest
    answers = mixture.decide([candidate.unlabeled for candidate in many]).argmax(axis=1)
    true = np.mean(answers != hidden)
    assert nested.raw > true - 4 * nested.standard_error


def test_mixed_probabilities_are_the_weighted_mean():
    one, two = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    np.testing.assert_allclose(mixed([one, two], np.array([0.25, 0.75])), [[0.25, 0.75]])


def test_columns_are_codes_and_the_augmented_label_is_the_last():
    rows = np.array([[0.2, 0.3, 0.5]])
    np.testing.assert_array_equal(in_columns(rows, [0, 2, -2], 4), [[0.2, 0.0, 0.3, 0.5]])


def test_answers_without_probabilities_count_as_certain():
    class Answers:
        def predict(self, X):
            return np.array([1, -2])

    np.testing.assert_array_equal(
        code_probabilities(Answers(), np.zeros((2, 1)), 3), [[0, 1, 0], [0, 0, 1]]
    )


def test_every_row_is_scored_by_a_fit_without_it():
    _, X, y = easy_masked()
    table = LacTable.from_masked(X, y)
    seen = []

    class Recorder(TwoStageEulacClassifier):
        def fit(self, X, y):
            seen.append({row.tobytes() for row in X})
            return super().fit(X, y)

        def predict_proba(self, X):
            assert not seen[-1] & {row.tobytes() for row in X}
            return super().predict_proba(X)

    recorder = Recorder(GaussianNB(), known_proportion=0.6, n_folds=3, random_state=0)
    out = held_out_outputs(recorder, table, np.arange(len(X)) % 3)
    assert len(seen) == 3
    np.testing.assert_allclose(out.sum(axis=1), 1)


def test_resampled_scores_are_those_of_the_rows_drawn():
    rng = np.random.default_rng(3)
    y, weights = rng.integers(0, 3, 50), rng.uniform(0.2, 1.0, 50)
    answers = [(rng.integers(0, 4, 50), rng.integers(0, 4, 80)) for _ in range(2)]
    rows = HeldOut(np.zeros((50, 4)), np.zeros((80, 4)), y, weights)
    found = selection._resampled_macro_f1(rows, answers, np.random.default_rng(5))
    again = np.random.default_rng(5)
    for line in found:
        labeled, unlabeled = again.integers(0, 50, 50), again.integers(0, 80, 80)
        drawn = [(known[labeled], others[unlabeled]) for known, others in answers]
        expected = [
            label_free_macro_f1(known, y[labeled], weights[labeled], others, augmented=3)
            for known, others in drawn
        ]
        np.testing.assert_allclose(line, expected, atol=1e-12)
