import numpy as np

from eulac.discovery.row_pairs import ALL_ALIKE, PairModel, learn_pairs, traits_in
from eulac.discovery.spaced_rows import SpacedRows
from eulac.discovery.spaces import SPACES, KnownRows

NOBODY = KnownRows(np.empty((0, 2)), np.empty(0, dtype=np.intp))


def stripes(n_classes, seed):
    """Classes that differ in their first column; the second is louder and tells nothing."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_classes), 30)
    X = np.column_stack([rng.normal(6.0 * codes), rng.normal(0, 60.0, len(codes))])
    return SpacedRows(NOBODY, X), codes


def auc(evidence, codes):
    first, second = np.triu_indices(len(codes), 1)
    told, same = evidence[first, second], codes[first] == codes[second]
    return np.mean(told[same][:, None] > np.sort(told[~same])[::7])


def test_what_tells_some_classes_apart_tells_others_apart():
    model = learn_pairs([stripes(3, 0)])
    rows, codes = stripes(4, 1)
    assert auc(model.evidence(rows), codes) > auc(ALL_ALIKE.evidence(rows), codes) + 0.03
    assert model.space.endswith("columns")


def test_one_class_alone_tells_nothing():
    rows, codes = stripes(1, 0)
    assert learn_pairs([(rows, codes)]) is ALL_ALIKE
    assert learn_pairs([]) is ALL_ALIKE


def test_pairs_are_alike_both_ways_and_copies_are_closest():
    rows = SpacedRows(NOBODY, np.array([[0.0, 0], [0, 0], [1, 2], [5, 5], [6, 4]]))
    evidence = ALL_ALIKE.evidence(rows)
    np.testing.assert_allclose(evidence, evidence.T, atol=1e-5)
    assert evidence[0, 1] == np.delete(evidence[0], 0).max()
    assert evidence[0, 1] > evidence[0, 2] > evidence[0, 4]


def test_traits_are_distance_and_neighbors_in_common():
    X = np.column_stack([np.r_[0.0:8.0, 50.0:58.0], np.zeros(16)])
    traits = traits_in(SpacedRows(NOBODY, X), "one_scale")
    assert traits[0, 1, 0] < traits[0, 9, 0]
    assert traits[0, 1, 1] > traits[0, 9, 1]
    assert traits[0, 1, 2] > traits[0, 9, 2]


def test_the_space_that_counts_most_is_the_one_of_the_largest_weights():
    weights = dict.fromkeys(SPACES, np.zeros(3)) | {"profile": np.array([-2.0, 0.0, 0.5])}
    assert PairModel(weights).space == "profile"
