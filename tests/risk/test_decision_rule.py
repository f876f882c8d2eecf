"""One decision rule: matched proportions, clear gaps, probabilities that agree with answers."""

import numpy as np
import pytest

from eulac.exceptions import TrivialPredictorWarning
from eulac.risk.decision_rule import (
    DecisionRule,
    fit_decision_rule,
    held_out_answers,
    held_out_risk,
    matched_count,
    matching_shift,
    warn_if_trivial,
)
from eulac.risk.evidence import ClassShares, Logits, LogProbabilities
from eulac.risk.held_out import HeldOut
from held_out_rows import LOSSES, calibrated_rows, draw_posterior, held_out_scores, scores_of

each_loss = pytest.mark.parametrize("loss", LOSSES)
each_number_of_classes = pytest.mark.parametrize("n_known_classes", [1, 2, 4])
each_kind = pytest.mark.parametrize("kind", [ClassShares(), LogProbabilities(), Logits()], ids=repr)
LOGS = LogProbabilities()


def outputs_of(kind):
    """Return outputs of the kind that becomes this kind of evidence."""
    rows, _ = calibrated_rows()
    return rows.mapped(lambda p: 2 * p - 1) if isinstance(kind, ClassShares) else rows


def fitted(rows, loss="square", matched=True):
    """Return a rule of scores and the evidence it works on."""
    kind = ClassShares.fitted(loss, rows.unlabeled, pulls=matched)
    return fit_decision_rule(rows, kind, matched=matched), kind


@each_number_of_classes
@pytest.mark.parametrize("known_proportion", [0.0, 0.1, 0.5, 0.77, 1.0])
def test_the_matched_share_of_rows_called_augmented_is_the_proportion(
    n_known_classes, known_proportion
):
    rows = held_out_scores(n_known_classes, known_proportion=known_proportion)
    rule, kind = fitted(rows)
    n_new = np.sum(held_out_answers(rows, rule, kind)[1] == n_known_classes)
    assert n_new == len(rows.unlabeled) - round(known_proportion * len(rows.unlabeled))


@each_kind
def test_another_proportion_than_that_of_the_weights_can_be_matched(kind):
    rows = outputs_of(kind)
    rule = fit_decision_rule(rows, kind, known_proportion=0.25)
    assert np.mean(held_out_answers(rows, rule, kind)[1] == 2) == pytest.approx(0.75, abs=0.002)


@pytest.mark.parametrize(
    ("known_proportion", "n_new"),
    [
        (0.0, 3),
        (1.0, 0),
    ],
)
def test_matching_moves_even_rows_at_the_limits(known_proportion, n_new):
    shares = np.array([[1.5, -0.5], [0.2, 0.8], [-0.5, 1.5]])
    shares[:, -1] += matching_shift(shares, known_proportion)
    assert np.sum(shares.argmax(axis=1) == 1) == n_new


def test_unmatched_rules_let_the_largest_score_win():
    rows = held_out_scores()
    rule, kind = fitted(rows, matched=False)
    assert rule.shift == 0.0
    answers = held_out_answers(rows, rule, kind)[1]
    np.testing.assert_array_equal(answers, rows.unlabeled.argmax(axis=1))


@each_loss
@each_number_of_classes
@pytest.mark.parametrize("matched", [True, False], ids=["matched", "largest"])
def test_probabilities_sum_to_one_and_their_largest_is_the_answer(loss, n_known_classes, matched):
    rows = held_out_scores(n_known_classes, loss)
    rule, kind = fitted(rows, loss, matched)
    evidence = kind.of(rows.unlabeled), kind.shift_share(rows.unlabeled)
    probabilities = rule.probabilities(rule.decide(*evidence))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    assert probabilities.min() >= 0
    np.testing.assert_array_equal(probabilities.argmax(axis=1), rule.answers(*evidence))


def test_closed_set_rules_leave_the_augmented_class_out():
    rule = DecisionRule(shift=2.0, closed_set=True)
    evidence = scores_of(draw_posterior(), "square")
    assert rule.decide(evidence).shape == (60, 2)
    np.testing.assert_array_equal(rule.answers(evidence), evidence[:, :-1].argmax(axis=1))


@each_kind
def test_a_closed_set_never_answers_new(kind):
    rows = outputs_of(kind)
    rule = fit_decision_rule(rows, kind, closed_set=True)
    assert rule.decide(kind.of(rows.unlabeled)).shape[1] == 2
    assert set(held_out_answers(rows, rule, kind)[1]) == {0, 1}


@each_loss
@each_number_of_classes
def test_rows_far_from_all_data_are_called_augmented_by_matched_rules(loss, n_known_classes):
    faded = np.zeros((1, n_known_classes + 1))
    for known_proportion in (0.4, 0.5, 0.6, 0.7):
        rows = held_out_scores(n_known_classes, loss, known_proportion=known_proportion)
        rule, kind = fitted(rows, loss)
        assert rule.answers(kind.of(faded), kind.shift_share(faded)) == [n_known_classes]


