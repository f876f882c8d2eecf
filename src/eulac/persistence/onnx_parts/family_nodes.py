"""Our own classifiers as nodes of a graph: rows in, decision values out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.any_classifier.label_free_steps import PreparedModel
from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.data.any_rows import places_by_name
from eulac.direct_risk.boosted_classifier import BoostedEulacClassifier
from eulac.direct_risk.linear_classifier import LinearEulacClassifier
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.landmark.landmark_classifier import LandmarkEulacClassifier
from eulac.landmark.stream_classifier import StreamEulacClassifier
from eulac.persistence.onnx_graph import Graph
from eulac.persistence.onnx_parts.decision_nodes import (
    decided_probabilities,
    decided_scores,
    rule_probabilities,
)
from eulac.persistence.onnx_parts.estimator_nodes import estimator_probabilities, transformed
from eulac.persistence.onnx_parts.kernel_nodes import (
    expansion_nodes,
    feature_scores,
    scaled_nodes,
)
from eulac.persistence.onnx_parts.tree_nodes import in_single, step_tables, summed_trees
from eulac.risk.decision_rule import DecisionRule

__all__ = ["decision_nodes", "opened_pipeline", "rule_of"]

Nodes = Callable[[Graph, str, Any], str]


def decision_nodes(graph: Graph, x: str, classifier: Any) -> str:
    """Return the decision values of rows, a column per entry of `classes_`.

    Parameters
    ----------
    graph : Graph
    x : str
        Name of the rows, a matrix of doubles.
    classifier : fitted classifier of ours
    """
    for cls in type(classifier).__mro__:
        if cls in FAMILIES:
            return FAMILIES[cls](graph, _in_name_order(graph, x, classifier), classifier)
    names = ", ".join(cls.__name__ for cls in FAMILIES)
    raise ValueError(
        f"these classifiers can be exported to ONNX: {names}; got {type(classifier).__name__}. "
        "Fit with `--method auto`, or with `--method kernel` for a small file."
    )


def _in_name_order(graph: Graph, x: str, classifier: Any) -> str:
    """Return the rows with the columns in the order the classifier was fitted in."""
    order = getattr(classifier, "column_order_", None)
    if order is None or np.array_equal(order, np.arange(len(order))):
        return x
    return graph.add("Gather", x, order.astype(np.int64), axis=1)


def rule_of(classifier: Any) -> DecisionRule:
    """Return the rule a fitted classifier answers by."""
    if isinstance(classifier, EulacClassifier):
        return classifier.mixture_.rule
    return classifier.rule_ if hasattr(classifier, "rule_") else classifier.model_.rule


def opened_pipeline(graph: Graph, x: str, model: Any) -> tuple[str, Any]:
    """Return the rows as the last step of a pipeline takes them, and that step."""
    if not isinstance(model, Pipeline):
        return x, model
    for _, step in model.steps[:-1]:
        x = transformed(graph, x, step)
    return opened_pipeline(graph, x, model.steps[-1][1])


def _kernel(graph: Graph, x: str, classifier: Any) -> str:
    model = classifier.model_
    scores = expansion_nodes(graph, scaled_nodes(graph, x, classifier.scaler_), model.expansion)
    n_known = len(classifier.known_classes_)
    return decided_scores(graph, scores, model.evidence, model.rule, n_known)


def _landmark(graph: Graph, x: str, classifier: Any) -> str:
    model = classifier.model_
    x = scaled_nodes(graph, x, model.encoder.scaler)
    scores = feature_scores(graph, x, model.encoder.feature_map, model.coefficients)
    n_known = len(classifier.known_classes_)
    return decided_scores(graph, scores, model.evidence, model.rule, n_known)


def _linear(graph: Graph, x: str, classifier: Any) -> str:
    scores = classifier.scores_
    x = graph.add("MatMul", scaled_nodes(graph, x, classifier.scaler_), scores.coefficients)
    return _softmax_decided(graph, graph.add("Add", x, scores.intercepts), classifier)


def _boosted(graph: Graph, x: str, classifier: Any) -> str:
    scores = classifier.scores_
    rows = in_single(graph, scaled_nodes(graph, x, classifier.scaler_))
    total = summed_trees(graph, rows, step_tables(scores.trees))
    total = graph.add("Add", total, np.asarray(scores.start, dtype=np.float64))
    ordered = graph.add("Gather", total, scores.columns.astype(np.int64), axis=1)
    return _softmax_decided(graph, ordered, classifier)


def _softmax_decided(graph: Graph, logits: str, classifier: Any) -> str:
    probabilities = graph.add("Softmax", logits, axis=1)
    n_known = len(classifier.known_classes_)
    return decided_probabilities(graph, probabilities, classifier.rule_, n_known)


def _two_stage(graph: Graph, x: str, classifier: Any) -> str:
    fitted = classifier.model_.model
    if isinstance(fitted, PreparedModel):
        for _, step in fitted.prepare.steps:
            x = transformed(graph, x, step)
        fitted = fitted.inner
    models = getattr(fitted, "models", (fitted,))
    parts = [
        _in_columns(graph, estimator_probabilities(graph, x, one.model), one.codes, one.n_codes)
        for one in models
    ]
    mean = _weighted(graph, parts, np.full(len(parts), 1.0 / len(parts)))
    n_known = len(classifier.known_classes_)
    return decided_probabilities(graph, mean, classifier.model_.rule, n_known)


def _mixture(graph: Graph, x: str, classifier: Any) -> str:
    n_known = len(classifier.known_classes_)
    left_out = places_by_name(classifier, classifier.left_out_columns_)
    if len(left_out):
        kept = np.setdiff1d(np.arange(classifier.n_features_in_), left_out)
        x = graph.add("Gather", x, kept.astype(np.int64), axis=1)
    weights = classifier.mixture_.weights
    asked = zip(classifier.candidates_.values(), weights, strict=True)
    parts = [_code_probabilities(graph, x, one, n_known + 1) for one, w in asked if w > 0]
    mean = _weighted(graph, parts, weights[weights > 0])
    return decided_probabilities(graph, mean, classifier.mixture_.rule, n_known)


def _code_probabilities(graph: Graph, x: str, candidate: Any, n_codes: int) -> str:
    """Return a candidate's P(code); what it calls augmented comes last."""
    x, candidate = opened_pipeline(graph, x, candidate)
    decision = decision_nodes(graph, x, candidate)
    probabilities = rule_probabilities(graph, decision, rule_of(candidate).sharpness)
    codes = np.asarray(candidate.classes_, dtype=np.intp)
    return _in_columns(graph, probabilities, np.where(codes < 0, n_codes - 1, codes), n_codes)


def _in_columns(graph: Graph, probabilities: str, codes: Any, n_codes: int) -> str:
    """Return probabilities of some codes as columns of all codes."""
    if np.array_equal(codes, np.arange(n_codes)):
        return probabilities
    return graph.add("MatMul", probabilities, np.eye(n_codes)[codes])


def _weighted(graph: Graph, parts: list[str], weights: Any) -> str:
    weighted = [
        graph.add("Mul", part, np.float64(weight))
        for part, weight in zip(parts, weights, strict=True)
    ]
    return weighted[0] if len(weighted) == 1 else graph.add("Sum", *weighted)


FAMILIES: dict[Any, Nodes] = {
    EulacClassifier: _mixture,
    TwoStageEulacClassifier: _two_stage,
    KernelEulacClassifier: _kernel,
    LandmarkEulacClassifier: _landmark,
    StreamEulacClassifier: _landmark,
    LinearEulacClassifier: _linear,
    BoostedEulacClassifier: _boosted,
}
"""What a classifier is in a graph."""
