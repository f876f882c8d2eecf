"""The test of "nothing new": false alarms, power, moved priors, and the doubled variance."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import norm

from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.synthetic import GaussianMixtureTask
from eulac.proportion.consensus import ConsensusProportion
from eulac.proportion.nothing_new import (
    PAIRS_COUNT,
    _count_z,
    _rank_z,
    _strata,
    _Stratum,
    nothing_new_p_value,
    strata_of,
)
from eulac.proportion.reduction import cross_fit_folds
from proportion.contract import easy_mixture

FOLDS = np.arange(100) % 5


def triple(seed, n_new=0, n=100):
    """Return three noisy copies of one score, as three models of the same rows give."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=2 * n)
    truth[2 * n - n_new :] -= 5
    noisy = truth + rng.normal(0, 0.7, (3, 2 * n))
    return [(row[:n], row[n:]) for row in noisy]


def mean_differences(seed, n_features, sizes=(100, 100), n_new=0, n_folds=5):
    """Cross-fit the plainest score there is, along the difference of the means, overlapping folds.

    Returns scores and folds of labeled and of unlabeled rows; the new ones are far.
    """
    rng = np.random.default_rng(seed)
    rows = [rng.normal(size=(n, n_features)) for n in sizes]
    rows[1][rng.permutation(sizes[1])[:n_new], 0] += 6.0
    folds = [np.arange(n) % n_folds for n in sizes]
    scores = [np.empty(n) for n in sizes]
    for index in range(n_folds):
        means = [X[fold != index].mean(axis=0) for X, fold in zip(rows, folds, strict=True)]
        for X, fold, score in zip(rows, folds, scores, strict=True):
            score[fold == index] = X[fold == index] @ (means[0] - means[1])
    return scores, folds


def mean_difference_p_value(*arguments, **options):
    scores, folds = mean_differences(*arguments, **options)
    return nothing_new_p_value([tuple(scores)], *folds)


def alarms(n_draws, *arguments):
    p_values = [mean_difference_p_value(seed, *arguments) for seed in range(n_draws)]
    return {level: np.mean(np.array(p_values) <= level) for level in (0.001, 0.01, 0.05)}


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "n_features", [pytest.param(1, marks=SLOW), 2, pytest.param(10, marks=SLOW)]
)
def test_false_alarms_on_cross_fitted_scores_are_as_rare_as_promised(n_features):
    for level, share in alarms(400, n_features).items():
        assert share <= max(level, 1 / 400)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(300, 600), (50, 500), (600, 200)])
@pytest.mark.parametrize("n_features", [1, 2, 3, 10])
def test_false_alarms_are_as_rare_whatever_the_sizes(n_features, sizes):
    for level, share in alarms(1000, n_features, sizes).items():
        assert share <= level + 2 * np.sqrt(level * (1 - level) / 1000)


def test_the_variance_of_the_sum_over_folds_is_doubled():
    z = []
    for seed in range(400):
        scores, folds = mean_differences(seed, 10)
        z.append(_rank_z(_strata([tuple(scores)], *folds)))
    assert np.std(z) == pytest.approx(np.sqrt(PAIRS_COUNT), abs=0.2)
    assert abs(np.mean(z)) < 0.4


def test_the_count_of_unlabeled_rows_at_the_low_end_has_an_exact_law():
    # All four lowest rows of ten are unlabeled, of which there are six: 15 of 210 ways.
    one = _Stratum(np.arange(7.0, 11.0), np.arange(1.0, 7.0))
    assert norm.sf(_count_z([one], 0.4)) == pytest.approx(15 / 210)
    assert norm.sf(_count_z([one, one], 0.4)) == pytest.approx((15 / 210) ** 2)


@pytest.mark.parametrize("n_labeled", [200, 300, 600])
def test_a_far_class_of_a_quarter_of_the_pool_is_beyond_doubt(n_labeled):
    for seed in range(3):
        assert mean_difference_p_value(seed, 2, (n_labeled, 600), n_new=150) < 1e-6


@pytest.mark.slow
def test_a_far_eighth_of_the_pool_is_mostly_found():
    p_values = [mean_difference_p_value(seed, 2, (300, 600), n_new=75) for seed in range(60)]
    assert np.mean(np.array(p_values) < 0.01) > 0.8


@pytest.mark.parametrize(("n_new", "level"), [(30, 0.05), (50, 1e-4), (100, 1e-8)])
def test_clear_novelty_has_a_small_p_value(n_new, level):
    for seed in range(5):
        assert nothing_new_p_value(triple(seed, n_new), FOLDS, FOLDS) < level


def test_strata_that_hold_one_sample_only_say_nothing():
    pairs = triple(0, n_new=50)
    assert nothing_new_p_value(pairs, np.zeros(100, int), np.ones(100, int)) == 1.0
    assert nothing_new_p_value([(np.zeros(100), np.zeros(100))], FOLDS, FOLDS) == 1.0


