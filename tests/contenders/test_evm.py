import numpy as np
import pytest
from sklearn.base import clone

from contenders import oracles_evm as textbook
from contract import (
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from eulac import AUGMENTED
from eulac.contenders.evm import EvmClassifier, cover_greedily, fit_evm
from eulac.data.synthetic import make_gaussian_task
from eulac.evaluation.metrics import evaluate


@parametrize_with_contract(
    [
        EvmClassifier(random_state=0),
        EvmClassifier(delta=1e-3, tail_size=10, n_average=4, random_state=0),
    ],
    check_unlabeled_rows_change_nothing,
)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_contract(
    [EvmClassifier(delta=0.5, threshold="label_free", known_proportion=0.6, random_state=0)],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
)
def test_contract_with_a_label_free_threshold(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_scikit_learn_checks([EvmClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def draw_rows(random_state, *, n=40, n_classes=3, n_features=3):
    rng = np.random.default_rng(random_state)
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes))
    return rng.normal(y[:, None], 1.0, (n, n_features)), y


def draw_copies(random_state, *, n=40, n_classes=3):
    """Return rows on a coarse grid: many coincide, also across classes."""
    X, y = draw_rows(random_state, n=n, n_classes=n_classes, n_features=2)
    return np.round(X), y


def assert_like_the_textbook(X, y, *, n_average=1, **options):
    model = fit_evm(X, y, n_average=n_average, **options)
    margins, kept = textbook.fit(X, y, **options)
    rows = [i for members in kept for i in members]
    np.testing.assert_array_equal(model.vectors, X[rows])
    np.testing.assert_array_equal(model.codes, y[rows])
    np.testing.assert_allclose(np.column_stack(model.weibull), [margins[i] for i in rows], 1e-7)
    X_new = np.vstack([X, np.random.default_rng(0).normal(size=(10, X.shape[1]))])
    np.testing.assert_allclose(
        model.probabilities(X_new),
        textbook.probabilities(X_new, X, margins, kept, n_average),
        atol=1e-8,
    )


@pytest.mark.parametrize("draw", [draw_rows, draw_copies])
@pytest.mark.parametrize("tail_size", [1, 5, 50])
@pytest.mark.parametrize("seed", range(3))
def test_fit_is_that_of_the_textbook(draw, tail_size, seed):
    assert_like_the_textbook(*draw(seed), tail_size=tail_size)


@pytest.mark.parametrize("cover_threshold", [0.0, 0.1, 0.9, 1.0])
def test_cover_is_that_of_the_textbook(cover_threshold):
    assert_like_the_textbook(*draw_rows(5), cover_threshold=cover_threshold)


@pytest.mark.parametrize("n_average", [2, 4, 100])
@pytest.mark.parametrize("draw", [draw_rows, draw_copies])
def test_mean_of_the_largest_probabilities_is_that_of_the_textbook(draw, n_average):
    assert_like_the_textbook(*draw(7), n_average=n_average, cover_threshold=0.9)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], [0, 1]),
        ([[0.0], [0.0], [1.0]], [0, 1, 0]),
        ([[0.0], [0.0], [0.0]], [0, 1, 2]),
        ([[0.0], [5.0], [5.0], [5.0], [5.0]], [0, 1, 1, 1, 1]),
    ],
)
def test_odd_little_samples_are_fitted_as_in_the_textbook(X, y):
    assert_like_the_textbook(np.array(X), np.array(y), tail_size=2)


def test_every_labeled_row_is_included_in_its_class_as_the_cover_promises():
    X, y = draw_rows(0, n=100)
    for cover_threshold in (0.2, 0.5, 0.8):
        model = fit_evm(X, y, cover_threshold=cover_threshold)
        own = model.probabilities(X)[np.arange(len(y)), y]
        assert own.min() >= cover_threshold * (1 - 1e-9)


def test_an_extreme_vector_includes_itself_for_sure():
    model = fit_evm(*draw_rows(0))
    own = model.probabilities(model.vectors)[np.arange(len(model.codes)), model.codes]
    np.testing.assert_array_equal(own, 1.0)


def test_a_cover_of_one_keeps_every_row():
    X, y = draw_rows(0)
    assert len(fit_evm(X, y, cover_threshold=1.0).vectors) == len(y)
    assert len(fit_evm(X, y, cover_threshold=0.1).vectors) < len(y) / 2


def test_greedy_cover_covers_all_and_takes_the_first_of_equals():
    rng = np.random.default_rng(0)
    for _ in range(20):
        covers = rng.random((12, 12)) < 0.2
        np.fill_diagonal(covers, True)
        chosen = cover_greedily(covers)
        assert covers[chosen].any(axis=0).all()
    np.testing.assert_array_equal(cover_greedily(np.ones((4, 4), dtype=bool)), [0])
    np.testing.assert_array_equal(cover_greedily(np.eye(4, dtype=bool)), np.arange(4))


@pytest.mark.parametrize("factor", [1e-6, 3.0, 1e6])
def test_units_of_the_features_do_not_matter(factor):
    X, y = draw_rows(0)
    X_new = np.random.default_rng(1).normal(size=(50, 3))
    one, two = fit_evm(X, y), fit_evm(factor * X, y)
    np.testing.assert_allclose(
        one.evidence(X_new).known, two.evidence(factor * X_new).known, rtol=1e-6, atol=1e-6
    )


