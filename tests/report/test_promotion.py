import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from eulac.contenders.osnn import OsnnClassifier
from eulac.discovery.labeled_rows import LabeledRows
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.report.decisions import Decisions
from eulac.report.promotion import (
    is_all_known,
    n_still_new,
    named_rows,
    promote,
    promoted_rows,
    reviewed_shares,
)
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import zero_one_risk
from report.conftest import COLUMNS, draw_rows


def rows_of(truth, *names):
    return np.flatnonzero(np.isin(truth, names)).tolist()


@pytest.fixture(scope="module")
def test_rows():
    return draw_rows(np.repeat([0, 1, 2, 3], 40), seed=9)


def test_one_named_class_is_known_afterwards_and_the_other_still_new(fitted, mixture, test_rows):
    X, y, pool, truth = mixture
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(fitted, X, y, pool, decisions)
    assert promoted.known_classes_.tolist() == ["ant", "bee", "cow"]
    expected = np.where(test_rows[1] == "dog", "augmented", test_rows[1])
    assert np.mean(promoted.predict(test_rows[0]) == expected) > 0.85
    assert fitted.known_classes_.tolist() == ["ant", "bee"]


def test_if_all_is_named_nothing_is_new_any_more(fitted, mixture, test_rows):
    X, y, pool, truth = mixture
    names = {name: rows_of(truth, name) for name in ("cow", "dog")}
    promoted = promote(fitted, X, y, pool, Decisions.from_names(pool, names))
    assert promoted.classes_.tolist() == ["ant", "bee", "cow", "dog"]
    assert np.mean(promoted.predict(test_rows[0]) == test_rows[1]) > 0.9


def test_the_labeled_rows_a_kernel_classifier_carries_are_as_good(fitted, mixture, test_rows):
    X, y, pool, truth = mixture
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    given = promote(fitted, X, y, pool, decisions)
    carried = promote(fitted, None, None, pool, decisions)
    assert np.mean(given.predict(test_rows[0]) == carried.predict(test_rows[0])) > 0.98


def test_shares_come_from_the_review_old_classes_sharing_what_is_left(fitted, mixture):
    pool, truth = mixture[2:]
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")[:32], "ant": [158, 159]})
    shares = reviewed_shares(fitted, named_rows(fitted.codec_, decisions), len(pool), 46)
    old = fitted.proportion_.per_class * 0.5 / fitted.proportion_.per_class.sum()
    np.testing.assert_allclose(shares, [old[0] + 2 / 160, old[1], 32 / 160])


def test_still_new_is_what_looks_new_unnamed_and_apart_from_named_rows(fitted, mixture):
    X, y, pool, truth = mixture
    cows = rows_of(truth, "cow")
    named = named_rows(fitted.codec_, Decisions.from_names(pool, {"cow": cows[:40]}))
    rows, labels = promoted_rows(fitted, X, y, pool, named)
    # Ten cows were not named, but lie among those that were; thirty dogs are apart.
    assert 25 <= n_still_new(fitted, LabeledRows(rows, labels), pool, named) <= 32


def test_shares_never_exceed_one(fitted, mixture):
    pool = mixture[2]
    decisions = Decisions.from_names(pool, {"cow": list(range(160))})
    shares = reviewed_shares(fitted, named_rows(fitted.codec_, decisions), 160, 0)
    assert sum(shares) == pytest.approx(1.0)
    assert is_all_known(shares, 160)
    assert not is_all_known([0.5, 0.4], 160)


def test_a_reviewed_share_is_as_unsure_as_the_estimate_it_rests_on(fitted, mixture):
    X, y, pool, truth = mixture
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(fitted, X, y, pool, decisions)
    old, new = fitted.proportion_, promoted.proportion_
    assert new.method == "given"
    assert new.standard_error == pytest.approx(old.standard_error)
    below, above = old.total - old.interval[0], old.interval[1] - old.total
    assert new.interval[0] == pytest.approx(max(new.total - below, 0.0))
    assert new.interval[1] == pytest.approx(min(new.total + above, 1.0))
    assert promoted.risk_.standard_error >= old.standard_error


