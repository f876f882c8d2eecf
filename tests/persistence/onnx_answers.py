"""What an ONNX graph computes, next to what Python computes."""

import numpy as np
import pytest

from eulac.persistence.onnx_graph import Graph


def computed(build, X, n_columns):
    """Return what the nodes of `build(graph, x)` make of rows, a matrix of doubles."""
    runtime = pytest.importorskip("onnxruntime", reason="needs the extra `onnx`")
    graph = Graph()
    result = build(graph, graph.input("X", X.shape[1]))
    graph.add("Identity", result, output="out")
    model = graph.model([("out", np.dtype(np.float64), ["n", n_columns])], {})
    session = runtime.InferenceSession(model.SerializeToString())
    return session.run(None, {"X": np.asarray(X, dtype=np.float64)})[0]


def assert_graph_agrees(classifier, X, tolerance=1e-5):
    """Compare labels, probabilities and scores of a classifier's graph with its own."""
    runtime = pytest.importorskip("onnxruntime", reason="needs the extra `onnx`")
    from eulac.persistence.onnx import to_onnx

    session = runtime.InferenceSession(to_onnx(classifier).SerializeToString())
    given = {"X": np.asarray(X, dtype=np.float64)}
    names = ["label", "probabilities", "augmented_score"]
    label, probabilities, score = session.run(names, given)
    expected = classifier.predict_proba(X)
    np.testing.assert_allclose(probabilities, expected, atol=tolerance)
    np.testing.assert_allclose(score, classifier.augmented_score(X), atol=tolerance)
    first, second = np.sort(expected, axis=1)[:, :-3:-1].T
    sure = first - second > 2 * tolerance
    assert sure.mean() > 0.8  # few trees tie
    np.testing.assert_array_equal(label[sure], classifier.predict(X)[sure])
