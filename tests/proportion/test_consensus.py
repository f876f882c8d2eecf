"""The default estimate: a median of three, how sure it is, and whether anything is new."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier

from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.synthetic import make_gaussian_task
from eulac.proportion import consensus as consensus_module
from eulac.proportion import reduction as reduction_module
from eulac.proportion.best_bin import best_bin, corrected_best_bins
from eulac.proportion.consensus import ConsensusProportion
from proportion.contract import easy_mixture, estimate_of, parametrize_with_contract

QUICK = ConsensusProportion(n_folds=3, n_resamples=20, random_state=0)


def values_and_error(pairs, known_weights=None, **options):
    found, error = corrected_best_bins(pairs, known_weights, **options)
    return np.array([one.value for one in found]), error


@pytest.mark.slow
@parametrize_with_contract([(ConsensusProportion(n_resamples=20, random_state=0), 0.06)])
def test_contract(estimator, tolerance, check):
    check(estimator, tolerance)


@pytest.fixture(scope="module")
def estimate():
    return estimate_of(QUICK, *easy_mixture(0.5))


def test_the_total_is_the_median_of_three_scores(estimate):
    by_score = estimate.diagnostics["by_score"]
    assert list(by_score) == ["kernel_logistic", "forest", "forest_by_class"]
    assert estimate.total == pytest.approx(np.median(list(by_score.values())))
    assert estimate.diagnostics["spread"] == pytest.approx(np.ptp(list(by_score.values())))
    assert abs(estimate.total - 0.5) < 0.06
    assert estimate.method == "consensus"


def test_the_interval_holds_the_bootstrap_error_and_half_the_spread(estimate):
    low, high = estimate.interval
    assert low <= 0.5 <= high
    assert high - estimate.total == pytest.approx(1.96 * estimate.standard_error)
    assert estimate.standard_error >= 0.5 * estimate.diagnostics["spread"]


def test_clear_novelty_is_seen_and_unmoved_priors_are_kept(estimate):
    assert estimate.diagnostics["nothing_new_p_value"] < 0.01
    assert not estimate.diagnostics["priors_moved"]
    np.testing.assert_allclose(estimate.per_class, estimate.total * np.array([0.75, 0.25]))


@pytest.fixture
def few_trees(monkeypatch):
    """Let forests be small where the claim is not about them."""

    def ten_trees(random_state, n_jobs):
        return ExtraTreesClassifier(10, min_samples_leaf=2, random_state=random_state)

    monkeypatch.setattr(consensus_module, "extra_trees", ten_trees)


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0), np.random.default_rng(0)])
def test_rows_are_compared_within_the_folds_that_held_them_out(seed, few_trees, monkeypatch):
    seeds, draw = [], reduction_module.draw_folds

    def noted(y_labeled, n_unlabeled, n_folds, random_state):
        seeds.append(random_state)
        return draw(y_labeled, n_unlabeled, n_folds, random_state)

    monkeypatch.setattr(reduction_module, "draw_folds", noted)
    clone(QUICK).set_params(random_state=seed).fit(*easy_mixture(0.5))
    assert len(seeds) == 4  # three scores, and the test of nothing new
    assert len(set(seeds)) == 1
    assert isinstance(seeds[0], int)


def test_moved_priors_are_used_only_when_they_may_be(few_trees):
    task = make_gaussian_task(
        2, n_features=3, separation=6.0, known_proportion=0.7, shift_intensity=0.9, random_state=2
    )
    split = task.draw(120, 200, random_state=2)
    sample = in_canonical_order(split.sample, 2)
    moved, kept = (clone(QUICK).set_params(shift=s).estimate(sample) for s in ("auto", False))
    assert moved.diagnostics["priors_moved"]
    truth = split.per_class / split.known_proportion
    np.testing.assert_allclose(moved.per_class / moved.total, truth, atol=0.05)
    assert moved.interval[0] <= split.known_proportion <= moved.interval[1]
    np.testing.assert_allclose(kept.per_class / kept.total, sample.labeled_frequency)


def scores(known_proportion, n=150, m=200, gap=6.0, seed=0):
    """Return scores of known rows, and of unlabeled ones of which some are `gap` lower."""
    rng = np.random.default_rng(seed)
    n_known = round(known_proportion * m)
    new = rng.normal(-gap, 1, m - n_known)
    return rng.normal(size=n), np.append(rng.normal(size=n_known), new)


class WithScores(ConsensusProportion):
    """The consensus of given scores, so that no model has to be trained."""

    given = ()

    def _scores(self, sample):
        one_class = np.ones((sample.n_labeled, 2)), np.ones((sample.n_unlabeled, 2))
        return dict(zip("abc", self.given, strict=True)), one_class


def consensus_of(*proportions):
    return consensus_of_scores([scores(p, seed=s) for s, p in enumerate(proportions)])


def consensus_of_scores(given):
    estimator = WithScores(shift=False, n_resamples=20, random_state=0)
    estimator.given = given
    X, y = np.zeros((350, 1)), np.repeat([0, -1], [150, 200])
    return estimator.estimate(LacSample.from_masked(X, y))


@pytest.mark.parametrize(
    ("proportions", "agree"), [((0.5, 0.5, 0.5), True), ((0.5, 0.5, 0.9), False)]
)
def test_one_bad_score_does_not_decide_but_is_told(proportions, agree):
    estimate = consensus_of(*proportions)
    assert abs(estimate.total - 0.5) < 0.08
    assert estimate.diagnostics["scores_agree"] is agree
    # Disagreement widens the interval.
    assert (estimate.standard_error > 0.15) is not agree


def test_a_total_of_one_is_at_its_bound():
    known = np.linspace(0, 1, 150)
    everything = consensus_of_scores([(known, np.linspace(0.2, 1.2, 200))] * 3)
    assert everything.total == pytest.approx(1)
    assert everything.diagnostics["at_bound"] is True
    assert everything.interval[1] == 1
    assert consensus_of(0.5, 0.5, 0.5).diagnostics["at_bound"] is False


def test_the_correction_lifts_the_smallest_ratio():
    pairs = [scores(1.0, seed=s) for s in range(3)]
    values, _ = values_and_error(pairs, random_state=0)
    assert np.all(values >= [best_bin(*pair)[0] for pair in pairs])
    assert np.all(values <= 1)


def test_without_shift_no_prior_is_questioned():
    diagnostics = consensus_of(0.5, 0.5, 0.5).diagnostics
    assert diagnostics["priors_moved"] is False
    assert diagnostics["priors_moved_p_value"] is None


def test_a_bad_shift_is_refused_with_what_it_is(few_trees):
    with pytest.raises(ValueError, match=r"`shift` must be 'auto', True or False; got 'maybe'"):
        clone(QUICK).set_params(shift="maybe", n_folds=2).fit(*easy_mixture(0.5, 40, 60))


def test_estimates_of_each_score_are_near_the_published_ones():
    pairs = [scores(p, n=400, m=400, seed=s) for s, p in enumerate((0.2, 0.5, 0.8))]
    values, error = values_and_error(pairs, random_state=0)
    raw = [best_bin(*pair)[0] for pair in pairs]
    np.testing.assert_allclose(values, raw, atol=0.08)
    np.testing.assert_allclose(values, [0.2, 0.5, 0.8], atol=0.08)
    assert np.all((values >= 0) & (values <= 1))
    assert error > 0


def test_equal_weights_are_no_weights():
    pairs = [scores(0.5, seed=s) for s in range(3)]
    plain, error = values_and_error(pairs, n_resamples=20, random_state=0)
    weighted, same = values_and_error(pairs, np.full(150, 3.0), n_resamples=20, random_state=0)
    np.testing.assert_allclose(weighted, plain)
    assert same == pytest.approx(error)


def test_weights_bring_the_labeled_priors_to_those_of_the_unlabeled_rows():
    """One class scores higher and is rarer among unlabeled rows: unweighted the value is low."""
    rng = np.random.default_rng(0)
    high, low = rng.normal(3, 1, 300), rng.normal(0, 1, 300)
    unlabeled = np.concatenate([rng.normal(3, 1, 100), rng.normal(0, 1, 500)])
    pair = np.append(high, low), unlabeled  # nothing is new
    weights = np.repeat([1 / 3, 5 / 3], 300)
    plain = values_and_error([pair], random_state=0)[0][0]
    weighted = values_and_error([pair], weights, random_state=0)[0][0]
    assert plain < 0.6
    assert weighted > 0.9


def test_rows_without_weight_do_not_count():
    known, unlabeled = scores(0.5)
    noise = np.random.default_rng(1).normal(-3, 3, 50)
    weights = np.repeat([1.0, 0.0], [150, 50])
    value, _ = best_bin(np.append(known, noise), unlabeled, weights)
    assert value == pytest.approx(best_bin(known, unlabeled)[0])


def test_rows_are_resampled_jointly():
    """Three copies of a score are as sure as one; joint resampling knows, separate would not."""
    pair = scores(0.5)
    _, alone = values_and_error([pair], random_state=0)
    _, three = values_and_error([pair] * 3, random_state=0)
    assert three == pytest.approx(alone)


def test_more_rows_are_surer_and_the_error_is_that_of_repeated_draws():
    def run(n, seed):
        pairs = [scores(0.5, n=n, m=n, seed=seed)] * 3
        values, error = values_and_error(pairs, n_resamples=30, random_state=seed)
        return np.median(values), error

    small, large = (np.array([run(n, s) for s in range(25)]) for n in (100, 900))
    assert large[:, 1].mean() < 0.6 * small[:, 1].mean()
    for runs in (small, large):
        assert 0.4 < runs[:, 1].mean() / runs[:, 0].std() < 3


def test_only_ratios_of_weights_count():
    pairs = [scores(0.5, seed=s) for s in range(2)]
    weights = np.random.default_rng(0).uniform(0.0, 2.0, 150)
    (small, error), (large, same) = (
        values_and_error(pairs, unit * weights, n_resamples=10, random_state=0)
        for unit in (1e-3, 1e3)
    )
    np.testing.assert_allclose(small, large)
    assert error == pytest.approx(same)
