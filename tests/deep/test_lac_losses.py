"""Losses for training loops: parity with NumPy, gradients, and what the correction does."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.deep.lac_losses import (  # noqa: E402
    LabeledAgainstUnlabeledLoss,
    LacLoss,
    MulticlassLacLoss,
    SelectedLoss,
)
from eulac.maths.losses import LOSSES  # noqa: E402
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES  # noqa: E402
from eulac.risk.nonnegative import corrected_risk, nonnegative_lac_risk  # noqa: E402
from eulac.risk.unbiased import lac_risk, log_lac_risk  # noqa: E402
from oracles import slow_lac_risk, slow_nonnegative_risk  # noqa: E402

WEIGHTS = [0.4, 0.9, 0.7]
each_loss = pytest.mark.parametrize("loss", list(LOSSES))


def draw(seed=0, n=12, m=20, n_known=3, scale=2.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_known, size=n)
    labeled = scale * rng.standard_normal((n, n_known + 1))
    unlabeled = scale * rng.standard_normal((m, n_known + 1))
    return labeled, y, unlabeled


def tensors(labeled, y, unlabeled):
    double = (torch.tensor(x, dtype=torch.double, requires_grad=True) for x in (labeled, unlabeled))
    X, U = double
    return X, torch.tensor(y), U


def exact(module):
    return module.double()


@each_loss
@pytest.mark.parametrize("seed", range(3))
def test_reported_risk_is_the_non_negative_risk_of_arrays(loss, seed):
    labeled, y, unlabeled = draw(seed)
    value = exact(LacLoss(WEIGHTS, loss))(*tensors(labeled, y, unlabeled))
    weights = np.array(WEIGHTS)[y]
    same = nonnegative_lac_risk(labeled, y, weights, unlabeled, LOSSES[loss])
    assert float(value.risk) == pytest.approx(float(same), rel=1e-6)
    slow = slow_nonnegative_risk(labeled, y, weights, unlabeled, LOSSES[loss])
    assert float(value.risk) == pytest.approx(slow, rel=1e-6)


@each_loss
def test_without_correction_objective_and_risk_are_the_unbiased_risk(loss):
    labeled, y, unlabeled = draw()
    value = exact(LacLoss(WEIGHTS, loss, rectify=None))(*tensors(labeled, y, unlabeled))
    weights = np.array(WEIGHTS)[y]
    expected = slow_lac_risk(labeled, y, weights, unlabeled, LOSSES[loss])
    assert float(value.objective.detach()) == pytest.approx(expected, abs=1e-6)
    assert float(value.risk) == pytest.approx(expected, abs=1e-6)
    array = lac_risk(labeled, y, weights, unlabeled, LOSSES[loss])
    assert float(value.risk) == pytest.approx(float(array), rel=1e-6)


@pytest.mark.parametrize("rectify", ["per_class", "aggregate", None])
@pytest.mark.parametrize("loss", ["sigmoid", "logistic", "square"])
def test_gradients_agree_with_finite_differences(loss, rectify):
    module = exact(LacLoss(WEIGHTS, loss, rectify=rectify))
    X, y, U = tensors(*draw(n=5, m=6))
    assert torch.autograd.gradcheck(lambda a, b: module(a, y, b).objective, (X, U))


@pytest.mark.parametrize("loss", ["cross_entropy", "gce"])
def test_gradients_of_multiclass_losses_agree_with_finite_differences(loss):
    module = exact(MulticlassLacLoss(WEIGHTS, loss))
    X, y, U = tensors(*draw(n=5, m=6))
    assert torch.autograd.gradcheck(lambda a, b: module(a, y, b).objective, (X, U))


@pytest.mark.parametrize(("of_tensors", "of_arrays"), [("cross_entropy", "log"), ("gce", "gce")])
def test_multiclass_losses_of_tensors_are_those_of_arrays(of_tensors, of_arrays):
    labeled, y, unlabeled = draw()
    value = exact(MulticlassLacLoss(WEIGHTS, of_tensors))(*tensors(labeled, y, unlabeled))
    loss, weights = MULTICLASS_LOSSES[of_arrays], np.array(WEIGHTS)[y]
    expected, _, _ = corrected_risk(labeled, y, weights, unlabeled, loss)
    assert float(value.risk) == pytest.approx(expected, rel=1e-6)


def test_without_a_negative_bracket_the_objective_is_the_risk():
    labeled, y, unlabeled = draw(n=4)
    value = exact(LacLoss([0.01] * 3))(*tensors(labeled, y, unlabeled))
    assert float(value.bracket) > 0
    assert float(value.objective.detach()) == pytest.approx(float(value.risk))


def negative_brackets(strength=1.0, rectify="per_class", tolerance=0.0):
    """Labeled rows with high losses as augmented, unlabeled ones without any."""
    labeled, y = torch.full((4, 3), 3.0), torch.tensor([0, 1, 0, 1])
    unlabeled = torch.full((6, 3), -3.0)
    unlabeled[:, -1] = 3.0
    labeled[:, -1] = -3.0
    inputs = labeled.requires_grad_(), y, unlabeled.requires_grad_()
    options = {"rectify": rectify, "strength": strength, "tolerance": tolerance}
    return LacLoss([0.9, 0.9], **options)(*inputs), inputs


@pytest.mark.parametrize("rectify", ["per_class", "aggregate"])
def test_where_all_brackets_are_negative_the_gradient_is_turned_round(rectify):
    value, (labeled, y, unlabeled) = negative_brackets(rectify=rectify)
    assert float(value.bracket) < 0
    value.objective.backward()
    plain = LacLoss([0.9, 0.9], rectify=None)
    again = labeled.detach().requires_grad_(), y, unlabeled.detach().requires_grad_()
    plain(*again).objective.backward()
    # Unlabeled rows enter brackets only: their gradient is minus that of the unbiased risk.
    torch.testing.assert_close(unlabeled.grad, -again[2].grad)


def test_the_strength_scales_the_correction_and_zero_stops_it():
    full, _ = negative_brackets()
    half, (_, _, unlabeled) = negative_brackets(strength=0.5)
    assert float(half.objective.detach()) == pytest.approx(0.5 * float(full.objective.detach()))
    none, (_, _, unlabeled) = negative_brackets(strength=0.0)
    none.objective.backward()
    assert float(unlabeled.grad.abs().max()) == 0.0


def test_a_tolerated_bracket_is_not_corrected_and_lowers_the_reported_risk():
    strict, _ = negative_brackets()
    mild, _ = negative_brackets(tolerance=10.0)
    assert float(mild.objective.detach()) == pytest.approx(float(mild.risk))
    assert float(mild.risk) < float(strict.risk)


def test_cross_entropy_without_penalty_is_the_log_risk_of_arrays():
    labeled, y, unlabeled = draw()
    module = exact(MulticlassLacLoss(WEIGHTS, penalty=0.0))
    value = module(*tensors(labeled, y, unlabeled))
    expected = log_lac_risk(labeled, y, np.array(WEIGHTS)[y], unlabeled)
    assert float(value.objective.detach()) == pytest.approx(float(expected), rel=1e-6)


def test_the_generalized_risk_with_the_one_versus_rest_loss_is_the_lac_risk():
    sigmoid = LOSSES["sigmoid"]

    def one_versus_rest(logits, y):
        signs = 2.0 * torch.nn.functional.one_hot(y, logits.shape[1]) - 1.0
        return sigmoid.value(signs * logits).sum(1)

    inputs = tensors(*draw())
    generalized = exact(MulticlassLacLoss(WEIGHTS, one_versus_rest, penalty=0.0))(*inputs)
    direct = exact(LacLoss(WEIGHTS, "sigmoid", rectify=None))(*inputs)
    torch.testing.assert_close(generalized.objective, direct.objective)


def test_a_negative_multiclass_bracket_costs_by_the_penalty():
    labeled, y = torch.zeros(4, 3), torch.tensor([0, 1, 0, 1])
    unlabeled = torch.tensor([[-9.0, -9.0, 9.0]]).repeat(5, 1)
    value = MulticlassLacLoss([0.9, 0.9], penalty=1.2)(labeled, y, unlabeled)
    assert float(value.bracket) == pytest.approx(-0.9 * np.log(3), abs=1e-4)
    assert float(value.objective) == pytest.approx(float(value.risk) + 0.2 * 0.9 * np.log(3), 1e-4)


def test_gce_is_between_cross_entropy_and_the_absolute_error():
    labeled, y, unlabeled = draw(n=4)
    inputs = tensors(labeled, y, unlabeled)
    parts = [
        float(exact(MulticlassLacLoss([0.0] * 3, "gce", q=q))(*inputs).risk) for q in (1e-6, 1.0)
    ]
    entropy = float(exact(MulticlassLacLoss([0.0] * 3))(*inputs).risk)
    shares = torch.softmax(inputs[2], 1)[:, -1]
    assert parts[0] == pytest.approx(entropy, rel=1e-4)
    assert parts[1] == pytest.approx(float((1 - shares).mean().detach()), rel=1e-6)


def test_the_most_novel_rows_are_selected_and_no_others_get_a_gradient():
    unlabeled = torch.tensor([[5.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 5.0], [0.0, 9.0, 0.0]])
    unlabeled.requires_grad_()
    value = SelectedLoss([0.5, 0.5], 0.5)(torch.zeros(2, 3), torch.tensor([0, 1]), unlabeled)
    value.objective.backward()
    moved = unlabeled.grad.abs().sum(1) > 0
    assert moved.tolist() == [False, True, True, False]


def test_the_selected_loss_is_that_of_a_classifier_and_a_discriminator():
    X, y, U = tensors(*draw())
    value = exact(SelectedLoss(WEIGHTS, 0.6))(X, y, U)
    weights = torch.tensor(WEIGHTS, dtype=torch.double)[y]
    classes = torch.nn.functional.cross_entropy(X[:, :-1], y, reduction="none")
    newness = [rows[:, -1] - rows[:, :-1].logsumexp(1) for rows in (X, U)]
    known = -torch.nn.functional.logsigmoid(-newness[0])
    new = torch.sort(-torch.nn.functional.logsigmoid(newness[1])).values[: round(0.4 * len(U))]
    expected = (weights * (classes + known)).mean() + new.sum() / len(U)
    torch.testing.assert_close(value.objective, expected)


def test_the_warm_up_counts_both_samples_alike():
    labeled, unlabeled = torch.zeros(2, 3), torch.zeros(50, 3)
    value = LabeledAgainstUnlabeledLoss()(labeled, torch.tensor([0, 1]), unlabeled)
    assert float(value.objective) == pytest.approx(np.log(3))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rectify": "some"}, r"`rectify` must be one of .* got 'some'"),
        ({"strength": 2.0}, r"`strength` must lie in \[0, 1\]; got 2\.0"),
        ({"loss": "hinge"}, "unknown loss 'hinge'"),
    ],
)
def test_bad_parameters_are_quoted(options, words):
    with pytest.raises(ValueError, match=words):
        LacLoss([0.5], **options)


def test_losses_move_with_their_module():
    assert LacLoss([0.5, 0.5]).double().class_weights.dtype == torch.double
    assert "class_weights" in dict(LacLoss([0.5]).named_buffers())


each_module = pytest.mark.parametrize(
    "module",
    [LacLoss, MulticlassLacLoss, lambda w: SelectedLoss(w, 0.5)],
    ids=["lac", "all", "cvir"],
)


@each_module
def test_batches_of_which_a_wrong_risk_would_come_are_refused(module):
    loss, y = module([0.6, 0.6]), torch.tensor([0, 1])
    with pytest.raises(ValueError, match=r"must have 3 columns, .* got \[2\]"):
        loss(torch.zeros(2, 2), y, torch.zeros(3, 2))
    with pytest.raises(ValueError, match=r"codes 0 to 1; got -1 to 0.*third argument"):
        loss(torch.zeros(2, 3), torch.tensor([0, -1]), torch.zeros(3, 3))
    with pytest.raises(ValueError, match="labeled and unlabeled rows; got 2 and 0"):
        loss(torch.zeros(2, 3), y, torch.zeros(0, 3))


@each_module
@pytest.mark.parametrize("weights", [0.5, [], [0.5, -0.1]])
def test_class_weights_are_one_number_per_class_and_not_negative(module, weights):
    with pytest.raises(ValueError, match="`class_weights` must be one number per known class"):
        module(weights)