def test_more_novelty_never_has_a_larger_p_value():
    p_values = [nothing_new_p_value(triple(3, n_new), FOLDS, FOLDS) for n_new in (0, 10, 30, 60)]
    assert p_values == sorted(p_values, reverse=True)


@pytest.mark.slow
def test_moved_priors_alone_are_not_taken_for_something_new():
    task = GaussianMixtureTask(
        means=[[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]],
        scale=1.0,
        per_class=[0.7, 0.2, 0.1],
        labeled_priors=[1 / 3, 1 / 3, 1 / 3],
    )
    p_values = []
    for seed in range(5):
        sample = in_canonical_order(task.draw(150, 300, random_state=seed).sample, seed)
        quick = ConsensusProportion(n_folds=3, n_resamples=5, random_state=seed)
        p_values.append(quick.estimate(sample).diagnostics["nothing_new_p_value"])
    assert min(p_values) > 0.01
    assert np.median(p_values) > 0.05


def divisions(n, m):
    """Return a stratum for each way to divide ranks among labeled and unlabeled rows."""
    ranks = set(range(1, n + m + 1))
    return [
        _Stratum(np.array(sorted(ranks - set(low)), float), np.array(low, float))
        for low in combinations(sorted(ranks), m)
    ]


@pytest.mark.parametrize("sizes", [[(3, 4)], [(2, 3), (4, 2)], [(5, 1), (1, 4)]], ids=str)
def test_over_all_ways_to_divide_the_ranks_their_sum_has_mean_0_and_variance_1(sizes):
    z = [_rank_z(strata) for strata in product(*(divisions(*size) for size in sizes))]
    assert np.mean(z) == pytest.approx(0.0, abs=1e-12)
    assert np.mean(np.square(z)) == pytest.approx(1.0)


def test_the_sum_is_positive_where_unlabeled_rows_rank_low():
    low = _Stratum(np.array([4.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert _rank_z([low]) > 1.0
    assert _rank_z([_Stratum(low.unlabeled, low.labeled)]) < -1.0


def test_of_the_fewest_rows_at_least_the_lowest_is_looked_at():
    one = _Stratum(np.array([2.0, 3.0]), np.array([1.0]))
    assert norm.sf(_count_z([one], 0.1)) == pytest.approx(1 / 3)
    tied = _Stratum(np.array([1.5, 3.0]), np.array([1.5]))  # two of three rows are lowest
    assert norm.sf(_count_z([tied], 0.1)) == pytest.approx(2 / 3)


def test_the_most_significant_of_the_tests_counts_less_what_its_choice_allows():
    pairs, strata = triple(2, n_new=30), FOLDS
    ranked = _strata(pairs, strata, strata)
    tests = [_rank_z(ranked), *(_count_z(ranked, share) for share in (0.1, 0.15, 0.2))]
    assert len(set(tests)) == 4
    expected = norm.sf(max(tests) / np.sqrt(PAIRS_COUNT) - 1.0)
    assert nothing_new_p_value(pairs, strata, strata) == pytest.approx(expected)


def test_rows_at_the_low_end_count_and_those_at_the_top_hardly_do():
    def moved(one, two):
        """Return how much it changes the sum when two neighbors are of the other sample."""
        low = [1.0, 3.0, *np.arange(5.0, 18.0, 2.0), 19.0]
        swapped = [two if rank == one else rank for rank in low]
        strata = [
            _Stratum(np.setdiff1d(np.arange(1.0, 21.0), ranks), np.array(ranks))
            for ranks in (low, swapped)
        ]
        return _rank_z(strata[:1]) - _rank_z(strata[1:])

    assert moved(1.0, 2.0) > 100 * moved(19.0, 20.0) > 0


def test_where_no_lowest_row_is_unlabeled_the_count_says_nothing():
    for n, m in product(range(2, 12), repeat=2):
        high = _Stratum(np.arange(1.0, n + 1), np.arange(n + 1.0, n + m + 1))
        # What is certain is certain, also where rounding adds a little to it.
        for strata in ([high], [high] * 3):
            assert norm.sf(_count_z(strata, 0.1)) == pytest.approx(1.0)


def test_rows_of_a_stratum_share_their_fold_and_their_likely_class():
    X, y = easy_mixture(0.5, 40, 60)
    sample = LacSample.from_masked(X, np.where(y < 0, y, np.arange(100) % 3))
    rng = np.random.default_rng(0)
    by_class = rng.dirichlet(np.ones(4), 40), rng.dirichlet(np.ones(4), 60)
    strata = strata_of(cross_fit_folds(sample, 4, 0), by_class)
    pairs = [
        list(zip(fold, rows[:, :3].argmax(axis=1), strict=True))
        for fold, rows in zip(cross_fit_folds(sample, 4, 0), by_class, strict=True)
    ]
    number = dict(zip(pairs[0] + pairs[1], np.concatenate(strata).tolist(), strict=True))
    assert len(set(number.values())) == len(number) == 12
    for found, given in zip(strata, pairs, strict=True):
        assert [number[pair] for pair in given] == found.tolist()
