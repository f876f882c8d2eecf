"""One fit, judged on its own pool and on fresh rows."""

import numpy as np
import pytest

from benchmark.tiny import tiny_trials
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.measure import run_group
from eulac.benchmark.methods.judged_fits import judged
from eulac.kernel.kernel_classifier import KernelEulacClassifier


def test_a_fit_is_judged_on_pool_and_fresh_rows():
    trials = tiny_trials("judged_kernel", experiment="trust")
    [record] = run_group(trials)
    assert record.ok, record.reason
    split = OpenDraw(trials[0].draw).split
    clf = KernelEulacClassifier(random_state=trials[0].draw.fit_seed)
    labels = clf.fit_predict(*split.sample.as_masked())
    metrics = record.metrics
    assert metrics["pool_accuracy"] == pytest.approx(np.mean(labels == split.y_unlabeled))
    assert metrics["pool_called_new"] == pytest.approx(np.mean(labels == -2))
    fresh = np.mean(clf.predict(split.X_test) == split.y_test)
    assert metrics["fresh_accuracy"] == metrics["accuracy"] == pytest.approx(fresh)
    assert record.risk["interval"] == pytest.approx(list(clf.risk_.interval))
    assert record.seconds["fit"] > 0


def drawn(probabilities, rng):
    return np.array([rng.choice(len(row), p=row) for row in probabilities])


def test_right_probabilities_err_as_much_as_chance_leaves_them():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(3), 1500)
    true = drawn(probabilities, rng)
    found = judged(probabilities.argmax(axis=1), probabilities, true)
    assert found["ece"] == pytest.approx(found["ece_if_right"], abs=0.02)
    assert found["ece_new"] < 0.05
    assert found["log_loss"] < found["shares_log_loss"]


def test_probabilities_of_other_rows_are_worse_than_class_shares():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(0.2 * np.ones(3), 500)
    true = rng.integers(0, 3, 500)
    found = judged(probabilities.argmax(axis=1), probabilities, true)
    assert found["shares_log_loss"] == pytest.approx(np.log(3), abs=0.01)
    assert found["log_loss"] > found["shares_log_loss"]
    assert found["ece"] > 5 * found["ece_if_right"]
