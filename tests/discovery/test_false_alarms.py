import numpy as np

from discovery.conftest import clouds
from eulac.discovery.false_alarms import among_known
from eulac.discovery.spaces import KnownRows


def test_rows_drawn_from_known_classes_are_found_out_and_new_ones_kept(known):
    false, _ = clouds([[0, -9], [7, -9]], [8, 8], seed=1)
    new, _ = clouds([[0, 0], [7, 3]], [30, 40], seed=2)
    found = among_known(known, np.vstack([new, false]))
    assert not found[:70].any()
    assert found[70:].mean() > 0.9


def test_a_small_new_class_is_not_swamped_by_many_known_rows():
    rng = np.random.default_rng(0)
    many = KnownRows(rng.normal(size=(20_000, 2)), np.zeros(20_000, dtype=np.intp))
    new = rng.normal([3.5, 0], 0.3, (40, 2))
    assert among_known(many, new).mean() < 0.1


def test_nobody_known_or_nobody_new_is_no_false_alarm(known):
    nobody = KnownRows(np.empty((0, 2)), np.empty(0, dtype=np.intp))
    assert not among_known(nobody, known.X).any()
    assert among_known(known, np.empty((0, 2))).shape == (0,)
