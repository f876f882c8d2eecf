"""Classifiers of scikit-learn as nodes of a graph: rows in, probabilities of their classes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from eulac.any_classifier.default_candidates import KernelLandmarks
from eulac.any_classifier.label_free_steps import ColumnBins, SoftmaxRegression
from eulac.data.long_tails import EvenScaler
from eulac.maths.compact_forest import CompactForest
from eulac.persistence.onnx_graph import Graph
from eulac.persistence.onnx_parts.kernel_nodes import landmark_features
from eulac.persistence.onnx_parts.neighbor_nodes import neighbor_votes
from eulac.persistence.onnx_parts.tree_nodes import (
    boosted_tables,
    in_single,
    summed_trees,
    tree_table,
)

__all__ = ["estimator_probabilities", "transformed"]

Nodes = Callable[[Graph, str, Any], str]


def estimator_probabilities(graph: Graph, x: str, model: Any) -> str:
    """Return what `predict_proba` of a fitted classifier of scikit-learn says.

    Parameters
    ----------
    graph : Graph
    x : str
        Name of the rows, a matrix of doubles.
    model : fitted classifier, or a pipeline that ends in one
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            x = transformed(graph, x, step)
        return estimator_probabilities(graph, x, model.steps[-1][1])
    return _nodes_of(model, CLASSIFIERS, "classifiers")(graph, x, model)


def transformed(graph: Graph, x: str, step: Any) -> str:
    """Return what `transform` of a fitted step of a pipeline says."""
    if step is None or step == "passthrough":
        return x
    return _nodes_of(step, TRANSFORMERS, "transformers")(graph, x, step)


def _nodes_of(model: Any, known: dict[Any, Nodes], kind: str) -> Nodes:
    for cls in type(model).__mro__:
        if cls in known:
            return known[cls]
    names = ", ".join(cls.__name__ for cls in known)
    raise ValueError(
        f"{type(model).__name__} has no nodes of ONNX here. Of {kind} these have: {names}. Use "
        "one of them, or write its nodes in `persistence/onnx_parts/estimator_nodes.py`."
    )


def _forest(graph: Graph, x: str, model: Any) -> str:
    trees = [tree.tree_ for tree in getattr(model, "estimators_", [model])]
    return _mean_of_trees(graph, x, trees)


def _compact(graph: Graph, x: str, model: CompactForest) -> str:
    return _mean_of_trees(graph, x, list(model.trees()))


def _mean_of_trees(graph: Graph, x: str, trees: list[Any]) -> str:
    tables = [tree_table(tree, tree.value[:, 0, :] / len(trees)) for tree in trees]
    return summed_trees(graph, in_single(graph, x), tables)


def _hist_boosting(graph: Graph, x: str, model: Any) -> str:
    start = np.asarray(model._baseline_prediction, dtype=np.float64).reshape(1, -1)
    total = summed_trees(graph, x, boosted_tables(model))
    return _linked(graph, graph.add("Add", total, start), start.shape[1])


def _boosting(graph: Graph, x: str, model: Any) -> str:
    if model.init is not None and model.init != "zero":
        raise ValueError(
            "ONNX graphs take GradientBoostingClassifier with its own start; got one with "
            f"init={model.init!r}. Leave `init` out."
        )
    start = model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32))
    tables = []
    for trees in model.estimators_:
        for output, tree in enumerate(trees):
            values = np.zeros((tree.tree_.node_count, len(trees)))
            values[:, output] = model.learning_rate * tree.tree_.value[:, 0, 0]
            tables.append(tree_table(tree.tree_, values))
    total = summed_trees(graph, in_single(graph, x), tables)
    return _linked(graph, graph.add("Add", total, start.astype(np.float64)), start.shape[1])


def _linear(graph: Graph, x: str, model: Any) -> str:
    if getattr(model, "solver", "") == "liblinear" and len(model.classes_) > 2:
        raise ValueError(
            "ONNX graphs take LogisticRegression of all classes at once; got solver 'liblinear', "
            "which sets each class against the others. Use the default solver."
        )
    scores = graph.add("MatMul", x, np.ascontiguousarray(model.coef_.T, dtype=np.float64))
    scores = graph.add("Add", scores, np.asarray(model.intercept_, dtype=np.float64))
    return _linked(graph, scores, len(model.coef_))


def _softmax(graph: Graph, x: str, model: SoftmaxRegression) -> str:
    coefficients = model.coefficients_.astype(np.float64)
    scores = graph.add("Add", graph.add("MatMul", x, coefficients[:-1]), coefficients[-1])
    return _linked(graph, scores, coefficients.shape[1])


def _bayes(graph: Graph, x: str, model: Any) -> str:
    around = graph.add("Sub", x, model.theta_.mean(axis=0))
    centers = model.theta_ - model.theta_.mean(axis=0)
    squares = graph.add("MatMul", graph.add("Mul", around, around), -0.5 / model.var_.T)
    products = graph.add("MatMul", around, np.ascontiguousarray((centers / model.var_).T))
    start = np.log(model.class_prior_) - 0.5 * (
        np.log(2.0 * np.pi * model.var_) + centers**2 / model.var_
    ).sum(axis=1)
    scores = graph.add("Add", graph.add("Add", squares, products), start)
    return graph.add("Softmax", scores, axis=1)


ACTIVATIONS: dict[str, Callable[[Graph, str], str]] = {
    "relu": lambda graph, x: graph.add("Max", x, np.float64(0.0)),
    "tanh": lambda graph, x: graph.add("Tanh", x),
    "logistic": lambda graph, x: graph.add("Sigmoid", x),
    "identity": lambda graph, x: x,
}


