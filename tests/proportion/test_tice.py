"""TIcE: a tree against a slow copy of it, the way from labels to proportions, and its limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eulac.proportion.tice import TiceProportion, _tree_parts, known_share, tice
from proportion.contract import easy_mixture, parametrize_with_contract

QUICK = TiceProportion(n_resamples=4, random_state=0)


@parametrize_with_contract([(QUICK, 0.22)])
def test_contract(estimator, tolerance, check):
    check(estimator, tolerance)


@given(theta=st.floats(0, 1), n=st.integers(1, 1000), m=st.integers(1, 1000))
def test_label_frequency_and_proportion_say_the_same(theta, n, m):
    """Of n + theta m known rows in both samples, n are labeled."""
    frequency = n / (n + theta * m)
    assert known_share(frequency, n, m) == pytest.approx(theta, abs=1e-9)


def test_impossible_label_frequencies_are_cut():
    assert known_share(1.0, 10, 20) == 0.0
    assert known_share(0.01, 10, 20) == 1.0


def lower_bound(n_labeled, n_rows, c, n_read):
    delta = max(0.025, 1 / (1 + 0.004 * n_read))
    return n_labeled / n_rows - math.sqrt(c * (1 - c) * (1 - delta) / (delta * n_rows))


def test_one_split_between_known_and_new_rows_gives_the_bound_of_the_paper():
    frequency = tice(np.zeros((100, 1)), np.ones((100, 1)), random_state=0)[1]
    first = lower_bound(80, 80, 0.5, n_read=160)
    assert frequency == pytest.approx(lower_bound(80, 80, first, n_read=160))


def naive_parts(cells, labeled, grow, read, free):
    """Return (labeled, all) rows of `read` in every part, splitting one node after the other."""

    def score(a):
        counts = [(labeled[p].sum(), len(p)) for p in (grow[cells[grow, a] == v] for v in range(4))]
        return max(n_labeled / (n + 5) for n_labeled, n in counts)

    found = [(labeled[read].sum(), len(read))]
    impure = 0 < labeled[grow].sum() < len(grow)
    root = len(free) == cells.shape[1]
    if free and (root or (len(grow) > 10 and impure)):
        best = max(free, key=lambda a: (score(a), -a))
        pieces = [(grow[cells[grow, best] == v], read[cells[read, best] == v]) for v in range(4)]
        if score(best) > 0 and sum(len(g) > 0 for g, _ in pieces) > 1:
            rest = [a for a in free if a != best]
            for grow_piece, read_piece in pieces:
                found += naive_parts(cells, labeled, grow_piece, read_piece, rest)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_tree_is_that_of_a_slow_obvious_copy(seed):
    rng = np.random.default_rng(seed)
    known, unlabeled = rng.random((150, 4)), rng.random((250, 4)) ** 0.5
    frequency = tice(known, unlabeled, n_folds=3, random_state=seed)[1]

    X = np.vstack([known, unlabeled])
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    cells, labeled = np.minimum((4 * X).astype(int), 3), np.arange(400) < 150
    rng = np.random.default_rng(seed)
    fold = np.append(rng.permutation(150), 150 + rng.permutation(250)) % 3
    c = 0.5
    for _ in range(2):
        best = []
        for f in range(3):
            grow, read = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
            parts = naive_parts(cells, labeled, grow, read, list(range(4)))
            bounds = [lower_bound(a, b, c, n_read=len(read)) for a, b in parts if b >= 10]
            best.append(max([150 / 400, *bounds]))
        c = np.mean(best)
    assert frequency == pytest.approx(c)


def test_units_of_features_do_not_matter():
    X, y = easy_mixture(0.5)
    plain = tice(X[y >= 0], X[y < 0], random_state=0)
    X = X * [1, 1000, 0.01] - [5, 0, 3]
    assert tice(X[y >= 0], X[y < 0], random_state=0) == pytest.approx(plain)


def test_only_fifty_features_of_largest_variance_count():
    rng = np.random.default_rng(0)
    X, U = rng.random((100, 50)), rng.random((200, 50))
    spikes = np.zeros((300, 20))
    spikes[0] = 1.0
    plain = tice(X, U, random_state=0)
    wide = tice(np.hstack([spikes[:100], X]), np.hstack([spikes[100:], U]), random_state=0)
    assert wide == plain


def test_features_that_say_nothing_leave_the_bound_of_all_rows():
    estimate = TiceProportion(n_resamples=2, random_state=0).fit(
        np.ones((300, 2)), np.repeat([0, -1], [100, 200])
    )
    assert estimate.estimate_.total == pytest.approx(1.0)
    assert estimate.estimate_.diagnostics["at_bound"]
    assert estimate.estimate_.diagnostics["label_frequency"] == pytest.approx(1 / 3)


def test_ten_rows_are_too_few_for_less_than_one():
    estimate = QUICK.fit(*easy_mixture(0.5, 5, 5)).estimate_
    assert estimate.total == pytest.approx(1.0)
    assert estimate.diagnostics["at_bound"]


def test_a_tree_needs_other_rows_for_its_bounds():
    with pytest.raises(ValueError, match=r"`n_folds` must be at least 2; got 1\."):
        tice(np.zeros((9, 1)), np.ones((9, 1)), n_folds=1)
    assert tice(np.zeros((9, 1)), np.ones((9, 1)), n_folds=2)[1] >= 0.5


def test_with_many_rows_it_lies_above_the_truth_and_not_far():
    X, y = easy_mixture(0.3, 3000, 6000)
    assert 0.3 < tice(X[y >= 0], X[y < 0], random_state=0)[0] < 0.4


@pytest.mark.parametrize("share", [0.03, 0.3, 0.95])
@pytest.mark.parametrize("seed", range(8))
def test_every_part_of_the_tree_is_that_of_the_slow_copy(seed, share):
    rng = np.random.default_rng(seed)
    cells = np.minimum(rng.integers(0, 5, (240, 4)), rng.integers(0, 4, 4)).astype(np.int8)
    labeled = rng.random(240) < share
    grow, read = np.split(rng.permutation(240), [80 + seed])
    parts = [labeled[part] for part in _tree_parts(cells, labeled, grow, read, 0.3)]
    found = [(part.sum(), len(part)) for part in parts] + [(labeled[read].sum(), len(read))]
    assert sorted(found) == sorted(naive_parts(cells, labeled, grow, read, list(range(4))))


def test_of_a_large_tree_the_most_promising_parts_are_split_first(monkeypatch):
    # Both halves can be split, and one of them has more labeled rows.
    halves = np.repeat([0, 1], 40)
    cells = np.column_stack([halves, np.arange(80) % 4]).astype(np.int8)
    labeled = np.where(halves == 0, np.arange(80) % 5 == 0, np.arange(80) % 5 != 0)
    rows = np.arange(80)
    monkeypatch.setattr("eulac.proportion.tice.MAX_SPLITS", 2)
    parts = list(_tree_parts(cells, labeled, rows, rows, 0.3))
    assert len(parts) == 8
    assert all(np.all(halves[part] == 1) for part in parts[4:])
