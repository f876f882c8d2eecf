import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from discovery.conftest import clouds
from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.contenders.osnn import OsnnClassifier
from eulac.discovery.agreement import matched_accuracy
from eulac.discovery.new_classes import find_new_classes, new_classes_of


@pytest.fixture(scope="module")
def found(fitted, mixture):
    return find_new_classes(fitted, mixture[2])


def test_the_two_new_classes_are_found_and_known_rows_are_in_none(found, mixture):
    truth = mixture[3]
    assert found.n_classes == 2
    assert np.mean(found.assignment[truth < "c"] == -1) > 0.95
    new = truth >= "c"
    assert matched_accuracy(found.assignment[new], truth[new]) > 0.95
    assert np.all(np.isin(np.flatnonzero(found.assignment >= 0), found.rows))
    assert repr(found).startswith("NewClasses(2, plausible ")


def test_probabilities_leave_room_for_the_known_classes(found, mixture):
    total = found.probabilities.sum(axis=1)
    assert np.all((total >= 0) & (total <= 1 + 1e-9))
    assert np.all(total[np.setdiff1d(np.arange(160), found.rows)] == 0)
    placed = found.assignment >= 0
    best = found.probabilities.argmax(axis=1)
    assert np.mean(best[placed] == found.assignment[placed]) > 0.95


def test_typical_rows_are_the_rows_of_a_class_central_ones_first(found, mixture):
    pool = mixture[2]
    for group, rows in enumerate(found.typical_rows):
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(found.assignment == group))
        distance = np.linalg.norm(pool[rows] - pool[rows].mean(axis=0), axis=1)
        assert distance[: len(rows) // 3].mean() < distance[-len(rows) // 3 :].mean()


def test_rows_that_look_known_stand_in_for_labeled_ones(mixture):
    X, y, pool, truth = mixture
    classifier = OsnnClassifier(ratio=0.6).fit(X, y)
    found = find_new_classes(classifier, pool)
    assert matched_accuracy(found.assignment[truth >= "c"], truth[truth >= "c"]) > 0.8


def test_nothing_new_is_no_class(known):
    found = new_classes_of(known, known.X, np.empty(0, dtype=np.intp))
    assert (found.n_classes, found.typical_rows) == (0, ())
    assert np.all(found.assignment == -1)


def test_doubtful_rows_count_less(known):
    X, _ = clouds([[0, 0], [5, 0]], [20, 20])
    doubt = np.where(np.arange(40) < 10, 0.5, 1.0)
    found = new_classes_of(known, X, np.arange(40), doubt)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), doubt)
    assert found.typical_rows[0][0] >= 10


def test_one_class_fewer_and_one_more_are_told(found):
    for other, n_classes in ((found.coarser, 1), (found.finer, 3)):
        assert other.shape == found.assignment.shape
        assert np.unique(other).tolist() == [-1, *range(n_classes)]  # -1 are known
    parts = [np.unique(found.finer[found.assignment == k]) for k in range(2)]
    assert sorted(map(len, parts)) == [1, 2]  # one is parted, the other stays


def test_rows_that_are_new_for_certain_stay_even_among_known_ones(known):
    X = np.vstack([known.X[:8] + 1e-3, clouds([[9, 9], [-9, 9]], [20, 20])[0]])
    rows = np.arange(48)
    assert np.all(new_classes_of(known, X, rows, are_certain=True).assignment >= 0)
    called = new_classes_of(known, X, rows).assignment
    assert np.all(called[:8] == -1)
    assert np.all(called[8:] >= 0)


def mixed_frame(kinds, seed=0):
    """Two numbers with gaps and a category, which tell four kinds apart."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    numbers = rng.normal(centers[kinds], 0.5)
    numbers[rng.random(numbers.shape) < 0.02] = np.nan
    color = np.array(["red", "blue", "green", "gray"])[kinds]
    return pd.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "color": color})


def test_tables_with_text_and_gaps_are_grouped_as_they_are_fitted():
    labeled, pool = np.repeat([0, 1], 40), np.repeat([0, 1, 2, 3], 25)
    X, X_pool = mixed_frame(labeled), mixed_frame(pool, seed=1)
    y = np.array(["left", "right"])[labeled]
    clf = EulacClassifier(known_proportion=0.5, random_state=0).fit(X, y, X_unlabeled=X_pool)
    for rows in ((), (X, y)):
        found = find_new_classes(clf, X_pool, *rows)
        assert found.n_classes == 2
    assert matched_accuracy(found.assignment[50:], pool[50:]) > 0.9


def test_a_classifier_before_its_fit_and_no_number_of_classes_are_refused(fitted, mixture):
    with pytest.raises(NotFittedError, match="EulacClassifier instance is not fitted yet"):
        find_new_classes(EulacClassifier(), mixture[2])
    with pytest.raises(ValueError, match=r"`n_classes` must be .* at least 1; got 0"):
        find_new_classes(fitted, mixture[2], n_classes=0)


def test_a_model_of_a_table_is_told_what_to_pass():
    with pytest.raises(TypeError, match=r"got a OddModel.*`eulac review`"):
        find_new_classes(type("OddModel", (), {})(), np.zeros((3, 2)))