def test_deciding_leaves_the_evidence_alone():
    evidence = scores_of(draw_posterior(), "square")
    before = evidence.copy()
    DecisionRule(shift=0.2).decide(evidence)
    np.testing.assert_array_equal(evidence, before)


def test_rows_take_their_share_of_the_shift():
    decision = DecisionRule(shift=2.0).decide(np.zeros((3, 2)), np.array([0.0, 0.5, 1.0]))
    np.testing.assert_array_equal(decision, [[0, 0], [0, 1], [0, 2]])


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 3.0])
def test_probabilities_that_are_too_sharp_or_too_flat_are_mended(sharpness):
    rows, truth = calibrated_rows(sharpness)
    rule = fit_decision_rule(rows, LOGS)
    assert rule.sharpness * sharpness == pytest.approx(1.0, abs=0.4)
    probabilities = rule.probabilities(rule.decide(LOGS.of(rows.unlabeled)))
    right = probabilities.argmax(axis=1) == truth
    assert abs(probabilities.max(axis=1).mean() - right.mean()) < 0.05


def test_the_risk_is_the_error_on_the_hidden_labels():
    rows, truth = calibrated_rows()
    rule = fit_decision_rule(rows, LOGS)
    risk = held_out_risk(rows, rule, LOGS)
    true = np.mean(held_out_answers(rows, rule, LOGS)[1] != truth)
    assert abs(risk.raw - true) < 4 * risk.standard_error


def test_the_risk_knows_that_the_proportion_is_an_estimate():
    rows, _ = calibrated_rows()
    rule = fit_decision_rule(rows, LOGS)
    sure, unsure = (held_out_risk(rows, rule, LOGS, error) for error in (0.0, 0.1))
    assert unsure.standard_error > sure.standard_error + 0.01
    assert held_out_risk(rows, rule, LOGS).standard_error == sure.standard_error


def test_a_clear_gap_between_probabilities_is_used_within_the_interval():
    known, new = np.array([0.95, 0.05]), np.array([0.05, 0.95])
    unlabeled = np.vstack([np.tile(known, (70, 1)), np.tile(new, (30, 1))])
    labeled, y, weights = np.tile(known, (20, 1)), np.zeros(20, np.intp), np.full(20, 0.6)
    rule = fit_decision_rule(HeldOut(labeled, unlabeled, y, weights, (0.5, 0.8)), LOGS)
    assert rule.answers(LOGS.of(unlabeled)).sum() == 30
    assert abs(rule.shift) < 1e-9


def test_a_trivial_answer_is_named_as_the_user_wrote_it():
    with pytest.warns(TrivialPredictorWarning, match=r"99\.8% of .* are called 'ant'\."):
        warn_if_trivial(np.array([0.998, 0.002]), np.array(["ant", "augmented"]))
    with pytest.warns(TrivialPredictorWarning, match=r"100\.0% of .* are called -2\."):
        warn_if_trivial(np.array([0.0, 1.0]), np.array([3, -2]))


def test_a_usual_answer_gives_no_warning():
    warn_if_trivial(np.array([0.99, 0.01]), np.array(["ant", "augmented"]))
    warn_if_trivial(np.array([1.0, 0.0]), np.array(["ant"]))


def test_a_shift_never_tears_rows_of_equal_margin_apart():
    # Six rows are new beyond doubt, their shares clipped; the proportion would call two of them
    # known.
    sure = np.array([[0.0, 0.0, 1.0]] * 6)
    shares = np.vstack([np.array([[1.0, 0.0, 0.0]] * 4), sure])
    shift = matching_shift(shares, known_proportion=0.6)
    moved = shares + np.array([0.0, 0.0, shift])
    np.testing.assert_array_equal(moved.argmax(axis=1), [0] * 4 + [2] * 6)


def test_all_rows_tied_get_the_answer_of_most():
    shares = np.array([[0.5, 0.5]] * 10)
    for known_proportion, answer in ((0.3, 1), (0.8, 0)):
        shift = matching_shift(shares, known_proportion)
        np.testing.assert_array_equal((shares + np.array([0.0, shift])).argmax(axis=1), answer)


def shares_with_margins(margin):
    return np.column_stack([np.zeros(len(margin)), margin])


