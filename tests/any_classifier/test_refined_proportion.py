"""The known proportion by the scores of classifiers: who votes, and what a vote changes."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.any_classifier.refined_proportion import (
    proportion_with_answers,
    refined_proportion,
    voted_proportion,
)
from eulac.drift.chosen_reading import chosen_share, drift_of
from eulac.drift.readings import reading
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.held_out import HeldOut

N_ROWS = 2000
TRUTH = 0.7


def first_estimate(**scores):
    by_score = scores or {"forest": 0.85, "kernel_logistic": 0.8, "forest_by_class": 0.9}
    return ProportionEstimate(
        np.array([0.5, 0.35]),
        (0.75, 0.95),
        "consensus",
        N_ROWS,
        N_ROWS,
        standard_error=0.05,
        diagnostics={"by_score": by_score},
    )


def held_out(blunt, seed=0):
    """Scores that take a share of the new rows for known ones: the least bound is what they do."""
    rng = np.random.default_rng(seed)
    is_new = np.append(np.zeros(N_ROWS, bool), rng.random(N_ROWS) > TRUTH)
    looks_new = is_new & (rng.random(2 * N_ROWS) > blunt)
    new = 0.5 * (looks_new + rng.random(2 * N_ROWS))
    rows = np.column_stack([(1 - new) / 2, (1 - new) / 2, new])
    y, weights = np.arange(N_ROWS) % 2, np.full(N_ROWS, 0.85)
    return HeldOut(rows[:N_ROWS], rows[N_ROWS:], y, weights)


@pytest.mark.parametrize("blunt", [0.0, 0.3, 0.8])
def test_a_score_bounds_the_proportion_by_what_it_takes_for_known(blunt):
    refined = refined_proportion(first_estimate(), held_out(blunt), seed=0)
    found = refined.diagnostics["by_score"]["second_stage"]
    assert found == pytest.approx(TRUTH + blunt * (1 - TRUTH), abs=0.03)


def test_votes_move_the_proportion_to_their_lower_quartile():
    refined = refined_proportion(first_estimate(), held_out(0.6), seed=0)
    voted = voted_proportion(refined, {"sharp": held_out(0.0), "blunt": held_out(0.9)}, seed=0)
    by_score, by_candidate = (voted.diagnostics[key] for key in ("by_score", "by_candidate"))
    assert by_score == refined.diagnostics["by_score"]
    second = by_score["second_stage"]
    earlier = [value for name, value in by_score.items() if name != "second_stage"]
    votes = [*earlier, *[second] * 2, *list(by_candidate.values()) * 2]
    assert voted.total == pytest.approx(np.quantile(votes, 0.25))
    assert TRUTH < voted.total < refined.total


def test_a_vote_keeps_priors_and_doubts_and_is_less_sure_the_further_it_leads():
    refined = refined_proportion(first_estimate(), held_out(0.6), seed=0)
    near, far = (
        voted_proportion(refined, {"one": rows, "two": rows}, seed=0)
        for rows in (held_out(0.6, seed=1), held_out(0.0))
    )
    for voted in (near, far):
        np.testing.assert_allclose(
            voted.per_class / voted.total, refined.per_class / refined.total, rtol=1e-12
        )
        assert voted.interval[0] == pytest.approx(voted.total - 1.96 * voted.standard_error)
        for key in ("spread", "scores_agree"):
            assert voted.diagnostics[key] == refined.diagnostics[key]
    assert refined.standard_error <= near.standard_error < far.standard_error


def test_a_vote_away_from_an_estimate_that_was_sure_leaves_room():
    sure = replace(first_estimate(given=1.0), per_class=np.array([0.5, 0.5]), standard_error=0.0)
    voted = voted_proportion(sure, {"one": held_out(0.0), "two": held_out(0.2)}, seed=0)
    assert voted.total < 0.9
    assert voted.interval[0] < voted.total < voted.interval[1]


def test_nobody_else_to_ask_and_nothing_known_change_nothing():
    refined = refined_proportion(first_estimate(), held_out(0.6), seed=0)
    assert voted_proportion(refined, {}, seed=0) is refined
    nothing = replace(first_estimate(), per_class=np.zeros(2))
    assert refined_proportion(nothing, held_out(0.6), seed=0) is nothing
    assert voted_proportion(nothing, {"sharp": held_out(0.0)}, seed=0) is nothing


def two_readings(rows=0.8, moved=None, interval=(0.5, 0.95), p_value=0.0, **drift):
    """An estimate that was read twice, the first time with a share read off the rows."""
    first = replace(reading(rows, 0.03, "as labeled", {}), interval=interval)
    second = reading(rows if moved is None else moved, 0.03, "moved", {"class_view": rows})
    options = {"priors": np.array([0.6, 0.4]), "sizes": (N_ROWS, N_ROWS)}
    told = {"nothing_new_p_value": p_value}
    return chosen_share(
        *(first, second, drift_of(first, second, 0.0, "auto") | drift), **options, diagnostics=told
    )


@pytest.mark.parametrize("rows", [0.55, TRUTH, 0.9])
def test_answers_that_agree_outvote_the_rows(rows):
    found = proportion_with_answers(two_readings(rows), held_out(0.0), seed=0)
    votes = [found.diagnostics["by_rows"], *found.diagnostics["by_answers"].values()]
    assert found.diagnostics["by_rows"] == rows
    assert found.total == pytest.approx(np.median(votes))
    assert found.total == pytest.approx(TRUTH, abs=0.04)
    assert found.per_class[0] / found.per_class[1] == pytest.approx(1.5)


def test_votes_stay_within_the_interval_of_the_rows():
    first = two_readings(0.85, interval=(0.8, 0.9))
    found = proportion_with_answers(first, held_out(0.0), seed=0)
    assert max(found.diagnostics["by_answers"].values()) < 0.75
    assert found.total == 0.8
    assert found.interval[0] <= 0.8
    assert found.interval[1] >= 0.9


def test_answers_of_a_blunt_classifier_have_no_more_than_their_votes():
    first = two_readings(TRUTH)
    blunt = proportion_with_answers(first, held_out(0.9), seed=0)
    assert blunt.total == pytest.approx(min(blunt.diagnostics["by_answers"].values()))


def test_answers_are_read_with_the_priors_of_the_pool():
    """The class that looks least new is half of the labeled rows, and rare in the pool."""
    rng = np.random.default_rng(0)
    y, kinds = np.arange(N_ROWS) % 2, rng.choice(3, N_ROWS, p=[0.1, 0.6, 0.3])
    new = np.array([0.1, 0.5, 0.9])
    labeled, pool = (new[k] + rng.uniform(-0.1, 0.1, N_ROWS) for k in (y, kinds))
    rows = [np.column_stack([(1 - one) / 2, (1 - one) / 2, one]) for one in (labeled, pool)]
    moved = HeldOut(*rows, y, np.where(y == 0, 0.2, 1.2))
    as_labeled = replace(moved, weights=np.full(N_ROWS, 0.7))
    found = [proportion_with_answers(two_readings(), one, seed=0) for one in (moved, as_labeled)]
    bins = [one.diagnostics["by_answers"]["best_bin"] for one in found]
    assert bins[0] == pytest.approx(0.7, abs=0.03)
    assert bins[1] < 0.5


@pytest.mark.parametrize(
    "first",
    [
        two_readings(0.0, interval=(0.0, 0.1)),
        two_readings(0.6, moved=0.9, share_used=1.0, used=True),
        two_readings(p_value=0.3),
    ],
    ids=["nothing known", "known rows moved", "nothing speaks for new rows"],
)
def test_answers_are_not_asked_where_they_cannot_know(first):
    assert proportion_with_answers(first, held_out(0.0), seed=0) is first


def test_answers_that_are_the_same_for_all_rows_have_no_vote():
    rows = np.full((N_ROWS, 3), 1 / 3)
    blind = HeldOut(rows, rows, np.arange(N_ROWS) % 2, np.full(N_ROWS, 0.8))
    first = two_readings()
    assert proportion_with_answers(first, blind, seed=0) is first
