"""Gaussian tasks: the posterior is the truth about the draws, and the draws are independent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from scipy.special import expit
from scipy.stats import norm

from eulac.data.labels import AUGMENTED
from eulac.data.splits import shift_priors
from eulac.data.synthetic import GaussianMixtureTask, make_gaussian_task

tasks = st.builds(
    make_gaussian_task,
    n_known_classes=st.integers(1, 5),
    n_augmented_classes=st.integers(1, 3),
    n_features=st.integers(1, 6),
    separation=st.floats(0, 10),
    known_proportion=st.floats(0, 1),
    shift_intensity=st.floats(0, 0.9),
    random_state=st.integers(0, 999),
)


def pair(first_share, distance=2.0):
    """Return one known and one augmented class on a line."""
    means = np.array([[0.0], [distance]])
    return GaussianMixtureTask(means, 1.0, np.array([first_share]), np.array([1.0]))


def codes_of(labels, n_known_classes):
    return np.where(labels == AUGMENTED, n_known_classes, labels)


@settings(deadline=None)
@given(task=tasks, spread=st.sampled_from([1.0, 1e3]))
def test_posteriors_are_probabilities_also_far_from_every_mean(task, spread):
    X = spread * np.random.default_rng(0).normal(size=(20, task.means.shape[1]))
    posterior = task.posterior(X)
    assert posterior.shape == (20, task.n_known_classes + 1)
    assert np.all(posterior >= 0)
    np.testing.assert_allclose(posterior.sum(axis=1), 1)
    np.testing.assert_array_equal(task.bayes_predict(X), posterior.argmax(axis=1))


def test_the_posterior_of_two_classes_is_the_logistic_function():
    x = np.linspace(-3, 5, 9)
    expected = expit(2.0 - 2.0 * x + np.log(0.3 / 0.7))
    np.testing.assert_allclose(pair(0.3).posterior(x[:, None])[:, 0], expected)


def test_augmented_components_are_summed_with_equal_shares():
    means = [[0.0, 0.0], [3.0, 0.0], [0.0, 2.0], [1.0, 1.0]]
    task = GaussianMixtureTask(means, 0.7, [0.2, 0.4], [0.5, 0.5])
    np.testing.assert_allclose(task.component_priors, [0.2, 0.4, 0.2, 0.2])
    X = np.random.default_rng(0).normal(size=(10, 2))
    density = [norm.pdf(X, mean, 0.7).prod(axis=1) for mean in means]
    joint = np.array([0.2, 0.4, 0.2, 0.2])[:, None] * density
    expected = np.array([joint[0], joint[1], joint[2] + joint[3]]) / joint.sum(axis=0)
    np.testing.assert_allclose(task.posterior(X), expected.T)


@pytest.mark.parametrize("shift_intensity", [0.0, 0.7])
def test_posteriors_agree_with_the_labels_of_the_draws(shift_intensity):
    task = make_gaussian_task(separation=1.5, shift_intensity=shift_intensity)
    split = task.draw(1, 1, n_test=20_000, random_state=1)
    posterior = task.posterior(split.X_test)
    codes = codes_of(split.y_test, task.n_known_classes)
    for code in range(task.n_known_classes + 1):
        p = posterior[:, code]
        for low in np.arange(0, 1, 0.2):
            rows = (p >= low) & (p < low + 0.2)
            error = np.sqrt(np.sum(p[rows] * (1 - p[rows]))) + 1e-9
            assert abs(np.sum(codes[rows] == code) - np.sum(p[rows])) < 4 * error


@pytest.mark.parametrize("first_share", [0.5, 0.2])
@pytest.mark.parametrize("distance", [1.0, 3.0])
def test_the_bayes_error_of_two_classes_is_known(first_share, distance):
    cut = distance / 2 + np.log(first_share / (1 - first_share)) / distance
    exact = first_share * norm.sf(cut) + (1 - first_share) * norm.cdf(cut - distance)
    task = pair(first_share, distance)
    assert task.bayes_error(40_000, random_state=0) == pytest.approx(exact, abs=4 * 0.5 / 200)
    assert task.bayes_error(random_state=0) == task.bayes_error(random_state=0)


def test_no_other_prediction_errs_less_than_the_bayes_prediction():
    task = make_gaussian_task(separation=2.0)
    split = task.draw(1, 1, n_test=20_000, random_state=0)
    codes = codes_of(split.y_test, task.n_known_classes)
    error = np.mean(task.bayes_predict(split.X_test) != codes)
    assert error == pytest.approx(task.bayes_error(random_state=1), abs=4 * 0.5 / np.sqrt(20_000))


def test_draws_have_the_shares_of_the_task_on_average_with_random_counts():
    task = make_gaussian_task(shift_intensity=0.5)
    draws = [task.draw(50, 80, n_test=80, random_state=seed) for seed in range(300)]
    for shares, truth in [
        ([draw.sample.labeled_frequency for draw in draws], task.labeled_priors),
        ([draw.per_class for draw in draws], task.per_class),
        ([np.mean(draw.y_test == AUGMENTED) for draw in draws], 1 - task.known_proportion),
    ]:
        n_rows = 50 if truth is task.labeled_priors else 80
        error = np.sqrt(truth * (1 - truth) / n_rows)
        assert np.all(np.abs(np.mean(shares, axis=0) - truth) < 4 * error / np.sqrt(300))
        np.testing.assert_allclose(np.std(shares, axis=0), error, rtol=0.25)


def test_rows_lie_around_the_mean_of_their_class():
    task = GaussianMixtureTask([[0.0, 9.0], [5.0, 0.0]], 0.5, [1.0], [1.0])
    split = task.draw(4000, 1, random_state=0)
    X = split.sample.X_labeled
    np.testing.assert_allclose(X.mean(axis=0), [0, 9], atol=4 * 0.5 / np.sqrt(4000))
    np.testing.assert_allclose(X.std(axis=0), 0.5, rtol=0.1)


def test_a_draw_has_the_sizes_and_labels_of_a_split():
    task = make_gaussian_task(n_known_classes=2)
    split = task.draw(30, 40, n_test=50, random_state=0)
    assert (split.sample.n_labeled, split.sample.n_unlabeled, len(split.X_test)) == (30, 40, 50)
    assert split.known_classes.tolist() == [0, 1]
    assert set(split.y_unlabeled) == {0, 1, AUGMENTED}
    assert split.message is None
    assert task.draw(30, 40).X_test.shape == (0, 2)


def test_a_class_without_a_labeled_row_stays_known():
    task = GaussianMixtureTask([[0.0], [1.0], [2.0]], 1.0, [0.3, 0.3], [1.0, 0.0])
    sample = task.draw(5, 5, random_state=0).sample
    np.testing.assert_array_equal(sample.labeled_frequency, [1.0, 0.0])


def test_the_same_seed_gives_the_same_rows_and_another_seed_others():
    task = make_gaussian_task()
    one, two, other = (task.draw(5, 5, random_state=seed).sample for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.X_unlabeled, two.X_unlabeled)
    assert np.all(one.X_unlabeled != other.X_unlabeled)


@settings(deadline=None)
@given(
    n_features=st.integers(1, 8),
    n_augmented_classes=st.integers(1, 5),
    separation=st.floats(0, 100),
    seed=st.integers(0, 99),
)
def test_means_are_at_least_the_separation_apart(n_features, n_augmented_classes, separation, seed):
    task = make_gaussian_task(4, n_augmented_classes, n_features, separation, random_state=seed)
    assert task.means.shape == (4 + n_augmented_classes, n_features)
    assert pdist(task.means).min() >= separation


def test_a_made_task_has_the_shares_asked_for():
    task = make_gaussian_task(n_known_classes=4, known_proportion=0.3, shift_intensity=0.6)
    assert task.known_proportion == pytest.approx(0.3)
    np.testing.assert_allclose(task.per_class, 0.3 * shift_priors(4, 0.6))
    np.testing.assert_allclose(task.labeled_priors, 0.25)
    assert repr(task) == (
        "GaussianMixtureTask(4 known classes, 2 augmented components, 2 features, 30.0% known)"
    )


def test_without_augmented_classes_nothing_is_augmented():
    task = make_gaussian_task(n_augmented_classes=0, known_proportion=1.0)
    assert np.all(task.posterior(task.means)[:, -1] == 0)
    assert task.draw(5, 50, random_state=0).known_proportion == 1
    with pytest.raises(ValueError, match=r"must sum to 1 when .* got \[0.1999"):
        make_gaussian_task(n_augmented_classes=0, known_proportion=0.6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"means": [0.0, 1.0]}, r"for each of the 2 known classes; got shape \(2,\)"),
        ({"means": [[0.0]]}, r"got shape \(1, 1\)"),
        ({"scale": 0.0}, r"`scale` must be positive; got 0.0"),
        ({"per_class": [0.9, 0.3]}, r"`per_class` must be shares.* got \[0.9, 0.3\]"),
        ({"per_class": [-0.1, 0.3]}, r"`per_class` must be shares.* got \[-0.1, 0.3\]"),
        ({"per_class": 0.5}, r"`per_class` must be shares.* got 0.5"),
        ({"labeled_priors": [1.0]}, r"`labeled_priors` must be 2 shares with sum 1; got \[1.0\]"),
        ({"labeled_priors": [0.5, 0.4]}, r"with sum 1; got \[0.5, 0.4\]"),
    ],
)
def test_what_is_no_task_is_refused_with_the_value(changes, message):
    right = {"means": [[0.0], [1.0], [2.0]], "scale": 1.0, "per_class": [0.3, 0.3]}
    with pytest.raises(ValueError, match=message):
        GaussianMixtureTask(**(right | {"labeled_priors": [0.5, 0.5]} | changes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separation": -1.0}, r"`separation` must be at least 0; got -1.0"),
        ({"n_features": 0}, r"`n_features` must be at least 1; got 0"),
        ({"known_proportion": 1.5}, r"`known_proportion` must lie in \[0, 1\]; got 1.5"),
        ({"n_known_classes": 0}, r"`n_known_classes` must be at least 1; got 0"),
    ],
)
def test_a_task_that_cannot_be_made_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_gaussian_task(**options)
