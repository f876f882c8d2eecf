import numpy as np
import pytest

from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, -1, -1, -1])


class CountingProportion(ProportionEstimator):
    """Remember the sample; answer with the share of labeled rows."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def estimate(self, sample):
        self.sample = sample
        n_labeled, n_unlabeled = sample.n_labeled, sample.n_unlabeled
        value = n_labeled / (n_labeled + n_unlabeled)
        return ProportionEstimate([value / 2] * 2, (0, 1), "counting", n_labeled, n_unlabeled)


def test_masked_labels_and_further_rows_are_one_sample():
    masked = CountingProportion(random_state=0).fit(X, Y)
    apart = CountingProportion(random_state=0).fit(X[:3], Y[:3], X_unlabeled=X[3:])
    assert masked.estimate_.total == apart.estimate_.total == pytest.approx(0.5)
    np.testing.assert_array_equal(masked.sample.X_unlabeled, apart.sample.X_unlabeled)


def test_the_order_of_rows_does_not_matter():
    one = CountingProportion(random_state=0).fit(X, Y)
    two = CountingProportion(random_state=0).fit(X[::-1], Y[::-1])
    np.testing.assert_array_equal(one.sample.X_labeled, two.sample.X_labeled)
    np.testing.assert_array_equal(one.sample.X_unlabeled, two.sample.X_unlabeled)


def test_without_unlabeled_rows_there_is_nothing_to_estimate():
    with pytest.raises(ValueError, match=r"no unlabeled rows.* Mark them with -1"):
        CountingProportion().fit(X[:3], Y[:3])


def test_labels_must_be_as_many_as_rows():
    with pytest.raises(ValueError, match="6 of them; got 2"):
        CountingProportion().fit(X, Y[:2])


def test_an_estimator_must_say_how_to_estimate():
    with pytest.raises(TypeError, match="ProportionEstimator does not say how to estimate"):
        ProportionEstimator().fit(X, Y)


def test_rows_cannot_be_held_out_in_fewer_than_two_folds():
    class Folded(CountingProportion):
        n_folds = 1

    with pytest.raises(ValueError, match=r"`n_folds` must be .* 2; got 1"):
        Folded().fit(X, Y)
    Folded.n_folds = 2
    assert Folded().fit(X, Y).estimate_.total == pytest.approx(0.5)
