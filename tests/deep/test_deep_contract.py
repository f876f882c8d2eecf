"""The contract of all classifiers, on networks so small that it takes seconds."""

import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")

from contract import (
    Tolerance,
    check_unlabeled_rows_change_nothing,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
)
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
