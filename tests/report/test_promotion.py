import numpy as np
import pandas as pd
import pytest

from eulac import DeepEulacClassifier
from eulac.contenders.osnn import OsnnClassifier
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.report.decisions import Decisions
from eulac.report.promotion import is_all_known, named_rows, promote, reviewed_shares
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
    shares = reviewed_shares(
        fitted, named_rows(fitted.codec_, Decisions.from_names(pool, names)), len(pool)
    )
    if is_all_known(shares, len(pool)):
        assert promoted.classes_.tolist() == ["ant", "bee", "cow", "dog"]
    assert np.mean(promoted.predict(test_rows[0]) == test_rows[1]) > 0.9


def test_the_labeled_rows_a_kernel_classifier_carries_are_as_good(fitted, mixture, test_rows):
    X, y, pool, truth = mixture
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    given = promote(fitted, X, y, pool, decisions)
    carried = promote(fitted, None, None, pool, decisions)
    np.testing.assert_array_equal(given.predict(test_rows[0]), carried.predict(test_rows[0]))


def test_shares_come_from_the_review_old_classes_keeping_theirs(fitted, mixture):
    pool, truth = mixture[2:]
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")[:32], "ant": [158, 159]})
    shares = reviewed_shares(fitted, named_rows(fitted.codec_, decisions), len(pool))
    old = fitted.proportion_.per_class
    np.testing.assert_allclose(shares, [old[0] + 2 / 160, old[1], 32 / 160])


def test_shares_never_exceed_one(fitted, mixture):
    pool = mixture[2]
    decisions = Decisions.from_names(pool, {"cow": list(range(160))})
    shares = reviewed_shares(fitted, named_rows(fitted.codec_, decisions), 160)
    assert sum(shares) == pytest.approx(1.0)
    assert is_all_known(shares, 160)
    assert not is_all_known([0.5, 0.4], 160)


def test_proportions_can_be_estimated_anew(fitted, mixture):
    X, y, pool, truth = mixture
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(fitted, X, y, pool, decisions, proportion="estimated")
    assert promoted.proportion_.method == "consensus"


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
    X, y, pool, truth = mixture
    clf = DeepEulacClassifier(
        known_proportion=0.5, max_epochs=2, random_state=0, checkpoint=tmp_path / "fit.pt"
    )
    clf.fit(X, y, X_unlabeled=pool)
    decisions = Decisions.from_names(pool, {"cow": rows_of(truth, "cow")})
    promoted = promote(clf, X, y, pool, decisions)
    assert promoted.known_classes_.tolist() == ["ant", "bee", "cow"]
    assert (promoted.checkpoint, clf.checkpoint) == (None, tmp_path / "fit.pt")
