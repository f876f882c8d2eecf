import numpy as np
import pytest

from eulac.persistence.onnx_graph import Graph

checker = pytest.importorskip("onnx.checker", reason="needs the extra `onnx`")
runtime = pytest.importorskip("onnxruntime", reason="needs the extra `onnx`")
DOUBLE = np.dtype(np.float64)
ROWS = np.array([[1.0, -2.0, 30.0], [4.0, 5.0, -6.0]])


def computed(build, shape):
    """Return what a graph of one input makes of the rows."""
    graph = Graph()
    result = build(graph, graph.input("X", 3))
    graph.add("Identity", result, output="out")
    model = graph.model([("out", DOUBLE, shape)], {"made by": "a test"})
    assert {entry.key: entry.value for entry in model.metadata_props} == {"made by": "a test"}
    session = runtime.InferenceSession(model.SerializeToString())
    return session.run(None, {"X": ROWS})[0]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda graph, x: graph.clip(x, -1.0, 4.0), np.clip(ROWS, -1, 4)),
        (lambda graph, x: graph.columns(x, 1, 3), ROWS[:, 1:3]),
        (lambda graph, x: graph.column(x, 2), ROWS[:, 2]),
        (lambda graph, x: graph.reduce("ReduceMax", x), ROWS.max(axis=1, keepdims=True)),
        (lambda graph, x: graph.add("Add", x, ROWS[0]), ROWS + ROWS[0]),
    ],
    ids=["clip", "columns", "column", "reduce", "constant"],
)
def test_nodes_compute_what_their_names_say_in_double_precision(build, expected):
    shape = ["n", expected.shape[1]] if expected.ndim == 2 else ["n"]
    result = computed(build, shape)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, expected)


def test_a_graph_that_does_not_fit_together_is_refused():
    graph = Graph()
    graph.add("Identity", "nowhere", output="out")
    with pytest.raises(checker.ValidationError, match="nowhere"):
        graph.model([("out", DOUBLE, ["n"])], {})
