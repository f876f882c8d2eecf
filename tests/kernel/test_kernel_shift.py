import numpy as np
import pytest

from eulac import KernelEulacClassifier
from eulac.data.synthetic import make_gaussian_task

# Base estimates on purpose where priors have moved: their scores may well disagree.
pytestmark = pytest.mark.filterwarnings("ignore::eulac.exceptions.ProportionDisagreementWarning")

QUICK = {"bandwidth": 0.2, "penalty": 1e-3, "random_state": 0}


def moved_split(shift_intensity, separation=2.6):
    task = make_gaussian_task(
        n_known_classes=3,
        n_augmented_classes=1,
        n_features=2,
        separation=separation,
        known_proportion=0.7,
        shift_intensity=shift_intensity,
        random_state=3,
    )
    return task.draw(300, 600, 2000, random_state=1)


def test_weights_follow_the_given_class_shares():
    split = moved_split(0.9)
    X, y = split.sample.as_masked()
    classifier = KernelEulacClassifier(list(split.per_class), **QUICK).fit(X, y)
    np.testing.assert_allclose(classifier.proportion_.per_class, split.per_class)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.DriftWarning")  # a class is nearly gone
def test_shift_is_found_used_and_better_when_priors_moved():
    split = moved_split(0.9)
    X, y = split.sample.as_masked()
    base = KernelEulacClassifier(shift=False, drift=False, **QUICK).fit(X, y)
    auto = KernelEulacClassifier(shift="auto", drift=False, **QUICK).fit(X, y)
    assert auto.proportion_.diagnostics["priors_moved"]
    error = np.abs(auto.proportion_.per_class - split.per_class)
    base_error = np.abs(base.proportion_.per_class - split.per_class)
    assert error.sum() < 0.5 * base_error.sum()
    assert auto.score(split.X_test, split.y_test) > base.score(split.X_test, split.y_test)


@pytest.mark.slow
def test_auto_is_base_when_priors_did_not_move():
    split = moved_split(0.0, separation=4.0)
    X, y = split.sample.as_masked()
    base = KernelEulacClassifier(shift=False, **QUICK).fit(X, y)
    auto = KernelEulacClassifier(shift="auto", **QUICK).fit(X, y)
    assert not auto.proportion_.diagnostics["priors_moved"]
    np.testing.assert_array_equal(auto.predict(split.X_test), base.predict(split.X_test))


def test_a_given_total_is_divided_by_estimated_priors_only_when_asked():
    split = moved_split(0.9)
    X, y = split.sample.as_masked()
    asked = KernelEulacClassifier(0.7, shift=True, **QUICK).fit(X, y).proportion_
    taken = KernelEulacClassifier(0.7, **QUICK).fit(X, y).proportion_
    assert asked.total == pytest.approx(0.7)
    np.testing.assert_allclose(taken.per_class, 0.7 * split.sample.labeled_frequency)
    assert np.abs(asked.per_class - split.per_class).sum() < 0.15


def test_base_plus_plus_moves_only_the_known_scores():
    split = moved_split(0.9)
    X, y = split.sample.as_masked()
    n_labeled = split.sample.n_labeled
    options = {"decision": "largest", **QUICK}
    plus = KernelEulacClassifier(0.7, shift="base++", **options).fit(X, y)
    base = KernelEulacClassifier(0.7, shift=False, **options).fit(X, y)
    shift = KernelEulacClassifier(0.7, shift=True, **options).fit(X, y)
    coefficients = [c.model_.expansion.coefficients[:n_labeled] for c in (plus, base, shift)]
    np.testing.assert_allclose(coefficients[0][:, -1], coefficients[1][:, -1])
    np.testing.assert_allclose(coefficients[0][:, :-1], coefficients[2][:, :-1])


def test_unknown_shift_is_refused_with_its_value():
    with pytest.raises(ValueError, match=r"`shift` must be one of .*; got 'perhaps'"):
        KernelEulacClassifier(shift="perhaps").fit(np.eye(6), [0, 0, 1, 1, -1, -1])
