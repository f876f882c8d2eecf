"""Theorems 3 and 4 as numbers."""

import math
from dataclasses import replace

import pytest

from eulac.maths.losses import LOSSES
from eulac.risk.unbiased import BoundTerms, estimation_error_bound, generalization_bound

TERMS = BoundTerms(
    n_labeled=100,
    n_unlabeled=400,
    n_known_classes=1,
    norm=1.0,
    kernel_radius=1.0,
    loss=LOSSES["square"],
)
BOUNDS = {"theorem 3": generalization_bound, "theorem 4": estimation_error_bound}
each_bound = pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS)
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


def test_theorem_3_worked_by_hand():
    # Two outputs, radius 1: L = 1, B = psi(-1) = 1; log(4 / 0.05) = 4.382027.
    labeled = (2 * 2 * 1 + 6 * 2.960414) / 10  # sqrt(2 * 4.382027) = 2.960414
    unlabeled = (2 * 2 * 1 * 1 + 3 * 2 * 1 * 2.093329) / 20
    assert labeled + unlabeled == pytest.approx(3.004247, abs=1e-6)
    assert generalization_bound(TERMS, delta=0.05) == pytest.approx(3.004247, abs=1e-5)


@each_loss
def test_theorem_4_is_twice_theorem_3_at_half_of_delta(loss):
    terms = replace(TERMS, loss=loss)
    doubled = 2 * generalization_bound(terms, delta=0.05)
    assert estimation_error_bound(terms, delta=0.1) == pytest.approx(doubled, rel=1e-12)
    assert estimation_error_bound(terms, delta=0.05) >= doubled


@each_bound
@each_loss
def test_bounds_shrink_with_rows_as_one_over_their_root(bound, loss):
    terms = replace(TERMS, loss=loss)
    start = bound(terms)
    assert bound(replace(terms, n_labeled=200)) < start
    assert bound(replace(terms, n_unlabeled=800)) < start
    many = replace(terms, n_labeled=10_000, n_unlabeled=40_000)
    assert bound(many) == pytest.approx(start / 10, rel=1e-12)


@each_bound
@each_loss
@pytest.mark.parametrize("change", [{"norm": 2.0}, {"kernel_radius": 2.0}, {"n_known_classes": 2}])
def test_bounds_grow_with_what_there_is_to_learn(bound, loss, change):
    terms = replace(TERMS, loss=loss)
    assert bound(replace(terms, **change)) > bound(terms)


@pytest.mark.parametrize("norm", [0.5, 2.0])
def test_the_labeled_part_grows_with_the_radius_of_the_scores(norm):
    terms = replace(TERMS, norm=norm, kernel_radius=1.5, n_unlabeled=10**18)
    radius, n_outputs = 1.5 * norm, TERMS.n_known_classes + 1
    expected = 2 * n_outputs * radius + 6 * radius * math.sqrt(2 * math.log(4 / 0.05))
    found = generalization_bound(terms, delta=0.05)
    assert found == pytest.approx(expected / math.sqrt(TERMS.n_labeled), rel=1e-6)


@each_bound
def test_bounds_grow_with_the_certainty_asked_for(bound):
    assert bound(TERMS, delta=0.01) > bound(TERMS, delta=0.05) > bound(TERMS, delta=0.5)


@each_loss
def test_the_loss_is_bounded_over_all_scores_within_the_radius(loss):
    # Taken apart: with many labeled rows only the unlabeled part is left.
    terms = replace(TERMS, loss=loss, norm=1.5, kernel_radius=2.0, n_labeled=10**18)
    largest = max(float(loss.value(z / 1000)) for z in range(-3000, 3001))
    rest = generalization_bound(terms) - 2 * 2 * loss.lipschitz(3.0) * 3.0 / 20
    assert rest == pytest.approx(3 * 2 * largest * math.sqrt(math.log(80)) / 20, rel=1e-6)
