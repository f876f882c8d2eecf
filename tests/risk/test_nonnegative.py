"""Non-negative risk: the unbiased one where no clamp is active, never below the labeled part."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from eulac.maths.losses import LOSSES
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES
from eulac.risk.nonnegative import corrected_risk, nonnegative_lac_risk, risk_brackets
from eulac.risk.unbiased import lac_risk, ovr_risk
from oracles import draw_fully_labeled, printed_nonnegative_risk, slow_nonnegative_risk

each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


def without_active_clamps(seed=0):
    """Unlabeled rows that hold the labeled ones: every bracket is a mean over augmented rows."""
    rows = draw_fully_labeled(seed=seed)
    return rows.scores_labeled, rows.y_labeled, rows.weights, rows.scores


def with_active_clamps(seed=0):
    """Scores that fit all unlabeled rows as new, and those of labeled rows at random."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=60)
    labeled = rng.normal(0.0, 2.0, (60, 4))
    unlabeled = rng.normal([-1.5, -1.5, -1.5, 1.5], 0.1, (30, 4))
    return labeled, y, np.full(60, 0.8), unlabeled


def with_one_active_clamp(seed=0):
    """Unlabeled rows fit as new but for two known classes that many of them are taken for."""
    labeled, y, weights, unlabeled = with_active_clamps(seed)
    return labeled, y, weights, unlabeled + np.array([0.0, 4.0, 4.0, -4.0])


CASES = {
    "no clamp": without_active_clamps,
    "one clamp": with_one_active_clamp,
    "all clamps": with_active_clamps,
}
each_case = pytest.mark.parametrize("draw", CASES.values(), ids=CASES)


@each_loss
@pytest.mark.parametrize("seed", range(3))
def test_without_an_active_clamp_it_is_the_unbiased_risk(loss, seed):
    arguments = without_active_clamps(seed)
    risk = nonnegative_lac_risk(*arguments, loss)
    assert risk == pytest.approx(lac_risk(*arguments, loss), rel=1e-12)
    rows = draw_fully_labeled(seed=seed)
    assert risk == pytest.approx(ovr_risk(rows.scores, rows.y, loss), rel=1e-12)


@each_loss
def test_the_form_printed_in_the_paper_is_not_the_unbiased_risk(loss):
    # Paper: appendix A.1, Eq. (nnOVR).
    arguments = without_active_clamps()
    printed = printed_nonnegative_risk(*arguments, loss)
    assert abs(printed - lac_risk(*arguments, loss)) > 0.1


@each_loss
@each_case
def test_it_is_what_the_loops_say(loss, draw):
    arguments = draw()
    expected = slow_nonnegative_risk(*arguments, loss)
    assert nonnegative_lac_risk(*arguments, loss) == pytest.approx(expected, rel=1e-12)


@each_loss
def test_with_clamps_it_is_the_labeled_part_while_the_unbiased_risk_is_below(loss):
    labeled, y, weights, unlabeled = with_active_clamps()
    known, augmented = risk_brackets(labeled, weights, unlabeled, loss)
    assert known.shape == (3,)
    assert known.max() < 0
    assert augmented < 0
    risk = nonnegative_lac_risk(labeled, y, weights, unlabeled, loss)
    assert risk == pytest.approx(0.8 * ovr_risk(labeled, y, loss), rel=1e-12)
    assert risk > lac_risk(labeled, y, weights, unlabeled, loss)


@each_loss
@each_case
@pytest.mark.parametrize("seed", range(5))
def test_it_never_falls_below_the_labeled_part_nor_the_unbiased_risk(loss, draw, seed):
    labeled, y, weights, unlabeled = draw(seed)
    risk = nonnegative_lac_risk(labeled, y, weights, unlabeled, loss)
    labeled_part = weights[0] * ovr_risk(labeled, y, loss)
    assert risk >= labeled_part - 1e-12
    assert labeled_part >= 0
    assert risk >= lac_risk(labeled, y, weights, unlabeled, loss) - 1e-12


@each_loss
def test_each_bracket_is_clamped_for_itself(loss):
    labeled, y, weights, unlabeled = with_one_active_clamp()
    known, augmented = risk_brackets(labeled, weights, unlabeled, loss)
    assert (known < 0).tolist() == [True, False, False]
    risk = nonnegative_lac_risk(labeled, y, weights, unlabeled, loss)
    kept = known[1] + known[2] + max(augmented, 0.0)
    assert risk == pytest.approx(0.8 * ovr_risk(labeled, y, loss) + kept, rel=1e-12)


@each_loss
def test_the_brackets_are_the_unbiased_risk_less_the_labeled_part(loss):
    labeled, y, weights, unlabeled = with_active_clamps()
    known, augmented = risk_brackets(labeled, weights, unlabeled, loss)
    labeled_part = weights[0] * ovr_risk(labeled, y, loss)
    assert labeled_part + known.sum() + augmented == pytest.approx(
        lac_risk(labeled, y, weights, unlabeled, loss), rel=1e-12
    )


@each_loss
def test_tensors_have_the_risk_of_arrays(loss):
    torch = pytest.importorskip("torch", reason="parity with tensors needs the `deep` extra")
    for draw in CASES.values():
        arguments = draw()
        tensors = [torch.from_numpy(np.asarray(part)) for part in arguments]
        expected = nonnegative_lac_risk(*arguments, loss)
        assert float(nonnegative_lac_risk(*tensors, loss)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", MULTICLASS_LOSSES)
@pytest.mark.parametrize("cut_off", [False, True])
def test_slopes_of_the_corrected_risk_are_those_of_its_value(name, cut_off):
    rng = np.random.default_rng(0)
    labeled, unlabeled = rng.normal(size=(6, 3)), rng.normal(size=(12, 3))
    y, weights = np.array([0, 1, 0, 1, 1, 0]), rng.uniform(0.3, 0.8, 6)
    # The bracket is negative if unlabeled rows fit as new far better than labeled ones.
    labeled[:, 2] += -4.0 if cut_off else 1.0
    unlabeled[:, 2] += 6.0 if cut_off else -1.0
    loss = MULTICLASS_LOSSES[name]
    _, slope_labeled, slope_unlabeled = corrected_risk(labeled, y, weights, unlabeled, loss)

    def value(flat):
        first, second = np.split(flat, [labeled.size])
        parts = first.reshape(labeled.shape), second.reshape(unlabeled.shape)
        return corrected_risk(parts[0], y, weights, parts[1], loss)[0]

    numeric = approx_fprime(np.append(labeled, unlabeled), value, 1e-6)
    np.testing.assert_allclose(np.append(slope_labeled, slope_unlabeled), numeric, atol=1e-4)
    assert (slope_unlabeled == 0).all() == cut_off


def test_unlabeled_rows_have_a_say_until_the_bracket_falls_below_zero():
    loss, y = MULTICLASS_LOSSES["log"], np.array([0, 1, 0, 1])
    logits = np.zeros((4, 3))
    for weight, heard in ((0.9, True), (1.0, True), (1.1, False)):  # at 1 the bracket is just zero
        weights = np.full(4, weight)
        _, _, slope = corrected_risk(logits, y, weights, logits, loss)
        assert np.any(slope != 0) == heard
