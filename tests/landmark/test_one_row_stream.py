import numpy as np
import pytest

from eulac import EulacClassifier, LandmarkEulacClassifier, OneRowStream, StreamEulacClassifier

CENTERS = 6.0 * np.eye(3)
NAMES = ("x", "y", "z")
INNER = LandmarkEulacClassifier(0.9, n_landmarks=40, bandwidth=0.5, penalty=1e-3, random_state=0)


def draw(kinds, seed=0):
    return np.random.default_rng(seed).normal(CENTERS[np.asarray(kinds)])


def started(**options):
    y = np.resize([0, 1], 100)
    stream = StreamEulacClassifier(INNER, window=200)
    return OneRowStream(stream.fit(draw(y), y, draw(np.resize([0, 1], 200), 1)), **options)


def as_row(x):
    return dict(zip(NAMES, x.tolist(), strict=True))


def test_rows_one_by_one_give_the_fit_of_batches():
    rows, batches = started(n_rows=30), started()
    fresh = draw(np.resize([0, 1, 2], 90), 2)
    for x in fresh:
        rows.learn_one(as_row(x))
    for piece in np.split(fresh, 3):
        report = batches.stream.update(piece)
    assert rows.report_.n_seen == report.n_seen == 90
    assert rows.report_.evidence == report.evidence
    scores = [one.stream.augmented_score(CENTERS) for one in (rows, batches)]
    np.testing.assert_array_equal(*scores)


def test_answers_are_those_of_the_stream_whatever_the_order_of_columns():
    rows = started()
    rows.learn_one(as_row(CENTERS[0]))
    for center in CENTERS:
        x = dict(reversed(as_row(center).items()))
        [label] = rows.stream.predict([center])
        assert rows.predict_one(x) == label
        assert (rows.score_one(x) > 0) == (label == -2)
        probabilities = rows.predict_proba_one(x)
        assert list(probabilities) == [0, 1, -2]
        assert sum(probabilities.values()) == pytest.approx(1)


def test_a_label_that_comes_often_enough_becomes_a_known_class():
    rows = started(n_rows=1000, n_named=15)
    for x in draw([2] * 15, 3):
        assert rows.stream.known_classes_.tolist() == [0, 1]
        rows.learn_one(as_row(x), y=2)
    assert rows.stream.known_classes_.tolist() == [0, 1, 2]
    assert rows.report_.n_seen == 15
    rows.learn_one(as_row(CENTERS[0]), y=0)
    assert rows.update().n_seen == 16


def test_what_does_not_fit_is_refused():
    with pytest.raises(TypeError, match="got EulacClassifier"):
        OneRowStream(EulacClassifier())
    rows = started()
    with pytest.raises(ValueError, match=r"must have the 3 columns.*got x, y"):
        rows.predict_one({"x": 1.0, "y": 2.0})
    with pytest.raises(ValueError, match="`n_rows` must be"):
        OneRowStream(rows.stream, n_rows=0)


def test_rows_of_river_are_taken():
    stream = pytest.importorskip("river.stream", reason="River is not installed")
    rows, fresh = started(n_rows=10), draw(np.resize([0, 1], 20), 4)
    for x, y in stream.iter_array(fresh, np.resize([0, 1], 20), feature_names=list(NAMES)):
        rows.learn_one(x, y)
    assert rows.report_.n_seen == 20