def test_proportions_can_be_estimated_anew(fitted, mixture):
    X, y, pool, truth = mixture
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(fitted, X, y, pool, decisions, proportion="estimated")
    assert promoted.proportion_.method == "two_readings"


def test_number_labels_get_number_names(mixture):
    X, y, pool, truth = mixture
    codes = np.where(y == "ant", 3, 7)
    classifier = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.01, random_state=0)
    classifier.fit(X, codes, X_unlabeled=pool)
    decisions = Decisions.from_names(pool, {"5": rows_of(truth, "cow")})
    promoted = promote(classifier, X, codes, pool, decisions)
    assert promoted.known_classes_.tolist() == [3, 5, 7]
    assert promoted.known_classes_.dtype.kind == "i"
    for name, words in (
        ("owl", r"numbers \(\[3, 7\]\), so new ones must be too; got the name 'owl'"),
        ("5.5", "whole numbers; got the name '5.5'"),
        ("-2", "'-2' already means"),
        ("-1", "'-1' already means"),
        ("nan", "whole numbers; got the name 'nan'"),
        ("inf", "whole numbers; got the name 'inf'"),
    ):
        with pytest.raises(ValueError, match=words):
            promote(classifier, X, codes, pool, Decisions.from_names(pool, {name: [0]}))


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({}, "the decisions name none"),
        ({"owl": []}, "the named groups are empty"),
        ({"augmented": [0]}, "'augmented' already means"),
        ({"-1": [0]}, "'-1' already means"),
    ],
)
def test_names_that_cannot_be_used_are_refused(fitted, mixture, names, words):
    X, y, pool, _ = mixture
    with pytest.raises(ValueError, match=words):
        promote(fitted, X, y, pool, Decisions.from_names(pool, names))


def test_another_pool_is_refused(fitted, mixture):
    X, y, pool, _ = mixture
    decisions = Decisions.from_names(pool, {"cow": [100]})
    with pytest.raises(ValueError, match="another pool"):
        promote(fitted, X, y, pool + 1, decisions)


def test_frames_keep_their_columns(mixture):
    X, y, pool, truth = mixture
    frame, pool_frame = pd.DataFrame(X, columns=COLUMNS), pd.DataFrame(pool, columns=COLUMNS)
    classifier = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.01, random_state=0)
    classifier.fit(frame, y, X_unlabeled=pool_frame)
    decisions = Decisions.from_names(pool_frame, {"cow": rows_of(truth, "cow")})
    promoted = promote(classifier, frame, y, pool_frame, decisions)
    assert promoted.feature_names_in_.tolist() == COLUMNS


def test_classifiers_without_proportion_are_refitted_all_the_same(mixture, test_rows):
    X, y, pool, truth = mixture
    classifier = OsnnClassifier(ratio=0.5).fit(X, y)
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(classifier, X, y, pool, decisions)
    cows = test_rows[1] == "cow"
    assert np.mean(promoted.predict(test_rows[0][cows]) == "cow") > 0.8
    with pytest.raises(ValueError, match="OsnnClassifier does not carry its labeled rows"):
        promote(classifier, None, None, pool, decisions)


def test_unknown_ways_to_get_the_proportion_are_refused(fitted, mixture):
    X, y, pool, _ = mixture
    decisions = Decisions.from_names(pool, {"cow": [100]})
    with pytest.raises(ValueError, match="'reviewed', 'estimated'; got 'guessed'"):
        promote(fitted, X, y, pool, decisions, proportion="guessed")


CENTERS = np.array([0.0, 2.0, 4.0, 7.0])
SHARES = np.array([0.35, 0.25, 0.25, 0.15])
"""Two known classes, one that a review names, one that stays new; they overlap on a line."""


def line_answers(x):
    return np.searchsorted([1.0, 3.1, 5.4], x)


