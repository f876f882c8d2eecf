"""From outputs to evidence: shares that sum to one, finite logarithms, calibrated sharpness."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, softmax

from eulac.data.synthetic import make_gaussian_task
from eulac.maths import losses
from eulac.risk.decision_rule import DecisionRule, best_sharpness
from eulac.risk.evidence import (
    SHARE_LIMITS,
    ClassShares,
    Logits,
    LogProbabilities,
    class_shares,
)
from eulac.risk.held_out import HeldOut
from eulac.risk.unbiased import log_lac_risk
from held_out_rows import LOSSES, draw_posterior, held_out_scores, scores_of

each_loss = pytest.mark.parametrize("loss", LOSSES)
each_number_of_classes = pytest.mark.parametrize("n_known_classes", [1, 2, 4])


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


@each_loss
def test_rows_that_no_class_wants_still_have_shares(loss):
    shares = class_shares(np.full((2, 3), -100.0), loss)
    assert np.all(np.isfinite(shares))


def test_a_loss_that_does_not_say_what_its_scores_mean_is_refused():
    with pytest.raises(
        ValueError, match=r"loss 'sigmoid' does not say what its scores mean.*'logistic'"
    ):
        class_shares(np.zeros((2, 3)), "sigmoid")


def test_a_new_loss_brings_its_own_shares(monkeypatch):
    monkeypatch.setitem(
        losses.LOSSES,
        "cubic",
        losses.Loss(
            "cubic",
            abs,
            abs,
            abs,
            linear_odd_part=True,
            lipschitz=abs,
            certainty=lambda z: np.clip(z, -1.0, 1.0) ** 3,
        ),
    )
    np.testing.assert_allclose(class_shares(np.array([[0.5, -1.0]]), "cubic"), [[1.0, 0.0]])
    np.testing.assert_allclose(class_shares(np.array([[0.5, 0.0]]), "cubic"), [[9 / 17, 8 / 17]])


def test_without_a_pull_all_rows_take_the_whole_shift():
    np.testing.assert_array_equal(ClassShares().shift_share(np.zeros((2, 3))), 1.0)


def test_the_pull_is_felt_only_where_scores_have_faded():
    kind = ClassShares.fitted("square", held_out_scores().unlabeled)
    scores = np.array([[0.2, -0.3, -0.1], [1e-9, -1e-9, -1e-9]])
    np.testing.assert_allclose(kind.of(scores)[0], class_shares(scores)[0], atol=0.05)
    assert kind.of(scores).argmax(axis=1).tolist() == [0, 2]
    np.testing.assert_allclose(kind.shift_share(scores), [1.0, 0.0], atol=1e-6)


def test_certain_probabilities_are_finite_evidence():
    assert np.all(np.isfinite(LogProbabilities().of(np.array([[1.0, 0.0, 0.0]]))))


@pytest.mark.parametrize("kind", [ClassShares(), LogProbabilities(), Logits()], ids=repr)
def test_the_furthest_shift_is_further_than_evidence_can_differ(kind):
    outputs = np.random.default_rng(0).dirichlet(np.full(3, 0.1), 200)
    evidence = kind.of(outputs)
    assert np.ptp(evidence, axis=1).max() < kind.furthest_shift


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
    parts = shares(sample.X_labeled), shares(sample.X_unlabeled)
    factor = best_sharpness(HeldOut(*parts, sample.y_labeled, weights), ClassShares())
    fitted, dull = (
        expected_calibration_error(
            DecisionRule(sharpness=value).probabilities(shares(split.X_test)), y_test
        )
        for value in (factor, ClassShares.sharpness_limits[0])
    )
    assert fitted < 0.05
    assert fitted < 0.5 * dull


def test_the_sharpness_is_the_minimum_of_the_penalized_log_risk():
    rows = held_out_scores(seed=3).mapped(class_shares)
    labeled, unlabeled, y, weights = rows.labeled, rows.unlabeled, rows.y_labeled, rows.weights

    def objective(factor):
        risk = log_lac_risk(factor * labeled, y, weights, factor * unlabeled)
        logits = factor * unlabeled
        normalizer = np.log(np.exp(logits).sum(axis=1))
        uniform = np.mean(normalizer - logits.mean(axis=1))
        doubt = 1 / np.sqrt(len(unlabeled))
        return (1 - doubt) * risk + doubt * uniform

    found = best_sharpness(rows, Logits())
    factors = np.geomspace(*Logits.sharpness_limits, 400)
    values = [objective(factor) for factor in factors]
    assert objective(found) <= min(values) + 1e-8
    assert found == pytest.approx(factors[int(np.argmin(values))], rel=0.02)


def test_rows_that_weigh_nothing_leave_the_sharpness_finite():
    rows = held_out_scores(seed=3).mapped(class_shares)
    gone = replace(rows, weights=np.where(rows.y_labeled == 0, 0.0, rows.weights))
    found = best_sharpness(gone, Logits())
    kept = rows.y_labeled != 0
    scale = np.mean(kept)  # the mean over fewer rows
    fewer = replace(
        rows,
        labeled=rows.labeled[kept],
        y_labeled=rows.y_labeled[kept],
        weights=rows.weights[kept] * scale,
    )
    assert found == pytest.approx(best_sharpness(fewer, Logits()), rel=1e-3)


def test_the_sharpness_of_shares_is_the_minimum_of_the_brier_risk():
    rows = held_out_scores(seed=3).mapped(class_shares)

    def objective(factor):
        labeled, unlabeled = (
            softmax(factor * part, axis=1) for part in (rows.labeled, rows.unlabeled)
        )
        own = labeled[np.arange(len(labeled)), rows.y_labeled]
        as_new = ((unlabeled - np.eye(unlabeled.shape[1])[-1]) ** 2).sum(axis=1)
        return as_new.mean() + 2 * np.mean(rows.weights * (labeled[:, -1] - own))

    found = best_sharpness(rows, ClassShares())
    factors = np.geomspace(*ClassShares.sharpness_limits, 400)
    values = [objective(factor) for factor in factors]
    assert found == pytest.approx(factors[int(np.argmin(values))], rel=0.03)


def test_rows_that_look_perfectly_separated_do_not_make_certainty():
    y = np.repeat([0, 1], 50)
    labeled, unlabeled = np.eye(3)[y], np.eye(3)[np.repeat([0, 1, 2], 40)]
    weights = np.full(100, 2 / 3)
    factor = best_sharpness(HeldOut(labeled, unlabeled, y, weights), ClassShares())
    assert factor < 0.5 * ClassShares.sharpness_limits[1]


@each_loss
@each_number_of_classes
def test_rows_that_no_class_wants_are_shared_alike(loss, n_known_classes):
    n = n_known_classes + 1
    np.testing.assert_allclose(class_shares(np.full((2, n), -1e6), loss), 1.0 / n)


def test_the_share_of_the_shift_grows_with_the_score_until_it_is_whole():
    kind = ClassShares("square", outlier_pull=0.01)
    sizes = np.linspace(0.0, 0.2, 81)
    share = kind.shift_share(np.column_stack([-sizes, 0.0 * sizes, 0.5 * sizes]))
    assert share[0] == 0.0
    whole = np.argmax(share == 1.0)
    assert 0 < sizes[whole] <= 0.1
    np.testing.assert_allclose(share[:whole], sizes[:whole] / sizes[whole])
    np.testing.assert_array_equal(share[whole:], 1.0)


def test_where_all_scores_have_faded_the_row_is_new_and_beyond_any_shift():
    kind = ClassShares.fitted("square", np.array([[0.4, -0.4, -0.1], [0.2, -0.2, -0.1]]))
    assert kind.outlier_pull == pytest.approx(0.003)  # a hundredth of the median of 0.4 and 0.2
    faded = np.zeros((1, 3))
    np.testing.assert_array_equal(kind.of(faded).argmax(axis=1), [2])
    np.testing.assert_array_equal(kind.shift_share(faded), [0.0])
    assert ClassShares.fitted("square", np.ones((2, 3)), pulls=False).outlier_pull == 0.0
