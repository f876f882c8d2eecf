"""From scores to answers: shares that sum to one, matched proportions, calibrated probabilities."""

import numpy as np
import pytest
from scipy.special import expit

from eulac.data.synthetic import make_gaussian_task
from eulac.exceptions import TrivialPredictorWarning
from eulac.risk.decision import (
    SHARE_LIMITS,
    SHARPNESS_LIMITS,
    DecisionRule,
    best_sharpness,
    class_shares,
    fit_decision_rule,
    matching_shift,
    warn_if_trivial,
)
from eulac.risk.unbiased import log_lac_risk

LOSSES = ["square", "logistic", "double_hinge"]
each_loss = pytest.mark.parametrize("loss", LOSSES)
each_number_of_classes = pytest.mark.parametrize("n_known_classes", [1, 2, 4])


def draw_posterior(n_known_classes=2, n_rows=60, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_known_classes + 1, 0.4), size=n_rows)


def scores_of(posterior, loss, shrinkage=0.4):
    """Scores a perfect learner would give: shrunk under the square loss, log-odds, or signs."""
    if loss == "square":
        return shrinkage * (2 * posterior - 1)
    if loss == "logistic":
        return np.log(np.maximum(posterior, 1e-12)) - np.log1p(-np.minimum(posterior, 1 - 1e-12))
    return np.sign(2 * posterior - 1)


def held_out(n_known_classes=2, loss="square", n_labeled=150, n_unlabeled=301, seed=0):
    """Noisy scores of labeled and unlabeled rows of a mixture, with labels and weights."""
    task = make_gaussian_task(n_known_classes, 1, separation=2.0, known_proportion=0.6)
    sample = task.draw(n_labeled, n_unlabeled, random_state=seed).sample
    rng = np.random.default_rng(seed)

    def scores(X):
        clean = 0.5 * scores_of(task.posterior(X), loss)
        return clean + 0.02 * rng.standard_normal(clean.shape)

    weights = np.full(n_labeled, 0.6)
    return scores(sample.X_labeled), sample.y_labeled, weights, scores(sample.X_unlabeled)


@each_loss
@each_number_of_classes
def test_shares_sum_to_one(loss, n_known_classes):
    shares = class_shares(scores_of(draw_posterior(n_known_classes), loss), loss)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.parametrize("shrinkage", [1.0, 0.3, 1e-4])
@pytest.mark.parametrize("n_known_classes", [2, 3, 6])
def test_square_shares_undo_the_shrinkage_of_the_scores(shrinkage, n_known_classes):
    posterior = draw_posterior(n_known_classes)
    shares = class_shares(scores_of(posterior, "square", shrinkage), "square")
    np.testing.assert_allclose(shares, posterior, atol=1e-9)


