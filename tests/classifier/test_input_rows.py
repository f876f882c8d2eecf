"""Sentences: each quotes what was given, and none is said without need."""

import warnings

import numpy as np
import pytest

from eulac.classifier import input_rows
from eulac.data.lac_sample import LacSample
from eulac.exceptions import SmallClassWarning


def sample_of(counts, n_unlabeled=10):
    y = np.append(np.repeat(list(counts), list(counts.values())), np.full(n_unlabeled, "-1"))
    return LacSample.from_masked(np.arange(2.0 * len(y)).reshape(-1, 2), y)


def test_steps_are_reported_from_one():
    calls = []
    step = input_rows.step_counter(lambda done, total: calls.append((done, total)), 2)
    step(0)
    step(1)
    assert calls == [(1, 2), (2, 2)]
    assert input_rows.step_counter(None, 2)(0) is None


def test_small_classes_are_named_with_their_counts():
    with pytest.warns(SmallClassWarning, match=r"the 5 folds: 'bee' \(2\), 'cow' \(4\)\. What"):
        input_rows.warn_of_small_classes(sample_of({"ant": 5, "bee": 2, "cow": 4}), 5)
    many = {f"class{k}": 1 for k in range(8)}
    with pytest.warns(SmallClassWarning, match=r"'class4' \(1\) and 3 others\. What"):
        input_rows.warn_of_small_classes(sample_of(many), 5)


def test_what_is_usual_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        input_rows.warn_of_small_classes(sample_of({"ant": 5, "bee": 5}), 5)
