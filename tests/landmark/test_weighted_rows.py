"""Labeled rows that count differently: as rows repeated, whichever way they come in."""

import numpy as np
import pytest
from sklearn.base import clone

from easy_mixture import easy_split
from eulac import LandmarkEulacClassifier, StreamEulacClassifier, load, save

CENTERS = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])
# Random features, so that copies of a row cannot change which landmarks there are.
FOURIER = LandmarkEulacClassifier(
    0.6, n_landmarks=80, feature_map="fourier", bandwidth=0.5, penalty=1e-3, random_state=0
)
STREAM = StreamEulacClassifier(FOURIER, window=400)
closed = pytest.mark.filterwarnings("ignore::eulac.exceptions.NoUnlabeledRowsWarning")
shaky = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")


def counted_rows():
    """Return labeled rows, how often each counts, a pool, and rows to ask about."""
    split = easy_split(200, 300)
    sample = split.sample
    times = np.random.default_rng(0).integers(0, 4, sample.n_labeled)
    return sample.X_labeled, sample.y_labeled, times, sample.X_unlabeled, split.X_test


def assert_same_model(one, two, asked, atol=1e-9):
    np.testing.assert_allclose(one.model_.scores(asked), two.model_.scores(asked), atol=atol)
    np.testing.assert_allclose(one.proportion_.per_class, two.proportion_.per_class, atol=atol)
    assert one.risk_.raw == pytest.approx(two.risk_.raw, abs=1e-9)


@closed
@pytest.mark.parametrize(
    ("open_set", "scale"), [(True, "minmax"), (False, "minmax"), (False, "standard")]
)
def test_weighted_rows_are_repeated_rows(open_set, scale):
    X, y, times, pool, asked = counted_rows()
    pool = pool if open_set else None
    model = clone(FOURIER).set_params(scale=scale)
    weighted = clone(model).fit(X, y, pool, sample_weight=times)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times), pool)
    assert_same_model(weighted, repeated, asked)
    np.testing.assert_array_equal(weighted.predict(asked), repeated.predict(asked))


def test_repeated_rows_are_the_same_where_every_row_is_a_landmark():
    X, y, times, pool, asked = counted_rows()
    model = clone(FOURIER).set_params(feature_map="nystroem", n_landmarks=2000)
    weighted = clone(model).fit(X, y, pool, sample_weight=times)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times), pool)
    assert_same_model(weighted, repeated, asked, atol=1e-3)


def pieces(X, y, times, pool, n_pieces=4):
    order = np.random.default_rng(2).permutation(len(y))
    labeled = [(X[rows], y[rows], times[rows]) for rows in np.array_split(order, n_pieces)]
    return [*labeled[:2], (pool[:100], None), *labeled[2:], (pool[100:], None)]


@pytest.mark.parametrize("given", [0.6, "moments", "auto"])
def test_weighted_chunks_give_the_fit_in_memory(given):
    X, y, times, pool, asked = counted_rows()
    model = clone(FOURIER).set_params(feature_map="nystroem", known_proportion=given, drift=False)
    whole = clone(model).fit(X, y, pool, sample_weight=times)
    chunks = pieces(X, y, times, pool)
    assert_same_model(clone(model).fit_chunks(chunks), whole, asked, atol=1e-7)
    assert_same_model(clone(model).fit_chunks(chunks[::-1]), whole, asked, atol=1e-7)


def test_a_chunk_whose_rows_all_weigh_nothing_is_none():
    X, y, times, pool, asked = counted_rows()
    chunks = pieces(X, y, times, pool)
    more = [*chunks, (X[:20], y[:20], np.zeros(20))]
    assert_same_model(clone(FOURIER).fit_chunks(more), clone(FOURIER).fit_chunks(chunks), asked)


def test_weighted_partial_fits_give_the_fit_in_memory():
    X, y, times, pool, asked = counted_rows()
    whole = clone(FOURIER).fit(X, y, pool, sample_weight=times)
    partial = clone(FOURIER).prepare(X, y, pool, sample_weight=times)
    for rows, labels, *weight in pieces(X, y, times, pool):
        weight = weight[0] if weight else None
        partial.partial_fit(rows, labels, sample_weight=weight, solve=False)
    assert_same_model(partial.solve(), whole, asked)
    mixed = np.vstack([X, pool]), np.append(y, np.full(len(pool), -1))
    first = clone(FOURIER).partial_fit(*mixed, sample_weight=np.append(times, np.ones(len(pool))))
    assert_same_model(first, whole, asked)


def test_an_interrupted_fit_of_weighted_chunks_goes_on(tmp_path):
    X, y, times, pool, asked = counted_rows()
    chunks, path = pieces(X, y, times, pool), tmp_path / "sums.npz"

    def stop(done, total):
        if done == len(chunks) + 3:
            raise KeyboardInterrupt

    options = {"checkpoint": path, "checkpoint_every": 1}
    with pytest.raises(KeyboardInterrupt):
        clone(FOURIER).fit_chunks(chunks, progress=stop, **options)
    resumed = clone(FOURIER).fit_chunks(chunks, **options)
    assert_same_model(resumed, clone(FOURIER).fit(X, y, pool, sample_weight=times), asked)


