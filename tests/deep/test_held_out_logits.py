"""The proportion from a network's outputs for held-out rows."""

import numpy as np
import pytest

from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.deep.held_out_logits import proportion_of_logits, pulse_of_logits
from eulac.risk.evidence import augmented_log_odds

ONE_CLASS = LabelCodec.from_labels([0])


def held_out_logits(shares, n=600, seed=0):
    """Return a sample and logits of its rows, classes of unlabeled rows by the given shares."""
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], n)
    hidden = np.repeat(np.arange(3), np.round(np.array(shares) * n).astype(int))
    codec = LabelCodec.from_labels([0, 1])
    sample = LacSample(np.zeros((n, 1)), y, np.zeros((len(hidden), 1)), codec)
    return sample, tuple(6.0 * np.eye(3)[c] + rng.normal(size=(len(c), 3)) for c in (y, hidden))


def test_log_odds_are_those_of_the_softmax():
    logits = np.random.default_rng(0).normal(size=(5, 4))
    new = np.exp(logits[:, -1]) / np.exp(logits).sum(axis=1)
    np.testing.assert_allclose(augmented_log_odds(logits), np.log(new / (1 - new)))


def test_the_proportion_is_found_and_keeps_the_labeled_priors():
    sample, logits = held_out_logits([0.5, 0.1, 0.4])
    frequency = np.array([0.25, 0.75])
    estimate = proportion_of_logits(sample, logits, frequency, seed=0)
    assert estimate.total == pytest.approx(0.6, abs=0.05)
    np.testing.assert_allclose(estimate.per_class, estimate.total * frequency)
    assert (estimate.method, estimate.n_labeled) == ("held_out_outputs", 600)


def test_overlap_of_new_and_known_rows_does_not_pass_for_more_known_rows():
    rng = np.random.default_rng(0)
    sample = LacSample(np.zeros((2000, 1)), np.zeros(2000, int), np.zeros((2000, 1)), ONE_CLASS)
    # Log odds of two normal distributions two standard deviations apart, half of the pool each.
    places = rng.normal(size=2000), np.append(rng.normal(size=1000), rng.normal(2, 1, 1000))
    logits = tuple(np.column_stack([0.0 * x, 2.0 * x - 2.0]) for x in places)
    estimate = proportion_of_logits(sample, logits, np.ones(1), seed=0)
    found = estimate.diagnostics["by_estimator"]
    assert estimate.total == pytest.approx(np.median(list(found.values())))
    assert estimate.total == pytest.approx(0.5, abs=0.06)
    assert estimate.interval[0] < 0.5 < estimate.interval[1]


@pytest.mark.parametrize("pulse", [False, True])
@pytest.mark.parametrize("overlap", [0.3, 0.6])
def test_the_interval_allows_for_new_rows_that_look_known(overlap, pulse):
    rng = np.random.default_rng(0)
    sample = LacSample(np.zeros((2000, 1)), np.zeros(2000, int), np.zeros((2000, 1)), ONE_CLASS)
    # Half of the pool is new; of that, a part scores just like labeled rows, the rest not far off.
    alike = round(1000 * overlap)
    pool = np.append(rng.normal(size=1000 + alike), rng.normal(2, 1, 1000 - alike))
    logits = tuple(np.column_stack([0.0 * x, 2.0 * x]) for x in (rng.normal(size=2000), pool))
    if pulse:
        estimate = pulse_of_logits(sample, logits, seed=0)
    else:
        estimate = proportion_of_logits(sample, logits, np.ones(1), seed=0)
    assert estimate.total > 0.55  # nothing in the scores tells these rows from known ones
    assert estimate.interval[0] < 0.5
    assert estimate.standard_error >= (estimate.total - estimate.interval[0]) / 1.97


def test_scores_that_decide_do_not_widen_the_interval():
    estimate = proportion_of_logits(*held_out_logits([0.3, 0.3, 0.4]), np.full(2, 0.5), seed=0)
    assert estimate.diagnostics["undecided"] < 0.05
    below, above = np.abs(np.array(estimate.interval) - estimate.total)
    assert below < above + 0.03


def test_priors_come_from_the_outputs_where_asked_for():
    sample, logits = held_out_logits([0.5, 0.1, 0.4])
    estimate = proportion_of_logits(sample, logits, np.full(2, 0.5), shift=True, seed=0)
    np.testing.assert_allclose(estimate.per_class, [0.5, 0.1], atol=0.05)
    assert estimate.diagnostics["priors_moved"] is True


def test_pulse_finds_shares_of_classes_and_the_total():
    sample, logits = held_out_logits([0.5, 0.1, 0.4])
    estimate = pulse_of_logits(sample, logits, seed=0)
    np.testing.assert_allclose(estimate.per_class, [0.5, 0.1], atol=0.05)
    assert estimate.method == "pulse"
    assert estimate.interval[0] < 0.6 < estimate.interval[1]
    assert sum(estimate.diagnostics["known_priors"]) == pytest.approx(1.0)


def test_shares_of_pulse_do_not_depend_on_the_last_output():
    sample, logits = held_out_logits([0.5, 0.1, 0.4])
    other = tuple(np.column_stack([part[:, :-1], part[:, -1] / 2]) for part in logits)
    one, two = (pulse_of_logits(sample, part, seed=0) for part in (logits, other))
    assert one.diagnostics["known_priors"] == two.diagnostics["known_priors"]


def test_pulse_with_one_known_class_is_the_discriminator_alone():
    rng = np.random.default_rng(0)
    sample = LacSample(np.zeros((300, 1)), np.zeros(300, int), np.zeros((300, 1)), ONE_CLASS)
    new = np.repeat([0.0, 6.0], [180, 120])
    logits = (rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + np.outer(new, [0, 1]))
    logits[0][:, 0] += 6.0
    logits[1][:180, 0] += 6.0
    assert pulse_of_logits(sample, logits, seed=0).total == pytest.approx(0.6, abs=0.06)
