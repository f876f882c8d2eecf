import numpy as np

from discovery.conftest import clouds
from eulac.discovery import overlooked as module
from eulac.discovery.new_classes import new_classes_of
from eulac.discovery.overlooked import overlooked
from eulac.discovery.spaces import KnownRows

NEW, SIZES = [[0, 0], [9, 0]], [30, 30]


def pool_of(known):
    """Two new classes of thirty rows, and twenty rows of a known one."""
    X, truth = clouds([*NEW, [7, -9]], [*SIZES, 20], seed=1)
    return X, truth


def naive(X, labeled, grouped, groups, others):
    """The same by a loop, in plain distances."""
    rows = np.vstack([X, labeled])
    of = dict(zip(grouped.tolist(), groups.tolist(), strict=True))
    found = {}
    for row in others.tolist():
        order = np.argsort(((rows - X[row]) ** 2).sum(axis=1))
        near = [one for one in order.tolist() if one != row][:15]
        for group in set(groups.tolist()) - {-1}:
            inside = [one for one in near if of.get(one) == group]
            if len(inside) > 7.5:
                found[row] = inside[0]
    return found


def test_rows_that_were_not_called_new_join_the_class_they_lie_in(known):
    X, truth = pool_of(known)
    called = np.flatnonzero((truth < 2) & (np.arange(80) % 5 > 0))
    others = np.setdiff1d(np.arange(80), called)
    found = overlooked(known, X, called, truth[called], others)
    assert set(found.rows) == set(np.flatnonzero(truth < 2)) - set(called)
    np.testing.assert_array_equal(truth[called[found.like]], truth[found.rows])


def test_they_are_those_that_a_loop_over_plain_distances_finds(monkeypatch):
    monkeypatch.setitem(module.SPACES, module.SPACE, lambda known, X: X)
    X, truth = clouds([[0, 0], [1.2, 0], [0, 1.2]], [60, 60, 60], seed=3)
    known = KnownRows(*clouds([[0, 1.2]], [50], seed=4))
    grouped = np.flatnonzero((truth < 2) & (np.arange(180) % 2 > 0))
    groups = np.where(np.arange(len(grouped)) % 7 > 0, truth[grouped], -1)
    others = np.setdiff1d(np.arange(180), grouped)
    found = overlooked(known, X, grouped, groups, others)
    expected = naive(X, known.X, grouped, groups, others)
    assert 10 < len(expected) < len(others)
    assert dict(zip(found.rows.tolist(), grouped[found.like].tolist(), strict=True)) == expected


def test_rows_among_several_classes_join_none(known):
    X = np.vstack([clouds([[0, 0], [1.4, 0]], [40, 40])[0], [[0.7, 0.0]]])
    found = overlooked(known, X, np.arange(80), np.arange(80) % 7, np.array([80]))
    assert not len(found.rows)


def test_without_groups_or_without_others_nobody_joins(known):
    X, truth = pool_of(known)
    nobody = np.empty(0, dtype=np.intp)
    for grouped, groups, others in (
        (nobody, nobody, np.arange(80)),
        (np.arange(80), truth, nobody),
        (np.arange(60), np.full(60, -1), np.arange(60, 80)),
    ):
        found = overlooked(known, X, grouped, groups, others)
        assert (len(found.rows), len(found.like)) == (0, 0)


def test_a_draw_of_many_rows_says_the_same(known, monkeypatch):
    X, truth = clouds([*NEW, [7, -9]], [200, 200, 200], seed=1)
    grouped = np.flatnonzero((truth < 2) & (np.arange(600) % 5 > 0))
    others = np.setdiff1d(np.arange(600), grouped)
    monkeypatch.setattr(module, "MOST_ROWS", 200)
    found = overlooked(known, X, grouped, truth[grouped], others)
    assert set(found.rows) == set(np.flatnonzero(truth < 2)) - set(grouped)


def test_all_that_is_said_of_new_classes_holds_for_rows_that_joined(known):
    X, truth = pool_of(known)
    called = np.flatnonzero((truth < 2) & (np.arange(80) % 5 > 0))
    sureness = np.where(np.isin(np.arange(80), called), 0.9, 0.2)
    found = new_classes_of(known, X, called, sureness)
    new = np.flatnonzero(truth < 2)
    joined = np.setdiff1d(new, called)
    np.testing.assert_array_equal(found.rows, new)
    np.testing.assert_array_equal(np.flatnonzero(found.assignment >= 0), new)
    np.testing.assert_array_equal(found.tree.cut(found.n_classes), found.assignment)
    np.testing.assert_allclose(found.probabilities[joined].sum(axis=1), 0.2)
    np.testing.assert_allclose(np.linalg.norm(found.directions[joined], axis=1), 1.0)
    for rows in found.typical_rows:  # those that were called new come first
        assert np.all(np.diff(np.isin(rows, joined).astype(int)) >= 0)


def test_where_new_rows_are_certain_others_stay_known(known):
    X, truth = pool_of(known)
    told = np.flatnonzero((truth < 2) & (np.arange(80) % 5 > 0))
    found = new_classes_of(known, X, told, are_certain=True)
    np.testing.assert_array_equal(np.flatnonzero(found.assignment >= 0), told)
