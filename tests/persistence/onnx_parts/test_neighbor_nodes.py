import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from eulac.any_classifier.default_candidates import NearRows
from eulac.persistence.onnx_parts.neighbor_nodes import neighbor_votes
from persistence.onnx_answers import computed

pytest.importorskip("onnx", reason="needs the extra `onnx`")
rng = np.random.default_rng(0)
ROWS, Y = rng.normal(size=(80, 3)), np.resize([0, 1, 2], 80)


def votes(model, X):
    return computed(lambda graph, x: neighbor_votes(graph, x, model), X, len(model.classes_))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_are_those_of_scikit_learn_for_new_rows_and_own_ones(weights):
    model = KNeighborsClassifier(5, weights=weights, algorithm="brute").fit(ROWS, Y)
    X = np.vstack([rng.normal(size=(100, 3)), ROWS, 1e6 + ROWS[:3]])
    np.testing.assert_allclose(votes(model, X), model.predict_proba(X), atol=1e-6)


def test_copies_of_a_row_share_its_vote():
    X = np.vstack([ROWS, ROWS[:1]])
    model = NearRows(5, weights="distance", algorithm="brute").fit(X, np.append(Y, 2))
    np.testing.assert_allclose(votes(model, ROWS[:1]), [[0.5, 0.0, 0.5]], atol=1e-6)


def test_fewer_rows_than_neighbors_and_other_distances():
    few = NearRows(7, weights="distance", algorithm="brute").fit(ROWS[:4], Y[:4])
    np.testing.assert_allclose(votes(few, ROWS[9:]), few.predict_proba(ROWS[9:]), atol=1e-6)
    blocks = KNeighborsClassifier(metric="manhattan").fit(ROWS, Y)
    with pytest.raises(ValueError, match="got metric 'manhattan'"):
        votes(blocks, ROWS)