@pytest.mark.parametrize(
    ("proportion", "interval", "n_new"),
    [
        (0.6, (0.5, 0.8), 30),  # the gap at 0.7 lies within
        (0.6, (0.5, 0.65), 40),  # it does not
        (0.6, None, 40),
        (0.95, (0.5, 1.0), 30),
        (0.02, (0.0, 0.5), 98),
    ],
)
def test_a_clear_gap_within_the_interval_is_used(proportion, interval, n_new):
    margin = np.concatenate([np.linspace(-1.0, -0.9, 70), np.linspace(0.9, 1.0, 30)])
    shares = shares_with_margins(margin)
    shift = matching_shift(shares, proportion, interval=interval)
    assert np.sum(margin + shift > 0) == n_new
    if n_new == 30:
        assert abs(shift) < 1e-12


@pytest.mark.parametrize("n_known", [1, 5, 49])
def test_a_clear_gap_is_found_however_few_rows_lie_on_one_side_of_it(n_known):
    margin = np.linspace(0.0, 0.1, 50) + 2.0 * (np.arange(50) >= n_known)
    assert matched_count(margin, 0.6, (0.0, 1.0)) == n_known
    assert matched_count(margin, 0.6, (n_known / 50, n_known / 50)) == n_known


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("n_apart", [1, 2])
def test_a_row_or_two_far_from_all_others_are_no_class_of_their_own(n_apart, side):
    cloud = np.random.default_rng(n_apart).normal(0.0, 4.0, 1000)
    margin = np.sort(side * np.append(cloud, cloud.max() + 20.0 + np.arange(n_apart)))
    assert matched_count(margin, 0.7, (0.0, 1.0), clear_gap=2.0) == round(0.7 * len(margin))


def test_twenty_rows_far_from_all_others_are_a_class_of_their_own():
    cloud = np.random.default_rng(0).normal(0.0, 1.0, 1000)
    margin = np.sort(np.append(cloud, 20.0 + np.arange(20) / 20))
    assert matched_count(margin, 0.9, (0.5, 1.0), clear_gap=2.0) == 1000


@pytest.mark.parametrize("n_rows", [5, 20, 200])
def test_gaps_by_chance_are_not_clear(n_rows):
    for seed in range(100):
        margin = np.sort(np.random.default_rng(seed).uniform(-1.0, 1.0, n_rows))
        shares = shares_with_margins(margin)
        assert matching_shift(shares, 0.6, interval=(0.3, 0.9)) == matching_shift(shares, 0.6)


@pytest.mark.parametrize(("n_rows", "factor", "used"), [(30, 1.01, True), (30, 0.99, False)])
def test_a_gap_is_clear_from_three_times_what_chance_makes_of_the_others(n_rows, factor, used):
    gaps = np.full(n_rows - 1, 0.01)
    gaps[14] = factor * 3.0 * (np.log(n_rows) + 1.0) * 0.01
    margin = np.append(0.0, np.cumsum(gaps))
    found = matched_count(margin, 0.7, (0.2, 0.9), clear_gap=0.0)
    assert found == (15 if used else 21)


def test_no_gap_at_the_ends_is_taken_for_one():
    shares = shares_with_margins(np.array([-1.0, 1.0]))
    assert matching_shift(shares, 1.0, interval=(0.9, 1.0)) < -1.0
    assert matching_shift(shares, 0.0, interval=(0.0, 0.1)) > 1.0


@pytest.mark.parametrize("closed_set", [False, True])
def test_answers_do_not_wait_for_calibration(closed_set):
    rng = np.random.default_rng(0)
    outputs = rng.dirichlet(np.ones(4), 60)
    held_out = HeldOut(outputs[:30], outputs[30:], rng.integers(0, 3, 30), np.full(30, 0.6))
    rules = [
        fit_decision_rule(held_out, LogProbabilities(), closed_set=closed_set, calibrated=wanted)
        for wanted in (True, False)
    ]
    one, two = (held_out_answers(held_out, rule, LogProbabilities()) for rule in rules)
    assert np.array_equal(np.concatenate(one), np.concatenate(two))
    assert rules[0].sharpness != rules[1].sharpness


def test_of_two_ends_of_a_tie_equally_near_the_one_that_calls_more_rows_new_is_taken():
    margin = np.array([-1.0, -1.0, *[0.0] * 8, 1.0])
    assert matched_count(margin, 6 / 11) == 2
    assert matched_count(margin, 5 / 11) == 2
    assert matched_count(margin, 7 / 11) == 10


@pytest.mark.parametrize(("n_rows", "used"), [(19, False), (20, True)])
def test_gaps_count_from_twenty_rows_on(n_rows, used):
    margin = np.linspace(0.0, 0.1, n_rows) + 9.0 * (np.arange(n_rows) >= 10)
    assert (matched_count(margin, 0.75, (0.4, 0.8)) == 10) is used


def test_a_warning_of_a_trivial_answer_points_to_who_called_fit():
    def fit():
        warn_if_trivial(np.array([0.995, 0.005]), np.array(["ant", "augmented"]))

    with pytest.warns(TrivialPredictorWarning, match=r"99\.5%") as caught:
        fit()
    assert caught[0].filename == __file__
