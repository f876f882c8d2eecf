import time

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.deep.networks import NETWORKS
from eulac.deep.runs import run_plan
from eulac.deep.runs.run_plan import (
    affordable_epochs,
    may_be_mirrored,
    planned_epochs,
    planned_rate,
    require_seconds,
)


@pytest.mark.parametrize("shape", [(5,), (1, 28, 28), (3, 32, 32)])
def test_more_rows_mean_fewer_epochs_but_never_less_than_a_dozen(shape):
    epochs = [planned_epochs(shape, n_batches) for n_batches in (30, 100, 1000, 10**6)]
    assert epochs == sorted(epochs, reverse=True)
    assert epochs[-1] == run_plan.FEWEST_EPOCHS
    assert epochs[0] <= run_plan.MOST_EPOCHS


def test_images_are_trained_on_for_longer_than_tables():
    table, gray, color = (planned_epochs(shape, 100) for shape in ((5,), (1, 28, 28), (3, 32, 32)))
    assert table < gray == color


def test_epochs_fit_in_the_time_as_measured(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def run(n_batches):
        now[0] += 2.0 * n_batches

    # An epoch of ten batches takes 20 seconds and a tenth more.
    assert affordable_epochs(40, 10, 110.0, run) == 5
    assert affordable_epochs(3, 10, 110.0, run) == 3
    assert affordable_epochs(40, 10, 1.0, run) == 1


@pytest.mark.parametrize(("name", "rate"), [("compact_resnet", 2e-3), ("paper_cnn", 5e-4)])
def test_networks_that_normalize_bear_a_larger_rate(name, rate):
    assert planned_rate(NETWORKS[name]((1, 12, 12), 3)) == rate


@pytest.mark.parametrize("value", [0, -1.0, "long"])
def test_what_is_no_length_of_time_is_quoted(value):
    with pytest.raises(ValueError, match=f"got {value!r}"):
        require_seconds("time_budget", value)


def test_digits_are_not_mirrored_and_their_mixture_with_mirrored_ones_may_be():
    from sklearn.datasets import load_digits

    images = load_digits().images[:, None]
    assert not may_be_mirrored(images, seed=0)
    either = images.copy()
    either[::2] = either[::2, :, :, ::-1]
    assert may_be_mirrored(np.random.default_rng(0).permutation(either), seed=0)
    assert not may_be_mirrored(either[:20], seed=0)  # too few to tell
