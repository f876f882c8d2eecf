import numpy as np
import pytest

from eulac.data.folds import in_canonical_order
from eulac.data.synthetic import make_gaussian_task
from eulac.proportion.known_priors import KnownPriors, choose_priors, known_priors
from eulac.proportion.reduction import cross_fitted_probabilities, extra_trees


def priors_of(shift_intensity, n_known_classes=3, seed=0, n_labeled=240):
    task = make_gaussian_task(
        n_known_classes=n_known_classes,
        n_augmented_classes=1,
        n_features=2,
        separation=6.0,
        known_proportion=0.6,
        shift_intensity=shift_intensity,
        random_state=seed,
    )
    split = task.draw(n_labeled, 500, random_state=seed)
    sample = in_canonical_order(split.sample, seed)
    by_class = cross_fitted_probabilities(sample, extra_trees(seed), random_state=seed)
    return known_priors(sample, *by_class, random_state=seed), split


def test_moved_priors_are_recovered_beside_a_new_class():
    priors, split = priors_of(0.8)
    truth = split.per_class / split.per_class.sum()
    np.testing.assert_allclose(priors.priors, truth, atol=0.05)
    assert priors.p_value < 0.01


def test_priors_that_stayed_are_not_called_moved():
    assert priors_of(0.0)[0].p_value > 0.01


def test_priors_sum_to_one_and_carry_errors():
    priors, _ = priors_of(0.5)
    assert priors.priors.sum() == pytest.approx(1.0)
    assert np.all(priors.standard_errors > 0)


def test_one_class_has_nothing_to_move():
    priors, _ = priors_of(0.0, n_known_classes=1)
    np.testing.assert_array_equal(priors.priors, [1.0])
    assert priors.p_value == 1.0


def test_classes_of_a_few_rows_keep_their_frequency():
    priors, split = priors_of(0.8, n_labeled=45)
    assert np.all(np.bincount(split.sample.y_labeled) < 20)
    np.testing.assert_array_equal(priors.priors, priors.labeled)
    assert priors.p_value == 1.0


@pytest.mark.parametrize(
    ("shift", "p_value", "moved"),
    [("auto", 0.5, False), ("auto", 0.001, True), (True, 0.5, True), (False, 0.001, False)],
)
def test_priors_are_used_as_asked(shift, p_value, moved):
    estimated = KnownPriors(np.array([0.8, 0.2]), np.array([0.5, 0.5]), np.zeros(2), p_value)
    chosen = choose_priors(estimated, shift)
    assert chosen.moved == moved
    np.testing.assert_array_equal(chosen.used, [0.8, 0.2] if moved else [0.5, 0.5])
