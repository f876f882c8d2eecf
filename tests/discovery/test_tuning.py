import numpy as np
import pytest

from discovery.conftest import clouds
from eulac.discovery.class_number import RESOLUTIONS, USUAL_RESOLUTION
from eulac.discovery.spaces import KnownRows
from eulac.discovery.tuning import hidden_sets, tune
from eulac.discovery.ways import Way

LINKS, MEANS = Way("links", ("one_scale",)), Way("means", ("one_scale",))


@pytest.mark.parametrize("n_classes", [3, 4, 6, 13, 40])
def test_hidden_sets_leave_a_class_and_none_comes_twice(n_classes):
    sets = hidden_sets(np.arange(n_classes), 8, 0)
    assert 6 <= len(sets) <= 8
    assert len({tuple(hidden) for hidden in sets}) == len(sets)
    sizes = {len(hidden) for hidden in sets}
    assert min(sizes) == 1
    assert max(sizes) == n_classes - 1


def test_the_only_class_is_hidden_too():
    assert [hidden.tolist() for hidden in hidden_sets(np.zeros(4, int), 8, 0)] == [[0]]


def rings(seed=0):
    """Known classes that are rings within rings: means cannot tell them apart, links can."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1, 2], 150)
    angle = rng.uniform(0, 2 * np.pi, 450)
    radius = rng.normal(4.0 * codes + 2.0, 0.1)
    return KnownRows(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), codes)


def test_the_way_that_finds_hidden_classes_is_taken():
    tuning = tune(rings(), (MEANS, LINKS))
    assert tuning.way == LINKS
    assert tuning.accuracy[str(LINKS)] > tuning.accuracy[str(MEANS)] + 0.2


def test_the_first_way_is_taken_where_others_are_as_good(known):
    assert tune(known, (MEANS, LINKS)).way == MEANS
    assert tune(known, (LINKS, MEANS)).way == LINKS


@pytest.mark.slow
def test_the_resolution_learns_how_loose_a_class_may_be():
    centers = np.array([[0, 0], [30, 0], [0, 30], [30, 30]])
    # Each class is two clouds that touch.
    X, half = clouds(np.repeat(centers, 2, axis=0) + np.tile([[0, 0], [2, 0]], (4, 1)), [30] * 8)
    as_two = tune(KnownRows(X, half), (LINKS,))
    as_one = tune(KnownRows(X, half // 2), (LINKS,))
    assert as_one.plausible.min() < as_two.plausible.min()
    assert as_one.plausible.min() <= as_one.resolution <= as_one.plausible.max()


def test_too_few_rows_tell_nothing():
    tuning = tune(KnownRows(np.eye(3), np.arange(3)))
    assert tuning.resolution == USUAL_RESOLUTION
    assert RESOLUTIONS.min() < tuning.plausible.min() < tuning.plausible.max()
