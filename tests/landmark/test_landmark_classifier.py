"""LandmarkEulacClassifier: the contract, and one answer whichever way the rows come in."""

import pickle
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from contract import (
    POOL,
    assert_same_outputs,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    outputs,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED, BestBinProportion, KernelEulacClassifier, LandmarkEulacClassifier
from eulac.data.row_sketch import RowSurvey
from eulac.exceptions import NoUnlabeledRowsWarning
from eulac.solvers.moment_folds import FoldMoments

QUICK = LandmarkEulacClassifier(0.6, n_landmarks=60, bandwidth=0.5, random_state=0)


@parametrize_with_contract(
    [
        QUICK,
        LandmarkEulacClassifier(
            BestBinProportion(n_resamples=20, random_state=0),
            n_landmarks=80,
            feature_map="fourier",
            bandwidth=[0.3, 0.6],
            penalty=[1e-3, 1e-2],
            random_state=0,
        ),
    ],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    *POOL,
)
def test_contract(classifier, check):
    check(classifier)


@parametrize_with_scikit_learn_checks(
    [LandmarkEulacClassifier(0.9, n_landmarks=30, bandwidth=0.5)],
    check_sample_weight_equivalence_on_dense_data="rows twice make other landmarks; close to 1e-5",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def coefficients(classifier):
    return classifier.model_.coefficients


def assert_agree(one, two, X):
    np.testing.assert_allclose(coefficients(one), coefficients(two), atol=1e-10)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert one.model_.penalty == two.model_.penalty
    assert one.risk_.raw == pytest.approx(two.risk_.raw, abs=1e-10)
    for name, column in one.cv_results_.items():
        np.testing.assert_allclose(column, two.cv_results_[name], rtol=1e-6, atol=1e-8)


def chunks_of(X, y, n_chunks, seed=0):
    order = np.random.default_rng(seed).permutation(len(y))
    return [(X[i], y[i]) for i in np.array_split(order, n_chunks)]


# The sample is smaller than the rows: what is frozen must be the same all the same.
SAMPLED = clone(QUICK).set_params(pilot_rows=240, n_landmarks=30)


@pytest.fixture(scope="module")
def in_memory(rows):
    _, X, y = rows
    return clone(SAMPLED).fit(X, y)


@pytest.mark.parametrize("n_chunks", [1, 3, 11])
def test_chunks_in_any_order_give_the_fit_in_memory(rows, in_memory, n_chunks):
    split, X, y = rows
    chunked = clone(SAMPLED).fit_chunks(chunks_of(X, y, n_chunks, seed=n_chunks))
    assert_agree(chunked, in_memory, split.X_test)
    assert len(in_memory.survey_.unlabeled.rows) == 160 < 500


def test_partial_fits_of_a_prepared_classifier_give_the_fit_in_memory(rows, in_memory):
    split, X, y = rows
    partial = clone(SAMPLED).prepare(X, y)
    for part, labels in chunks_of(X, y, 5):
        partial.partial_fit(part, labels, solve=False)
    assert_agree(partial.solve(), in_memory, split.X_test)
    labeled_first = clone(SAMPLED).prepare(X, y)
    labeled_first.partial_fit(X[y >= 0], y[y >= 0])
    with pytest.raises(NotFittedError):
        labeled_first.predict(X)
    assert_agree(labeled_first.partial_fit(X[y < 0], None), in_memory, split.X_test)


def test_a_first_partial_fit_freezes_and_later_ones_add(rows):
    split, X, y = rows
    first, *others = chunks_of(X, y, 3)
    model = clone(SAMPLED).partial_fit(*first, classes=[0, 1, 2])
    before = model.plan_
    assert np.mean(model.predict(split.X_test) == split.y_test) > 0.8
    for chunk in others:
        model.partial_fit(*chunk)
    assert model.plan_ is before
    assert model.moments_.total.n_unlabeled == np.sum(y == -1)
    assert model.survey_.n_unlabeled == np.sum(y == -1)
    assert np.mean(model.predict(split.X_test) == split.y_test) > 0.9
    moments = before.moments(X, model.codec_.encode(y)).total
    np.testing.assert_allclose(model.moments_.total.second, moments.second, atol=1e-10)


def test_what_is_estimated_from_the_sample_is_the_same_too(rows):
    split, X, y = rows
    model = clone(SAMPLED).set_params(shift=True, bandwidth=[0.3, 0.6])
    model.set_params(known_proportion=BestBinProportion(n_resamples=20, random_state=0))
    one, two = clone(model).fit(X, y), clone(model).fit_chunks(chunks_of(X, y, 4))
    assert one.bandwidth_ == two.bandwidth_
    assert one.proportion_.total == two.proportion_.total
    assert_agree(one, two, split.X_test)


def test_the_proportion_can_come_from_the_moments_of_all_rows():
    X, y = easy_split(300, 600).sample.as_masked()
    clf = LandmarkEulacClassifier("moments", n_landmarks=60, bandwidth=0.5, random_state=0)
    clf.fit(X, y)
    assert clf.proportion_.method == "density_ratio"
    assert clf.proportion_.n_unlabeled == 600
    low, high = clf.proportion_.interval
    assert low <= 0.6 <= high
    assert abs(clf.proportion_.total - 0.6) < 0.08
    again = clone(clf).fit_chunks(chunks_of(X, y, 7))
    assert again.proportion_.total == pytest.approx(clf.proportion_.total, abs=1e-9)
    np.testing.assert_allclose(coefficients(again), coefficients(clf), atol=1e-8)
    with pytest.warns(NoUnlabeledRowsWarning):
        closed = clone(clf).fit(X[y >= 0], y[y >= 0])
    assert closed.proportion_.total == 1.0


def test_any_engine_that_maps_and_reduces_gives_the_fit_in_memory(rows, in_memory):
    # The recipe of docs/scale.md, with plans and results sent through pickle as to a worker.
    split, X, y = rows
    parts = chunks_of(X, y, 6)
    model = clone(SAMPLED).begin(X[:1])
    plan = pickle.dumps(model.survey_plan())
    surveys = [pickle.dumps(pickle.loads(plan).survey(*part)) for part in parts]
    model.freeze(reduce(RowSurvey.merge, map(pickle.loads, surveys)))
    plan, codec = pickle.dumps(model.plan_), model.codec_
    moments = [pickle.loads(plan).moments(part, codec.encode(labels)) for part, labels in parts]
    for merged in (FoldMoments.merge(moments), reduce(lambda one, two: one + two, moments[::-1])):
        assert_agree(model.finish(merged), in_memory, split.X_test)


def test_unlabeled_chunks_need_no_labels(rows, in_memory):
    split, X, y = rows
    hidden = y == -1
    chunks = [(X[hidden], None), (X[~hidden], y[~hidden])]
    assert_agree(clone(SAMPLED).fit_chunks(chunks), in_memory, split.X_test)
    assert_agree(clone(SAMPLED).fit_chunks(lambda: iter(chunks)), in_memory, split.X_test)


def test_labels_may_be_texts_and_frames_may_be_chunks(rows, in_memory):
    split, X, y = rows
    names = np.array(["ant", "bee", "cow", "-1"])
    chunks = [(pd.DataFrame(part), pd.Series(names[labels])) for part, labels in chunks_of(X, y, 4)]
    text = clone(SAMPLED).fit_chunks(chunks)
    np.testing.assert_array_equal(text.known_classes_, names[:3])
    np.testing.assert_allclose(coefficients(text), coefficients(in_memory), atol=1e-10)
    assert set(text.predict(split.X_test)) == {"ant", "bee", "cow", "augmented"}


def test_a_generator_of_chunks_is_refused(rows):
    _, X, y = rows
    with pytest.raises(TypeError, match=r"looked at twice.*got generator.*`partial_fit`"):
        clone(QUICK).fit_chunks(chunk for chunk in chunks_of(X, y, 3))
    with pytest.raises(ValueError, match="at least one chunk"):
        clone(QUICK).fit_chunks([])


class StoppedError(Exception):
    """Raised in the middle of a fit."""


def test_a_fit_goes_on_where_it_was_interrupted(rows, in_memory, tmp_path):
    split, X, y = rows
    chunks, path = chunks_of(X, y, 8), tmp_path / "sums.npz"

    def stop_at(limit):
        def progress(done, total):
            if done == limit:
                raise StoppedError

        return progress

    options = {"checkpoint": path, "checkpoint_every": 2}
    model = clone(SAMPLED).set_params(random_state=None)
    with pytest.raises(StoppedError):
        model.fit_chunks(chunks, progress=stop_at(8 + 5), **options)
    assert path.exists()
    other = clone(SAMPLED).set_params(n_landmarks=31)
    with pytest.raises(ValueError, match="of a fit with other parameters"):
        other.fit_chunks(chunks, **options)
    seen = []
    resumed = clone(model).fit_chunks(chunks, progress=lambda *step: seen.append(step), **options)
    assert seen == [(8 + done, 16) for done in (5, 6, 7, 8)]
    assert not path.exists()
    whole = clone(SAMPLED).fit(X, y)
    assert resumed.moments_.total.n_unlabeled == whole.moments_.total.n_unlabeled
    seeded = clone(SAMPLED)
    with pytest.raises(StoppedError):
        seeded.fit_chunks(chunks, progress=stop_at(8 + 4), **options)
    assert_agree(clone(SAMPLED).fit_chunks(chunks, **options), in_memory, split.X_test)


def test_slow_chunks_are_written_down_by_the_clock(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("eulac.landmark.landmark_classifier.MOST_SECONDS", -1.0)
    _, X, y = rows
    chunks, path, seen = chunks_of(X, y, 4), tmp_path / "sums.npz", []

    def stop(done, total):
        if done == 4 + 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        clone(QUICK).fit_chunks(chunks, progress=stop, checkpoint=path)
    clone(QUICK).fit_chunks(chunks, progress=lambda *step: seen.append(step), checkpoint=path)
    assert seen == [(4 + 3, 8), (4 + 4, 8)]


def test_a_first_pass_goes_on_where_it_was_interrupted(rows, in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr("eulac.landmark.landmark_classifier.MOST_SECONDS", -1.0)
    split, X, y = rows
    chunks, path, seen = chunks_of(X, y, 4), tmp_path / "sums.npz", []

    def stop(done, total):
        if done == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        clone(SAMPLED).fit_chunks(chunks, progress=stop, checkpoint=path)
    assert path.exists()
    again = clone(SAMPLED)
    again.fit_chunks(chunks, progress=lambda *step: seen.append(step), checkpoint=path)
    assert seen == [(done, 8) for done in range(3, 9)]
    assert_agree(again, in_memory, split.X_test)


def test_progress_counts_both_passes(rows):
    _, X, y = rows
    seen = []
    clone(QUICK).fit_chunks(chunks_of(X, y, 3), progress=lambda *step: seen.append(step))
    assert seen == [(done, 6) for done in range(1, 7)]
    seen.clear()
    source = chunks_of(X, y, 2)
    clone(QUICK).fit_chunks(lambda: source, progress=lambda *step: seen.append(step))
    assert seen == [(1, None), (2, None), (3, 4), (4, 4)]


def test_with_every_row_a_landmark_the_scores_are_the_kernels():
    split, X, y = easy_masked()
    options = {"bandwidth": 0.5, "penalty": 1e-3, "random_state": 0}
    kernel = KernelEulacClassifier(0.6, **options).fit(X, y)
    landmark = LandmarkEulacClassifier(0.6, n_landmarks=len(y), **options).fit(X, y)
    np.testing.assert_allclose(
        landmark.model_.scores(split.X_test),
        kernel.model_.expansion.scores(kernel.scaler_.transform(split.X_test)),
        atol=1e-4,
    )
    assert landmark.risk_.diagnostics["generalization_bound"] > 0


@pytest.mark.parametrize("landmarks", ["kmeans++", "leverage", "uniform"])
def test_every_choice_of_landmarks_and_single_precision_work(rows, landmarks):
    split, X, y = rows
    for dtype in ("float64", "float32"):
        model = clone(SAMPLED).set_params(landmarks=landmarks, dtype=dtype).fit(X, y)
        assert np.mean(model.predict(split.X_test) == split.y_test) > 0.9


def test_copies_of_rows_weigh_as_rows(rows):
    split, X, y = rows
    twice = np.repeat(np.arange(len(y)), 2)
    model = clone(QUICK).set_params(feature_map="fourier")
    once, double = clone(model).fit(X, y), clone(model).fit(X[twice], y[twice])
    np.testing.assert_allclose(coefficients(double), coefficients(once), atol=1e-9)
    assert np.mean(double.predict(split.X_test) == once.predict(split.X_test)) > 0.98


def test_the_risk_is_close_to_the_true_error(digits):
    model = LandmarkEulacClassifier(n_landmarks=250, bandwidth=[0.5, 1.0, 2.0], random_state=0)
    model.fit(*digits.sample.as_masked())
    error = np.mean(model.predict(digits.X_test) != digits.y_test)
    assert error < 0.12
    assert abs(model.risk_.value - error) < 0.07
    assert abs(model.proportion_.total - digits.known_proportion) < 0.1


def test_rare_classes_are_in_the_sample():
    _, X, y = easy_masked(n_labeled=600, n_unlabeled=600)
    keep = (y != 2) | (np.cumsum(y == 2) <= 7)
    model = clone(SAMPLED).set_params(known_proportion=0.6).fit(X[keep], y[keep])
    assert np.sum(model.survey_.labeled.codes == 2) >= 5
    assert model.proportion_.per_class[2] == pytest.approx(0.6 * 7 / np.sum(y[keep] >= 0))


def test_a_classifier_begun_without_unlabeled_rows_takes_none_later():
    split, X, y = easy_masked()
    known = y >= 0
    with pytest.warns(NoUnlabeledRowsWarning):
        model = clone(QUICK).partial_fit(X[known], y[known])
    model.partial_fit(X[known], y[known])
    assert AUGMENTED not in model.predict(split.X_test)
    with pytest.raises(ValueError, match="begun without unlabeled rows"):
        model.partial_fit(X, y)


def test_labels_nobody_announced_are_refused():
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=r"`classes` must list all labels; \[2\]"):
        clone(QUICK).partial_fit(X, y, classes=[0, 1])
    model = clone(QUICK).partial_fit(X, y)
    with pytest.raises(ValueError, match="got the label 7"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="all unlabeled"):
        clone(QUICK).fit_chunks([(X, None)])
    with pytest.raises(ValueError, match="as many rows"):
        model.partial_fit(X[:3], [0, 1])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("feature_map", "wavelet"),
        ("landmarks", "best"),
        ("dtype", "float16"),
        ("n_landmarks", 0),
        ("pilot_rows", 2),
        ("n_folds", 1),
        ("penalty", -1.0),
        ("scale", "robust"),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=f"`{name}` must .*got {value!r}"):
        clone(QUICK).set_params(**{name: value}).fit(X, y)


def test_a_second_fit_forgets_the_first():
    split = easy_split()
    _, X, y = easy_masked()
    model = clone(QUICK).fit(X[:100], y[:100])
    assert_same_outputs(model.fit(X, y), clone(QUICK).fit(X, y), split.X_test)
    assert len(outputs(model, split.X_test)) == 4


def test_held_out_answers_are_those_of_fit_and_go_when_more_rows_come():
    split, X, y = easy_masked()
    order = np.random.default_rng(0).permutation(len(y))
    one, two = clone(QUICK).fit(X, y), clone(QUICK).fit(X[order], y[order])
    probabilities = one.held_out_probabilities_
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(two.held_out_probabilities_, probabilities[order], atol=1e-6)
    np.testing.assert_array_equal(one.held_out_codes_, y)
    assert np.mean(one.held_out_labels_[y == -1] == split.y_unlabeled) > 0.9
    assert not hasattr(one.partial_fit(X[:50], y[:50]), "held_out_probabilities_")
