import numpy as np
import pytest

from eulac import PulseProportion
from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.proportion.pulse import class_marginal
from eulac.proportion.reduction import extra_trees

rng = np.random.default_rng(0)
CENTERS = np.repeat([0.0, 9.0, 0.0, 9.0, 4.5], [80, 80, 150, 50, 100])
X = rng.normal(CENTERS[:, None], 1.0, (460, 2))
Y = np.repeat([0, 1, -1], [80, 80, 300])


def test_ratios_of_the_known_classes_follow_the_unlabeled_rows():
    sample = in_canonical_order(LacSample.from_masked(X, Y), 0)
    priors = class_marginal(sample, extra_trees(0), 5, 0)
    assert priors.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(priors, [0.75, 0.25], atol=0.12)


def test_total_is_close_and_divided_by_the_marginal():
    estimate = PulseProportion(random_state=0).fit(X, Y).estimate_
    assert estimate.total == pytest.approx(2 / 3, abs=0.12)
    np.testing.assert_allclose(
        estimate.per_class / estimate.total, estimate.diagnostics["known_priors"]
    )


def test_one_class_is_a_marginal_of_one():
    sample = in_canonical_order(LacSample.from_masked(X, np.where(Y == 1, -1, Y)), 0)
    np.testing.assert_array_equal(class_marginal(sample, extra_trees(0), 5, 0), [1.0])
