"""One road from held-out scores to an estimate."""

import numpy as np
import pytest

from eulac.proportion.best_bin import (
    DISAGREEMENT,
    SPREAD_SHARE,
    corrected_best_bin,
    corrected_best_bins,
    estimate_from_scores,
)
from eulac.proportion.reduction import known_log_odds

PRIORS = np.array([0.25, 0.75])


def scores(known_proportion=0.5, n=300, seed=0):
    rng = np.random.default_rng(seed)
    n_known = round(known_proportion * n)
    unlabeled = np.append(rng.normal(size=n_known), rng.normal(-6, 1, n - n_known))
    return rng.normal(size=n), unlabeled


def test_one_score_gives_its_corrected_best_bin():
    pair = scores()
    estimate = estimate_from_scores({"one": pair}, PRIORS, method="one", random_state=3)
    best = corrected_best_bin(*pair, n_resamples=100, random_state=3)
    assert estimate.per_class.tolist() == (best.value * PRIORS).tolist()
    assert estimate.standard_error == best.standard_error
    assert estimate.diagnostics == {"raw": best.raw, "at_bound": False}
    assert (estimate.method, estimate.n_labeled, estimate.n_unlabeled) == ("one", 300, 300)


def test_of_several_scores_the_median_counts_and_their_distance_makes_it_less_sure():
    pairs = {name: scores(share) for name, share in {"a": 0.3, "b": 0.5, "c": 0.8}.items()}
    estimate = estimate_from_scores(pairs, PRIORS, method="three", random_state=0)
    by_score, spread = estimate.diagnostics["by_score"], estimate.diagnostics["spread"]
    assert list(by_score) == ["a", "b", "c"]
    assert estimate.total == pytest.approx(by_score["b"])
    assert spread == by_score["c"] - by_score["a"] > DISAGREEMENT
    assert estimate.diagnostics["scores_agree"] is False
    assert estimate.standard_error > SPREAD_SHARE * spread


def test_weights_move_the_estimate_and_what_a_method_says_is_kept():
    rng = np.random.default_rng(0)
    known = np.append(rng.normal(3, 1, 300), rng.normal(0, 1, 300))
    unlabeled = np.append(rng.normal(3, 1, 100), rng.normal(0, 1, 500))  # nothing is new
    weights = np.repeat([1 / 3, 5 / 3], 300)
    plain, weighted = (
        estimate_from_scores(
            {"s": (known, unlabeled)},
            PRIORS,
            method="s",
            known_weights=known_weights,
            random_state=0,
            diagnostics={"more": 1},
        )
        for known_weights in (None, weights)
    )
    assert plain.total < 0.6 < 0.9 < weighted.total
    assert weighted.diagnostics["more"] == 1


def test_log_odds_of_being_known_are_those_of_not_being_last():
    rows = np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    labeled, unlabeled = known_log_odds((rows, rows[:1]))
    np.testing.assert_allclose(labeled, [0.0, np.log(0.001 / 0.999)], atol=1e-12)
    assert len(unlabeled) == 1


def test_two_scores_are_told_apart_by_name_and_agree_up_to_a_tenth():
    close = {"a": scores(0.5), "b": scores(0.5, seed=1)}
    near = estimate_from_scores(close, PRIORS, method="two", random_state=0)
    assert list(near.diagnostics["by_score"]) == ["a", "b"]
    assert near.total == pytest.approx(np.mean(list(near.diagnostics["by_score"].values())))
    assert near.diagnostics["scores_agree"] is True
    assert "raw" not in near.diagnostics
    far = estimate_from_scores({"a": scores(0.5), "b": scores(0.7)}, PRIORS, method="two")
    assert far.diagnostics["scores_agree"] is False


def test_the_error_is_that_of_resamples_and_half_of_how_far_scores_lie_apart():
    one = scores(0.5)
    same = estimate_from_scores({"a": one, "b": one}, PRIORS, method="two", random_state=0)
    alone = estimate_from_scores({"a": one}, PRIORS, method="one", random_state=0)
    assert same.diagnostics["spread"] == 0.0
    assert same.standard_error == pytest.approx(alone.standard_error)
    pairs = {"a": scores(0.4), "b": scores(0.7, seed=1)}
    two = estimate_from_scores(pairs, PRIORS, method="two", random_state=0)
    _, chance = corrected_best_bins(list(pairs.values()), random_state=0)
    assert two.standard_error**2 == pytest.approx(chance**2 + (two.diagnostics["spread"] / 2) ** 2)


def test_an_estimate_counts_its_rows_and_says_when_it_is_at_one():
    known = np.linspace(0.0, 1.0, 50)
    pair = known, np.linspace(0.2, 1.2, 70)
    estimate = estimate_from_scores({"s": pair}, PRIORS, method="s", random_state=0)
    assert (estimate.n_labeled, estimate.n_unlabeled) == (50, 70)
    assert estimate.total == 1.0
    assert estimate.diagnostics["at_bound"] is True
