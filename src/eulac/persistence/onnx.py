"""Kernel and landmark classifiers as ONNX graphs: scaling, kernel, decision rule, labels.

In double precision throughout, so that answers agree with those of Python up to rounding. Needs
the extra `onnx`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.preprocessing import MinMaxScaler

from eulac.data import requirements
from eulac.kernel.kernel_model import KernelExpansion, KernelModel
from eulac.landmark.landmark_model import LandmarkModel
from eulac.maths.feature_maps import FourierMap, NystroemMap
from eulac.maths.kernels import GaussianKernel
from eulac.maths.losses import clipped_score, get_loss, half_tanh
from eulac.persistence.onnx_graph import Graph
from eulac.persistence.onnx_inputs import input_columns, table_inputs
from eulac.risk.decision_rule import DecisionRule
from eulac.risk.evidence import FADED, SHARE_LIMITS, SMALLEST_REACH, ClassShares
from eulac.tables.table_model import TableModel

__all__ = ["to_onnx"]

CERTAINTIES: dict[Any, Callable[[Graph, str], str]] = {
    clipped_score: lambda graph, scores: graph.clip(scores, -1.0, 1.0),
    half_tanh: lambda graph, scores: graph.add("Tanh", graph.add("Mul", scores, np.float64(0.5))),
}
"""What a loss's `certainty` is in a graph."""


def to_onnx(model: Any) -> Any:
    """Return a fitted kernel or landmark classifier as an ONNX model.

    Parameters
    ----------
    model : KernelEulacClassifier, LandmarkEulacClassifier, StreamEulacClassifier or TableModel
        The graph of a `TableModel` does what becomes of its columns too: missing numbers (NaN)
        are filled, and categories come as texts, "" where one is missing.

    Returns
    -------
    graph : onnx.ModelProto
        From `X` (double, one row each) to `label`, `probabilities` (following `classes_`) and
        `augmented_score`. Tables with categories have a second input, `categories` (text). Which
        columns go where is written in the model's `metadata_props`, as JSON.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import KernelEulacClassifier
    >>> X, y = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]), [0, 0, 1, 1, -1, -1]
    >>> clf = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.1, n_folds=2, random_state=0)
    >>> [output.name for output in to_onnx(clf.fit(X, y)).graph.output]
    ['label', 'probabilities', 'augmented_score']
    """
    graph = Graph()
    if isinstance(model, TableModel):
        classifier, x = model.classifier, table_inputs(graph, model.columns)
        notes = {"columns": json.dumps(input_columns(model.columns))}
    else:
        classifier, notes = model, {}
        x = graph.input("X", classifier.n_features_in_) if hasattr(model, "n_features_in_") else ""
    scores = _scores(graph, x, classifier)
    fitted = classifier.model_
    decision = _decision(
        graph, scores, fitted.evidence, fitted.rule, len(classifier.known_classes_)
    )
    _answers(graph, decision, classifier)
    outputs: list[tuple[str, Any, list[Any]]] = [
        ("label", _label_array(classifier).dtype, ["n"]),
        ("probabilities", np.dtype(np.float64), ["n", len(classifier.classes_)]),
        ("augmented_score", np.dtype(np.float64), ["n"]),
    ]
    return graph.model(outputs, notes | {"eulac_version": version("eulac")})


def _scores(graph: Graph, x: str, classifier: Any) -> str:
    """As `model_.scores` on rows not yet scaled."""
    model = getattr(classifier, "model_", None)
    if isinstance(model, KernelModel):
        return _expansion(graph, _scaled(graph, x, classifier.scaler_), model.expansion)
    if isinstance(model, LandmarkModel):
        x = _scaled(graph, x, model.encoder.scaler)
        if isinstance(model.encoder.feature_map, FourierMap):
            return _waves(graph, x, model.encoder.feature_map, model.coefficients)
        return _expansion(graph, x, _as_expansion(model.encoder.feature_map, model.coefficients))
    raise ValueError(
        "only classifiers with a kernel or landmarks (methods `kernel` and `landmark`) can be "
        f"exported to ONNX; got {type(classifier).__name__}. Fit with `--method kernel`, or with "
        "`--method landmark` where there are many rows."
    )


