"""Scaled rows, kernels and landmarks as nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.preprocessing import MinMaxScaler

from eulac.data import requirements
from eulac.kernel.kernel_model import KernelExpansion
from eulac.maths.feature_maps import FourierMap, NystroemMap
from eulac.maths.kernels import GaussianKernel
from eulac.persistence.onnx_graph import Graph

__all__ = ["expansion_nodes", "feature_scores", "landmark_features", "scaled_nodes"]


def scaled_nodes(graph: Graph, x: str, scaler: Any) -> str:
    """As `scaled_rows`."""
    x = graph.clip(x, -requirements.LARGEST, requirements.LARGEST)
    if scaler is None:
        return x
    if isinstance(scaler, MinMaxScaler):
        x = graph.add("Add", graph.add("Mul", x, scaler.scale_), scaler.min_)
    else:
        x = graph.add("Div", graph.add("Sub", x, scaler.mean_), scaler.scale_)
    return graph.clip(x, -requirements.LARGEST, requirements.LARGEST)


def feature_scores(graph: Graph, x: str, features: Any, coefficients: Any) -> str:
    """Return the scores of coefficients of a feature map."""
    if isinstance(features, FourierMap):
        return _waves(graph, x, features, coefficients)
    return expansion_nodes(graph, x, _as_expansion(features, coefficients))


def landmark_features(graph: Graph, x: str, features: NystroemMap) -> str:
    """As `NystroemMap.transform`."""
    whitening = solve_triangular(features.factor, np.eye(features.n_features), lower=True)
    kernel = _kernel(graph, x, GaussianKernel(features.bandwidth), features.landmarks)
    return graph.add("MatMul", kernel, np.ascontiguousarray(whitening.T, dtype=np.float64))


def expansion_nodes(graph: Graph, x: str, expansion: KernelExpansion) -> str:
    """Return the scores of a sum of kernels at rows."""
    kernel = _kernel(graph, x, expansion.kernel, expansion.rows)
    scores = graph.add("MatMul", kernel, np.ascontiguousarray(expansion.coefficients))
    return graph.add("Add", scores, np.asarray(expansion.offsets, dtype=np.float64))


def _kernel(graph: Graph, x: str, kernel: Any, rows: Any) -> str:
    rows = np.asarray(rows, dtype=np.float64)
    if not isinstance(kernel, GaussianKernel):
        products = graph.add("MatMul", x, np.ascontiguousarray(rows.T))
        return graph.add("Add", products, np.float64(1.0))
    distances = graph.squared_distances(x, rows)
    return graph.add("Exp", graph.add("Mul", distances, np.float64(-0.5 / kernel.bandwidth**2)))


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
    # Cosines are shifted sines, which older runtimes have in double precision, too.
    half = features.frequencies.shape[1]
    shifts = np.append(np.full(half, 0.5 * np.pi), np.zeros(half))
    waves = graph.add("Sin", graph.add("Add", graph.add("Concat", phase, phase, axis=1), shifts))
    return graph.add("MatMul", waves, np.sqrt(1.0 / half) * coefficients)
