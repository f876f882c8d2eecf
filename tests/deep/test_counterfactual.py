"""OSRCI: losses against loops, counterfactual rows against a generic optimizer, the classifier."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from deep.blobs import CENTERS  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep import counterfactual as module  # noqa: E402
from eulac.deep import generator as generator_module  # noqa: E402
from eulac.deep.counterfactual import (  # noqa: E402
    CounterfactualClassifier,
    OneVersusRestLoss,
    counterfactual_rows,
    open_loss,
)

QUICK = CounterfactualClassifier(max_epochs=6, batch_size=32, n_latent=8, random_state=0)


class Identity(torch.nn.Identity):
    """A generator whose encodings are the rows."""

    def encode(self, X):
        return X

    decode = encode


class OpenLinear(torch.nn.Module):
    """A linear network with the open class at zero."""

    def __init__(self, weights):
        super().__init__()
        self.weights = torch.nn.Parameter(weights)

    def forward(self, X):
        return torch.nn.functional.pad(X @ self.weights.T, (0, 1))


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(generator_module, "FEWEST_STEPS", 1)
    return clone(QUICK).set_params(max_epochs=1, generator_epochs=1, tuning_epochs=1, n_steps=3)


@pytest.fixture(scope="module")
def fitted(task):
    return clone(QUICK).fit(*task[:2])


def test_one_versus_rest_loss_is_that_of_the_loop():
    logits = torch.randn(5, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    y = torch.tensor([0, 2, 1, 1, 0])
    value = OneVersusRestLoss()(logits, y, logits[:0])
    expected = 0.0
    for row, label in zip(logits.tolist(), y.tolist(), strict=True):
        for k in range(3):
            margin = row[k] if k == label else -row[k]
            expected += math.log(1.0 + math.exp(-margin)) / 5
    assert float(value.risk) == pytest.approx(expected, rel=1e-5)
    (gradient,) = torch.autograd.grad(value.objective, logits)
    assert bool((gradient[:, -1] == 0).all())


def test_open_loss_is_small_where_all_known_logits_are():
    logits = 3.0 * torch.randn(20, 5, generator=torch.Generator().manual_seed(0))
    logits[:, -1] = 0.0
    for row, found in zip(logits.tolist(), open_loss(logits).tolist(), strict=True):
        assert found == pytest.approx(math.log(1.0 + sum(map(math.exp, row[:-1]))), rel=1e-4)


@pytest.mark.parametrize("weight", [0.05, 0.5])
def test_many_steps_reach_what_a_generic_optimizer_finds(weight):
    weights = torch.tensor([[1.0, 0.2], [-0.3, 0.8]])
    starts = torch.tensor([[1.5, 1.0], [2.0, -1.0]])
    found = counterfactual_rows(
        Identity(), OpenLinear(weights), starts, n_steps=600, distance_weight=weight
    )

    for start, row in zip(starts.double().numpy(), found.numpy(), strict=True):

        def objective(z, start=start):
            known = np.exp(weights.double().numpy() @ z)
            return np.log1p(known.sum()) + weight * np.sum((z - start) ** 2)

        np.testing.assert_allclose(row, minimize(objective, start).x, atol=0.02)


def test_a_larger_weight_keeps_rows_nearer_and_fewer_steps_too():
    network = OpenLinear(torch.eye(2))
    X = torch.tensor([[1.0, 1.0], [0.0, 2.0]])

    def distances(**options):
        return (counterfactual_rows(Identity(), network, X, **options) - X).norm(dim=1)

    far = distances(distance_weight=0.01)
    assert bool((far > distances(distance_weight=1.0)).all())
    assert bool((far > distances(distance_weight=0.01, n_steps=5)).all())


def test_rows_do_not_affect_each_other_nor_the_network(monkeypatch):
    network = torch.nn.Sequential(
        torch.nn.Linear(2, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 3)
    )
    before = {name: value.clone() for name, value in network.state_dict().items()}
    X = torch.randn(7, 2, generator=torch.Generator().manual_seed(0))
    together = counterfactual_rows(Identity(), network, X, n_steps=10)
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 2)
    np.testing.assert_allclose(
        counterfactual_rows(Identity(), network, X, n_steps=10), together, atol=1e-5
    )
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    assert all(parameter.grad is None for parameter in network.parameters())
    assert not together.requires_grad


def test_known_classes_are_told_apart_and_rows_between_them_found(task, fitted):
    X_test, y_test = task[2:]
    np.testing.assert_array_equal(fitted.classes_, [0, 1, 2, AUGMENTED])
    assert np.mean((fitted.predict(X_test) == y_test)[:300]) > 0.9
    assert roc_auc_score(y_test == AUGMENTED, fitted.augmented_score(X_test)) > 0.95


def test_the_score_is_what_the_open_class_is_likelier_than_the_best_known_one(task, fitted):
    X_test = task[2]
    probabilities = fitted.predict_proba(X_test)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    score, answers = fitted.augmented_score(X_test), fitted.predict(X_test)
    for row, found, answer in zip(probabilities.tolist(), score, answers, strict=True):
        assert found == row[3] - max(row[:3])
        assert (found > 0) == (answer == AUGMENTED)


def test_counterfactual_rows_are_near_known_ones_but_of_no_class(task, fitted):
    generated = fitted.generated_ * fitted.scaling_.spread + fitted.scaling_.mean
    assert generated.shape == (60, 2)
    from_centers = np.linalg.norm(generated[:, None] - CENTERS[:3], axis=2).min(axis=1)
    assert 0.5 < np.median(from_centers) < 6.0
    assert np.mean(fitted.predict(generated) == AUGMENTED) > 0.8


def test_the_open_logit_is_zero(task, fitted):
    logits = fitted._logits(task[2])
    assert logits.shape[1] == 4
    np.testing.assert_array_equal(logits[:, -1], 0.0)


def test_a_network_can_be_a_function_of_shape_and_known_classes(task, short):
    asked = []

    def linear(shape, n_outputs):
        asked.append((shape, n_outputs))
        return torch.nn.Linear(shape[0], n_outputs)

    short.set_params(network=linear).fit(*task[:2])
    assert set(asked) == {((2,), 3)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_generated": 0}, "`n_generated` must be a whole number of at least 2; got 0"),
        ({"n_steps": 0}, "`n_steps` must be a whole number of at least 1; got 0"),
        ({"tuning_epochs": 0}, "`tuning_epochs` must be a whole number of at least 1; got 0"),
        ({"distance_weight": -1.0}, r"`distance_weight` must lie in \[0, 1e\+06\]; got -1.0"),
        ({"network": "resnet"}, "`network` must be one of .* got 'resnet'"),
    ],
)
def test_parameters_out_of_range_are_refused(task, options, words):
    with pytest.raises(ValueError, match=words):
        clone(QUICK).set_params(**options).fit(*task[:2])
