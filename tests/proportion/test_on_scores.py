import numpy as np
import pytest

from easy_mixture import easy_split
from eulac.proportion.on_scores import ScoreEstimate, ScoreProportion


class AboveTheMedian(ScoreProportion):
    """A method that takes twice the share above the median of known rows for the known share."""

    method = "above the median"

    def from_scores(self, known_scores, unlabeled_scores):
        share = 2 * float(np.mean(unlabeled_scores >= np.median(known_scores)))
        return ScoreEstimate(share, at_bound=share >= 1, diagnostics={"n": len(known_scores)})


class Sure(ScoreProportion):
    def from_scores(self, known_scores, unlabeled_scores):
        return ScoreEstimate(1.7, standard_error=0.01)


@pytest.fixture(scope="module")
def sample():
    return easy_split(120, 300).sample


def test_a_function_of_scores_is_an_estimator_with_an_interval(sample):
    found = AboveTheMedian(n_resamples=30, random_state=0).estimate(sample)
    low, high = found.interval
    assert low <= 0.6 <= high
    assert found.standard_error > 0
    assert found.method == "above the median"
    assert found.diagnostics == {"at_bound": False, "n": 120}
    np.testing.assert_allclose(found.per_class, found.total * sample.labeled_frequency)


def test_shares_are_kept_within_bounds_and_an_error_that_is_known_is_used(sample):
    found = Sure(random_state=0).estimate(sample)
    assert found.total == 1.0
    assert found.standard_error == 0.01


def test_the_seed_decides(sample):
    one, two = (AboveTheMedian(n_resamples=10, random_state=3).estimate(sample) for _ in range(2))
    assert one.interval == two.interval


def test_a_method_must_say_how_to_read_scores(sample):
    with pytest.raises(TypeError, match="ScoreProportion does not say"):
        ScoreProportion(random_state=0).estimate(sample)


def test_an_error_that_is_not_known_is_the_spread_of_resampled_estimates(sample):
    class Mean(ScoreProportion):
        def from_scores(self, known_scores, unlabeled_scores):
            return ScoreEstimate(float(np.mean(unlabeled_scores > 0)))

    found = Mean(n_resamples=400, random_state=0).estimate(sample)
    share, n = found.total, sample.n_unlabeled
    assert found.standard_error == pytest.approx(np.sqrt(share * (1 - share) / n), rel=0.15)
    low, high = found.interval
    assert high - low == pytest.approx(2 * 1.96 * found.standard_error)


def test_no_share_is_below_zero(sample):
    class Below(ScoreProportion):
        def from_scores(self, known_scores, unlabeled_scores):
            return ScoreEstimate(-0.2, standard_error=0.0)

    found = Below(random_state=0).estimate(sample)
    assert (found.total, found.interval) == (0.0, (0.0, 0.0))
    assert found.diagnostics["at_bound"] is False