def claimed_errors(seed, n_labeled=80, n_pool=200):
    """Return the error claimed after a review, named rows kept in the pool and taken out of it.

    A random half of the rows of the third class are named; the group, and so its share, is seen.
    """
    rng = np.random.default_rng(seed)
    y = rng.choice(2, n_labeled, p=SHARES[:2] / SHARES[:2].sum())
    classes = rng.choice(4, n_pool, p=SHARES)
    pool = rng.normal(CENTERS[classes])
    group = np.flatnonzero(classes == 2)
    named = rng.choice(group, max(len(group) // 2, 1), replace=False)
    x = np.append(rng.normal(CENTERS[y]), pool[named])
    codes = np.append(y, np.full(len(named), 2))
    weights = labeled_weights(codes, np.append(SHARES[:2], len(group) / n_pool))
    given = line_answers(x), codes, weights
    left = np.delete(pool, named)
    kept, depleted = (
        zero_one_risk(*given, line_answers(rows), augmented=3).raw for rows in (pool, left)
    )
    return kept, depleted


def test_the_claimed_error_is_unbiased_if_named_rows_stay_in_the_pool_and_not_else():
    rng = np.random.default_rng(1)
    classes = rng.choice(4, 400_000, p=SHARES)
    truth = np.mean(line_answers(rng.normal(CENTERS[classes])) != classes)
    claimed = np.array([claimed_errors(seed) for seed in range(400)]) - truth
    off, error = claimed.mean(axis=0), claimed.std(axis=0, ddof=1) / 20
    assert abs(off[0]) < 2 * error[0]
    assert abs(off[1]) > 3 * error[1]


@pytest.mark.slow
def test_refits_are_as_honest_as_with_independent_labels_if_named_rows_stay_in_the_pool():
    """The same with real fits and given shares, on fresh rows.

    Held-out models learn from fewer rows than the final one, so even labels from elsewhere claim a
    little more than the true error. Named rows that stay in the pool change nothing; a pool without
    them claims far too little.
    """
    centers, names = np.array([[0, 0], [2.5, 0], [0, 3], [3, 3]]), np.array(list("abcd"))
    rng = np.random.default_rng(0)

    def rows(classes):
        return rng.normal(centers[classes], 0.8)

    test = rng.choice(4, 4000, p=SHARES)
    X_test, y_test = rows(test), np.where(test == 3, "augmented", names[test])
    off = []
    for _ in range(200):
        y, classes = rng.choice(2, 100, p=SHARES[:2] / 0.6), rng.choice(4, 250, p=SHARES)
        X, pool, named = rows(y), rows(classes), classes == 2
        labels = np.append(names[y], np.full(named.sum(), "c"))
        model = KernelEulacClassifier(
            [*SHARES[:2], named.mean()], bandwidth=1.0, penalty=0.01, random_state=0
        )
        cases = (pool[named], pool), (rows(classes[named]), pool), (pool[named], pool[~named])
        fits = [clone(model).fit(np.vstack([X, c]), labels, X_unlabeled=left) for c, left in cases]
        off.append([fit.risk_.raw - np.mean(fit.predict(X_test) != y_test) for fit in fits])
    kept, independent, depleted = np.transpose(off)

    def apart(one, other):
        return (one - other).mean() / ((one - other).std(ddof=1) / np.sqrt(len(one)))

    assert abs(apart(kept, independent)) < 4
    assert apart(depleted, independent) < -10


def test_labeled_columns_in_another_order_are_refused(mixture):
    X, y, pool, truth = mixture
    frame, pool = (pd.DataFrame(rows, columns=["a", "b", "c"]) for rows in (X, pool))
    clf = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.1).fit(frame, y, X_unlabeled=pool)
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    with pytest.raises(ValueError, match="it has them in another order"):
        promote(clf, frame[["c", "a", "b"]], y, pool, decisions)
    assert "cow" in promote(clf, frame, y, pool, decisions).classes_


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_a_deep_classifier_is_promoted_without_the_checkpoint_of_its_fit(mixture, tmp_path):
    pytest.importorskip("torch")
    from eulac import DeepEulacClassifier

    X, y, pool, truth = mixture
    clf = DeepEulacClassifier(
        known_proportion=0.5, max_epochs=2, random_state=0, checkpoint=tmp_path / "fit.pt"
    )
    clf.fit(X, y, X_unlabeled=pool)
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(clf, X, y, pool, decisions)
    assert promoted.known_classes_.tolist() == ["ant", "bee", "cow"]
    assert (promoted.checkpoint, clf.checkpoint) == (None, tmp_path / "fit.pt")
