"""An ONNX graph in the making: nodes, constants, inputs and outputs, in double precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["Graph"]

OPSET, ML_OPSET = 18, 3
IR_VERSION = 9
"""Of ONNX 1.14, so that runtimes some years old read the file."""

ML_DOMAIN = "ai.onnx.ml"


class Graph:
    """Nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        try:
            import onnx
        except ImportError as error:
            raise ImportError(
                "ONNX files need onnx, which is not installed. Install the extra: eulac[onnx]."
            ) from error
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def input(self, name: str, n_columns: int, *, texts: bool = False) -> str:
        """Declare a matrix given from outside."""
        kind = self.onnx.TensorProto.STRING if texts else self.onnx.TensorProto.DOUBLE
        info = self.onnx.helper.make_tensor_value_info(name, kind, ["n", n_columns])
        self.inputs.append(info)
        return name

    def constant(self, values: Any) -> str:
        """Store an array."""
        name = f"constant_{len(self.constants)}"
        array = np.asarray(values)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def tensor(self, values: Any) -> Any:
        """Return an array as an attribute of a node takes it."""
        return self.onnx.numpy_helper.from_array(np.ascontiguousarray(values))

    def add(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Append a node; inputs that are no names become constants."""
        names = [item if isinstance(item, str) else self.constant(item) for item in inputs]
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, names, [output], **attributes))
        return output

    def second_output(self, kind: str, *inputs: Any, **attributes: Any) -> str:
        """Append a node of two outputs and return the second."""
        name = self.add(kind, *inputs, **attributes)
        self.nodes[-1].output.append(f"{name}_second")
        return f"{name}_second"

    def clip(self, x: str, low: float, high: float) -> str:
        """Return x moved into an interval."""
        return self.add("Min", self.add("Max", x, np.float64(low)), np.float64(high))

    def columns(self, x: str, start: int, stop: int) -> str:
        """Return columns of a matrix, that of `stop` not among them."""
        bounds = (np.array([value], dtype=np.int64) for value in (start, stop, 1))
        return self.add("Slice", x, *bounds)

    def column(self, x: str, index: int) -> str:
        """Return one column of a matrix as a vector."""
        return self.add("Gather", x, np.int64(index), axis=1)

    def reduce(self, kind: str, x: str, keepdims: int = 1) -> str:
        """Reduce along the columns."""
        return self.add(kind, x, np.array([1], dtype=np.int64), keepdims=keepdims)

    def squared_distances(self, x: str, rows: Any) -> str:
        """Return squared distances to given rows, around their center against rounding."""
        center = rows.mean(axis=0)
        around = rows - center
        x = self.add("Sub", x, center)
        norms = self.reduce("ReduceSum", self.add("Mul", x, x))
        products = self.add("MatMul", x, np.ascontiguousarray(-2.0 * around.T))
        own = np.einsum("ij,ij->i", around, around)
        distances = self.add("Add", self.add("Add", products, norms), own)
        return self.add("Max", distances, np.float64(0.0))

    def model(self, outputs: Sequence[tuple[str, Any, list[Any]]], notes: Mapping[str, str]) -> Any:
        """Return the checked model.

        Parameters
        ----------
        outputs : sequence of (name, NumPy type, shape)
        notes : mapping of str
            Stored in the file for people to read.
        """
        helper = self.onnx.helper
        declared = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(kind), shape)
            for name, kind, shape in outputs
        ]
        graph = helper.make_graph(self.nodes, "eulac", self.inputs, declared, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(ML_DOMAIN, ML_OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        helper.set_model_props(model, dict(notes))
        self.onnx.checker.check_model(model, full_check=True)
        return model
