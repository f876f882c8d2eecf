"""Boosting on the unbiased risk: steps go down, paths agree, and the contract."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from contract import (
    HELD_OUT,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked
from eulac import BoostedEulacClassifier
from eulac.direct_risk.boosted_model import StepTree, _step_tree, boost
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES
from eulac.risk.nonnegative import corrected_risk

QUICK = BoostedEulacClassifier(0.6, n_trees=20, learning_rate=0.3, n_folds=2, random_state=0)
LOG = MULTICLASS_LOSSES["log"]
OPTIONS = {"learning_rate": 0.1, "doubt": 1.0, "seed": 0, "max_leaf_nodes": 8}


@parametrize_with_contract([QUICK], *HELD_OUT)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_scikit_learn_checks(
    [BoostedEulacClassifier(n_trees=10, learning_rate=0.3, n_folds=2)],
    check_sample_weight_equivalence_on_dense_data="a row twice falls into other folds",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def weights_of(sample):
    return np.full(sample.n_labeled, 0.6)


@pytest.mark.parametrize("loss", MULTICLASS_LOSSES.values(), ids=lambda loss: loss.name)
def test_the_risk_of_the_training_rows_falls_with_every_stop(loss):
    split, _, _ = easy_masked()
    sample, weights = split.sample, weights_of(split.sample)
    risks = [
        corrected_risk(
            scores.logits(sample.X_labeled),
            sample.y_labeled,
            weights,
            scores.logits(sample.X_unlabeled),
            loss,
        )[0]
        for scores in boost(sample, weights, [1, 3, 6, 10], loss, **OPTIONS)
    ]
    assert np.all(np.diff(risks) < 0)


def test_no_tree_means_the_shares_of_the_classes():
    split, _, _ = easy_masked()
    [scores] = boost(split.sample, weights_of(split.sample), [0], LOG, **OPTIONS)
    shares = scores.probabilities(split.X_test)[0]
    assert shares[-1] == pytest.approx(0.4)
    np.testing.assert_allclose(shares[:-1] / 0.6, split.sample.labeled_frequency)


def test_a_longer_path_begins_with_the_shorter_one():
    split, _, _ = easy_masked()
    sample, weights = split.sample, weights_of(split.sample)
    [short] = boost(sample, weights, [4], LOG, **OPTIONS)
    first, _ = boost(sample, weights, [4, 7], LOG, **OPTIONS)
    np.testing.assert_array_equal(short.logits(split.X_test), first.logits(split.X_test))


def test_plain_arrays_lead_rows_where_the_tree_of_scikit_learn_does():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 4)).astype(np.float32)
    grown = DecisionTreeRegressor(max_leaf_nodes=16, random_state=0).fit(rows, rows[:, :2]).tree_
    tree = _step_tree(grown, np.zeros((grown.node_count, 2)))
    more = rng.normal(size=(500, 4)).astype(np.float32)
    np.testing.assert_array_equal(tree.leaves(more), grown.apply(more))


def test_a_tree_that_runs_in_circles_ends():
    circle = StepTree(np.array([[1, 1], [0, 0]]), np.zeros(2, int), np.zeros(2), np.zeros((2, 2)))
    assert set(circle.leaves(np.zeros((3, 1)))) <= {0, 1}


def test_the_number_of_trees_is_chosen_and_the_answers_are_good():
    split, X, y = easy_masked()
    classifier = QUICK.fit(X, y)
    assert 1 <= classifier.n_trees_ <= 20
    assert len(classifier.scores_.trees) == classifier.n_trees_
    assert classifier.score(split.X_test, split.y_test) > 0.95
    assert classifier.risk_.value < 0.1


def test_numbers_beyond_single_precision_are_taken():
    split, X, y = easy_masked()
    classifier = BoostedEulacClassifier(0.6, n_trees=5, n_folds=2, random_state=0).fit(X * 1e45, y)
    assert classifier.predict(split.X_test * 1e45).shape == split.y_test.shape


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_trees": 0}, "got 0"),
        ({"learning_rate": 2.0}, "got 2.0"),
        ({"max_leaf_nodes": 1}, "got 1"),
        ({"l2_regularization": -1.0}, "got -1.0"),
    ],
)
def test_wrong_parameters_are_named(parameters, words):
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=words):
        BoostedEulacClassifier(0.6, **parameters).fit(X, y)
