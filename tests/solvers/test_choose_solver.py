"""Which solver goes with which loss."""

import numpy as np
import pytest

from eulac.maths.losses import LOSSES
from eulac.solvers.choose_solver import SOLVERS, choose_solver
from oracles import GAUSSIAN, coefficients_of, draw_kernel_task, kernel_objective

EXPECTED = {"square": "closed_form", "logistic": "newton", "double_hinge": "smoothed_newton"}
each_pair = pytest.mark.parametrize(("loss", "name"), EXPECTED.items(), ids=EXPECTED)


def test_every_loss_with_a_linear_odd_part_has_a_solver():
    ready = {name for name, loss in LOSSES.items() if loss.linear_odd_part}
    assert {solver.loss for solver in SOLVERS} == ready == set(EXPECTED)


@each_pair
def test_each_loss_finds_its_solver_alone_or_by_name(loss, name):
    assert choose_solver(loss).name == name
    assert choose_solver(loss, name) is choose_solver(loss, "auto")


@each_pair
def test_each_solver_lowers_the_objective_of_its_loss(loss, name):
    problem = draw_kernel_task().problem(GAUSSIAN)
    found = coefficients_of(choose_solver(loss).solve(problem, 0.05))
    at_zero = kernel_objective(problem, np.zeros_like(found), 0.05, LOSSES[loss])
    assert at_zero == pytest.approx(3 * LOSSES[loss].value(0.0))
    assert kernel_objective(problem, found, 0.05, LOSSES[loss]) < at_zero - 1e-3


@pytest.mark.parametrize(
    ("loss", "name", "sentence"),
    [
        ("sigmoid", "auto", r"loss 'sigmoid' does not satisfy loss\(z\) - loss\(-z\) = -z"),
        ("hinge", "auto", r"unknown loss 'hinge'\. Known: square, "),
        (
            "square",
            "lbfgs",
            r"unknown solver 'lbfgs'\. Known: auto, closed_form, newton, smoothed_newton\.",
        ),
        (
            "logistic",
            "closed_form",
            r"solver 'closed_form' needs the square loss; got 'logistic'\. Use solver='newton' "
            r"or 'auto'\.",
        ),
    ],
    ids=["no linear odd part", "unknown loss", "unknown solver", "solver of another loss"],
)
def test_what_does_not_fit_is_refused_in_a_sentence(loss, name, sentence):
    with pytest.raises(ValueError, match=sentence):
        choose_solver(loss, name)
