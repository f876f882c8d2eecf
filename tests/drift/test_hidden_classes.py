"""What new classes look like, learned from known classes while they are hidden."""

import numpy as np
import pytest

from eulac.drift import class_view
from eulac.drift.class_view import held_out_class_view
from eulac.drift.hidden_classes import (
    HiddenClassScores,
    hidden_class_scores,
    share_beside_hidden,
    share_by_both_scores,
)

CENTERS = np.random.default_rng(7).normal(0.0, 3.0, size=(6, 6))
"""Of five known classes and, last, a new one that is like them: known ones can stand in for it."""


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    monkeypatch.setattr(class_view, "N_TREES", 30)


def rows_of(kinds, seed=0, moved=0.0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(moved, 1.0, size=(len(kinds), 1))
    return np.hstack([rng.normal(CENTERS[kinds]), noise])


def share_found(kinds, moved=0.0):
    y = np.arange(250) % 5
    X, pool = rows_of(y), rows_of(kinds, 1, moved)
    return share_beside_hidden(scores_of(X, y, pool))


def scores_of(X, y, pool, n_known_classes=5):
    seen = held_out_class_view(X, y, pool, n_known_classes=n_known_classes)
    return hidden_class_scores(X, y, seen)


@pytest.mark.parametrize("moved", [0.0, 1.0])
@pytest.mark.parametrize(("n_new", "share"), [(0, 1.0), (120, 0.6)])
def test_the_share_is_found_also_where_a_column_moved_that_tells_no_classes(n_new, share, moved):
    kinds = np.append(np.arange(300 - n_new) % 5, np.full(n_new, 5))
    assert share_found(kinds, moved) == pytest.approx(share, abs=0.15)


def test_two_classes_cannot_be_hidden():
    y = np.arange(60) % 2
    X = rows_of(y)
    assert scores_of(X, y, X, n_known_classes=2) is None


def mixture(known_mean, n_known, n_new, seed=0):
    """Scores whose known part was moved, with that move and none among those tried."""
    rng = np.random.default_rng(seed)
    pool = np.append(rng.normal(known_mean, 1, n_known), rng.normal(5, 1, n_new))
    known = rng.normal(size=400), rng.normal(known_mean, 1, 400)
    return HiddenClassScores(pool, known, (rng.normal(5, 1, 200), rng.normal(5, 1, 200)))


@pytest.mark.parametrize(("n_known", "n_new"), [(400, 0), (360, 40), (200, 200), (0, 400)])
def test_the_share_is_found_after_the_move_that_fits(n_known, n_new):
    scores = mixture(2.0, n_known, n_new)
    assert share_beside_hidden(scores) == pytest.approx(n_known / 400, abs=0.05)


def test_without_the_right_move_moved_rows_would_seem_new():
    scores = mixture(2.0, 400, 0)
    alone = HiddenClassScores(scores.unlabeled, scores.known[:1], scores.hidden[:1])
    assert share_beside_hidden(alone) < share_beside_hidden(scores) - 0.1


def test_units_of_the_scores_do_not_matter():
    one = mixture(1.0, 200, 200)
    two = HiddenClassScores(
        5.0 * one.unlabeled - 2.0,
        tuple(5.0 * part - 2.0 for part in one.known),
        tuple(5.0 * part - 2.0 for part in one.hidden),
    )
    assert share_beside_hidden(one) == pytest.approx(0.5, abs=0.03)
    assert share_beside_hidden(two) == pytest.approx(share_beside_hidden(one), abs=0.01)


def test_columns_that_tell_new_rows_apart_make_the_share_exact_wherever_they_lie():
    rng = np.random.default_rng(0)
    pool = np.append(rng.normal(0, 1, 300), rng.normal(1, 1, 150))
    scores = HiddenClassScores(pool, (rng.normal(0, 1, 400),), (rng.normal(1, 1, 200),))
    columns = np.append(rng.normal(50, 1, 300), rng.normal(60, 1, 150))
    assert share_by_both_scores(scores, columns) == pytest.approx(2 / 3, abs=0.06)


def test_an_increasing_change_of_the_columns_scores_changes_nothing():
    scores = mixture(1.0, 200, 200)
    columns = np.random.default_rng(1).normal(size=400)
    one, two = (share_by_both_scores(scores, c) for c in (columns, np.exp(columns)))
    assert one == two