@closed
def test_a_row_that_weighs_nothing_teaches_nothing():
    X, y, times, pool, asked = counted_rows()
    kept, model = times > 0, clone(FOURIER).set_params(feature_map="nystroem")
    for rows in (pool, None):
        one = clone(model).fit(X, np.where(kept, y, 0), rows, sample_weight=kept.astype(float))
        two = clone(model).fit(X[kept], y[kept], rows)
        assert_same_model(one, two, asked)
        assert len(one.held_out_labels_) == len(X) + (0 if rows is None else len(rows))


@shaky
@pytest.mark.parametrize("family", ["landmark", "moments", "stream"])
def test_weights_undo_uneven_sampling(family):
    rng = np.random.default_rng(0)

    def known(n):
        y = rng.integers(0, 2, n)
        return rng.normal(CENTERS[y], 1.0), y

    X, y = known(1000)
    kept = rng.random(len(y)) < np.where(X[:, 1] > 0, 1.0, 0.2)
    X, y = X[kept], y[kept]
    pool = np.vstack([known(360)[0], rng.normal(CENTERS[2], 0.7, (240, 2))])
    inner = LandmarkEulacClassifier(
        "moments" if family == "moments" else "auto",
        n_landmarks=80,
        bandwidth=0.2,
        penalty=1e-3,
        drift=False,
        random_state=0,
    )
    model = StreamEulacClassifier(inner, window=600) if family == "stream" else inner
    shares = []
    for weights in (None, np.where(X[:, 1] > 0, 1.0, 5.0)):
        fitted = clone(model).fit(X, y, pool, sample_weight=weights)
        shares.append(abs(fitted.proportion_.total - 0.6))
    assert shares[1] < min(0.1, shares[0])


def test_a_stream_of_weighted_rows_is_that_of_repeated_rows():
    X, y, times, pool, asked = counted_rows()
    weighted = clone(STREAM).fit(X, y, pool, sample_weight=times)
    repeated = clone(STREAM).fit(np.repeat(X, times, axis=0), np.repeat(y, times), pool)
    assert_same_model(weighted, repeated, asked)
    one, two = weighted.update(asked[:60]), repeated.update(asked[:60])
    assert_same_model(weighted, repeated, asked)
    # Its share is corrected by resampled rows, which are others among repeated ones.
    assert one.newest.risk.value == pytest.approx(two.newest.risk.value, abs=0.02)
    new = CENTERS[2] @ np.eye(2, 4) + np.random.default_rng(3).normal(size=(30, 4))
    counts = np.resize([0, 1, 2], 30)
    # `fit` counts labeled rows beside each other, one on average.
    weighted.add_class(9, new, sample_weight=counts / times.mean())
    repeated.add_class(9, np.repeat(new, counts, axis=0))
    assert_same_model(weighted, repeated, asked, atol=1e-7)


def test_weighted_models_are_saved_and_go_on(tmp_path):
    X, y, times, pool, asked = counted_rows()
    for model in (clone(FOURIER), clone(STREAM)):
        model.fit(X, y, pool, sample_weight=times)
        path = tmp_path / type(model).__name__
        save(model, path)
        again = load(path)
        np.testing.assert_array_equal(again.predict_proba(asked), model.predict_proba(asked))
        for one in (model, again):
            if isinstance(one, StreamEulacClassifier):
                one.update(asked)
            else:
                one.partial_fit(X[:40], y[:40], sample_weight=times[:40])
        np.testing.assert_allclose(again.predict_proba(asked), model.predict_proba(asked))


def test_weights_that_cannot_be_are_refused_in_a_sentence():
    X, y, times, pool, _ = counted_rows()
    everyone = np.vstack([X, pool])
    masked = np.append(y, np.full(len(pool), -1))
    uneven = np.append(times, np.full(len(pool), 3.0))
    with pytest.raises(ValueError, match=r"must be 1 for the unlabeled rows of a chunk.*got 3"):
        clone(FOURIER).fit_chunks([(everyone, masked, uneven)])
    without = np.where(y == 1, 0, 1)
    for fit in (
        lambda: clone(FOURIER).fit(X, y, pool, sample_weight=without),
        lambda: clone(FOURIER).fit_chunks([(X, y, without), (pool, None)]),
        lambda: clone(FOURIER).partial_fit(X, y, sample_weight=without),
        lambda: clone(STREAM).fit(X, y, pool, sample_weight=without),
    ):
        with pytest.raises(ValueError, match="all rows of 1 weigh zero"):
            fit()
    for weights, words in (
        (np.where(times > 2, -2.5, 1), "not negative; got -2.5"),
        (np.where(times > 2, np.nan, 1), "finite and not negative; got nan"),
        (times[:7], r"each of 200 rows; got an array of shape \(7,\)"),
    ):
        with pytest.raises(ValueError, match=words):
            clone(FOURIER).fit_chunks([(X, y, weights), (pool, None)])
    stream = clone(STREAM).fit(X, y, pool)
    with pytest.raises(ValueError, match=r"leave the class 9 a row .* zero for all 2"):
        stream.add_class(9, X[:2], sample_weight=[0, 0])
    assert 9 not in stream.known_classes_


@shaky
def test_a_class_may_be_announced_before_its_rows_count():
    X, y, times, _, _ = counted_rows()
    weights = np.where(y == 2, 0, times)
    model = clone(FOURIER).partial_fit(X, y, [0, 1, 2], sample_weight=weights, solve=False)
    assert model.known_classes_.tolist() == [0, 1, 2]
