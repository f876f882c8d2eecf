"""How features are scaled before they are learned from: one table for all classifiers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from eulac.data import requirements

__all__ = ["SCALERS", "fit_scaler", "scaled_rows"]

SCALERS: dict[str, Any] = {"minmax": MinMaxScaler, "standard": StandardScaler}


def fit_scaler(scale: str | None, rows: NDArray[np.float64]) -> Any:
    """Return the scaler of a name, fitted to rows; None where rows stay as they are.

    Examples
    --------
    >>> scaler = fit_scaler("minmax", np.array([[0.0], [4.0]]))
    >>> scaled_rows(scaler, np.array([[1.0], [1e300]]))
    array([[2.5e-01], [2.5e+69]])
    """
    requirements.require_choice("scale", scale, (*SCALERS, None))
    return None if scale is None else SCALERS[scale]().fit(rows)


def scaled_rows(scaler: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scaled rows; numbers whose squares would overflow are moved to the largest allowed."""
    X = requirements.moderate(X)
    if scaler is None or not len(X):
        return X
    return requirements.moderate(scaler.transform(X))
