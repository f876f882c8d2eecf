"""Held-out scores: the shortcut is the refit, whatever the folds."""

import numpy as np
import pytest

from eulac.data.folds import draw_folds
from eulac.maths.kernels import GaussianKernel, LinearKernel
from eulac.maths.threads import blas_threads
from eulac.solvers.closed_form import held_out_scores
from eulac.solvers.search import choose_solver, held_out_by_refitting
from oracles import draw_kernel_task, refitted_scores

PENALTIES = [1e-4, 1e-2, 1.0]
KERNELS = {
    "narrow": GaussianKernel(0.2),
    "wide": GaussianKernel(2.0),
    "linear": LinearKernel(),
}
SHAPES = {
    "even": ({"n_labeled": 30, "n_unlabeled": 50}, 5),
    "rows left over": ({"n_labeled": 31, "n_unlabeled": 53}, 5),
    "two folds": ({"n_labeled": 20, "n_unlabeled": 41}, 2),
    "three folds": ({"n_labeled": 20, "n_unlabeled": 41}, 3),
    "ten folds": ({"n_labeled": 25, "n_unlabeled": 44}, 10),
    "one known class": ({"n_labeled": 20, "n_unlabeled": 30, "n_known_classes": 1}, 5),
    "many unlabeled": ({"n_labeled": 6, "n_unlabeled": 60}, 3),
    "many labeled": ({"n_labeled": 60, "n_unlabeled": 12}, 3),
}
each_shape = pytest.mark.parametrize(("size", "n_folds"), SHAPES.values(), ids=SHAPES)
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
each_offset = pytest.mark.parametrize("offset", [0.0, 0.4, 1.0])


def draw_folded(size, n_folds, seed=0):
    task = draw_kernel_task(**size, seed=seed)
    return task, draw_folds(task.y, len(task.U), n_folds, seed)


def assert_same_scores(found, labeled, unlabeled, tolerance=1e-10):
    scale = max(1.0, np.abs(labeled).max(), np.abs(unlabeled).max())
    np.testing.assert_allclose(found.labeled, labeled, atol=tolerance * scale, rtol=0)
    np.testing.assert_allclose(found.unlabeled, unlabeled, atol=tolerance * scale, rtol=0)


@each_shape
@each_kernel
@each_offset
def test_exact_held_out_scores_are_those_of_naive_refits(size, n_folds, kernel, offset):
    task, folds = draw_folded(size, n_folds)
    found = held_out_scores(task.problem(kernel, offset), folds, PENALTIES)
    for penalty, scores in zip(PENALTIES, found, strict=True):
        expected = refitted_scores(task, folds, kernel, penalty, offset=offset)
        # A linear kernel is of low rank: nearly all of K + shift is shift, and 1e-4 of it small.
        assert_same_scores(scores, *expected, tolerance=1e-10 if kernel != LinearKernel() else 1e-8)


@each_offset
def test_a_class_of_one_row_may_be_held_out_whole(offset):
    task, _ = draw_folded({"n_labeled": 20, "n_unlabeled": 30}, 5)
    y = np.array([0] * 19 + [1])
    task = task._replace(y=y)
    folds = draw_folds(y, 30, 5, 0)
    kernel = KERNELS["wide"]
    (found,) = held_out_scores(task.problem(kernel, offset), folds, [0.01])
    assert_same_scores(found, *refitted_scores(task, folds, kernel, 0.01, offset=offset))


@each_shape
@each_offset
def test_refitting_any_solver_is_the_naive_way(size, n_folds, offset):
    task, folds = draw_folded(size, n_folds)
    kernel = KERNELS["wide"]
    problem = task.problem(kernel, offset)
    for solver in map(choose_solver, ("square", "logistic")):
        found = held_out_by_refitting(problem, folds, 0.01, solver)
        expected = refitted_scores(task, folds, kernel, 0.01, offset=offset, solve=solver.solve)
        assert_same_scores(found, *expected, tolerance=1e-6)


@each_shape
def test_every_labeled_row_and_those_of_whole_unlabeled_folds_get_scores(size, n_folds):
    task, folds = draw_folded(size, n_folds)
    (scores,) = held_out_scores(task.problem(KERNELS["wide"]), folds, [0.1])
    assert scores.labeled.shape == (len(task.X), task.n_known_classes + 1)
    assert scores.unlabeled.shape == (folds.n_held_out, task.n_known_classes + 1)


def test_a_held_out_row_does_not_see_its_own_label():
    task, folds = draw_folded({"n_labeled": 20, "n_unlabeled": 30}, 5)
    kernel = KERNELS["wide"]
    held_out = folds.labeled == 0
    flipped = np.where(held_out, 1 - task.y, task.y)
    (one,) = held_out_scores(task.problem(kernel), folds, [0.01])
    (two,) = held_out_scores(task._replace(y=flipped).problem(kernel), folds, [0.01])
    np.testing.assert_allclose(one.labeled[held_out], two.labeled[held_out], atol=1e-10)
    assert np.abs(one.labeled[~held_out] - two.labeled[~held_out]).max() > 1e-3


@pytest.mark.parametrize("n_workers", [2, 3, 8])
def test_the_number_of_workers_does_not_change_a_bit(n_workers):
    task, folds = draw_folded({"n_labeled": 40, "n_unlabeled": 150, "n_known_classes": 3}, 5)
    problem = task.problem(KERNELS["wide"], 0.3)
    with blas_threads(1):
        alone = held_out_scores(problem, folds, PENALTIES, n_workers=1)
        together = held_out_scores(problem, folds, PENALTIES, n_workers=n_workers)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.labeled, other.labeled)
        np.testing.assert_array_equal(one.unlabeled, other.unlabeled)
