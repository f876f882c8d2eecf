"""The contract of all classifiers, on networks so small that it takes seconds."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

pytest.importorskip("torch", reason="needs the extra `deep`")

from contract import (
    Tolerance,
    assert_same_outputs,
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
)
from easy_mixture import easy_masked
from eulac.deep import generator, network_classifier
from eulac.deep.counterfactual import CounterfactualClassifier
from eulac.deep.deep_classifier import DeepEulacClassifier
from eulac.deep.ensemble_classifier import EnsembleEulacClassifier
from eulac.deep.generative_openmax import GenerativeOpenMaxClassifier
from eulac.deep.networks import mlp
from eulac.deep.openmax import OpenMaxClassifier
from eulac.deep.softmax import SoftmaxThresholdClassifier


def small_network(shape, n_outputs):
    return mlp(shape, n_outputs, width=32)


SMALL = {"network": small_network, "batch_size": 32, "random_state": 0}
GENERATED = {"n_latent": 4, "generator_epochs": 1, **SMALL}


@pytest.fixture(autouse=True)
def _few_steps(monkeypatch):
    monkeypatch.setattr(network_classifier, "FEWEST_BATCHES", 8)
    monkeypatch.setattr(generator, "FEWEST_STEPS", 10)


@parametrize_with_contract(
    [
        DeepEulacClassifier(known_proportion=0.6, max_epochs=4, learning_rate=0.01, **SMALL),
        EnsembleEulacClassifier(
            DeepEulacClassifier(max_epochs=4, learning_rate=0.01, **SMALL),
            known_proportion=0.6,
            n_folds=2,
            random_state=0,
        ),
    ],
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    tolerance=Tolerance(accuracy=0.8, renamed=0.9, places=True),
)
def test_contract(classifier, check):
    check(classifier)


# Without a look at unlabeled rows, and after so few steps, the rule of a paper is right less often.
@parametrize_with_contract(
    [
        SoftmaxThresholdClassifier(max_epochs=6, learning_rate=0.02, **SMALL),
        OpenMaxClassifier(max_epochs=2, learning_rate=0.01, **SMALL),
        GenerativeOpenMaxClassifier(max_epochs=2, learning_rate=0.01, **GENERATED),
        CounterfactualClassifier(max_epochs=6, learning_rate=0.02, n_steps=3, **GENERATED),
    ],
    check_unlabeled_rows_change_nothing,
    tolerance=Tolerance(accuracy=0.6, renamed=0.8, places=True),
)
def test_contract_of_networks_that_see_labeled_rows_only(classifier, check):
    check(classifier)


@pytest.mark.parametrize(
    "classifier",
    [
        DeepEulacClassifier(known_proportion=0.6, max_epochs=2, random_state=0),
        EnsembleEulacClassifier(
            DeepEulacClassifier(max_epochs=2), known_proportion=0.6, n_folds=2, random_state=0
        ),
        SoftmaxThresholdClassifier(max_epochs=2, random_state=0),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_the_order_of_columns_changes_no_bit_of_a_network_of_ours(classifier):
    split, X, y = easy_masked()
    names = ["east", "north", "south", "west"]
    frame, asked = (pd.DataFrame(rows, columns=names) for rows in (X, split.X_test))
    plain = clone(classifier).fit(X, y)
    for order in (names, ["south", "east", "west", "north"]):
        named = clone(classifier).fit(frame[order], y)
        assert_same_outputs(named, pickle.loads(pickle.dumps(named)), asked[order])
        np.testing.assert_array_equal(
            named.augmented_score(asked[order]), plain.augmented_score(split.X_test)
        )


def test_columns_of_a_network_of_the_users_are_known_by_place():
    _, X, y = easy_masked()
    seen = []

    def watching(shape, n_outputs):
        network = small_network(shape, n_outputs)
        network.register_forward_pre_hook(lambda module, rows: seen.append(rows[0]))
        return network

    frame = pd.DataFrame(X * [1.0, 0.0, 1.0, 1.0], columns=["west", "east", "south", "north"])
    settings = {**SMALL, "network": watching, "known_proportion": 0.6}
    DeepEulacClassifier(max_epochs=1, **settings).fit(frame, y)
    assert all(bool((rows[:, 1] == rows[0, 1]).all()) for rows in seen)
    assert seen
