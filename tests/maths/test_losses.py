"""Losses: values, derivatives, and the odd part the convex risk stands on."""

import numpy as np
import pytest

from eulac.maths.losses import LOSSES, get_loss, smoothed_double_hinge

TEMPERATURES = [1.0, 0.1, 1e-4]
SMOOTHED = {f"smoothed-{t}": smoothed_double_hinge(t) for t in TEMPERATURES}
ALL = LOSSES | SMOOTHED
CONVEX = {name: loss for name, loss in ALL.items() if name != "sigmoid"}
GRID = np.linspace(-6, 6, 241)

each_loss = pytest.mark.parametrize("loss", ALL.values(), ids=ALL)
each_convex_loss = pytest.mark.parametrize("loss", CONVEX.values(), ids=CONVEX)
each_temperature = pytest.mark.parametrize("temperature", TEMPERATURES)


@pytest.mark.parametrize(
    ("name", "margin", "expected"),
    [
        ("square", 0.0, 0.25),
        ("square", 1.0, 0.0),
        ("square", 3.0, 1.0),
        ("logistic", 0.0, np.log(2.0)),
        ("logistic", 1.0, 0.31326168751822286),
        ("logistic", -1000.0, 1000.0),
        ("logistic", 1000.0, 0.0),
        ("double_hinge", 0.0, 0.5),
        ("double_hinge", -1.0, 1.0),
        ("double_hinge", 1.0, 0.0),
        ("double_hinge", -3.0, 3.0),
        ("double_hinge", 3.0, 0.0),
        ("sigmoid", 0.0, 0.5),
        ("sigmoid", 1.0, 0.2689414213699951),
        ("sigmoid", -1000.0, 1.0),
    ],
)
def test_values_at_known_points(name, margin, expected):
    assert LOSSES[name].value(margin) == pytest.approx(expected, rel=1e-14, abs=1e-14)


@each_loss
def test_the_odd_part_is_linear_exactly_where_the_loss_says_so(loss):
    odd_part = loss.value(GRID) - loss.value(-GRID)
    assert np.allclose(odd_part, -GRID, rtol=0, atol=1e-13) == loss.linear_odd_part


@each_loss
def test_derivatives_agree_with_finite_differences(loss):
    # Away from the kinks of the double hinge; its smooth versions bend there quickly.
    z = GRID[np.abs(np.abs(GRID) - 1) > 0.02]
    step = 1e-5
    slope = (loss.value(z + step) - loss.value(z - step)) / (2 * step)
    np.testing.assert_allclose(loss.derivative(z), slope, atol=1e-8)
    bend = (loss.derivative(z + step) - loss.derivative(z - step)) / (2 * step)
    np.testing.assert_allclose(loss.second_derivative(z), bend, atol=1e-7)


@each_temperature
def test_smoothed_derivatives_agree_with_finite_differences_at_the_kinks(temperature):
    loss = smoothed_double_hinge(temperature)
    z = np.concatenate([kink + temperature * np.linspace(-5, 5, 41) for kink in (-1.0, 1.0)])
    step = 1e-4 * temperature
    slope = (loss.value(z + step) - loss.value(z - step)) / (2 * step)
    bend = (loss.derivative(z + step) - loss.derivative(z - step)) / (2 * step)
    np.testing.assert_allclose(loss.derivative(z), slope, atol=1e-6)
    np.testing.assert_allclose(loss.second_derivative(z), bend, atol=1e-6 / temperature)


@each_convex_loss
def test_convex_losses_lie_below_their_chords(loss):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-8, 8, (2, 500))
    share = rng.random(500)
    chord = share * loss.value(a) + (1 - share) * loss.value(b)
    assert np.all(loss.value(share * a + (1 - share) * b) <= chord + 1e-12)
    assert np.all(loss.second_derivative(GRID) >= 0)


@each_loss
@pytest.mark.parametrize("radius", [0.3, 1.0, 5.0])
def test_the_lipschitz_bound_holds_within_the_radius(loss, radius):
    z = np.linspace(-radius, radius, 2001)
    assert np.abs(loss.derivative(z)).max() <= loss.lipschitz(radius)
    chords = np.abs(np.diff(loss.value(z)) / np.diff(z))
    assert chords.max() <= loss.lipschitz(radius) * (1 + 1e-9)


@each_loss
def test_right_margins_cost_less_than_wrong_ones(loss):
    z = GRID[GRID > 1e-9]
    assert np.all(loss.value(z) < loss.value(-z))
    assert np.all(loss.value(GRID) >= 0)


@each_loss
def test_a_number_and_an_array_of_it_have_the_same_loss(loss):
    for function in (loss.value, loss.derivative, loss.second_derivative):
        assert float(function(0.7)) == float(function(np.array([0.7]))[0])


@each_temperature
def test_smoothing_adds_at_most_the_temperature_times_log_3(temperature):
    excess = smoothed_double_hinge(temperature).value(GRID) - LOSSES["double_hinge"].value(GRID)
    assert np.all(excess >= -1e-14)
    assert np.all(excess <= temperature * np.log(3.0) + 1e-14)


def test_extreme_margins_do_not_overflow():
    for loss in ALL.values():
        for function in (loss.value, loss.derivative, loss.second_derivative):
            assert np.all(np.isfinite(function(np.array([-1e8, -800.0, 800.0, 1e8]))))


def test_an_unknown_loss_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"unknown loss 'hinge'\. Known: square, logistic, "):
        get_loss("hinge")


@pytest.mark.parametrize("name", LOSSES)
def test_names_lead_to_their_losses(name):
    assert get_loss(name) is LOSSES[name]
    assert get_loss(name).name == name


@pytest.mark.parametrize("name", LOSSES)
def test_tensors_have_the_values_of_arrays(name):
    torch = pytest.importorskip("torch", reason="parity with tensors needs the `deep` extra")
    values = LOSSES[name].value(torch.from_numpy(GRID))
    np.testing.assert_allclose(values.numpy(), LOSSES[name].value(GRID), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_what_newton_minimizes_is_convex_and_its_scores_have_a_meaning(loss):
    z = np.linspace(-4, 4, 81)
    for one in [loss, *([loss.smoothed(0.1)] if loss.smoothed else [])]:
        if one.newton:
            assert np.all(one.second_derivative(z) >= 0)
            assert np.all(np.diff(one.derivative(z)) >= 0)
        assert one.linear_odd_part == (one.certainty is not None)


@pytest.mark.parametrize(
    "loss", [one for one in LOSSES.values() if one.certainty], ids=lambda loss: loss.name
)
@pytest.mark.parametrize("probability", [0.05, 0.3, 0.7, 0.95])
def test_certainty_turns_the_best_score_back_into_its_probability(loss, probability):
    scores = np.linspace(-5, 5, 10_001)
    risk = probability * loss.value(scores) + (1 - probability) * loss.value(-scores)
    best = scores[risk <= risk.min() + 1e-12]
    found = 0.5 * (1 + loss.certainty(best))
    if loss.smoothed:  # the double hinge knows sides only
        assert np.all((found > 0.5) == (probability > 0.5))
    else:
        np.testing.assert_allclose(found, probability, atol=1e-3)


def test_quadratic_is_said_exactly_where_the_second_derivative_is_constant():
    z = np.array([-2.0, 0.3, 5.0])
    for loss in LOSSES.values():
        curvature = loss.second_derivative(z)
        assert loss.quadratic == (np.ptp(curvature) == 0 and curvature[0] > 0)
