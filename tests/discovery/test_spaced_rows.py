import numpy as np

from eulac.discovery.spaced_rows import SpacedRows
from eulac.discovery.spaces import SPACES, KnownRows


def test_rows_are_in_each_space_as_the_space_says(known):
    X = np.random.default_rng(0).normal(size=(9, 2))
    rows = SpacedRows(known, X)
    for space in SPACES:
        np.testing.assert_allclose(rows.values(space), SPACES[space](known, X))


def test_hidden_classes_are_in_spaces_that_have_not_seen_them():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 50)
    spread = np.where(codes[:, None] == 2, [0.1, 3.0], [3.0, 0.1])
    known = KnownRows(rng.normal(size=(150, 2)) * spread, codes)
    whole = SpacedRows(known, known.X[:0])
    hidden = whole.hiding(np.array([2]))
    np.testing.assert_array_equal(hidden.X, known.X[codes == 2])
    assert set(hidden.known.codes) == {0, 1}
    # Classes 0 and 1 are narrow where class 2 is wide, so whitening by them makes it wider still.
    white, plain = (hidden.values(space).std(axis=0) for space in ("whitened_columns", "columns"))
    assert white.max() / white.min() > plain.max() / plain.min()
