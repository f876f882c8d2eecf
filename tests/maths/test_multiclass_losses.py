"""Losses of K + 1 classes: slopes against differences, limits, and one of the user's own."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax, softmax

from easy_mixture import easy_masked
from eulac import BoostedEulacClassifier, LinearEulacClassifier
from eulac.maths.multiclass_losses import (
    MULTICLASS_LOSSES,
    MulticlassLoss,
    generalized_cross_entropy,
    get_multiclass_loss,
)

LOGITS = np.random.default_rng(0).normal(0, 2, (12, 4))
Y = np.resize([0, 1, 2, 3], 12)
ROWS = np.arange(12)
LOSSES = pytest.mark.parametrize(
    "loss", MULTICLASS_LOSSES.values(), ids=lambda loss: f"loss={loss.name}"
)


@LOSSES
def test_slopes_are_those_of_differences(loss):
    for row in ROWS:
        found = loss.slope(LOGITS[[row]], Y[[row]])[0]
        expected = approx_fprime(
            LOGITS[row], lambda one, row=row: loss.value(one[None], Y[[row]])[0], 1e-7
        )
        np.testing.assert_allclose(found, expected, atol=1e-5)


@LOSSES
def test_a_constant_added_to_all_logits_changes_nothing(loss):
    np.testing.assert_allclose(loss.value(LOGITS + 700.0, Y), loss.value(LOGITS, Y))
    np.testing.assert_allclose(loss.slope(LOGITS, Y).sum(axis=1), 0.0, atol=1e-12)
    assert np.isfinite(loss.slope(1e4 * LOGITS, Y)).all()


@LOSSES
def test_curvature_is_never_negative(loss):
    assert np.all(loss.curvature(LOGITS, Y) >= 0)


def test_each_is_the_loss_it_is_called_after():
    p = softmax(LOGITS, axis=1)
    log, brier, gce = (MULTICLASS_LOSSES[name] for name in ("log", "brier", "gce"))
    np.testing.assert_allclose(log.value(LOGITS, Y), -log_softmax(LOGITS, axis=1)[ROWS, Y])
    np.testing.assert_allclose(brier.value(LOGITS, Y), ((p - np.eye(4)[Y]) ** 2).sum(axis=1))
    np.testing.assert_allclose(gce.value(LOGITS, Y), (1 - p[ROWS, Y] ** 0.7) / 0.7)


def test_generalized_cross_entropy_lies_between_log_loss_and_error():
    log = MULTICLASS_LOSSES["log"].value(LOGITS, Y)
    np.testing.assert_allclose(generalized_cross_entropy(1e-6).value(LOGITS, Y), log, rtol=1e-4)
    error = 1 - softmax(LOGITS, axis=1)[ROWS, Y]
    np.testing.assert_allclose(generalized_cross_entropy(1.0).value(LOGITS, Y), error)


@pytest.mark.parametrize("q", [0.0, -1.0, 1.5, np.nan])
def test_generalized_cross_entropy_refuses_what_is_no_loss(q):
    with pytest.raises(ValueError, match="greater than 0 and at most 1"):
        generalized_cross_entropy(q)


@pytest.mark.parametrize("name", ["log", "gce"])
def test_curvature_is_no_smaller_than_the_second_derivative(name):
    loss, step = MULTICLASS_LOSSES[name], 1e-5
    for k in range(4):
        up, down = LOGITS.copy(), LOGITS.copy()
        up[:, k] += step
        down[:, k] -= step
        bend = (loss.slope(up, Y)[:, k] - loss.slope(down, Y)[:, k]) / (2 * step)
        assert np.all(loss.curvature(LOGITS, Y)[:, k] >= bend - 1e-8)


def test_losses_survive_pickling():
    for loss in MULTICLASS_LOSSES.values():
        again = pickle.loads(pickle.dumps(loss))
        np.testing.assert_array_equal(again.value(LOGITS, Y), loss.value(LOGITS, Y))


def costly(costs):
    """Return the log loss with a cost for each class."""
    log, costs = MULTICLASS_LOSSES["log"], np.asarray(costs)
    return MulticlassLoss(
        "costly",
        lambda logits, y: costs[y] * log.value(logits, y),
        lambda logits, y: costs[y][:, None] * log.slope(logits, y),
        lambda logits, y: costs[y][:, None] * log.curvature(logits, y),
    )


def test_a_renumbered_loss_is_the_same_loss():
    columns, loss = np.array([2, 0, 3, 1]), costly([5.0, 1.0, 2.0, 1.0])
    moved = np.empty_like(LOGITS)
    moved[:, columns] = LOGITS
    again = loss.renumbered(columns)
    np.testing.assert_allclose(again.value(moved, columns[Y]), loss.value(LOGITS, Y))
    for part in ("slope", "curvature"):
        found = getattr(again, part)(moved, columns[Y])
        np.testing.assert_allclose(found[:, columns], getattr(loss, part)(LOGITS, Y))


@pytest.mark.parametrize("seed", range(4))
def test_costs_reach_the_class_they_are_meant_for(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 200)
    X = rng.normal(y[:, None], 1.0, (200, 2))
    U = rng.normal(np.resize([0.0, 1.0, 9.0], 300)[:, None], 1.0, (300, 2))
    shares = []
    for costs in ([8.0, 1.0, 1.0], [1.0, 8.0, 1.0]):
        model = BoostedEulacClassifier(
            2 / 3, loss=costly(costs), n_trees=20, learning_rate=0.3, n_folds=2, random_state=0
        )
        shares.append(np.mean(model.fit(X, y, U).predict(X) == 0))
    assert shares[0] > shares[1] + 0.1


def test_a_wrong_name_is_answered_with_the_right_ones():
    with pytest.raises(ValueError, match="one of 'log', 'brier', 'gce', or a MulticlassLoss"):
        get_multiclass_loss("hinge")
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match="got 'hinge'"):
        BoostedEulacClassifier(0.6, loss="hinge").fit(X, y)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"value": lambda f, y: 1.0}, r"must have shapes \(n,\)"),
        ({"slope": lambda f, y: f[:, 0]}, r"must have shapes \(n,\)"),
        ({"value": lambda f, y: np.full(len(f), np.nan)}, "must be finite"),
        ({"curvature": lambda f, y: -np.ones_like(f)}, "must not be negative"),
        ({"slope": lambda f, y: -MULTICLASS_LOSSES["log"].slope(f, y)}, "must be the gradient"),
    ],
)
def test_a_loss_whose_parts_do_not_fit_is_refused(changed, sentence):
    _, X, y = easy_masked()
    loss = replace(MULTICLASS_LOSSES["log"], **changed)
    with pytest.raises(ValueError, match=sentence):
        LinearEulacClassifier(0.6, loss=loss).fit(X, y)


@pytest.mark.parametrize("loss", ["log", "brier", "gce", "own"])
@pytest.mark.parametrize(
    "classifier",
    [
        LinearEulacClassifier(0.6, penalty=1e-2, n_folds=2, random_state=0),
        BoostedEulacClassifier(0.6, n_trees=20, learning_rate=0.3, n_folds=2, random_state=0),
    ],
    ids=["linear", "boosted"],
)
def test_classifiers_learn_by_any_of_them(loss, classifier):
    split, X, y = easy_masked()
    if loss == "own":  # one against the rest, squared
        signs = 2 * np.eye(4) - 1
        loss = MulticlassLoss(
            "squares",
            lambda logits, y: 0.25 * ((logits - signs[y]) ** 2).sum(axis=1),
            lambda logits, y: 0.5 * (logits - signs[y]),
            lambda logits, y: np.full_like(logits, 0.5),
        )
    classifier.set_params(loss=loss).fit(X, y)
    assert classifier.score(split.X_test, split.y_test) > 0.9
