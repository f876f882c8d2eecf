"""Slow and obvious versions of the risks, of Eq. (8) and of its minimizers, and small instances."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from eulac.data.folds import LacFolds
from eulac.maths.kernels import GaussianKernel
from eulac.risk.weights import labeled_weights
from eulac.solvers.closed_form import solve_closed_form
from eulac.solvers.problem import KernelProblem

# Risks, one row and one class at a time. The last column is the augmented class.


def slow_lac_risk(scores_labeled, y_labeled, weights, scores_unlabeled, loss):
    """Eq. (5), the non-convex form that holds for every loss."""
    labeled = 0.0
    for scores, own, weight in zip(scores_labeled, y_labeled, weights, strict=True):
        labeled += weight * (loss.value(scores[own]) - loss.value(-scores[own]))
        labeled += weight * (loss.value(-scores[-1]) - loss.value(scores[-1]))
    unlabeled = 0.0
    for scores in scores_unlabeled:
        unlabeled += loss.value(scores[-1])
        for score in scores[:-1]:
            unlabeled += loss.value(-score)
    return labeled / len(scores_labeled) + unlabeled / len(scores_unlabeled)


def slow_ovr_risk(scores, y, loss):
    """Eq. (3) on rows with true labels."""
    total = 0.0
    for row, own in zip(scores, y, strict=True):
        for k, score in enumerate(row):
            total += loss.value(score) if k == own else loss.value(-score)
    return total / len(scores)


def slow_nonnegative_risk(scores_labeled, y_labeled, weights, scores_unlabeled, loss):
    """Appendix A.1, corrected: the positive part plus one clamped bracket per output."""
    n_outputs = scores_labeled.shape[1]
    total = 0.0
    for scores, own, weight in zip(scores_labeled, y_labeled, weights, strict=True):
        for k in range(n_outputs):
            as_its_label = scores[k] if k == own else -scores[k]
            total += weight * loss.value(as_its_label) / len(scores_labeled)
    for k in range(n_outputs):
        sign = 1.0 if k == n_outputs - 1 else -1.0
        test = np.mean([loss.value(sign * row[k]) for row in scores_unlabeled])
        rows = zip(weights, scores_labeled, strict=True)
        known = np.mean([weight * loss.value(sign * row[k]) for weight, row in rows])
        total += max(0.0, test - known)
    return total


def printed_nonnegative_risk(scores_labeled, y_labeled, weights, scores_unlabeled, loss):
    """Appendix A.1 as printed, first term and all."""
    known = slow_nonnegative_risk(scores_labeled, y_labeled, weights, scores_unlabeled, loss)
    for scores, own, weight in zip(scores_labeled, y_labeled, weights, strict=True):
        for k in range(scores_labeled.shape[1]):
            as_its_label = scores[k] if k == own else -scores[k]
            known -= weight * loss.value(as_its_label) / len(scores_labeled)
        printed = loss.value(-scores[own]) + loss.value(scores[-1])
        known += weight * printed / len(scores_labeled)
    return known


def slow_log_lac_risk(logits_labeled, y_labeled, weights, logits_unlabeled):
    """Log loss of softmax outputs in the generalized estimator, one row at a time."""
    labeled = 0.0
    for row, own, weight in zip(logits_labeled, y_labeled, weights, strict=True):
        labeled += weight * (cross_entropy(row, own) - cross_entropy(row, len(row) - 1))
    unlabeled = sum(cross_entropy(row, len(row) - 1) for row in logits_unlabeled)
    return labeled / len(logits_labeled) + unlabeled / len(logits_unlabeled)


def cross_entropy(logits, label):
    shares = [np.exp(logit) for logit in logits]
    return -np.log(shares[label] / sum(shares))


def slow_zero_one_risk(predicted_labeled, y_labeled, weights, predicted_unlabeled, augmented):
    right, wrongly_new = 0.0, 0.0
    for predicted, own, weight in zip(predicted_labeled, y_labeled, weights, strict=True):
        right += weight * (predicted == own) / len(y_labeled)
        wrongly_new += weight * (predicted == augmented) / len(y_labeled)
    new = 0.0
    for predicted in predicted_unlabeled:
        new += (predicted == augmented) / len(predicted_unlabeled)
    return 1.0 - right - (new - wrongly_new)


class FullyLabeled(NamedTuple):
    """Test rows with all their labels, and the sample one would have of them without.

    The labeled rows are just the known ones among the test rows, the unlabeled ones are all of
    them, so every label-free estimate must equal the plain one exactly.
    """

    scores: np.ndarray
    y: np.ndarray
    scores_labeled: np.ndarray
    y_labeled: np.ndarray
    weights: np.ndarray


def draw_fully_labeled(n_rows=40, n_known_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_known_classes + 1, size=n_rows)
    y[: n_known_classes + 1] = np.arange(n_known_classes + 1)
    scores = 2.0 * rng.standard_normal((n_rows, n_known_classes + 1))
    known = y < n_known_classes
    return FullyLabeled(scores, y, scores[known], y[known], np.full(known.sum(), known.mean()))


# Eq. (8) and generic ways to minimize it.


class KernelTask(NamedTuple):
    """Rows, labels and weights, from which kernel blocks are built afresh."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    U: np.ndarray
    n_known_classes: int

    def problem(self, kernel, offset=0.0, labeled=slice(None), unlabeled=slice(None)):
        X, U = self.X[labeled], self.U[unlabeled]
        return KernelProblem(
            kernel.block(U, U),
            kernel.block(X, U),
            kernel.block(X, X),
            self.y[labeled],
            self.weights[labeled],
            self.n_known_classes,
            offset,
        )


