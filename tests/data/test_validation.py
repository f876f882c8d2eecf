from dataclasses import replace

import numpy as np
import pytest

from eulac.data.lac_sample import LacSample
from eulac.data.validation import with_deployment_rows
from eulac.exceptions import NoUnlabeledRowsWarning


def sample_of(counts, n_unlabeled=10):
    y = np.append(np.repeat(list(counts), list(counts.values())), np.full(n_unlabeled, "-1"))
    return LacSample.from_masked(np.arange(2.0 * len(y)).reshape(-1, 2), y)


def test_a_sample_with_unlabeled_rows_is_passed_on():
    sample = sample_of({"ant": 5, "bee": 5})
    assert with_deployment_rows(sample) is sample


def test_without_unlabeled_rows_the_labeled_ones_stand_in():
    sample = sample_of({"ant": 5, "bee": 5}, n_unlabeled=0)
    with pytest.warns(NoUnlabeledRowsWarning, match="no unlabeled rows"):
        opened = with_deployment_rows(sample)
    np.testing.assert_array_equal(opened.X_unlabeled, sample.X_labeled)


def test_one_row_of_either_sample_is_refused():
    with pytest.raises(ValueError, match=r"two unlabeled rows are needed .* n_samples = 1"):
        with_deployment_rows(sample_of({"ant": 5}, n_unlabeled=1))
    with pytest.raises(ValueError, match=r"two labeled rows are needed.* got 1\."):
        with_deployment_rows(sample_of({"ant": 1}))


def test_importance_stays_where_labeled_rows_stand_in():
    sample = sample_of({"a": 3, "b": 2}, n_unlabeled=0)
    sample = replace(sample, importance=np.array([2.0, 1.0, 1.0, 0.5, 0.5]))
    with pytest.warns(NoUnlabeledRowsWarning):
        closed = with_deployment_rows(sample)
    np.testing.assert_array_equal(closed.importance, sample.importance)
