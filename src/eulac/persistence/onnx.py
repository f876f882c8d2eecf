"""Kernel classifiers as ONNX graphs: scaling, kernel, decision rule and labels in plain operators.

In double precision throughout, so that answers agree with those of Python up to rounding. Needs
the extra `onnx`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.preprocessing import MinMaxScaler

from eulac.data import checks
from eulac.data.preprocessing import CATEGORY
from eulac.estimators.kernel import EulacClassifier
from eulac.maths.kernels import GaussianKernel
from eulac.persistence.table_model import TableModel
from eulac.risk.decision import FADED, SHARE_LIMITS, SMALLEST_REACH, DecisionRule

__all__ = ["to_onnx"]

OPSET = 18
IR_VERSION = 9
"""Of ONNX 1.14, so that runtimes some years old read the file."""


def to_onnx(model: EulacClassifier | TableModel) -> Any:
    """Return a fitted kernel classifier as an ONNX model.

    Parameters
    ----------
    model : EulacClassifier or TableModel
        A `TableModel` of number and flag columns; its graph fills missing values (NaN) too. The
        columns of `X` are those of `model.columns.feature_names`.

    Returns
    -------
    graph : onnx.ModelProto
        From `X` (double, one row each) to `label`, `probabilities` (following `classes_`) and
        `augmented_score`.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import EulacClassifier
    >>> X, y = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]), [0, 0, 1, 1, -1, -1]
    >>> clf = EulacClassifier(0.5, bandwidth=1.0, penalty=0.1, cv=2, random_state=0).fit(X, y)
    >>> [output.name for output in to_onnx(clf).graph.output]
    ['label', 'probabilities', 'augmented_score']
    """
    classifier, medians = _parts(model)
    graph = _Graph()
    x = "X" if medians is None else _imputed(graph, medians)
    scores = _scores(graph, _scaled(graph, x, classifier.scaler_), classifier.model_.expansion)
    decision = _decision(graph, scores, classifier.model_.rule, len(classifier.known_classes_))
    _answers(graph, decision, classifier)
    return graph.model(classifier)


def _parts(model: Any) -> tuple[EulacClassifier, Any]:
    """Return the classifier and what missing values become, refusing what has no graph."""
    classifier = model.classifier if isinstance(model, TableModel) else model
    if not isinstance(classifier, EulacClassifier):
        raise ValueError(
            "only kernel classifiers (EulacClassifier, method `kernel`) can be exported to ONNX; "
            f"got {type(classifier).__name__}."
        )
    if classifier is model:
        return classifier, None
    categories = [name for name, kind in model.columns.kinds.items() if kind == CATEGORY]
    if categories:
        raise ValueError(
            f"columns must be numbers or flags to be exported to ONNX; {categories[:6]} hold "
            "categories. Encode them as numbers before fitting, or leave them out."
        )
    steps = model.columns.transformer.named_transformers_
    return classifier, np.concatenate([step.statistics_ for step in steps.values()])


class _Graph:
    """Nodes and constants of a graph in the making; every node has one output."""

    def __init__(self) -> None:
        try:
            import onnx
        except ImportError as error:
            raise ImportError(
                "ONNX files need onnx, which is not installed. Install the extra: eulac[onnx]."
            ) from error
        self.onnx, self.nodes, self.constants = onnx, [], []

    def constant(self, values: Any) -> str:
        name = f"constant_{len(self.constants)}"
        array = np.asarray(values)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Append a node; inputs that are no names become constants."""
        names = [item if isinstance(item, str) else self.constant(item) for item in inputs]
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, names, [output], **attributes))
        return output

    def clip(self, x: str, low: float, high: float) -> str:
        return self.add("Min", self.add("Max", x, np.float64(low)), np.float64(high))

    def column(self, x: str, start: int, stop: int) -> str:
        bounds = (np.array([value], dtype=np.int64) for value in (start, stop, 1))
        return self.add("Slice", x, *bounds)

    def reduce(self, kind: str, x: str, keepdims: int = 1) -> str:
        return self.add(kind, x, np.array([1], dtype=np.int64), keepdims=keepdims)

    def model(self, classifier: EulacClassifier) -> Any:
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        names = _label_array(classifier)
        kind = {"O": kinds.STRING, "i": kinds.INT64, "f": kinds.DOUBLE}[names.dtype.kind]
        n_features, n_classes = classifier.n_features_in_, len(classifier.classes_)
        outputs: Sequence[Any] = [
            helper.make_tensor_value_info("label", kind, ["n"]),
            helper.make_tensor_value_info("probabilities", kinds.DOUBLE, ["n", n_classes]),
            helper.make_tensor_value_info("augmented_score", kinds.DOUBLE, ["n"]),
        ]
        inputs = [helper.make_tensor_value_info("X", kinds.DOUBLE, ["n", n_features])]
        graph = helper.make_graph(self.nodes, "eulac", inputs, outputs, self.constants)
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
        self.onnx.checker.check_model(model, full_check=True)
        return model


