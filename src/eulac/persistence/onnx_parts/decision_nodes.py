"""The decision rule as nodes of a graph: evidence, the shift, answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eulac.maths.losses import clipped_score, get_loss, half_tanh
from eulac.persistence.onnx_graph import Graph
from eulac.risk.decision_rule import DecisionRule
from eulac.risk.evidence import (
    FADED,
    SHARE_LIMITS,
    SMALLEST_PROBABILITY,
    SMALLEST_REACH,
    ClassShares,
)

__all__ = ["answer_nodes", "decided_probabilities", "decided_scores", "rule_probabilities"]

CERTAINTIES: dict[Any, Callable[[Graph, str], str]] = {
    clipped_score: lambda graph, scores: graph.clip(scores, -1.0, 1.0),
    half_tanh: lambda graph, scores: graph.add("Tanh", graph.add("Mul", scores, np.float64(0.5))),
}
"""What a loss's `certainty` is in a graph."""


def decided_probabilities(
    graph: Graph, probabilities: str, rule: DecisionRule, n_known: int
) -> str:
    """As `DecisionRule.decide` of logarithms of probabilities."""
    evidence = graph.add("Log", graph.clip(probabilities, SMALLEST_PROBABILITY, 1.0))
    if rule.closed_set:
        return graph.columns(evidence, 0, n_known)
    return graph.add("Add", evidence, np.append(np.zeros(n_known), rule.shift))


def decided_scores(
    graph: Graph, scores: str, kind: ClassShares, rule: DecisionRule, n_known: int
) -> str:
    """As `DecisionRule.decide` of class shares."""
    pull = np.append(np.full(n_known, -kind.outlier_pull), kind.outlier_pull)
    shares = _shares(graph, graph.add("Add", scores, pull), kind.loss, n_known)
    known = graph.columns(shares, 0, n_known)
    if rule.closed_set:
        return known
    shift: Any = np.float64(rule.shift)
    if kind.outlier_pull != 0.0:
        largest = graph.reduce("ReduceMax", graph.add("Abs", scores))
        shift_share = graph.add("Div", largest, np.float64(FADED * kind.outlier_pull))
        shift = graph.add("Mul", graph.add("Min", shift_share, np.float64(1.0)), shift)
    new = graph.add("Add", graph.columns(shares, n_known, n_known + 1), shift)
    return graph.add("Concat", known, new, axis=1)


def rule_probabilities(graph: Graph, decision: str, sharpness: float, output: str = "") -> str:
    """As `DecisionRule.probabilities`."""
    logits = graph.add("Mul", decision, np.float64(sharpness))
    return graph.add("Softmax", logits, output=output or None, axis=1)


def answer_nodes(graph: Graph, decision: str, labels: Any, n_known: int) -> None:
    """Add what comes out beside probabilities: labels and how new rows look."""
    best = graph.add("ArgMax", decision, axis=1, keepdims=0)
    graph.add("Gather", labels, best, output="label", axis=0)
    largest = graph.reduce("ReduceMax", graph.columns(decision, 0, n_known), keepdims=0)
    if len(labels) == n_known:
        graph.add("Neg", largest, output="augmented_score")
        return
    graph.add("Sub", graph.column(decision, n_known), largest, output="augmented_score")


def _shares(graph: Graph, scores: str, loss: str, n_known: int) -> str:
    """As `class_shares`."""
    trained_with = get_loss(loss)
    if trained_with.quadratic and n_known > 1:
        total = graph.reduce("ReduceSum", scores)
        reach = graph.add("Div", total, np.float64(1 - n_known))
        ratio = graph.add("Div", scores, graph.add("Max", reach, np.float64(SMALLEST_REACH)))
        shares = _half_plus(graph, ratio)
    else:
        if trained_with.certainty not in CERTAINTIES:
            raise ValueError(
                f"ONNX has no node for what scores of loss {loss!r} mean as probabilities. Add "
                "its `certainty` to `CERTAINTIES`, or use another loss."
            )
        shares = _half_plus(graph, CERTAINTIES[trained_with.certainty](graph, scores))
        total = graph.reduce("ReduceSum", shares)
        positive = graph.add("Greater", total, np.float64(0.0))
        safe = graph.add("Where", positive, total, np.float64(1.0))
        equal = np.float64(1.0 / (n_known + 1))
        shares = graph.add("Where", positive, graph.add("Div", shares, safe), equal)
    return graph.clip(shares, *SHARE_LIMITS)


def _half_plus(graph: Graph, x: str) -> str:
    return graph.add("Mul", graph.add("Add", x, np.float64(1.0)), np.float64(0.5))
