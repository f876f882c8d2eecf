"""Sums of trees as one node of a graph: forests, boosting of scikit-learn, our own boosting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.persistence.onnx_graph import ML_DOMAIN, Graph

__all__ = ["NodeTable", "boosted_tables", "in_single", "step_tables", "summed_trees", "tree_table"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NodeTable:
    """A tree as arrays over its nodes, the root first.

    Attributes
    ----------
    at_most, above : int arrays of shape (n_nodes,)
        Node where rows go with a value up to the threshold, and beyond it.
    feature : int array of shape (n_nodes,)
    threshold : array of shape (n_nodes,)
    gap_at_most : bool array of shape (n_nodes,)
        Whether missing values go where small ones go.
    is_leaf : bool array of shape (n_nodes,)
    values : array of shape (n_nodes, n_outputs)
        What a leaf adds to each output.
    """

    at_most: NDArray[Any]
    above: NDArray[Any]
    feature: NDArray[Any]
    threshold: Array
    gap_at_most: NDArray[Any]
    is_leaf: NDArray[np.bool_]
    values: Array


def in_single(graph: Graph, x: str) -> str:
    """Return numbers rounded to single precision, as trees of scikit-learn see them."""
    kinds = graph.onnx.TensorProto
    return graph.add("Cast", graph.add("Cast", x, to=kinds.FLOAT), to=kinds.DOUBLE)


def tree_table(tree: Any, values: Array) -> NodeTable:
    """Return a tree of scikit-learn (its `tree_`), with values of its nodes."""
    is_leaf = tree.children_left < 0
    gaps = np.asarray(tree.missing_go_to_left, dtype=bool)
    return NodeTable(
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.threshold,
        gaps,
        is_leaf,
        values,
    )


def boosted_tables(model: Any) -> list[NodeTable]:
    """Return the trees of a `HistGradientBoostingClassifier`, each for one of its outputs."""
    tables = []
    for trees in model._predictors:
        for output, tree in enumerate(trees):
            nodes = tree.nodes
            if nodes["is_categorical"].any():
                raise ValueError(
                    "ONNX graphs take splits of numbers; HistGradientBoostingClassifier splits "
                    "columns of categories by sets. Encode these columns as numbers before it."
                )
            values = np.zeros((len(nodes), len(trees)))
            values[:, output] = nodes["value"]
            tables.append(
                NodeTable(
                    nodes["left"],
                    nodes["right"],
                    nodes["feature_idx"],
                    nodes["num_threshold"],
                    nodes["missing_go_to_left"].astype(bool),
                    nodes["is_leaf"].astype(bool),
                    values,
                )
            )
    return tables


def step_tables(trees: Iterable[Any]) -> list[NodeTable]:
    """Return trees of `BoostedEulacClassifier`, whose leaves lead to themselves."""
    tables = []
    for tree in trees:
        at_most, above = tree.children.T
        is_leaf = at_most == np.arange(len(at_most))
        gaps = np.zeros(len(is_leaf), dtype=bool)
        tables.append(
            NodeTable(at_most, above, tree.feature, tree.threshold, gaps, is_leaf, tree.steps)
        )
    return tables


def summed_trees(graph: Graph, x: str, tables: Sequence[NodeTable]) -> str:
    """Return the sum of what the trees say of rows of doubles.

    Thresholds and sums are doubles; the sum is rounded to single precision once, at the end:
    operators of this age give nothing finer.
    """
    n_nodes = [len(table.feature) for table in tables]
    nodes = {
        "treeids": np.repeat(np.arange(len(tables)), n_nodes),
        "nodeids": np.concatenate([np.arange(n) for n in n_nodes]),
        "featureids": _joined(table.feature * ~table.is_leaf for table in tables),
        "truenodeids": _joined(table.at_most * ~table.is_leaf for table in tables),
        "falsenodeids": _joined(table.above * ~table.is_leaf for table in tables),
        "missing_value_tracks_true": _joined(table.gap_at_most for table in tables),
    }
    is_leaf = np.concatenate([table.is_leaf for table in tables])
    thresholds = _joined(np.where(table.is_leaf, 0.0, table.threshold) for table in tables)
    total = graph.add(
        "TreeEnsembleRegressor",
        x,
        domain=ML_DOMAIN,
        n_targets=tables[0].values.shape[1],
        aggregate_function="SUM",
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_values_as_tensor=graph.tensor(thresholds.astype(np.float64)),
        **{f"nodes_{name}": values.astype(np.int64).tolist() for name, values in nodes.items()},
        **_targets(graph, tables),
    )
    return graph.add("Cast", total, to=graph.onnx.TensorProto.DOUBLE)


def _targets(graph: Graph, tables: Sequence[NodeTable]) -> dict[str, Any]:
    """Return what leaves add, outputs that a leaf leaves alone not listed."""
    trees, nodes, outputs, weights = [], [], [], []
    for index, table in enumerate(tables):
        added = np.where(table.is_leaf[:, None], table.values, 0.0)
        # A leaf must be listed once, also where it adds nothing.
        listed = (added != 0.0) | (table.is_leaf & ~added.any(axis=1))[:, None] & (
            np.arange(added.shape[1]) == 0
        )
        node, output = np.nonzero(listed)
        trees.append(np.full(len(node), index))
        nodes.append(node)
        outputs.append(output)
        weights.append(added[node, output])
    return {
        "target_treeids": _joined(trees).tolist(),
        "target_nodeids": _joined(nodes).tolist(),
        "target_ids": _joined(outputs).tolist(),
        "target_weights_as_tensor": graph.tensor(_joined(weights)),
    }


def _joined(parts: Iterable[Any]) -> NDArray[Any]:
    return np.concatenate(list(parts))
