"""Which solver goes with which loss."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.maths.losses import LOSSES, Loss
from eulac.solvers.search import SOLVERS, choose_solver
from oracles import GAUSSIAN, coefficients_of, draw_kernel_task, kernel_objective

EXPECTED = {"square": "closed_form", "logistic": "newton", "double_hinge": "smoothed_newton"}
each_pair = pytest.mark.parametrize(("loss", "name"), EXPECTED.items(), ids=EXPECTED)


def test_every_loss_with_a_linear_odd_part_has_a_solver():
    ready = {name for name, loss in LOSSES.items() if loss.linear_odd_part}
    assert {choose_solver(name).loss.name for name in ready} == ready == set(EXPECTED)
    assert {choose_solver(name).name for name in ready} == {kind.name for kind in SOLVERS}


@each_pair
def test_each_loss_finds_its_solver(loss, name):
    assert choose_solver(loss).name == choose_solver(LOSSES[loss]).name == name


@each_pair
def test_each_solver_lowers_the_objective_of_its_loss(loss, name):
    problem = draw_kernel_task().problem(GAUSSIAN)
    found = coefficients_of(choose_solver(loss).solve(problem, 0.05))
    at_zero = kernel_objective(problem, np.zeros_like(found), 0.05, LOSSES[loss])
    assert at_zero == pytest.approx(3 * LOSSES[loss].value(0.0))
    assert kernel_objective(problem, found, 0.05, LOSSES[loss]) < at_zero - 1e-3


def test_a_new_loss_needs_no_registration_to_be_solved():
    # Half square, half logistic: the odd part stays linear.
    one, two = LOSSES["square"], LOSSES["logistic"]
    mixed = Loss(
        "mixed",
        lambda z: 0.5 * (one.value(z) + two.value(z)),
        lambda z: 0.5 * (one.derivative(z) + two.derivative(z)),
        lambda z: 0.5 * (one.second_derivative(z) + two.second_derivative(z)),
        linear_odd_part=True,
        lipschitz=lambda radius: 1.0 + radius,
        newton=True,
    )
    problem = draw_kernel_task().problem(GAUSSIAN)
    solver = choose_solver(mixed)
    found = coefficients_of(solver.solve(problem, 0.05))
    best = kernel_objective(problem, found, 0.05, mixed)
    for other in ("square", "logistic"):
        there = coefficients_of(choose_solver(other).solve(problem, 0.05))
        assert best < kernel_objective(problem, there, 0.05, mixed)


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        ("sigmoid", r"loss 'sigmoid' does not satisfy loss\(z\) - loss\(-z\) = -z"),
        ("hinge", r"unknown loss 'hinge'\. Known: square, "),
        (
            replace(LOSSES["logistic"], name="plain", newton=False),
            r"no solver minimizes loss 'plain': it must be `quadratic`, allow `newton`, or be "
            r"`smoothed`;",
        ),
    ],
    ids=["no linear odd part", "unknown loss", "nothing known of it"],
)
def test_what_does_not_fit_is_refused_in_a_sentence(loss, sentence):
    with pytest.raises(ValueError, match=sentence):
        choose_solver(loss)