def _perceptron(graph: Graph, x: str, model: Any) -> str:
    last = len(model.coefs_) - 1
    for index, (coef, intercept) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        products = graph.add("MatMul", x, coef.astype(np.float64))
        x = graph.add("Add", products, intercept.astype(np.float64))
        if index < last:
            x = ACTIVATIONS[model.activation](graph, x)
    return _linked(graph, x, model.n_outputs_)


def _prior(graph: Graph, x: str, model: Any) -> str:
    if model.strategy != "prior":
        raise ValueError(
            "ONNX graphs take DummyClassifier of strategy 'prior', which says the same of all "
            f"rows; got {model.strategy!r}."
        )
    nothing = graph.add("Mul", graph.columns(x, 0, 1), np.float64(0.0))
    # Gaps times zero are gaps still.
    zero = graph.add("Where", graph.add("IsNaN", nothing), np.float64(0.0), nothing)
    return graph.add("Add", zero, np.asarray(model.class_prior_, dtype=np.float64))


def _linked(graph: Graph, scores: str, n_outputs: int) -> str:
    """Return the softmax of scores; of a single one, what it says of two classes."""
    if n_outputs > 1:
        return graph.add("Softmax", scores, axis=1)
    positive = graph.add("Sigmoid", scores)
    negative = graph.add("Sigmoid", graph.add("Neg", scores))
    return graph.add("Concat", negative, positive, axis=1)


CLASSIFIERS: dict[Any, Nodes] = {
    ExtraTreesClassifier: _forest,
    RandomForestClassifier: _forest,
    DecisionTreeClassifier: _forest,
    HistGradientBoostingClassifier: _hist_boosting,
    GradientBoostingClassifier: _boosting,
    LogisticRegression: _linear,
    LinearDiscriminantAnalysis: _linear,
    GaussianNB: _bayes,
    MLPClassifier: _perceptron,
    KNeighborsClassifier: neighbor_votes,
    DummyClassifier: _prior,
    CompactForest: _compact,
    SoftmaxRegression: _softmax,
}
"""What a classifier is in a graph; also for classes that inherit from it."""


def _min_max(graph: Graph, x: str, step: Any) -> str:
    x = graph.add("Add", graph.add("Mul", x, step.scale_), step.min_)
    return graph.clip(x, *map(float, step.feature_range)) if step.clip else x


def _centered(graph: Graph, x: str, step: Any) -> str:
    """Of scalers with a center, called by one of two names, and a scale; either may be missing."""
    center = getattr(step, "mean_" if isinstance(step, StandardScaler) else "center_", None)
    centered = getattr(step, "with_mean", getattr(step, "with_centering", False))
    if centered and center is not None:
        x = graph.add("Sub", x, center)
    return x if step.scale_ is None else graph.add("Div", x, step.scale_)


def _imputed(graph: Graph, x: str, step: Any) -> str:
    if step.add_indicator or not np.isnan(step.missing_values):
        raise ValueError(
            "ONNX graphs take SimpleImputer of NaN without `add_indicator`; got "
            f"missing_values={step.missing_values!r}, add_indicator={step.add_indicator!r}."
        )
    filled = step.statistics_.astype(np.float64)
    kept = np.flatnonzero(~np.isnan(filled))
    x = graph.add("Where", graph.add("IsNaN", x), filled, x)
    return x if len(kept) == len(filled) else graph.add("Gather", x, kept.astype(np.int64), axis=1)


def _binned(graph: Graph, x: str, step: ColumnBins) -> str:
    """Of each value the number of edges below it; gaps stay gaps."""
    edges = np.full((len(step.edges_), max((len(one) for one in step.edges_), default=0)), np.inf)
    for place, one in enumerate(step.edges_):
        edges[place, : len(one)] = one
    last = np.array([2], dtype=np.int64)
    above = graph.add("Greater", graph.add("Unsqueeze", x, last), edges)
    numbers = graph.add("Cast", above, to=graph.onnx.TensorProto.DOUBLE)
    bins = graph.add("ReduceSum", numbers, last, keepdims=0)
    return graph.add("Where", graph.add("IsNaN", x), x, bins)


def _even(graph: Graph, x: str, step: EvenScaler) -> str:
    """Ranks in columns with long tails, then all columns to [0, 1]."""
    columns, values = step.tails_.columns, step.tails_.values
    if len(columns):
        last = np.array([2], dtype=np.int64)
        cells = graph.add("Unsqueeze", graph.add("Gather", x, columns, axis=1), last)
        ranks = [
            graph.add(
                "ReduceMean",
                graph.add("Cast", graph.add(kind, cells, values), to=graph.onnx.TensorProto.DOUBLE),
                last,
                keepdims=0,
            )
            for kind in ("Greater", "GreaterOrEqual")
        ]
        place = 0.5 * np.eye(len(step.low_))[columns]
        placed = graph.add("MatMul", graph.add("Add", *ranks), place)
        others = np.isin(np.arange(len(step.low_)), columns, invert=True)
        x = graph.add("Where", others, x, placed)
    return graph.add("Div", graph.add("Sub", x, step.low_), step.width_)


TRANSFORMERS: dict[Any, Nodes] = {
    EvenScaler: _even,
    MinMaxScaler: _min_max,
    StandardScaler: _centered,
    RobustScaler: _centered,
    MaxAbsScaler: _centered,
    SimpleImputer: _imputed,
    ColumnBins: _binned,
    KernelLandmarks: lambda graph, x, step: landmark_features(graph, x, step.map_),
}
"""What a step before a classifier is in a graph."""