def _imputed(graph: _Graph, medians: Any) -> str:
    return graph.add("Where", graph.add("IsNaN", "X"), medians.astype(np.float64), "X")


def _scaled(graph: _Graph, x: str, scaler: Any) -> str:
    x = graph.clip(x, -checks.LARGEST, checks.LARGEST)
    if scaler is None:
        return x
    if isinstance(scaler, MinMaxScaler):
        x = graph.add("Add", graph.add("Mul", x, scaler.scale_), scaler.min_)
    else:
        x = graph.add("Div", graph.add("Sub", x, scaler.mean_), scaler.scale_)
    return graph.clip(x, -checks.LARGEST, checks.LARGEST)


def _scores(graph: _Graph, x: str, expansion: Any) -> str:
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


def _decision(graph: _Graph, scores: str, rule: DecisionRule, n_known: int) -> str:
    """As `DecisionRule.decide`."""
    pull = np.append(np.full(n_known, -rule.outlier_pull), rule.outlier_pull)
    shares = _shares(graph, graph.add("Add", scores, pull), rule.loss, n_known)
    known = graph.column(shares, 0, n_known)
    if rule.closed_set:
        return known
    shift: Any = np.float64(rule.shift)
    if rule.outlier_pull != 0.0:
        largest = graph.reduce("ReduceMax", graph.add("Abs", scores))
        evidence = graph.add("Div", largest, np.float64(FADED * rule.outlier_pull))
        shift = graph.add("Mul", graph.add("Min", evidence, np.float64(1.0)), shift)
    new = graph.add("Add", graph.column(shares, n_known, n_known + 1), shift)
    return graph.add("Concat", known, new, axis=1)


def _shares(graph: _Graph, scores: str, loss: str, n_known: int) -> str:
    """As `class_shares`."""
    if loss == "square" and n_known > 1:
        total = graph.reduce("ReduceSum", scores)
        reach = graph.add("Div", total, np.float64(1 - n_known))
        ratio = graph.add("Div", scores, graph.add("Max", reach, np.float64(SMALLEST_REACH)))
        shares = _half_plus(graph, ratio)
    else:
        squashed = (
            graph.add("Tanh", graph.add("Mul", scores, np.float64(0.5)))
            if loss == "logistic"
            else graph.clip(scores, -1.0, 1.0)
        )
        shares = _half_plus(graph, squashed)
        total = graph.reduce("ReduceSum", shares)
        positive = graph.add("Greater", total, np.float64(0.0))
        safe = graph.add("Where", positive, total, np.float64(1.0))
        equal = np.float64(1.0 / (n_known + 1))
        shares = graph.add("Where", positive, graph.add("Div", shares, safe), equal)
    return graph.clip(shares, *SHARE_LIMITS)


def _half_plus(graph: _Graph, x: str) -> str:
    return graph.add("Mul", graph.add("Add", x, np.float64(1.0)), np.float64(0.5))


def _answers(graph: _Graph, decision: str, classifier: EulacClassifier) -> None:
    best = graph.add("ArgMax", decision, axis=1, keepdims=0)
    graph.add("Gather", _label_array(classifier), best, output="label", axis=0)
    logits = graph.add("Mul", decision, np.float64(classifier.model_.rule.sharpness))
    graph.add("Softmax", logits, output="probabilities", axis=1)
    n_known = len(classifier.known_classes_)
    largest = graph.reduce("ReduceMax", graph.column(decision, 0, n_known), keepdims=0)
    if classifier.closed_set_:
        graph.add("Neg", largest, output="augmented_score")
        return
    new = graph.add("Squeeze", graph.column(decision, n_known, n_known + 1), np.array([1]))
    graph.add("Sub", new, largest, output="augmented_score")


def _label_array(classifier: EulacClassifier) -> Any:
    """Return the labels as ONNX has them: texts, whole numbers or doubles."""
    kind = classifier.classes_.dtype.kind
    return classifier.classes_.astype(
        {"f": np.float64, "O": object, "U": object}.get(kind, np.int64)
    )
