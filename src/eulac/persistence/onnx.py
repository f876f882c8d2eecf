"""Classifiers as ONNX graphs: columns, families, their mixture, decision rule, labels.

In double precision but for sums of trees, so that answers agree with those of Python to 1e-5. Needs
the extra `onnx`.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eulac.persistence.onnx_graph import Graph
from eulac.persistence.onnx_inputs import input_columns, table_inputs
from eulac.persistence.onnx_parts.decision_nodes import answer_nodes, rule_probabilities
from eulac.persistence.onnx_parts.family_nodes import decision_nodes, opened_pipeline, rule_of
from eulac.tables.table_model import TableModel

__all__ = ["to_onnx"]


def to_onnx(model: Any) -> Any:
    """Return a fitted classifier as an ONNX model.

    Parameters
    ----------
    model : fitted classifier, pipeline that ends in one, or TableModel
        `EulacClassifier`, `TwoStageEulacClassifier`, `KernelEulacClassifier`,
        `LandmarkEulacClassifier`, `StreamEulacClassifier`, `LinearEulacClassifier` or
        `BoostedEulacClassifier`, on rows of numbers. Around another classifier: one of those that
        `persistence/onnx_parts/estimator_nodes.py` has nodes for. The graph of a `TableModel` does
        what becomes of its columns too: missing numbers (NaN) are filled, and categories come as
        texts, "" where one is missing.

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
        check_is_fitted(model)
        classifier, notes = model, {}
        x = graph.input("X", _n_columns(model))
    x, classifier = opened_pipeline(graph, x, classifier)
    decision = decision_nodes(graph, x, classifier)
    rule_probabilities(graph, decision, rule_of(classifier).sharpness, "probabilities")
    labels = _label_array(classifier)
    answer_nodes(graph, decision, labels, len(classifier.known_classes_))
    outputs: list[tuple[str, Any, list[Any]]] = [
        ("label", labels.dtype, ["n"]),
        ("probabilities", np.dtype(np.float64), ["n", len(labels)]),
        ("augmented_score", np.dtype(np.float64), ["n"]),
    ]
    return graph.model(outputs, notes | {"eulac_version": version("eulac")})


def _n_columns(model: Any) -> int:
    if hasattr(model, "n_features_in_"):
        return int(model.n_features_in_)
    raise ValueError(
        f"ONNX graphs take rows of numbers; {type(model).__name__} was fitted to rows without "
        "columns, such as texts. Turn them into numbers first."
    )


def _label_array(classifier: Any) -> Any:
    """Return the labels as ONNX has them: texts, whole numbers or doubles."""
    kind = classifier.classes_.dtype.kind
    return classifier.classes_.astype(
        {"f": np.float64, "O": object, "U": object}.get(kind, np.int64)
    )
