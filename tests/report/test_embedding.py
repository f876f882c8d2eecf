import numpy as np
import pytest

from eulac.report import embedding
from eulac.report.embedding import plane_map


def rows(n, columns=6):
    return np.random.default_rng(0).normal(size=(n, columns))


def test_few_rows_get_a_tsne_map_and_many_a_plane():
    assert plane_map(rows(60)).method == "tsne"
    assert plane_map(rows(embedding.FEW_POINTS + 1)).method == "pca"


def test_two_columns_are_their_own_map():
    X = rows(40, columns=2)
    np.testing.assert_array_equal(plane_map(X).points, X)
    one = plane_map(rows(40, columns=1))
    assert one.points.shape == (40, 2)


def test_no_more_points_than_can_be_drawn():
    X = rows(embedding.MOST_POINTS + 500)
    drawn = plane_map(X)
    assert len(drawn.points) == len(drawn.rows) == embedding.MOST_POINTS
    assert len(set(drawn.rows)) == embedding.MOST_POINTS


def test_the_plane_says_how_much_it_shows():
    X = rows(100) * [10, 10, 1e-6, 1e-6, 1e-6, 1e-6]
    assert plane_map(X, method="pca", space=lambda rows: rows).explained == pytest.approx(1.0)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_handful_of_rows_can_be_drawn(n):
    assert plane_map(rows(n)).points.shape == (n, 2)


def test_unknown_maps_are_refused():
    with pytest.raises(ValueError, match="'auto', 'pca', 'tsne'; got 'umap'"):
        plane_map(rows(10), method="umap")