def draw_kernel_task(
    n_labeled=7, n_unlabeled=9, n_known_classes=2, n_features=2, seed=0, known_proportion=0.6
):
    """Rows of overlapping groups; the class shares of the weights are not those of the labels."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_labeled) % n_known_classes)
    centers = rng.normal(scale=1.5, size=(n_known_classes + 1, n_features))
    X = rng.normal(centers[y], 1.0)
    U = rng.normal(centers[rng.integers(n_known_classes + 1, size=n_unlabeled)], 1.0)
    shares = rng.dirichlet(np.full(n_known_classes, 5.0))
    weights = labeled_weights(y, known_proportion * shares)
    return KernelTask(X, y, weights, U, n_known_classes)


def full_kernel(problem):
    """Kernel matrix of labeled and unlabeled rows together."""
    return np.block([[problem.K_ll, problem.K_lu], [problem.K_lu.T, problem.K_uu]])


def kernel_objective(problem, coefficients, penalty, loss):
    """Eq. (8) at given expansion coefficients, labeled rows first."""
    K = full_kernel(problem)
    scores = K @ coefficients + problem.offsets
    n_labeled = problem.n_labeled
    risk = slow_lac_risk(
        scores[:n_labeled], problem.y_labeled, problem.weights, scores[n_labeled:], loss
    )
    norms = [coefficients[:, k] @ K @ coefficients[:, k] for k in range(coefficients.shape[1])]
    return risk + penalty * sum(norms)


def coefficients_of(solution):
    return np.vstack([solution.labeled, solution.unlabeled])


def generic_coefficients(problem, penalty, loss):
    """Minimize Eq. (8) by L-BFGS, over n_l + n_u unknowns for each output.

    The unknowns are coordinates in the span of the rows, in which the penalty is round; the
    kernel matrix must have full rank. The labeled part is differentiated as printed in Eq. (5).
    """
    K, n_labeled, n_outputs = full_kernel(problem), problem.n_labeled, len(problem.signs)
    roots = np.linalg.cholesky(K)

    def value_and_gradient(flat):
        coordinates = flat.reshape(-1, n_outputs)
        scores = roots @ coordinates + problem.offsets
        value = slow_lac_risk(
            scores[:n_labeled], problem.y_labeled, problem.weights, scores[n_labeled:], loss
        )
        gradient = roots.T @ _risk_gradient(problem, scores, loss)
        value += penalty * np.sum(coordinates**2)
        return value, (gradient + 2 * penalty * coordinates).ravel()

    found = minimize(
        value_and_gradient,
        np.zeros(K.shape[0] * n_outputs),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 0.0, "gtol": 1e-10, "maxcor": 50},
    )
    return np.linalg.solve(roots.T, found.x.reshape(-1, n_outputs))


def _risk_gradient(problem, scores, loss):
    n_labeled, gradient = problem.n_labeled, np.zeros_like(scores)
    for i, (own, weight) in enumerate(zip(problem.y_labeled, problem.weights, strict=True)):
        for column, sign in ((own, 1.0), (-1, -1.0)):
            slope = loss.derivative(scores[i, column]) + loss.derivative(-scores[i, column])
            gradient[i, column] += sign * weight * slope / n_labeled
    for j in range(n_labeled, len(scores)):
        for k, sign in enumerate(problem.signs):
            slope = sign * loss.derivative(sign * scores[j, k])
            gradient[j, k] += slope / problem.n_unlabeled
    return gradient


def double_hinge_optimum(problem, penalty):
    """Smallest value of Eq. (8) under the double hinge, by its dual.

    The double hinge is max(0, (1 - z) / 2) + max(0, (-1 - z) / 2); with a weight in [0, 1] for
    each of the two hinges of a row, every choice of weights bounds the smallest value from below,
    and the best choice reaches it.
    """
    roots = np.linalg.cholesky(full_kernel(problem))
    pull = problem.labeled_pull()
    return sum(
        _double_hinge_output(problem, penalty, roots, pull[:, k], sign)
        for k, sign in enumerate(problem.signs)
    )


def _double_hinge_output(problem, penalty, roots, pull, sign):
    n_labeled, n_unlabeled = problem.n_labeled, problem.n_unlabeled
    margins = np.vstack([sign * roots[n_labeled:]] * 2) / (2 * n_unlabeled)
    heights = np.repeat([1 - problem.offset, -1 - problem.offset], n_unlabeled) / (2 * n_unlabeled)

    def negated_dual(weights):
        coordinates = (roots[:n_labeled].T @ pull + margins.T @ weights) / (2 * penalty)
        value = weights @ heights - penalty * coordinates @ coordinates
        return -value, margins @ coordinates - heights

    found = minimize(
        negated_dual,
        np.full(2 * n_unlabeled, 0.5),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * (2 * n_unlabeled),
        options={"maxiter": 5000, "ftol": 1e-13},
    )
    assert found.success, found.message
    return -found.fun - sign * problem.offset * pull.sum()


# Cross validation without any shortcut.


def refitted_scores(task, folds: LacFolds, kernel, penalty, *, offset=0.0, solve=solve_closed_form):
    """Held-out scores by fitting anew, on kernel blocks built anew from each fold's rows."""
    n_outputs = task.n_known_classes + 1
    labeled = np.full((len(task.X), n_outputs), np.nan)
    unlabeled = np.full((folds.n_held_out, n_outputs), np.nan)
    for fold in range(folds.n_folds):
        out_l = folds.labeled == fold
        out_u = np.arange(folds.n_unlabeled) // folds.fold_size == fold
        solution = solve(task.problem(kernel, offset, ~out_l, ~out_u), penalty)
        for rows, held_out, scores in (
            (task.X, np.flatnonzero(out_l), labeled),
            (task.U, np.flatnonzero(out_u), unlabeled),
        ):
            scores[held_out] = solution.scores(
                kernel.block(rows[held_out], task.X[~out_l]),
                kernel.block(rows[held_out], task.U[~out_u]),
            )
    return labeled, unlabeled


GAUSSIAN = GaussianKernel(bandwidth=1.0)