@each_number_of_classes
def test_logistic_shares_are_normalized_sigmoids(n_known_classes):
    scores = np.random.default_rng(0).normal(0, 2, (20, n_known_classes + 1))
    expected = expit(scores) / expit(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(class_shares(scores, "logistic"), expected, rtol=1e-9)


@each_loss
@each_number_of_classes
def test_shares_stay_within_their_limits_whatever_the_scores(loss, n_known_classes):
    scores = np.random.default_rng(0).normal(0, 5, (200, n_known_classes + 1))
    shares = class_shares(scores, loss)
    assert shares.min() >= SHARE_LIMITS[0]
    assert shares.max() <= SHARE_LIMITS[1]


@each_loss
@each_number_of_classes
def test_the_largest_share_is_that_of_the_largest_score(loss, n_known_classes):
    scores = scores_of(draw_posterior(n_known_classes), loss)
    largest = np.take_along_axis(scores, class_shares(scores, loss).argmax(axis=1)[:, None], axis=1)
    np.testing.assert_array_equal(largest[:, 0], scores.max(axis=1))


@pytest.mark.parametrize(
    "loss",
    [
        "square",
        "logistic",
        "double_hinge",
    ],
)
def test_rows_that_no_class_wants_still_have_shares(loss):
    shares = class_shares(np.full((2, 3), -100.0), loss)
    assert np.all(np.isfinite(shares))


@each_number_of_classes
@pytest.mark.parametrize("known_proportion", [0.0, 0.1, 0.5, 0.77, 1.0])
def test_the_matched_share_of_rows_called_augmented_is_the_proportion(
    n_known_classes, known_proportion
):
    labeled, y, weights, unlabeled = held_out(n_known_classes)
    rule = fit_decision_rule(labeled, y, 0 * weights + known_proportion, unlabeled)
    n_new = np.sum(rule.answers(unlabeled) == n_known_classes)
    assert n_new == len(unlabeled) - round(known_proportion * len(unlabeled))


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
    labeled, y, weights, unlabeled = held_out()
    rule = fit_decision_rule(labeled, y, weights, unlabeled, matched=False)
    assert (rule.shift, rule.outlier_pull) == (0.0, 0.0)
    np.testing.assert_array_equal(rule.answers(unlabeled), unlabeled.argmax(axis=1))


@each_loss
@each_number_of_classes
@pytest.mark.parametrize("matched", [True, False], ids=["matched", "largest"])
def test_probabilities_sum_to_one_and_their_largest_is_the_answer(loss, n_known_classes, matched):
    labeled, y, weights, unlabeled = held_out(n_known_classes, loss)
    rule = fit_decision_rule(labeled, y, weights, unlabeled, matched=matched, loss=loss)
    probabilities = rule.probabilities(rule.decide(unlabeled))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    assert probabilities.min() >= 0
    np.testing.assert_array_equal(probabilities.argmax(axis=1), rule.answers(unlabeled))


def test_closed_set_rules_leave_the_augmented_class_out():
    rule = DecisionRule(shift=2.0, closed_set=True)
    scores = scores_of(draw_posterior(), "square")
    assert rule.decide(scores).shape == (60, 2)
    np.testing.assert_array_equal(rule.answers(scores), scores[:, :-1].argmax(axis=1))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_known_classes", [1, 2, 4])
def test_rows_far_from_all_data_are_called_augmented_by_matched_rules(loss, n_known_classes):
    labeled, y, weights, unlabeled = held_out(n_known_classes, loss)
    answers = []
    for known_proportion in (0.4, 0.5, 0.6, 0.7):
        weights = 0 * weights + known_proportion
        rule = fit_decision_rule(labeled, y, weights, unlabeled, loss=loss)
        faded = np.zeros((1, n_known_classes + 1))
        answers.append(int(rule.answers(faded)[0]))
    assert answers == [n_known_classes] * 4


def test_deciding_leaves_the_scores_alone():
    scores = scores_of(draw_posterior(), "square")
    before = scores.copy()
    DecisionRule(outlier_pull=0.1, shift=0.2).decide(scores)
    np.testing.assert_array_equal(scores, before)


def expected_calibration_error(probabilities, y, n_bins=10):
    top, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    bins = np.minimum((top * n_bins).astype(int), n_bins - 1)
    gaps = [
        np.sum(bins == b) * abs(top[bins == b].mean() - right[bins == b].mean())
        for b in np.unique(bins)
    ]
    return sum(gaps) / len(y)


@pytest.mark.parametrize("separation", [1.5, 2.5, 4.0])
def test_sharpness_calibrates_the_probabilities_without_a_label_of_test_rows(separation):
    task = make_gaussian_task(3, 1, separation=separation, known_proportion=0.6)
    split = task.draw(1000, 2000, n_test=4000, random_state=0)

    def shares(X):
        return class_shares(0.3 * (2 * task.posterior(X) - 1))

    sample, y_test = split.sample, split.sample.codec.encode(split.y_test)
    weights = np.full(sample.n_labeled, 0.6)
    factor = best_sharpness(
        shares(sample.X_labeled), sample.y_labeled, weights, shares(sample.X_unlabeled)
    )
    fitted, dull = (
        expected_calibration_error(
            DecisionRule(sharpness=value).probabilities(shares(split.X_test)), y_test
        )
        for value in (factor, SHARPNESS_LIMITS[0])
    )
    assert fitted < 0.05
    assert fitted < 0.5 * dull


def test_the_sharpness_is_the_minimum_of_the_penalized_log_risk():
    labeled, y, weights, unlabeled = (np.asarray(part) for part in held_out(seed=3))
    labeled, unlabeled = class_shares(labeled), class_shares(unlabeled)

    def objective(factor):
        risk = log_lac_risk(factor * labeled, y, weights, factor * unlabeled)
        logits = factor * unlabeled
        normalizer = np.log(np.exp(logits).sum(axis=1))
        uniform = np.mean(normalizer - logits.mean(axis=1))
        doubt = 1 / np.sqrt(len(unlabeled))
        return (1 - doubt) * risk + doubt * uniform

    found = best_sharpness(labeled, y, weights, unlabeled)
    factors = np.geomspace(*SHARPNESS_LIMITS, 400)
    values = [objective(factor) for factor in factors]
    assert objective(found) <= min(values) + 1e-8
    assert found == pytest.approx(factors[int(np.argmin(values))], rel=0.02)


def test_rows_that_look_perfectly_separated_do_not_make_certainty():
    y = np.repeat([0, 1], 50)
    labeled, unlabeled = np.eye(3)[y], np.eye(3)[np.repeat([0, 1, 2], 40)]
    weights = np.full(100, 2 / 3)
    factor = best_sharpness(labeled, y, weights, unlabeled)
    assert factor < 0.5 * SHARPNESS_LIMITS[1]


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


@pytest.mark.parametrize("n_rows", [5, 20, 200])
def test_gaps_by_chance_are_not_clear(n_rows):
    for seed in range(100):
        margin = np.sort(np.random.default_rng(seed).uniform(-1.0, 1.0, n_rows))
        shares = shares_with_margins(margin)
        assert matching_shift(shares, 0.6, interval=(0.3, 0.9)) == matching_shift(shares, 0.6)


def test_no_gap_at_the_ends_is_taken_for_one():
    shares = shares_with_margins(np.array([-1.0, 1.0]))
    assert matching_shift(shares, 1.0, interval=(0.9, 1.0)) < -1.0
    assert matching_shift(shares, 0.0, interval=(0.0, 0.1)) > 1.0
