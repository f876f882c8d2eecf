"""StreamEulacClassifier: after every update the fit of the window, and what it says of it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from contract import POOL, parametrize_with_contract
from eulac import LandmarkEulacClassifier, StreamEulacClassifier
from eulac.data.row_sketch import hash_rows
from eulac.landmark.moment_proportion import moment_proportion

CENTERS = 6.0 * np.eye(4)
INNER = LandmarkEulacClassifier(
    n_landmarks=60, bandwidth=0.5, penalty=[1e-4, 1e-3, 1e-2], random_state=0
)
GIVEN = clone(INNER).set_params(known_proportion=0.7)


EASY = LandmarkEulacClassifier(0.6, n_landmarks=60, bandwidth=0.5)


@parametrize_with_contract([StreamEulacClassifier(EASY, random_state=0)], *POOL)
def test_contract(classifier, check):
    check(classifier)


def test_the_order_of_a_pool_larger_than_the_window_does_not_matter():
    y, pool = np.resize([0, 1, 2], 150), mixed(400, (0, 1, 2, 3), seed=1)[0]
    rows, more = (np.random.default_rng(5).permutation(n) for n in (150, 400))
    stream = StreamEulacClassifier(INNER, window=300)
    one, two = clone(stream).fit(draw(y), y, pool), clone(stream)
    two.fit(draw(y)[rows], y[rows], pool[more])
    assert one.proportion_.total == two.proportion_.total
    np.testing.assert_array_equal(one.augmented_score(pool), two.augmented_score(pool))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_labels_may_stand_in_a_column():
    y, pool = np.resize([0, 1, 2], 150), mixed(300, (0, 1, 2), seed=1)[0]
    stream = StreamEulacClassifier(GIVEN, window=300).fit(draw(y), y[:, None], pool)
    np.testing.assert_array_equal(stream.predict(CENTERS[:3]), [0, 1, 2])


def draw(kinds, seed=0):
    return np.random.default_rng(seed).normal(CENTERS[np.asarray(kinds)])


def mixed(n, classes, seed=0):
    """Return rows of the classes in equal shares, in random order, and their classes."""
    kinds = np.random.default_rng(seed + 100).permutation(np.resize(classes, n))
    return draw(kinds, seed), kinds


def started(inner=GIVEN, pool=(0, 1, 2), **options):
    y = np.resize([0, 1, 2], 150)
    model = StreamEulacClassifier(inner, window=300, **options)
    return model.fit(draw(y), y, mixed(300, pool, seed=1)[0])


def assert_window_is(stream, rows, atol=1e-8):
    """The sums are those of the labeled rows and of the given window, added up anew."""
    again = stream.inner_.moments_.decayed(0.0)
    again = again + stream.plan_.moments(rows, np.full(len(rows), -1))
    for name in ("second", "unlabeled_sum", "n_unlabeled", "class_sums"):
        np.testing.assert_allclose(
            getattr(stream.moments_.total, name), getattr(again.total, name), atol=atol
        )
    estimate, penalty = stream.proportion_, stream.model_.penalty
    np.testing.assert_allclose(
        stream.model_.coefficients, again.total.solve(estimate.per_class, penalty), atol=atol
    )


def test_after_any_updates_the_fit_is_that_of_the_window():
    stream = started()
    rows = mixed(300, (0, 1, 2), seed=1)[0]
    assert_window_is(stream, rows)
    rows = rows[np.argsort(hash_rows(rows, stream.plan_.seed))]  # the order in which they leave
    for seed, size in enumerate((40, 7, 400, 1, 130), start=2):
        fresh = mixed(size, (0, 1, 2, 3), seed)[0]
        report = stream.update(fresh)
        rows = np.vstack([rows, fresh])[-300:]
        assert report.n_window == 300
        assert_window_is(stream, rows)
    assert report.n_seen == 40 + 7 + 400 + 1 + 130


def test_ten_thousand_rows_later_nothing_is_left_of_the_first():
    stream = started(clone(GIVEN).set_params(n_landmarks=20, penalty=1e-3))
    rows = mixed(10_000, (0, 1, 2, 3), seed=5)[0]
    for chunk in np.array_split(rows, 200):
        stream.update(chunk, solve=False)
    stream.update(rows[:1])
    assert_window_is(stream, np.vstack([rows[-299:], rows[:1]]))


def test_forgetting_weights_rows_by_their_age():
    stream = started(half_life=100.0)
    start = stream.moments_.total.n_unlabeled
    assert start == 300
    report = stream.update(mixed(100, (0, 1, 2), seed=2)[0])
    assert report.n_window == pytest.approx(start / 2 + 100)
    for seed in range(3, 30):
        report = stream.update(mixed(100, (0, 1, 2), seed)[0], solve=False)
    assert report.n_window == pytest.approx(200)  # 100 + 50 + 25 + ...


def test_a_class_that_appears_is_counted_and_called_new():
    stream = started(INNER)
    assert stream.proportion_.total > 0.85
    for seed in range(2, 6):
        report = stream.update(mixed(100, (0, 1, 2, 3), seed)[0])
    assert abs(report.proportion.total - 0.75) < 0.1
    X, kinds = mixed(200, (0, 1, 2, 3), seed=50)
    answers = stream.predict(X)
    assert np.mean((answers == -2) == (kinds == 3)) > 0.95
    error = np.mean(np.where(kinds == 3, -2, kinds) != answers)
    assert abs(report.risk.value - error) < 0.1
    assert report.alarm


def test_a_known_class_may_vanish_and_come_back():
    stream = started(INNER)
    for seed in range(2, 5):
        report = stream.update(mixed(100, (0, 1), seed)[0])
    assert report.proportion.per_class[2] < 0.05
    assert report.proportion.total > 0.85
    assert not report.alarm
    for seed in range(5, 8):
        report = stream.update(mixed(100, (0, 1, 2), seed)[0])
    assert abs(report.proportion.per_class[2] - 1 / 3) < 0.1
    X, kinds = mixed(150, (0, 1, 2), seed=50)
    assert np.mean(stream.predict(X) == kinds) > 0.9


def test_a_new_class_is_named_and_the_next_one_is_found():
    stream = started(INNER, pool=(0, 1, 3))
    stream.add_class(-7, draw([3] * 40, seed=3))
    np.testing.assert_array_equal(stream.known_classes_, [-7, 0, 1, 2])
    for seed in range(2, 5):
        report = stream.update(mixed(100, (0, 1, 3), seed)[0])
    assert not report.alarm
    assert report.proportion.total > 0.85
    X, kinds = mixed(150, (0, 1, 3), seed=50)
    answers = stream.predict(X)
    assert np.mean(answers == np.where(kinds == 3, -7, kinds)) > 0.9
    with pytest.raises(ValueError, match="-7 is a known class already"):
        stream.add_class(-7, X)


def test_watching_anew_takes_the_window_for_normal():
    stream = started(INNER)
    for seed in range(2, 6):
        report = stream.update(mixed(100, (0, 1, 2, 3), seed)[0], solve=False)
    assert report.alarm
    stream.watch()
    for seed in range(6, 10):
        report = stream.update(mixed(100, (0, 1, 2, 3), seed)[0], solve=False)
    assert not report.alarm


def test_the_proportion_of_a_window_follows_from_its_moments():
    for share, pool in ((0.75, (0, 1, 2, 3)), (0.6, (0, 1, 2, 3, 3))):
        stream = started(pool=pool)
        estimate = moment_proportion(stream.moments_, stream._kept(), stream.codec_, random_state=0)
        assert abs(estimate.total - share) < 0.08
        assert estimate.method == "density_ratio"


def test_outputs_agree_with_each_other_and_seeds_with_themselves():
    one, two = started(INNER), started(INNER)
    X = mixed(100, (0, 1, 2, 3), seed=9)[0]
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    answers = one.classes_[one.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(answers, one.predict(X))
    np.testing.assert_array_equal(one.augmented_score(X) > 0, one.predict(X) == -2)


def test_what_cannot_be_a_stream_is_refused():
    X, y = draw(np.resize([0, 1], 40)), np.resize([0, 1], 40)
    with pytest.raises(NotFittedError):
        StreamEulacClassifier().update(X)
    with pytest.raises(ValueError, match="`window` must be"):
        StreamEulacClassifier(window=3).fit(X, y, X)
    with pytest.raises(ValueError, match="`half_life` must lie"):
        StreamEulacClassifier(half_life=0.0).fit(X, y, X)
    with pytest.raises(ValueError, match="needs unlabeled rows"):
        StreamEulacClassifier(INNER).fit(X, y)
    stream = started()
    with pytest.raises(ValueError, match="features"):
        stream.update(X[:, :2])
