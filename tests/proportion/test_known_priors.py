"""Priors of the known classes: found beside new rows, and called moved only when they are."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import chi2

from eulac.data.folds import in_canonical_order
from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.synthetic import GaussianMixtureTask
from eulac.proportion.known_priors import (
    SMALL_CLASS,
    KnownPriors,
    _Regions,
    choose_priors,
    known_priors,
)
from eulac.proportion.reduction import cross_fitted_probabilities, extra_trees

MEANS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [5.0, 5.0]])


def draw(priors, known_proportion=0.6, n_labeled=400, n_unlabeled=600, seed=0):
    """Return a sample of equal labeled priors, and what a perfect classifier says of its rows.

    The last column is the probability of being unlabeled.
    """
    n = len(priors)
    means, per_class = MEANS[[*range(n), 3]], known_proportion * np.array(priors)
    task = GaussianMixtureTask(means, 1.0, per_class, np.full(n, 1 / n))
    sample = task.draw(n_labeled, n_unlabeled, random_state=seed).sample

    def probabilities(X):
        density = np.exp(-0.5 * cdist(X, means, "sqeuclidean"))
        labeled = n_labeled / n * density[:, :n]
        unlabeled = n_unlabeled * density @ task.component_priors
        joint = np.column_stack([labeled, unlabeled])
        return joint / joint.sum(axis=1, keepdims=True)

    return sample, probabilities(sample.X_labeled), probabilities(sample.X_unlabeled)


@pytest.mark.parametrize("priors", [[0.2, 0.8], [0.7, 0.2, 0.1], [1.0, 0.0, 0.0]])
@pytest.mark.parametrize("known_proportion", [0.3, 0.8])
def test_moved_priors_are_found_beside_new_rows(priors, known_proportion):
    found = known_priors(*draw(priors, known_proportion), random_state=0)
    assert found.priors.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.priors, priors, atol=0.1)
    assert np.all(np.abs(found.priors - priors) <= 4 * found.standard_errors + 0.02)
    assert found.p_value < 0.01


def test_moved_priors_are_found_by_a_forest_out_of_fold():
    sample, _, _ = draw([0.7, 0.2, 0.1], n_labeled=240, n_unlabeled=400)
    sample = in_canonical_order(sample, 0)
    by_class = cross_fitted_probabilities(sample, extra_trees(0), n_folds=3, random_state=0)
    found = known_priors(sample, *by_class, random_state=0)
    np.testing.assert_allclose(found.priors, [0.7, 0.2, 0.1], atol=0.1)
    assert found.p_value < 0.01


def test_standard_errors_are_those_of_repeated_draws():
    runs = [known_priors(*draw([0.7, 0.2, 0.1], seed=s), random_state=0) for s in range(20)]
    spread = np.std([run.priors for run in runs], axis=0)
    said = np.mean([run.standard_errors for run in runs], axis=0)
    assert np.all((said > 0.5 * spread) & (said < 2 * spread))


def test_priors_that_did_not_move_are_seldom_called_moved():
    runs = [known_priors(*draw([1 / 3] * 3, seed=s), random_state=0) for s in range(30)]
    p_values = np.array([run.p_value for run in runs])
    assert np.mean(p_values < 0.05) <= 0.2
    assert np.median(p_values) > 0.2
    np.testing.assert_allclose(np.mean([run.priors for run in runs], axis=0), 1 / 3, atol=0.03)


def test_the_test_of_moved_priors_does_not_depend_on_which_class_is_last():
    sample, labeled, unlabeled = draw([0.4, 0.33, 0.27], n_labeled=200, n_unlabeled=300)
    plain = known_priors(sample, labeled, unlabeled, random_state=0)
    for order in ([2, 0, 1], [0, 2, 1]):
        turned = replace(sample, y_labeled=np.argsort(order)[sample.y_labeled])
        columns = [*order, 3]
        found = known_priors(turned, labeled[:, columns], unlabeled[:, columns], random_state=0)
        np.testing.assert_allclose(found.priors, plain.priors[order], atol=1e-9)
        assert found.p_value == pytest.approx(plain.p_value, rel=1e-2)
    assert 0.01 < plain.p_value < 0.9


def test_one_known_class_has_nowhere_to_move():
    found = known_priors(*draw([1.0]), random_state=0)
    np.testing.assert_array_equal(found.priors, [1.0])
    assert found.p_value == 1.0


def test_small_classes_keep_their_labeled_frequency():
    sample, labeled, unlabeled = draw([0.8, 0.1, 0.1])
    rows = np.append(
        np.flatnonzero(sample.y_labeled < 2), np.flatnonzero(sample.y_labeled == 2)[:5]
    )
    few = LacSample(
        sample.X_labeled[rows], sample.y_labeled[rows], sample.X_unlabeled, sample.codec
    )
    found = known_priors(few, labeled[rows], unlabeled, random_state=0)
    assert SMALL_CLASS > 5
    assert found.priors[2] == few.labeled_frequency[2]
    assert found.standard_errors[2] == 0
    assert found.priors.sum() == pytest.approx(1)
    assert found.priors[0] > 0.75
    assert found.p_value < 0.01


def test_only_small_classes_give_the_labeled_frequencies():
    codec = LabelCodec.from_labels([0, 1])
    sample = LacSample(np.zeros((9, 1)), np.arange(9) % 2, np.zeros((30, 1)), codec)
    found = known_priors(sample, np.full((9, 3), 1 / 3), np.full((30, 3), 1 / 3))
    np.testing.assert_array_equal(found.priors, sample.labeled_frequency)
    assert found.p_value == 1.0


def test_the_seed_alone_decides():
    data = draw([0.7, 0.2, 0.1])
    one, two = (known_priors(*data, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one.standard_errors, two.standard_errors)
    assert one.p_value == two.p_value


ESTIMATED = KnownPriors(np.array([0.9, 0.1]), np.array([0.5, 0.5]), np.array([0.02, 0.02]), 0.005)
UNSURE = KnownPriors(np.array([0.6, 0.4]), np.array([0.5, 0.5]), np.array([0.1, 0.1]), 0.3)


def test_weights_bring_labeled_rows_to_the_priors():
    used, y = choose_priors(ESTIMATED, True), np.array([0, 1, 1, 0])
    np.testing.assert_allclose(used.weights(y), [1.8, 0.2, 0.2, 1.8])
    np.testing.assert_allclose(used.weights(y, np.array([1.0, 2.0, 0.0, 0.5])), [1.8, 0.4, 0, 0.9])
    assert choose_priors(ESTIMATED, False).weights(y) is None


@pytest.mark.parametrize(
    ("estimated", "shift", "moved"),
    [
        (ESTIMATED, "auto", True),
        (ESTIMATED, False, False),
        (UNSURE, "auto", False),
        (UNSURE, True, True),
        (UNSURE, False, False),
    ],
)
def test_estimated_priors_are_used_where_asked_for_or_significant(estimated, shift, moved):
    used = choose_priors(estimated, shift)
    assert used.moved is moved
    np.testing.assert_array_equal(used.used, estimated.priors if moved else estimated.labeled)
    assert used.diagnostics() == {
        "priors_moved": moved,
        "priors_moved_p_value": estimated.p_value,
    }


@pytest.mark.parametrize("shift", ["yes", None, 2, "True"])
def test_other_choices_are_refused_with_what_they_are(shift):
    with pytest.raises(ValueError, match=r"`shift` must be 'auto', True or False; got") as caught:
        choose_priors(UNSURE, shift)
    assert str(caught.value).endswith(f"got {shift!r}.")


def weighted(sample, importance):
    return replace(sample, importance=importance / importance.mean())


def test_weights_alone_do_not_look_like_moved_priors():
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(40):
        sample, *probabilities = draw([0.5, 0.5], seed=seed)
        importance = np.where(rng.random(sample.n_labeled) < 0.1, 20.0, 1.0)
        found = known_priors(weighted(sample, importance), *probabilities, random_state=0)
        p_values.append(found.p_value)
    assert np.mean(np.array(p_values) < 0.01) <= 0.05


def test_a_class_of_a_few_heavy_rows_is_still_one_of_a_few():
    sample, labeled, unlabeled = draw([0.5, 0.5])
    kept = np.flatnonzero((sample.y_labeled == 0) | (np.cumsum(sample.y_labeled == 1) <= 5))
    few = replace(sample, X_labeled=sample.X_labeled[kept], y_labeled=sample.y_labeled[kept])
    importance = np.where(few.y_labeled == 1, 20.0, 1.0)
    found = known_priors(weighted(few, importance), labeled[kept], unlabeled, random_state=0)
    np.testing.assert_array_equal(found.priors, found.labeled)
    assert found.p_value == 1.0


def every_non_negative_solution(shares, seen):
    """Return the best of the least-squares solutions on all sets of classes."""
    n = shares.shape[1]
    found = [np.zeros(n)]
    for size in range(1, n + 1):
        for kept in map(list, combinations(range(n), size)):
            solution = np.zeros(n)
            solution[kept] = np.linalg.lstsq(shares[:, kept], seen, rcond=None)[0]
            found.append(solution)
    allowed = [solution for solution in found if np.all(solution >= 0)]
    return min(allowed, key=lambda solution: np.sum((shares @ solution - seen) ** 2))


def test_where_no_row_is_in_a_region_the_classes_are_alike():
    regions = _Regions(np.array([0, 1, 2]), np.ones(3), np.eye(3), np.zeros((5, 3)))
    np.testing.assert_allclose(regions.unmixed(), 1 / 3)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_priors_have_the_smallest_sum_of_squares_among_those_that_are_not_negative(n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(60):  # the solver of SciPy 1.15 errs in one of sixty such cases
        y = np.arange(4 * n_classes) % n_classes
        labeled = rng.dirichlet(np.full(n_classes, 0.1), n_classes)[y]
        unlabeled = rng.dirichlet(np.full(n_classes, 0.5), 1)
        regions = _Regions(y, np.ones(len(y)), labeled, unlabeled)
        shares = np.array([labeled[y == k].mean(axis=0) for k in range(n_classes)]).T
        best = every_non_negative_solution(shares, unlabeled.mean(axis=0))
        found = regions.unmixed() * best.sum()
        misfit = [np.sum((shares @ x - unlabeled.mean(axis=0)) ** 2) for x in (found, best)]
        assert misfit[0] <= misfit[1] + 1e-9


def test_the_p_value_is_that_of_a_chi_squared_number_and_more_chance_makes_it_larger():
    found = known_priors(*draw([0.4, 0.35, 0.25]), random_state=0)
    assert found.n_free == 2
    assert found.p_value == pytest.approx(chi2.sf(found.statistic, 2))
    assert found.dispersed(1.0).p_value == pytest.approx(found.p_value)
    assert found.dispersed(3.0).p_value == pytest.approx(chi2.sf(found.statistic / 3, 2))
    assert found.dispersed(3.0).statistic == found.statistic


def test_where_nothing_is_asked_more_chance_changes_nothing():
    one = known_priors(*draw([1.0]), random_state=0)
    assert (one.n_free, one.statistic) == (0, 0.0)
    assert one.dispersed(2.0).p_value == 1.0


@pytest.mark.parametrize(("n_rows", "asked"), [(SMALL_CLASS - 1, False), (SMALL_CLASS, True)])
def test_twenty_rows_of_a_class_are_enough_to_ask_for_its_prior(n_rows, asked):
    sample, labeled, unlabeled = draw([0.8, 0.2], n_labeled=200, n_unlabeled=200)
    counts = np.cumsum(sample.y_labeled == 1)
    kept = np.flatnonzero((sample.y_labeled == 0) | (counts <= n_rows))
    few = replace(sample, X_labeled=sample.X_labeled[kept], y_labeled=sample.y_labeled[kept])
    found = known_priors(few, labeled[kept], unlabeled, n_resamples=5, random_state=0)
    assert np.all((found.standard_errors > 0) == asked)
    assert (found.p_value < 1.0) is asked


def test_a_class_whose_rows_weigh_nothing_is_not_asked_for():
    sample, labeled, unlabeled = draw([0.4, 0.3, 0.3], n_labeled=150, n_unlabeled=200)
    importance = np.where(sample.y_labeled == 1, 0.0, 1.0)
    found = known_priors(
        weighted(sample, importance), labeled, unlabeled, n_resamples=5, random_state=0
    )
    assert (found.priors[1], found.standard_errors[1], found.n_free) == (0.0, 0.0, 1)
    assert found.priors.sum() == pytest.approx(1.0)


def test_regions_of_rows_that_count_as_several_are_unmixed_as_those_of_as_many_rows():
    rng = np.random.default_rng(0)
    y, times = np.arange(30) % 3, rng.integers(1, 5, 30)
    labeled, unlabeled = (
        rng.random((n, 3)) < 0.2 + 0.6 * np.eye(3)[k] for n, k in ((30, y), (40, np.arange(40) % 3))
    )
    weighted_ones = _Regions(y, times.astype(float), labeled * 1.0, unlabeled * 1.0)
    repeated = _Regions(
        np.repeat(y, times),
        np.ones(times.sum()),
        np.repeat(labeled * 1.0, times, axis=0),
        unlabeled * 1.0,
    )
    np.testing.assert_allclose(weighted_ones.unmixed(), repeated.unmixed(), atol=1e-9)
    assert repeated.n_rows == times.sum()
    assert weighted_ones.n_rows < 30


def test_a_class_without_rows_in_a_resample_has_no_share_there():
    y, inside = np.zeros(4, int), np.array([[1.0, 0.0]] * 4)
    regions = _Regions(y, np.ones(4), inside, np.array([[1.0, 0.0]] * 3))
    np.testing.assert_allclose(regions.unmixed(), [1.0, 0.0], atol=1e-9)


def test_rows_that_score_alike_are_in_the_same_regions_in_either_sample():
    sample, labeled, _ = draw([0.4, 0.3, 0.3], n_labeled=200, n_unlabeled=200)
    coarse = np.round(labeled, 1)  # as of a forest: many rows tie, also at thresholds
    regions = _Regions.of(sample, coarse, coarse, np.arange(3))
    np.testing.assert_array_equal(regions.labeled, regions.unlabeled)
    found = known_priors(sample, coarse, coarse, n_resamples=5, random_state=0)
    np.testing.assert_allclose(found.priors, sample.labeled_frequency, atol=1e-9)


def test_priors_of_large_classes_are_compared_among_themselves():
    sample, labeled, unlabeled = draw([0.4, 0.4, 0.2], n_labeled=500)
    kept = np.flatnonzero((sample.y_labeled < 2) | (np.cumsum(sample.y_labeled == 2) <= 80))
    thinned = replace(sample, X_labeled=sample.X_labeled[kept], y_labeled=sample.y_labeled[kept])
    found = known_priors(thinned, labeled[kept], unlabeled, small_class=100, random_state=0)
    # Among the first two nothing moved; the third, a fifth of the labeled rows, is left out.
    assert found.n_free == 1
    assert found.p_value > 0.05
    assert found.priors[2] == thinned.labeled_frequency[2]
