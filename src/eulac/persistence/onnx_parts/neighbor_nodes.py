"""Votes of nearest rows as nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from eulac.persistence.onnx_graph import Graph

__all__ = ["neighbor_votes"]


def neighbor_votes(graph: Graph, x: str, model: Any) -> str:
    """Return the probabilities of a `KNeighborsClassifier` of Euclidean distances.

    Of rows that are exactly as far as the last neighbor, another one may be taken.
    """
    _require_plain(model)
    rows = np.asarray(model._fit_X, dtype=np.float64)
    n_near = min(model.n_neighbors, len(rows))
    votes = np.eye(len(model.classes_))[model._y]
    distances = graph.add("Neg", graph.squared_distances(x, rows))
    near = graph.second_output("TopK", distances, np.array([n_near], dtype=np.int64), axis=1)
    of_near = graph.add("Gather", votes, near, axis=0)
    weights = _weights(graph, x, graph.add("Gather", rows, near, axis=0), model.weights)
    weighted = graph.add("Mul", of_near, weights)
    axis = np.array([1], dtype=np.int64)
    total = graph.add("ReduceSum", weighted, axis, keepdims=0)
    return graph.add("Div", total, graph.reduce("ReduceSum", total))


def _weights(graph: Graph, x: str, near: str, kind: str) -> Any:
    """Return a weight for each neighbor, in the last of three dimensions."""
    if kind == "uniform":
        return np.ones((1, 1, 1))
    # Anew from differences: where rows are close, expanded squares are rounding.
    apart = graph.add("Sub", graph.add("Unsqueeze", x, np.array([1], dtype=np.int64)), near)
    last = np.array([2], dtype=np.int64)
    squared = graph.add("ReduceSum", graph.add("Mul", apart, apart), last, keepdims=1)
    distance = graph.add("Sqrt", squared)
    # Rows that are there already vote alone.
    same = graph.add("Equal", distance, np.float64(0.0))
    number = graph.add("Cast", same, to=graph.onnx.TensorProto.DOUBLE)
    axis = np.array([1], dtype=np.int64)
    is_there = graph.add(
        "Greater", graph.add("ReduceMax", number, axis, keepdims=1), np.float64(0.0)
    )
    inverse = graph.add("Div", np.float64(1.0), graph.add("Where", same, np.float64(1.0), distance))
    return graph.add("Where", is_there, number, inverse)


def _require_plain(model: Any) -> None:
    euclidean = model.metric == "euclidean" or (model.metric == "minkowski" and model.p == 2)
    if not euclidean or model.weights not in ("uniform", "distance"):
        raise ValueError(
            "ONNX graphs have nearest rows by Euclidean distance, with weights 'uniform' or "
            f"'distance'; got metric {model.metric!r} and weights {model.weights!r}."
        )
