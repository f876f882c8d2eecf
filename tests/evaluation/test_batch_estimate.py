"""Batches without labels: share and error follow a growing new class, and what is refused."""

from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.evaluation.batch_estimate import _by_rows, estimate_batch
from eulac.exceptions import ProportionDisagreementWarning
from eulac.proportion.estimate import ProportionEstimate

CENTERS = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [2.2, 2.2]])
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


def draw(rng, n_rows, new, priors=(1 / 3, 1 / 3, 1 / 3)):
    """Return rows of three known classes and of a new one that overlaps them, with the truth."""
    codes = np.where(rng.random(n_rows) < new, 3, rng.choice(3, n_rows, p=priors))
    return rng.normal(CENTERS[codes], 1.0), codes


@pytest.fixture(scope="module")
def fitted():
    """A model fitted where three rows in ten are new."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X, (pool, _) = rng.normal(CENTERS[y], 1.0), draw(rng, 600, 0.3)
    model = eulac.KernelEulacClassifier(0.7, bandwidth=1.5, penalty=0.01, random_state=0)
    return model.fit(X, y, X_unlabeled=pool), pool


def compared(model, n_batches, n_resamples=10):
    """Return estimates beside the truth: share new, error, and whether intervals hold it."""
    rng, found = np.random.default_rng(1), []
    for new in np.repeat(SHARES, n_batches):
        X, codes = draw(rng, 600, new)
        batch = estimate_batch(model, X, n_resamples=n_resamples)
        error = np.mean(model.codec_.encode(model.predict(X)) != codes)
        low, high = batch.proportion.augmented_interval
        share = np.mean(codes == 3)
        covered = low <= share <= high, batch.risk.interval[0] <= error <= batch.risk.interval[1]
        found.append(
            (batch.proportion.augmented_proportion, share, batch.risk.value, error, *covered)
        )
    return np.array(found, dtype=float).T


def assert_followed(share, true_share, error, true_error):
    assert np.abs(share - true_share).mean() < 0.04
    assert np.abs(error - true_error).mean() < 0.04
    # What grows is seen to grow, by more than half of what it does.
    assert share[-1] - share[0] > 0.4
    assert true_error[-1] - true_error[2] > 0.03
    assert error[-1] - error[2] > 0.5 * (true_error[-1] - true_error[2])


def test_share_and_error_follow_a_growing_new_class(fitted):
    assert_followed(*compared(fitted[0], n_batches=1)[:4])


def test_a_batch_is_no_surer_than_the_fit_of_its_own_pool(fitted):
    model = copy(fitted[0])
    X, _ = draw(np.random.default_rng(3), 400, 0.3)
    sure = estimate_batch(model, X, n_resamples=10)
    share = sure.proportion.total
    model.proportion_ = ProportionEstimate(
        np.full(3, 0.2), (0.1, 0.8), "two_readings", 600, 600, standard_error=0.3
    )
    model.risk_ = replace(model.risk_, standard_error=0.2)
    doubted = estimate_batch(model, X, n_resamples=10)
    (low, high), (own_low, own_high) = doubted.proportion.interval, sure.proportion.interval
    assert doubted.proportion.total == share
    # The fit says 0.6, from 0.1 to 0.8: five sixths of the known rows are doubted, half of the new.
    assert low == pytest.approx(max(share - np.hypot(share * 5 / 6, share - own_low), 0.0))
    assert high == pytest.approx(share + np.hypot((1 - share) / 2, own_high - share))
    assert doubted.risk.raw == sure.risk.raw
    assert doubted.risk.standard_error >= 0.2 > sure.risk.standard_error


@pytest.mark.slow
def test_intervals_hold_the_truth(fitted):
    *_, share_covered, error_covered = compared(fitted[0], n_batches=10, n_resamples=40)
    assert share_covered.mean() > 0.85
    assert error_covered.mean() > 0.85


def test_class_shares_follow_moved_priors(fitted):
    X, _ = draw(np.random.default_rng(2), 1500, 0.5, priors=(0.7, 0.2, 0.1))
    batch = estimate_batch(fitted[0], X, n_resamples=5)
    np.testing.assert_allclose(batch.proportion.per_class, [0.35, 0.1, 0.05], atol=0.06)
    assert batch.answer_shares.sum() == pytest.approx(1.0)


def test_rows_of_the_pool_are_answered_held_out(fitted):
    model, pool = fitted
    batch = estimate_batch(model, np.vstack([pool, CENTERS]), n_resamples=5)
    assert (batch.n_rows, batch.n_held_out) == (604, 600)
    own = model.held_out_labels_[model.held_out_codes_ == -1]
    expected = np.sum(own == eulac.AUGMENTED) + np.sum(model.predict(CENTERS) == eulac.AUGMENTED)
    assert batch.answer_shares[-1] * 604 == pytest.approx(expected)


def test_the_pool_of_the_fit_has_the_share_and_the_error_of_the_fit(fitted):
    model, pool = fitted
    batch = estimate_batch(model, pool[::-1])
    assert batch.proportion is model.proportion_
    assert batch.risk is model.risk_
    part = estimate_batch(model, pool[:300], n_resamples=5)
    assert part.proportion is not model.proportion_


def test_labeled_rows_that_weigh_nothing_say_nothing_of_a_batch():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X, (pool, _) = rng.normal(CENTERS[y], 1.0), draw(rng, 300, 0.3)
    strange, weight = np.arange(300) < 90, np.ones(300)
    X[strange] = rng.normal(CENTERS[[3] * 90], 0.3)  # mistakes, which look new
    weight[strange] = 0.0
    model = eulac.KernelEulacClassifier(0.7, bandwidth=1.5, penalty=0.01, random_state=0)
    model.fit(X, y, X_unlabeled=pool, sample_weight=weight)
    batch, _ = draw(rng, 300, 0.3)
    found = estimate_batch(model, batch, n_resamples=10)
    without = model.fit(X[~strange], y[~strange], X_unlabeled=pool)
    expected = estimate_batch(without, batch, n_resamples=10)
    assert found.risk.raw == pytest.approx(expected.risk.raw, abs=0.05)
    assert found.proportion.total == pytest.approx(expected.proportion.total, abs=0.05)


def test_models_and_batches_that_cannot_tell_are_refused(fitted):
    with pytest.raises(ValueError, match=r"20 rows or more .* got 4\."):
        estimate_batch(fitted[0], CENTERS)
    contender = eulac.OsnnClassifier(ratio=0.8).fit(CENTERS[[0, 0, 1, 1]], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="OsnnClassifier keeps none"):
        estimate_batch(contender, np.zeros((30, 2)))


@pytest.fixture(scope="module")
def without_new():
    """A model fitted where nothing was new, and its labeled rows."""
    rng = np.random.default_rng(3)
    y = np.arange(240) % 3
    X, (pool, _) = rng.normal(CENTERS[y], 0.5), draw(rng, 300, 0.0)
    model = eulac.LinearEulacClassifier(0.98, random_state=0)
    return model.fit(X, y, X_unlabeled=pool), {"X_labeled": X, "y_labeled": y}


def test_a_new_class_that_the_fit_has_not_met_is_seen_with_its_labeled_rows(without_new):
    model, labeled = without_new
    rng = np.random.default_rng(4)
    known, new = rng.normal(CENTERS[np.arange(150) % 3], 0.5), rng.normal([-4, -4], 0.5, (150, 2))
    X = np.vstack([known, new])
    assert np.mean(model.predict(new) == eulac.AUGMENTED) < 0.2  # it has learned nothing of them
    by_scores = estimate_batch(model, X, n_resamples=10)
    assert by_scores.proportion.augmented_interval[1] < 0.4
    with pytest.warns(ProportionDisagreementWarning, match=r"new, by the rows themselves 5\d%"):
        seen = estimate_batch(model, X, **labeled, n_resamples=10)
    assert seen.proportion.augmented_proportion == pytest.approx(0.5, abs=0.06)
    assert seen.risk.value == pytest.approx(0.5, abs=0.1)
    low, high = seen.proportion.augmented_interval
    assert low <= by_scores.proportion.augmented_proportion
    assert high >= 0.5


def test_labeled_rows_change_no_share_that_scores_and_rows_agree_on(fitted):
    model, _ = fitted
    rng = np.random.default_rng(5)
    y = np.arange(600) % 3
    X, _ = draw(rng, 400, 0.4)
    labeled = {"X_labeled": rng.normal(CENTERS[y], 1.0), "y_labeled": y}
    one, other = (estimate_batch(model, X, **given, n_resamples=10) for given in ({}, labeled))
    assert other.proportion.total == one.proportion.total
    assert other.proportion.interval == one.proportion.interval
    assert other.proportion.diagnostics["by_scores"] == one.proportion.total


def test_where_the_fit_may_have_had_nothing_new_a_batch_may_have_nothing_new(fitted):
    model = copy(fitted[0])
    estimate = model.proportion_
    model.proportion_ = replace(estimate, interval=(0.5, 1.0))
    X, _ = draw(np.random.default_rng(6), 300, 0.3)
    assert estimate_batch(model, X, n_resamples=10).proportion.interval[1] == 1.0


def test_fewer_rows_leave_more_open(fitted):
    rng = np.random.default_rng(7)
    widths = [
        np.ptp(estimate_batch(fitted[0], draw(rng, n, 0.3)[0], n_resamples=10).proportion.interval)
        for n in (30, 600)
    ]
    assert widths[0] > 1.5 * widths[1]


def test_labeled_rows_that_are_not_those_of_the_fit_are_refused(without_new):
    model, labeled = without_new
    X, y = labeled["X_labeled"], labeled["y_labeled"]
    batch = draw(np.random.default_rng(8), 60, 0.0)[0]
    frame, other = (pd.DataFrame(rows, columns=["a", "b"]) for rows in (X, batch))
    for rows, labels, words in (
        (X[:, :1], y, "features of `X`, 2 of them; got 1"),
        (X, None, "label for each row of `X_labeled`, 240 of them; got none"),
        (X, y[:9], r"240 of them; got shape \(9,\)"),
        (X, y + 2, r"classes of the fit, \[0, 1, 2\]; got .*3"),
        (None, y, "needs its rows; got none"),
    ):
        with pytest.raises(ValueError, match=words):
            estimate_batch(model, batch, X_labeled=rows, y_labeled=labels, n_resamples=5)
    named = eulac.LinearEulacClassifier(0.98, random_state=0).fit(frame, y, X_unlabeled=other)
    for rows, words in (
        (frame[["b", "a"]], "`X_labeled` must have the columns of `X` in the same order"),
        (frame.rename(columns={"b": "z"}), "`X_labeled` must .* no .'b'. and also .'z'."),
    ):
        with pytest.raises(ValueError, match=words):
            estimate_batch(named, other + 0.01, X_labeled=rows, y_labeled=y, n_resamples=5)


def test_columns_left_out_by_the_fit_are_left_out_by_name_where_rows_are_read():
    rng = np.random.default_rng(9)
    y, codes = np.arange(200) % 2, np.arange(300) % 2

    def frame(kinds, mark):
        rows = rng.normal(5.0 * np.eye(2)[kinds], 1.0)
        marks = mark + rng.normal(size=len(kinds))
        return pd.DataFrame({"zone": rows[:, 0], "id": marks, "b": rows[:, 1]})

    X, batch = frame(y, 0.0), frame(codes, 60.0)
    model = eulac.EulacClassifier(random_state=0).fit(X, y, X_unlabeled=frame(codes, 0.0))
    names = "codec_", "known_classes_", "column_order_", "feature_names_in_"
    fit = SimpleNamespace(**{name: getattr(model, name) for name in names})
    assert _by_rows(fit, X, y, batch, 0).total < 0.1
    fit.left_out_columns_ = np.array([1])
    assert _by_rows(fit, X, y, batch, 0).total > 0.8
