"""What new classes look like, learned from known classes while they are hidden."""

import numpy as np
import pytest

from eulac.drift import class_view
from eulac.drift.class_view import held_out_class_view
from eulac.drift.hidden_classes import (
    HiddenClassScores,
    hidden_class_scores,
    share_beside_hidden,
)

CENTERS = 6.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]])
"""Of four known classes and, last, a new one between them: forests are sure of what lies beyond."""


@pytest.fixture(autouse=True)
def small_forests(monkeypatch):
    monkeypatch.setattr(class_view, "N_TREES", 30)


def rows_of(kinds, seed=0, moved=0.0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(moved, 1.0, size=(len(kinds), 1))
    return np.hstack([rng.normal(CENTERS[kinds]), noise])


def share_found(kinds, moved=0.0):
    y = np.arange(240) % 4
    X, pool = rows_of(y), rows_of(kinds, 1, moved)
    seen = held_out_class_view(X, y, pool, n_known_classes=4)
    return share_beside_hidden(hidden_class_scores(X, y, seen, n_known_classes=4))


@pytest.mark.parametrize("moved", [0.0, 1.0])
@pytest.mark.parametrize(("n_new", "share"), [(0, 1.0), (120, 0.6)])
def test_the_share_is_found_also_where_a_column_moved_that_tells_no_classes(n_new, share, moved):
    kinds = np.append(np.arange(300 - n_new) % 4, np.full(n_new, 4))
    assert share_found(kinds, moved) == pytest.approx(share, abs=0.15)


def test_two_classes_cannot_be_hidden():
    y = np.arange(60) % 2
    X = rows_of(y)
    seen = held_out_class_view(X, y, X, n_known_classes=2)
    assert hidden_class_scores(X, y, seen, n_known_classes=2) is None


def test_units_of_the_scores_do_not_matter():
    rng = np.random.default_rng(0)
    parts = (
        rng.normal(size=300),
        np.append(rng.normal(size=200), rng.normal(4, 1, 200)),
        rng.normal(4, 1, 99),
    )
    one = share_beside_hidden(HiddenClassScores(*parts))
    two = share_beside_hidden(HiddenClassScores(*(5.0 * part - 2.0 for part in parts)))
    assert one == pytest.approx(0.5, abs=0.03)
    assert two == pytest.approx(one, abs=0.01)
