"""LAC risks: what the loops say, and exactly the plain risks where nothing is left to chance."""

import numpy as np
import pytest

from eulac.maths.losses import LOSSES, require_linear_odd_part
from eulac.risk.unbiased import (
    convex_lac_risk,
    lac_risk,
    log_lac_risk,
    ovr_risk,
)
from eulac.risk.weights import labeled_weights
from oracles import (
    cross_entropy,
    draw_fully_labeled,
    slow_lac_risk,
    slow_log_lac_risk,
    slow_ovr_risk,
)

CONVEX_READY = {name: loss for name, loss in LOSSES.items() if loss.linear_odd_part}
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
each_convex_ready_loss = pytest.mark.parametrize("loss", CONVEX_READY.values(), ids=CONVEX_READY)
each_number_of_classes = pytest.mark.parametrize("n_known_classes", [1, 2, 5])


def draw_arguments(n_known_classes=3, seed=0):
    """Return scores, labels, shifted weights and scores of unlabeled rows: a risk's arguments."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_known_classes), rng.integers(n_known_classes, size=8))
    weights = labeled_weights(y, 0.7 * rng.dirichlet(np.ones(n_known_classes)))
    labeled, unlabeled = (2.0 * rng.standard_normal((n, n_known_classes + 1)) for n in (len(y), 13))
    return labeled, y, weights, unlabeled


@each_loss
@each_number_of_classes
def test_the_risk_is_what_the_loops_say(loss, n_known_classes):
    arguments = draw_arguments(n_known_classes)
    assert lac_risk(*arguments, loss) == pytest.approx(slow_lac_risk(*arguments, loss), rel=1e-12)


@each_convex_ready_loss
@each_number_of_classes
def test_the_convex_form_is_the_general_one_for_losses_with_a_linear_odd_part(
    loss, n_known_classes
):
    arguments = draw_arguments(n_known_classes)
    general = lac_risk(*arguments, loss)
    assert convex_lac_risk(*arguments, loss) == pytest.approx(general, rel=1e-12)


def test_the_convex_form_refuses_other_losses_in_a_sentence():
    sentence = (
        r"loss 'sigmoid' does not satisfy loss\(z\) - loss\(-z\) = -z, so the convex risk does "
        r"not apply\. Use 'square', 'logistic' or 'double_hinge'\."
    )
    with pytest.raises(ValueError, match=sentence):
        convex_lac_risk(*draw_arguments(), LOSSES["sigmoid"])
    with pytest.raises(ValueError, match=sentence):
        require_linear_odd_part(LOSSES["sigmoid"])


@each_loss
@each_number_of_classes
def test_zero_scores_cost_one_zero_margin_per_output(loss, n_known_classes):
    labeled, y, weights, unlabeled = draw_arguments(n_known_classes)
    risk = lac_risk(0 * labeled, y, weights, 0 * unlabeled, loss)
    assert risk == pytest.approx((n_known_classes + 1) * loss.value(0.0), rel=1e-12)


@each_loss
@pytest.mark.parametrize("seed", range(3))
def test_with_all_labels_known_the_risk_is_the_one_versus_rest_risk(loss, seed):
    rows = draw_fully_labeled(seed=seed)
    plain = ovr_risk(rows.scores, rows.y, loss)
    risk = lac_risk(rows.scores_labeled, rows.y_labeled, rows.weights, rows.scores, loss)
    assert risk == pytest.approx(plain, rel=1e-12)
    assert plain == pytest.approx(slow_ovr_risk(rows.scores, rows.y, loss), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_with_all_labels_known_the_log_risk_is_the_cross_entropy(seed):
    rows = draw_fully_labeled(seed=seed)
    plain = np.mean([cross_entropy(*row) for row in zip(rows.scores, rows.y, strict=True)])
    risk = log_lac_risk(rows.scores_labeled, rows.y_labeled, rows.weights, rows.scores)
    assert risk == pytest.approx(plain, rel=1e-12)


@each_number_of_classes
def test_the_log_risk_is_what_the_loops_say(n_known_classes):
    arguments = draw_arguments(n_known_classes)
    assert log_lac_risk(*arguments) == pytest.approx(slow_log_lac_risk(*arguments), rel=1e-12)


def test_the_log_risk_does_not_depend_on_a_constant_in_the_logits_of_a_row():
    labeled, y, weights, unlabeled = draw_arguments()
    shifted = log_lac_risk(labeled + 700.0, y, weights, unlabeled - 900.0)
    assert shifted == pytest.approx(log_lac_risk(labeled, y, weights, unlabeled), rel=1e-10)


@each_loss
def test_shifted_priors_that_agree_with_the_labels_give_the_base_risk(loss):
    labeled, y, _, unlabeled = draw_arguments()
    shift = labeled_weights(y, 0.6 * np.bincount(y) / len(y))
    base = np.full(len(y), 0.6)
    assert lac_risk(labeled, y, shift, unlabeled, loss) == pytest.approx(
        lac_risk(labeled, y, base, unlabeled, loss), rel=1e-12
    )


@each_convex_ready_loss
def test_the_risk_is_convex_in_the_scores(loss):
    one, y, weights, one_u = draw_arguments(seed=1)
    two, _, _, two_u = draw_arguments(seed=2)
    for share in np.linspace(0, 1, 11):
        between = share * one + (1 - share) * two, share * one_u + (1 - share) * two_u
        chord = share * lac_risk(one, y, weights, one_u, loss)
        chord += (1 - share) * lac_risk(two, y, weights, two_u, loss)
        assert lac_risk(between[0], y, weights, between[1], loss) <= chord + 1e-12


@each_loss
def test_the_risk_does_not_depend_on_the_order_of_rows(loss):
    labeled, y, weights, unlabeled = draw_arguments()
    rng = np.random.default_rng(3)
    rows, others = rng.permutation(len(y)), rng.permutation(len(unlabeled))
    shuffled = lac_risk(labeled[rows], y[rows], weights[rows], unlabeled[others], loss)
    assert shuffled == pytest.approx(lac_risk(labeled, y, weights, unlabeled, loss), rel=1e-12)


@each_loss
def test_tensors_have_the_risks_of_arrays(loss):
    torch = pytest.importorskip("torch", reason="parity with tensors needs the `deep` extra")
    arguments = draw_arguments()
    tensors = [torch.from_numpy(np.asarray(part)) for part in arguments]
    assert float(lac_risk(*tensors, loss)) == pytest.approx(lac_risk(*arguments, loss), rel=1e-12)
    assert float(log_lac_risk(*tensors)) == pytest.approx(log_lac_risk(*arguments), rel=1e-12)
