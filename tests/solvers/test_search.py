"""The search: candidates in order, judged by held-out risks, the best of a smoothed table."""

import itertools

import numpy as np
import pytest

from eulac.data.folds import draw_folds
from eulac.data.synthetic import make_gaussian_task
from eulac.maths.kernels import GaussianKernel, LinearKernel
from eulac.maths.losses import LOSSES
from eulac.risk.held_out import HeldOut
from eulac.risk.zero_one import RiskEstimate
from eulac.solvers.search import (
    Candidate,
    SearchSettings,
    as_table,
    assess,
    choose_solver,
    kernel_problems,
    refit,
    search,
    select,
)
from oracles import KernelTask, refitted_scores, slow_lac_risk, slow_zero_one_risk

KERNELS = [GaussianKernel(0.5), GaussianKernel(1.0), GaussianKernel(4.0), LinearKernel()]
PENALTIES = [1e-4, 1e-2, 1.0]


def draw_arguments(n_labeled=40, n_unlabeled=63, seed=0):
    task = make_gaussian_task(n_known_classes=2, separation=2.5, known_proportion=0.6)
    sample = task.draw(n_labeled, n_unlabeled, random_state=seed).sample
    folds = draw_folds(sample.y_labeled, n_unlabeled, 5, seed)
    return sample, np.full(n_labeled, 0.6), folds


def settings(loss="square", **changes):
    chosen = {"kernels": KERNELS, "penalties": PENALTIES, "solver": choose_solver(loss)}
    return SearchSettings(**(chosen | changes))


def made_up(zero_one, surrogate):
    """Candidates with given risks, kernel by kernel."""
    return [
        Candidate(None, 1.0, RiskEstimate(float(a), 0.0), float(b))
        for a, b in zip(np.ravel(zero_one), np.ravel(surrogate), strict=True)
    ]


def slow_smoothing(table):
    """Half of each value and an eighth of each neighbor, itself standing in at the edges."""
    out = np.empty(table.shape)
    for i, j in np.ndindex(table.shape):
        out[i, j] = 0.5 * table[i, j]
        for k, m in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            inside = 0 <= k < table.shape[0] and 0 <= m < table.shape[1]
            out[i, j] += 0.125 * (table[k, m] if inside else table[i, j])
    return out


def test_candidates_come_kernel_by_kernel():
    _, candidates = search(*draw_arguments(), settings())
    pairs = [(candidate.kernel, candidate.penalty) for candidate in candidates]
    assert pairs == list(itertools.product(KERNELS, PENALTIES))