def test_a_place_of_two_classes_shortens_no_reach():
    X, y = draw_rows(0, n_classes=2)
    plain = fit_evm(X, y, cover_threshold=1.0)
    both = fit_evm(np.vstack([X, X[:1]]), np.append(y, 1 - y[0]), cover_threshold=1.0)
    shared = np.flatnonzero(np.all(both.vectors == X[0], axis=1))
    assert len(shared) == 2
    at = int(np.flatnonzero(np.all(plain.vectors == X[0], axis=1))[0])
    same_class = shared[both.codes[shared] == y[0]][0]
    assert both.weibull.scale[same_class] == pytest.approx(plain.weibull.scale[at], rel=1e-9)


def test_evidence_goes_on_where_probabilities_vanish():
    X, y = draw_rows(0)
    for n_average in (1, 4):
        model = fit_evm(X, y, n_average=n_average)
        ray = np.geomspace(20, 1e60, 100)[:, None] * np.ones(3)
        assert np.all(model.probabilities(ray) == 0)
        evidence = model.evidence(ray).augmented
        assert np.all(np.isfinite(evidence))
        assert np.all(np.diff(evidence) > 0)


def test_a_row_is_new_exactly_where_no_class_includes_it_with_probability_delta():
    X, y = draw_rows(0, n=100)
    X_new = np.random.default_rng(1).normal(1, 2, size=(200, 3))
    for delta in (0.05, 0.5, 0.9):
        fitted = EvmClassifier(delta=delta, scale=None).fit(X, y)
        largest = fitted.model_.probabilities(X_new).max(axis=1)
        np.testing.assert_array_equal(fitted.predict(X_new) == AUGMENTED, largest < delta)
        known = fitted.predict(X_new) != AUGMENTED
        answers = fitted.model_.probabilities(X_new)[known].argmax(axis=1)
        np.testing.assert_array_equal(fitted.predict(X_new)[known], answers)


def test_delta_of_zero_accepts_all_rows_and_of_one_none():
    X, y = draw_rows(0)
    assert np.all(EvmClassifier(delta=0).fit(X, y).predict(1e9 * X) != AUGMENTED)
    assert np.all(EvmClassifier(delta=1).fit(X, y).predict(X) == AUGMENTED)


def test_two_classes_know_all_their_labeled_rows_and_no_far_ones():
    X, y = draw_rows(0, n_classes=2)
    fitted = EvmClassifier(random_state=0).fit(X, y)
    assert np.all(fitted.predict(X) != AUGMENTED)
    assert np.all(fitted.predict(X + 100) == AUGMENTED)
    assert fitted.threshold_ == pytest.approx(np.log(np.log(2)))


@pytest.mark.parametrize("cover_threshold", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("delta", [None, 1e-3, 0.9, 1 - 1e-9])
def test_no_labeled_row_is_new(cover_threshold, delta):
    X, y = draw_rows(0, n=60)
    X = X / 2  # classes overlap, so that a strict delta pays
    for n_classes in (2, 3):
        rows = y < n_classes
        fitted = EvmClassifier(cover_threshold=cover_threshold, delta=delta, random_state=0)
        assert np.all(fitted.fit(X[rows], y[rows]).predict(X[rows]) != AUGMENTED)


def test_chosen_delta_knows_rows_of_many_dimensions_where_one_half_rejects_them():
    task = make_gaussian_task(
        n_known_classes=5,
        n_augmented_classes=2,
        n_features=60,
        separation=9.0,
        known_proportion=0.7,
        random_state=0,
    )
    split = task.draw(200, 10, 300, random_state=0)
    chosen, half = (
        evaluate(
            EvmClassifier(delta=delta, random_state=0).fit(*split.sample.as_masked()),
            split.X_test,
            split.y_test,
        )
        for delta in (None, 0.5)
    )
    assert chosen.accuracy > half.accuracy + 0.25
    assert chosen.auc == half.auc


@pytest.mark.parametrize("sizes", [(200, 2, 1), (100, 1, 1, 1), (50, 30, 2, 1, 1), (1, 1, 1)])
def test_classes_of_one_or_two_rows_are_fitted(sizes):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(10.0 * np.eye(len(sizes))[y], 0.1)
    fitted = EvmClassifier(random_state=0).fit(X, y)
    assert np.all(fitted.predict(1000 + X) == AUGMENTED)
    accepted = clone(fitted).set_params(delta=0.5).fit(X, y).predict(X)
    np.testing.assert_array_equal(accepted, y)


def test_constant_features_change_nothing():
    X, y = draw_rows(0)
    wider = np.column_stack([X, np.full(len(X), 7.0)])
    moved = np.column_stack([X + 1, np.full(len(X), 7.0)])
    one, two = fit_evm(X, y).evidence(X + 1), fit_evm(wider, y).evidence(moved)
    np.testing.assert_allclose(one.known, two.known, rtol=1e-9, atol=1e-9)


def test_rows_all_in_one_place_are_fitted():
    fitted = EvmClassifier(delta=0.5, random_state=0).fit(np.ones((6, 2)), [0, 1, 2, 0, 1, 2])
    assert np.all(fitted.predict(np.ones((2, 2))) != AUGMENTED)
    assert np.all(fitted.predict(np.full((2, 2), 100.0)) == AUGMENTED)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tail_size": 0}, "`tail_size` must be a whole number of at least 1; got 0"),
        ({"n_average": 1.5}, "`n_average` must be a whole number of at least 1; got 1.5"),
        ({"cover_threshold": 1.5}, r"`cover_threshold` must lie in \[0, 1\]; got 1.5"),
        ({"delta": -0.1}, r"`delta` must lie in \[0, 1\]; got -0.1"),
    ],
)
def test_impossible_parameters_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        EvmClassifier(**options).fit(*draw_rows(0))


def test_one_class_is_refused():
    X, _ = draw_rows(0)
    with pytest.raises(ValueError, match="needs labeled rows of 2 or more known classes"):
        EvmClassifier().fit(X, np.zeros(len(X)))
