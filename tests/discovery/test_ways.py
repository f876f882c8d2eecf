import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from discovery.conftest import clouds
from eulac.discovery.ways import ALGORITHMS, WAYS, Grouper, SpacedRows, Way


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_way_finds_clear_clouds(way, known):
    X, truth = clouds([[0, 0], [5, 0], [0, 5]], [30, 50, 40])
    groups = Grouper(way, SpacedRows(known, X), 0).groups(3)
    assert adjusted_rand_score(truth, groups) == 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_copies_of_a_row_are_one_group_whatever_is_asked(algorithm, known):
    grouper = Grouper(Way(algorithm, ("columns",)), SpacedRows(known, np.ones((30, 2))), 0)
    assert np.all(grouper.groups(4) == 0)


def test_links_find_what_is_long_and_bent_where_means_do_not(known):
    angle = np.linspace(0, np.pi, 150)
    moons = np.vstack(
        [
            np.column_stack([np.cos(angle), np.sin(angle)]),
            np.column_stack([1 - np.cos(angle), 0.3 - np.sin(angle)]),
        ]
    )
    X = moons + np.random.default_rng(0).normal(scale=0.04, size=moons.shape)
    truth = np.repeat([0, 1], 150)
    rows = SpacedRows(known, X)
    by = {
        name: adjusted_rand_score(truth, Grouper(Way(name, ("one_scale",)), rows, 0).groups(2))
        for name in ("links", "means")
    }
    assert by["links"] == 1.0 > by["means"]


def test_links_of_several_spaces_are_averaged(known):
    X, _ = clouds([[0, 0], [5, 0]], [20, 20])
    rows = SpacedRows(known, X)
    both = Grouper(Way("links", ("columns", "one_scale")), rows, 0).links
    np.testing.assert_allclose(2 * both, rows.links("columns") + rows.links("one_scale"))


def test_some_rows_keep_the_coordinates_of_all(known):
    X, _ = clouds([[0, 0], [5, 0]], [20, 20])
    rows = SpacedRows(known, X)
    whole = rows.values("columns")
    np.testing.assert_array_equal(rows.taken(np.array([3, 5])).values("columns"), whole[[3, 5]])


def test_hidden_classes_lie_as_they_would_if_nobody_had_labeled_them(known):
    rows = SpacedRows(known, known.X[:0], 0.5).hiding(np.array([1]))
    np.testing.assert_array_equal(rows.X, known.X[known.codes == 1])
    assert set(rows.known.codes.tolist()) == {0, 2}
    assert rows.unevenness == 0.5
    for space in ("one_scale", "telling_columns"):
        assert rows.values(space).shape == (40, 2)
    plain = rows.values("one_scale")
    np.testing.assert_allclose(
        np.linalg.norm(plain[:, None] - plain, axis=2),
        np.linalg.norm(rows.X[:, None] - rows.X, axis=2) / known.X.std(),
        atol=1e-9,
    )