@pytest.mark.parametrize("loss", ["square", "logistic", "double_hinge"])
def test_candidates_are_judged_by_both_risks_of_their_held_out_rows(loss):
    sample, weights, folds = draw_arguments()
    kernel, penalties = KERNELS[1], [0.01, 0.1]
    chosen = settings(loss, kernels=[kernel], penalties=penalties)
    _, candidates = search(sample, weights, folds, chosen)
    task = KernelTask(sample.X_labeled, sample.y_labeled, weights, sample.X_unlabeled, 2)
    for candidate, penalty in zip(candidates, penalties, strict=True):
        labeled, unlabeled = refitted_scores(
            task, folds, kernel, penalty, solve=choose_solver(loss).solve
        )
        rows = sample.y_labeled, weights
        error = slow_zero_one_risk(labeled.argmax(axis=1), *rows, unlabeled.argmax(axis=1), 2)
        surrogate = slow_lac_risk(labeled, *rows, unlabeled, LOSSES[loss])
        assert candidate.zero_one.raw == pytest.approx(error, rel=1e-8)
        assert candidate.surrogate == pytest.approx(surrogate, rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_is_the_minimum_of_the_smoothed_error(seed):
    best, candidates = search(*draw_arguments(seed=seed), settings())
    table = np.array([candidate.zero_one.raw for candidate in candidates])
    smooth = slow_smoothing(table.reshape(len(KERNELS), len(PENALTIES))).ravel()
    assert smooth[candidates.index(best)] == pytest.approx(smooth.min(), abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_a_value_weighs_as_much_as_its_four_neighbors(seed):
    rng = np.random.default_rng(seed)
    for errors in rng.integers(0, 30, (50, 4, 5)) / 30:
        smooth = slow_smoothing(errors).ravel()
        best = select(made_up(errors, np.ones(20)), (4, 5), "zero_one")
        assert smooth[best] == pytest.approx(smooth.min(), abs=1e-11)


def test_scores_that_have_faded_are_no_evidence():
    # Right by differences of 1e-30, which no rule on shares of classes can see.
    y = np.array([0, 1, 1, 1])
    scores = np.where(np.eye(3)[y] == 1, 1.0, -1.0)
    loss, interval = LOSSES["square"], (1.0, 1.0)

    def error(size):
        held_out = HeldOut(size * scores, size * scores, y, np.ones(4), interval)
        return assess(KERNELS[0], 1.0, held_out, loss).zero_one.raw

    assert error(1e-6) == 0.0
    assert error(1e-30) == 0.75


def test_a_risk_below_zero_is_no_better_than_none():
    candidates = made_up([[-0.1, 0.0], [0.0, 0.0]], [[3.0, 2.0], [2.0, 1.0]])
    assert select(candidates, (2, 2), "zero_one") == 3


def test_surrogate_selection_takes_the_smallest_surrogate_risk():
    best, candidates = search(*draw_arguments(), settings(selection="surrogate"))
    assert best.surrogate == min(candidate.surrogate for candidate in candidates)


def test_a_broad_valley_beats_a_lone_dip():
    errors = np.full((5, 5), 0.30)
    errors[0, 0] = 0.15
    errors[2:, 2:] = 0.16
    candidates = made_up(errors, np.ones(25))
    assert select(candidates, (5, 5), "zero_one") in {18, 19, 23, 24}


def test_equal_errors_are_decided_by_the_surrogate_risk():
    errors = np.full((2, 3), 0.1) + np.array([[0, 1e-16, 0], [0, 0, -1e-16]])
    candidates = made_up(errors, [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    assert select(candidates, (2, 3), "zero_one") == 5
    assert select(candidates[::-1], (2, 3), "zero_one") == 0


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1)], ids=str)
def test_grids_with_one_line_can_be_searched(shape):
    errors = np.linspace(0.4, 0.1, shape[0] * shape[1])
    assert select(made_up(errors, errors), shape, "zero_one") == len(errors) - 1


def test_the_table_has_one_row_per_candidate():
    _, candidates = search(*draw_arguments(), settings())
    table = as_table(candidates)
    assert list(table) == [
        "bandwidth",
        "penalty",
        "zero_one_risk",
        "zero_one_standard_error",
        "surrogate_risk",
    ]
    assert {len(column) for column in table.values()} == {len(KERNELS) * len(PENALTIES)}
    np.testing.assert_array_equal(table["penalty"], PENALTIES * len(KERNELS))
    widths = [0.5, 1.0, 4.0, np.nan]  # a linear kernel has none
    np.testing.assert_array_equal(table["bandwidth"], np.repeat(widths, len(PENALTIES)))
    np.testing.assert_array_equal(
        table["surrogate_risk"], [candidate.surrogate for candidate in candidates]
    )


def test_progress_is_reported_after_each_kernel():
    seen = []
    search(*draw_arguments(), settings(), progress=lambda *steps: seen.append(steps))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("loss", ["square", "logistic"])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_number_of_jobs_changes_nothing(loss, n_jobs):
    few = {"kernels": KERNELS[:2], "offset": 0.2}
    one, candidates = search(*draw_arguments(), settings(loss, **few))
    other, others = search(*draw_arguments(), settings(loss, n_jobs=n_jobs, **few))
    assert one == other
    assert candidates == others


def test_problems_hold_the_blocks_of_their_kernels():
    sample, weights, _ = draw_arguments()
    X, U = sample.X_labeled, sample.X_unlabeled
    problems = list(kernel_problems(sample, weights, settings(offset=0.3)))
    assert [kernel for kernel, _ in problems] == KERNELS
    for kernel, problem in problems:
        np.testing.assert_allclose(problem.K_uu, kernel.block(U, U), rtol=1e-12)
        np.testing.assert_allclose(problem.K_lu, kernel.block(X, U), rtol=1e-12)
        np.testing.assert_allclose(problem.K_ll, kernel.block(X, X), rtol=1e-12)
        assert problem.weights is weights
        assert (problem.n_known_classes, problem.offset) == (2, 0.3)


@pytest.mark.parametrize("empty", ["kernels", "penalties"])
def test_an_empty_grid_is_refused_in_a_sentence(empty):
    with pytest.raises(
        ValueError, match=r"the grid is empty: give at least one bandwidth and one penalty\."
    ):
        settings(**{empty: []})


def test_an_unknown_selection_is_refused_in_a_sentence():
    with pytest.raises(
        ValueError,
        match=r"`selection` must be one of 'zero_one', 'surrogate'; got 'accuracy'\.",
    ):
        settings(selection="accuracy")


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_a_refit_is_the_solution_on_all_rows_with_scores_of_held_out_ones(loss):
    sample, weights, folds = draw_arguments()
    chosen = settings(loss, kernels=[KERNELS[1]], penalties=[0.01], offset=0.2)
    problem, solution, norms, held_out = refit(sample, weights, folds, chosen)
    expected = chosen.solver.solve(problem, 0.01)
    np.testing.assert_allclose(solution.unlabeled, expected.unlabeled)
    np.testing.assert_allclose(norms, solution.squared_norms(problem))
    best, _ = search(sample, weights, folds, chosen)
    again = assess(KERNELS[1], 0.01, held_out, chosen.solver.loss)
    assert (again.zero_one.raw, again.surrogate) == pytest.approx(
        (best.zero_one.raw, best.surrogate)
    )


def test_one_weight_of_the_augmented_score_and_the_offset_reach_every_problem():
    sample, weights, _ = draw_arguments()
    chosen = settings(offset=0.3, augmented_weight=0.1)
    for _, problem in kernel_problems(sample, weights, chosen):
        assert (problem.offset, problem.augmented_weight) == (0.3, 0.1)
