"""Generative OpenMax: which rows are generated, and the classifier that learns from them."""

import numpy as np
import pytest
from sklearn.base import clone

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from deep.blobs import CENTERS, assert_known_told_apart_and_rows_between_found  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep import generator as generator_module  # noqa: E402
from eulac.deep.generative_openmax import (  # noqa: E402
    GeneratedClassCalibration,
    GenerativeOpenMaxClassifier,
    _pairs_of_different_classes,
    unsure_interpolations,
)
from eulac.deep.openmax import fit_openmax  # noqa: E402

QUICK = GenerativeOpenMaxClassifier(max_epochs=6, batch_size=32, n_latent=8, random_state=0)
CPU = torch.device("cpu")


class Identity:
    """A generator whose encodings are the rows."""

    def encode(self, X):
        return X

    decode = encode


@pytest.fixture
def short_generator(monkeypatch):
    monkeypatch.setattr(generator_module, "FEWEST_STEPS", 1)
    return clone(QUICK).set_params(max_epochs=1, generator_epochs=1)


@pytest.fixture(scope="module")
def fitted(task):
    return clone(QUICK).fit(*task[:2])


def random_number_generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_generated_and_unknown_class_are_one():
    rng = np.random.default_rng(0)
    y = np.resize(np.arange(4), 200)
    openmax = fit_openmax(rng.normal(7.0 * np.eye(4)[y]), y)
    logits = rng.normal(scale=5.0, size=(50, 4))
    separate = openmax.probabilities(logits)
    for row, found in zip(
        separate, GeneratedClassCalibration(openmax).probabilities(logits), strict=True
    ):
        np.testing.assert_allclose(found, [*row[:3], row[3] + row[4]])


def test_pairs_are_of_different_classes_and_rare_classes_take_part():
    y = torch.tensor([0] * 500 + [2] + [1] * 3)
    first, second = _pairs_of_different_classes(y, 3000, random_number_generator())
    assert bool((y[first] != y[second]).all())
    for rows in (first, second):
        assert set(rows[y[rows] != 0].tolist()) == {500, 501, 502, 503}
        np.testing.assert_allclose(torch.bincount(y[rows]) / 3000, 1 / 3, atol=0.05)


def test_interpolations_lie_between_rows_of_different_classes_and_are_unsure():
    X = torch.eye(3).repeat(5, 1)
    y = torch.arange(3).repeat(5)
    network = torch.nn.Linear(3, 3)
    with torch.no_grad():
        network.weight.copy_(2.0 * torch.eye(3))
        network.bias.zero_()
    rows = unsure_interpolations(Identity(), network, X, y, 40, random_number_generator(), CPU)
    assert rows.shape == (40, 3)
    for row in rows.tolist():
        assert sum(row) == pytest.approx(1.0)
        assert sum(abs(value) < 1e-6 for value in row) == 1
    assert float(network(rows).softmax(dim=1).max().detach()) < 0.5


def test_the_first_unsure_rows_are_taken_not_the_most_unsure():
    X, y = torch.eye(3), torch.arange(3)
    flat = torch.nn.Linear(3, 3)
    torch.nn.init.zeros_(flat.weight)
    torch.nn.init.zeros_(flat.bias)
    arguments = Identity(), flat, X, y
    few = unsure_interpolations(*arguments, 5, random_number_generator(), CPU)
    random = random_number_generator()
    first, second = _pairs_of_different_classes(y, 50, random)
    share = torch.rand(50, 1, generator=random)
    assert torch.equal(few, (share * X[first] + (1 - share) * X[second])[:5])


def test_with_two_classes_the_least_sure_rows_are_taken():
    X, y = torch.tensor([[-1.0], [1.0]]), torch.tensor([0, 1])
    network = torch.nn.Linear(1, 2)
    with torch.no_grad():
        network.weight.copy_(torch.tensor([[-3.0], [3.0]]))
        network.bias.zero_()
    rows = unsure_interpolations(Identity(), network, X, y, 20, random_number_generator(), CPU)
    assert float(rows.abs().max()) < 0.3


def test_known_classes_are_told_apart_and_rows_between_them_found(task, fitted):
    assert_known_told_apart_and_rows_between_found(fitted, *task[2:])


def test_probabilities_follow_the_classes(task, fitted):
    probabilities = fitted.predict_proba(task[2])
    assert probabilities.shape == (400, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    likely = probabilities.max(axis=1) > max(0.5, fitted.epsilon_)
    answers = fitted.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(fitted.predict(task[2])[likely], answers[likely])


def test_generated_rows_lie_between_the_known_ones_and_are_learned(fitted):
    generated = fitted.generated_ * fitted.scaling_.spread + fitted.scaling_.mean
    assert generated.shape == (48, 2)  # a fifth of 60 rows a class is held out
    from_centers = np.linalg.norm(generated[:, None] - CENTERS[:3], axis=2).min(axis=1)
    assert np.median(from_centers) > 1.5
    assert np.mean(fitted.predict(generated) == AUGMENTED) > 0.9


def test_epsilon_can_be_given(task, short_generator):
    classifier = short_generator.set_params(epsilon=0.9).fit(*task[:2])
    assert classifier.epsilon_ == pytest.approx(0.9)
    unsure = classifier.predict_proba(task[2])[:, :-1].max(axis=1) < 0.9
    np.testing.assert_array_equal(classifier.predict(task[2]) == AUGMENTED, unsure)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_generated": 1}, "`n_generated` must be a whole number of at least 2; got 1"),
        ({"n_latent": 0}, "`n_latent` must be a whole number of at least 1; got 0"),
        ({"generator_epochs": 0.5}, "`generator_epochs` must be a whole .* 1; got 0.5"),
        ({"tail_size": 2}, "`tail_size` must be a whole number of at least 3; got 2"),
        ({"max_epochs": 0}, "`max_epochs` must be a whole number of at least 1; got 0"),
    ],
)
def test_parameters_out_of_range_are_refused(task, options, words):
    with pytest.raises(ValueError, match=words):
        clone(QUICK).set_params(**options).fit(*task[:2])
