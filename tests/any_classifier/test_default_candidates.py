"""Default candidates: what they are made of, and that they take rows and weights as they should."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer

import eulac
from easy_mixture import easy_masked
from eulac import EulacClassifier, TwoStageEulacClassifier
from eulac.any_classifier.default_candidates import (
    KernelLandmarks,
    NearRows,
    indicator_columns,
    kernel_logistic,
    nearest_neighbors,
)
from eulac.any_classifier.label_free_steps import LabelFreeSteps, SoftmaxRegression
from eulac.any_classifier.weighted_base import fit_weighted
from eulac.data.synthetic import make_gaussian_task
from eulac.maths.kernels import median_distance

BASES = {"kernel_logistic": kernel_logistic, "neighbors": nearest_neighbors}
each_base = pytest.mark.parametrize("build", BASES.values(), ids=BASES)


@pytest.fixture(scope="module")
def rows():
    task = make_gaussian_task(n_known_classes=2, n_features=3, separation=2.0, random_state=0)
    sample = task.draw(240, 10, random_state=0).sample
    return sample.X_labeled, sample.y_labeled


def fitted(build, X, y, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    return fit_weighted(build(), X, y, weights, n_codes=2, seed=0)


def test_the_kernel_is_as_wide_as_the_rows_it_is_fitted_to_are_apart(rows):
    X, _ = rows
    for part in (X, X[:50], 1e6 * X):
        landmarks = KernelLandmarks(random_state=0).fit(part)
        assert landmarks.map_.bandwidth == pytest.approx(0.4 * median_distance(part))
        assert landmarks.map_.n_features <= len(part)  # less those that others explain


@each_base
def test_units_of_features_do_not_matter(build, rows):
    X, y = rows
    other = X * np.array([1024.0, 1.0, 2.0**-20])
    np.testing.assert_allclose(
        fitted(build, other, y).probabilities(other),
        fitted(build, X, y).probabilities(X),
        atol=1e-6,
    )


@each_base
def test_heavier_rows_draw_answers_to_their_class(build, rows):
    X, y = rows
    between = np.random.default_rng(0).normal(X.mean(axis=0), X.std(axis=0), (200, 3))
    light, heavy = (
        fitted(build, X, y, np.where(y == 0, 1.0, weight)).probabilities(between)[:, 1].mean()
        for weight in (0.2, 5.0)
    )
    assert heavy > light + 0.05


@each_base
@pytest.mark.parametrize("n_rows", [2, 5, 30])
def test_rows_that_are_few_or_coincide_are_no_error(build, n_rows):
    X, y = np.ones((n_rows, 2)), np.arange(n_rows) % 2
    assert np.all(np.isfinite(fitted(build, X, y).probabilities(X)))


def test_an_outlying_row_leaves_kernel_logistic_regression_as_good():
    task = make_gaussian_task(
        n_known_classes=2, n_augmented_classes=1, n_features=3, separation=5.0, random_state=0
    )
    split = task.draw(120, 180, 200, random_state=0)
    X, y = split.sample.as_masked()
    X[-1] = 1000.0
    smooth = TwoStageEulacClassifier(
        kernel_logistic(), known_proportion=split.known_proportion, random_state=0
    )
    assert smooth.fit(X, y).score(split.X_test, split.y_test) > 0.85


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize("sizes", [(4, 4), (10, 4), (6, 0)])
def test_defaults_take_a_handful_of_rows(sizes, small_forest):
    n_labeled, n_unlabeled = sizes
    X = np.random.default_rng(0).normal(size=(sum(sizes), 2))
    y = np.append(np.arange(n_labeled) % 2, np.full(n_unlabeled, -1))
    auto = EulacClassifier(known_proportion=0.6 if n_unlabeled else 1.0, random_state=0)
    assert len(auto.fit(X, y).predict(X)) == len(X)


@pytest.mark.slow
def test_a_seed_fixes_the_answers_of_more_rows_than_distances_are_measured_between():
    task = make_gaussian_task(n_known_classes=2, n_features=3, separation=2.0, random_state=0)
    X, y = task.draw(300, 900, random_state=0).sample.as_masked()
    auto = EulacClassifier(random_state=0)
    np.testing.assert_array_equal(auto.fit(X, y).predict_proba(X), auto.fit(X, y).predict_proba(X))


@pytest.fixture
def few_rows():
    return np.random.default_rng(0).normal(size=(60, 3))


def test_with_all_rows_as_landmarks_products_are_the_kernel(few_rows):
    features = KernelLandmarks(random_state=0).fit(few_rows)
    Z = features.transform(few_rows)
    squares = ((few_rows[:, None] - few_rows[None]) ** 2).sum(axis=2)
    kernel = np.exp(-0.5 * squares / features.map_.bandwidth**2)
    np.testing.assert_allclose(Z @ Z.T, kernel, atol=1e-6)


def test_the_width_follows_the_scale_of_the_rows(few_rows):
    one, two = (KernelLandmarks(random_state=0).fit(scale * few_rows) for scale in (1, 1000))
    np.testing.assert_allclose(
        one.transform(few_rows[:5]), two.transform(1000 * few_rows[:5]), atol=1e-6
    )


def test_rows_that_are_all_the_same_have_features():
    features = KernelLandmarks(random_state=0).fit_transform(np.ones((20, 2)))
    assert np.isfinite(features).all()


def test_there_are_no_more_landmarks_than_asked_for(few_rows):
    assert KernelLandmarks(n_landmarks=7, random_state=0).fit_transform(few_rows).shape == (60, 7)


def test_the_seed_decides_and_survives_cloning(few_rows):
    features = KernelLandmarks(n_landmarks=7, random_state=0)
    one, two = features.fit_transform(few_rows), clone(features).fit_transform(few_rows)
    np.testing.assert_array_equal(one, two)


def test_neighbors_are_as_many_as_there_are_rows(few_rows):
    near = NearRows(n_neighbors=15).fit(few_rows[:4], [0, 1, 0, 1])
    np.testing.assert_allclose(near.predict_proba(few_rows[:2]), 0.5)
    assert near.kneighbors(few_rows[:2], return_distance=False).shape == (2, 4)


@pytest.mark.parametrize("n_values", [0, 1, 2])
def test_columns_that_hardly_any_row_has_are_taken(n_values):
    split, X, y = easy_masked()
    rare = np.full((len(X), 1), np.nan)
    rare[:n_values] = 1.0
    classifier = EulacClassifier(random_state=0).fit(np.hstack([X, rare]), y)
    answers = classifier.predict(np.hstack([split.X_test, np.full((len(split.X_test), 1), 2.0)]))
    assert np.mean(answers == split.y_test) > 0.9


def test_strings_get_a_column_each_and_rare_ones_one_together():
    frequent = [f"f{i}" for i in range(30) for _ in range(40 - i)]
    frame = pd.DataFrame({"code": frequent, "size": np.arange(float(len(frequent)))})
    columns = indicator_columns().fit(frame)
    assert columns.transform(frame).shape[1] == 20 + 1
    later = pd.DataFrame({"code": ["f0", "f29", "never seen"], "size": [1.0, np.nan, 3.0]})
    rows = columns.transform(later)
    np.testing.assert_array_equal(rows[1, :-1], rows[2, :-1])  # rare and unseen ones are alike
    np.testing.assert_array_equal(rows[:, :-1].sum(axis=1), 1.0)
    assert rows[1, -1] == np.median(frame["size"])


def test_many_strings_that_each_say_little_are_learned_and_stored(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=900)
    yes = rng.random((900, 12)) < np.array([0.2, 0.5, 0.8])[y][:, None]
    frame = pd.DataFrame(np.where(yes, "yes", "no"), columns=[f"q{i}" for i in range(12)])
    labeled = (np.arange(900) < 250) & (y != 1)
    pool, later = slice(250, 600), slice(600, 900)
    clf = EulacClassifier(random_state=0, known_proportion=2 / 3)
    clf.fit(frame[labeled], y[labeled], X_unlabeled=frame[pool])
    weights = dict(zip(clf.selection_.names, clf.selection_.weights, strict=True))
    assert weights["logistic"] > 0.0
    answers = clf.predict(frame[later])
    assert np.mean(answers == np.where(y[later] != 1, y[later], -2)) > 0.6
    eulac.save(clf, tmp_path / "answers.eulac")
    again = eulac.load(tmp_path / "answers.eulac")
    np.testing.assert_array_equal(again.predict(frame[later]), answers)


def test_texts_may_be_missing(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array(
        [["goal", "match", "team"], ["salt", "oven", "taste"], ["star", "orbit", "sun"]]
    )
    kinds = np.repeat([0, 1, 2], 60)
    X = np.array([" ".join(rng.choice(words[kind], 5)) for kind in kinds], dtype=object)
    X[::60], y = np.nan, np.where((kinds < 2) & (np.arange(180) % 2 == 0), kinds, -1)
    classifier = EulacClassifier(random_state=0).fit(X, y)
    hidden = y == -1
    answers = classifier.held_out_labels_[hidden]
    assert np.mean(answers == np.where(kinds == 2, -2, kinds)[hidden]) > 0.9
    again = eulac.load(eulac.save(classifier, tmp_path / "texts.eulac"))
    np.testing.assert_array_equal(again.predict(X[y >= 0]), classifier.predict(X[y >= 0]))


def test_rows_with_gaps_are_answered_where_a_step_before_the_base_fills_them(rows):
    X, y = rows
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    steps = LabelFreeSteps([("gaps", SimpleImputer()), ("logistic", SoftmaxRegression())])
    clf = TwoStageEulacClassifier(steps, known_proportion=0.9, random_state=0)
    clf.fit(X[:120], y[:120], X_unlabeled=X[120:])
    assert np.isfinite(clf.predict_proba(X)).all()
