import numpy as np
from scipy.linalg import LinAlgError, eigh

from discovery.conftest import clouds
from eulac.discovery import neighbor_graph
from eulac.discovery.neighbor_graph import mixing, shared_neighbors, spectrum_of, votes


def naive_links(X, n_neighbors):
    near = [
        set(np.argsort(((X - row) ** 2).sum(axis=1), kind="stable")[: n_neighbors + 1]) for row in X
    ]
    counts = np.array([[len(one & other) for other in near] for one in near], dtype=float)
    counts[counts < 2] = 0
    np.fill_diagonal(counts, 0)
    return counts / (n_neighbors + 1)


def test_links_are_counts_of_common_neighbors():
    X, _ = clouds([[0, 0], [2, 0]], [15, 15])
    np.testing.assert_allclose(shared_neighbors(X, 4), naive_links(X, 4))


def test_few_rows_have_few_neighbors():
    assert shared_neighbors(np.arange(3.0)[:, None]).shape == (3, 3)


def test_groups_that_are_not_linked_have_coordinates_of_their_own():
    X, truth = clouds([[0, 0], [50, 0]], [20, 20])
    rows = spectrum_of(shared_neighbors(X), 2).vectors.copy()
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = np.abs(rows @ rows.T)
    same = truth[:, None] == truth
    assert cosine[same].min() > 0.999
    assert cosine[~same].max() < 0.01


def test_mixing_is_the_share_of_links_between_two_groups():
    links = np.array([[0, 4, 1], [4, 0, 0], [1, 0, 0]], dtype=float)
    share = mixing(links, np.array([0, 0, 1]))
    np.testing.assert_allclose(share, [[0, 1], [1, 0]], atol=1e-9)
    X, truth = clouds([[0, 0], [1.5, 0], [50, 0]], [40, 40, 40])
    share = mixing(shared_neighbors(X), truth)
    assert share[0, 1] > share[0, 2] == 0


def test_votes_of_a_row_are_shares_of_its_links_and_rows_without_have_none():
    links = np.array([[0, 3, 1], [3, 0, 0], [1, 0, 0]], dtype=float)
    np.testing.assert_allclose(votes(links, np.array([0, 0, 1]), 2)[0], [0.75, 0.25])
    assert np.all(votes(np.zeros((2, 2)), np.array([0, 1]), 2) == 0)
    assert votes(links, np.array([0, -1, 1]), 2)[0].tolist() == [0, 1]


def test_directions_are_alike_along_links_and_across_where_there_are_none():
    X, truth = clouds([[0, 0], [9, 0]], [20, 20])
    links = shared_neighbors(X, 5)
    links[0], links[:, 0] = 0.0, 0.0
    rows = spectrum_of(links, 10).directions(4)
    alike = rows @ rows.T
    inside = np.flatnonzero(truth == 0)[1:]
    assert alike[np.ix_(inside, inside)].min() > -1e-9
    assert np.abs(alike[np.ix_(inside, truth == 1)]).max() < 1e-6
    np.testing.assert_allclose(np.diag(alike)[1:], 1.0)


def test_eigenvectors_are_found_where_lapack_does_not_find_some_of_them(monkeypatch):
    links = shared_neighbors(clouds([[0, 0], [9, 0]], [12, 14])[0])
    expected = spectrum_of(links, 5)

    def only_all(matrix, subset_by_index=None, **options):
        if subset_by_index is not None:
            raise LinAlgError("Internal Error.")
        return eigh(matrix, **options)

    monkeypatch.setattr(neighbor_graph, "eigh", only_all)
    found = spectrum_of(links, 5)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-9)
    assert found.vectors.shape == (26, 5)
    np.testing.assert_allclose(
        found.vectors @ np.diag(found.values) @ found.vectors.T,
        expected.vectors @ np.diag(expected.values) @ expected.vectors.T,
        atol=1e-9,
    )