def _as_expansion(features: NystroemMap, coefficients: Any) -> KernelExpansion:
    """Landmark features undone: the same scores as a sum of kernels at the landmarks."""
    weights = solve_triangular(
        features.factor.astype(np.float64), coefficients, lower=True, trans="T"
    )
    landmarks = features.landmarks.astype(np.float64)
    return KernelExpansion(
        GaussianKernel(features.bandwidth), landmarks, weights, np.zeros(weights.shape[1])
    )


def _waves(graph: Graph, x: str, features: FourierMap, coefficients: Any) -> str:
    phase = graph.add("MatMul", x, features.frequencies.astype(np.float64))
    # Sines are shifted cosines, which every runtime has in double precision.
    half = features.frequencies.shape[1]
    shifts = np.append(np.zeros(half), np.full(half, -0.5 * np.pi))
    waves = graph.add("Cos", graph.add("Add", graph.add("Concat", phase, phase, axis=1), shifts))
    return graph.add("MatMul", waves, np.sqrt(1.0 / half) * coefficients)


def _scaled(graph: Graph, x: str, scaler: Any) -> str:
    x = graph.clip(x, -requirements.LARGEST, requirements.LARGEST)
    if scaler is None:
        return x
    if isinstance(scaler, MinMaxScaler):
        x = graph.add("Add", graph.add("Mul", x, scaler.scale_), scaler.min_)
    else:
        x = graph.add("Div", graph.add("Sub", x, scaler.mean_), scaler.scale_)
    return graph.clip(x, -requirements.LARGEST, requirements.LARGEST)


def _expansion(graph: Graph, x: str, expansion: KernelExpansion) -> str:
    rows = expansion.rows
    if isinstance(expansion.kernel, GaussianKernel):
        center = rows.mean(axis=0)
        around = rows - center
        x = graph.add("Sub", x, center)
        norms = graph.reduce("ReduceSum", graph.add("Mul", x, x))
        products = graph.add("MatMul", x, np.ascontiguousarray(-2.0 * around.T))
        distances = graph.add(
            "Add", graph.add("Add", products, norms), np.einsum("ij,ij->i", around, around)
        )
        distances = graph.add("Max", distances, np.float64(0.0))
        kernel = graph.add("Exp", graph.add("Mul", distances, -0.5 / expansion.kernel.bandwidth**2))
    else:
        products = graph.add("MatMul", x, np.ascontiguousarray(rows.T))
        kernel = graph.add("Add", products, np.float64(1.0))
    scores = graph.add("MatMul", kernel, np.ascontiguousarray(expansion.coefficients))
    return graph.add("Add", scores, np.asarray(expansion.offsets, dtype=np.float64))


def _decision(
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


def _answers(graph: Graph, decision: str, classifier: Any) -> None:
    best = graph.add("ArgMax", decision, axis=1, keepdims=0)
    graph.add("Gather", _label_array(classifier), best, output="label", axis=0)
    logits = graph.add("Mul", decision, np.float64(classifier.model_.rule.sharpness))
    graph.add("Softmax", logits, output="probabilities", axis=1)
    n_known = len(classifier.known_classes_)
    largest = graph.reduce("ReduceMax", graph.columns(decision, 0, n_known), keepdims=0)
    if classifier.closed_set_:
        graph.add("Neg", largest, output="augmented_score")
        return
    graph.add("Sub", graph.column(decision, n_known), largest, output="augmented_score")


def _label_array(classifier: Any) -> Any:
    """Return the labels as ONNX has them: texts, whole numbers or doubles."""
    kind = classifier.classes_.dtype.kind
    return classifier.classes_.astype(
        {"f": np.float64, "O": object, "U": object}.get(kind, np.int64)
    )
