"""The first thing in a model file: what it holds, readable without loading the model."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from typing import Any

import numpy as np

from eulac.exceptions import ModelFileError

__all__ = ["FORMAT_VERSION", "Manifest", "data_fingerprint", "describe"]

FORMAT = "eulac model"
FORMAT_VERSION = 2
"""Raised when a file of this package could not be read by an older one."""


@dataclass(frozen=True)
class Manifest:
    """What a model file says about itself.

    Attributes
    ----------
    format_version : int
    eulac_version, sklearn_version : str
        With which it was written.
    estimator : str
        Class of the classifier.
    feature_names : list of str
        Columns the model reads; of a bare classifier those it was fitted with, if it knows.
    n_features : int
    classes : list
        Known labels, then the augmented one.
    known_proportion : dict or None
        Estimate, interval and method.
    risk : dict or None
        Estimated test error and interval.
    data_fingerprint : str or None
        Of the rows it was fitted on.
    sha256 : str
        Of the stored model: damage is seen before anything is unpacked.
    """

    format_version: int
    eulac_version: str
    sklearn_version: str
    estimator: str
    feature_names: list[str]
    n_features: int
    classes: list[Any]
    known_proportion: dict[str, Any] | None
    risk: dict[str, Any] | None
    data_fingerprint: str | None
    sha256: str

    def to_json(self) -> bytes:
        """Return the manifest as it stands in a file."""
        text = json.dumps({"format": FORMAT, **asdict(self)}, indent=2, allow_nan=False)
        return text.encode()

    @classmethod
    def from_json(cls, content: bytes, source: str) -> "Manifest":
        """Return the manifest of a file, refusing those of the future and those damaged."""
        try:
            claims = json.loads(content)
            of_this_kind = claims["format"] == FORMAT
            format_version = int(claims["format_version"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ModelFileError(
                f"{source} must say what it holds; its manifest is damaged. Save the model again."
            ) from error
        if not of_this_kind:
            raise ModelFileError(f"{source} must hold a model; it holds {claims['format']!r:.60}.")
        if format_version != FORMAT_VERSION:
            remedy = "Update eulac." if format_version > FORMAT_VERSION else "Fit the model again."
            raise ModelFileError(
                f"{source} must be of format {FORMAT_VERSION}; it is of format {format_version}, "
                f"written by eulac {str(claims.get('eulac_version'))[:20]}. {remedy}"
            )
        missing = [field.name for field in fields(cls) if field.name not in claims]
        if missing:
            raise ModelFileError(
                f"the manifest of {source} must be whole; it lacks {', '.join(missing)}. Save the "
                "model again."
            )
        return cls(**{field.name: claims[field.name] for field in fields(cls)})


def describe(model: Any, payload: bytes, *, fingerprint: str | None) -> Manifest:
    """Return the manifest of a fitted model."""
    inner = getattr(model, "classifier", model) if hasattr(model, "columns") else model
    names = model.columns.names if inner is not model else getattr(inner, "feature_names_in_", [])
    return Manifest(
        FORMAT_VERSION,
        version("eulac"),
        version("scikit-learn"),
        type(inner).__name__,
        [str(name) for name in names],
        int(getattr(inner, "n_features_in_", 0)),  # texts have no features of their own
        inner.classes_.tolist(),
        _proportion(getattr(inner, "proportion_", None)),
        _risk(getattr(inner, "risk_", None)),
        fingerprint,
        hashlib.sha256(payload).hexdigest(),
    )


def data_fingerprint(*arrays: Any) -> str:
    """Return a fingerprint of arrays: equal for equal values and shapes, whatever their order.

    Rows count as a set: the same table sorted otherwise has the same fingerprint.

    Examples
    --------
    >>> data_fingerprint(np.eye(2)) == data_fingerprint(np.eye(2)[::-1])
    True
    >>> data_fingerprint(np.eye(2)) == data_fingerprint(np.eye(3))
    False
    """
    digest = hashlib.sha256()
    for array in map(np.asarray, arrays):
        rows = array.reshape(len(array), math.prod(array.shape[1:]))
        values = rows.astype(str) if rows.dtype.kind in "OUST" else rows.astype(np.float64) + 0.0
        hashes = sorted(hashlib.sha256(np.ascontiguousarray(row).data).digest() for row in values)
        digest.update(repr(rows.shape).encode() + b"".join(hashes))
    return digest.hexdigest()


def _proportion(estimate: Any) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return _plain(
        {
            "total": estimate.total,
            "interval": list(estimate.interval),
            "per_class": estimate.per_class.tolist(),
            "method": estimate.method,
        }
    )


def _risk(estimate: Any) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return _plain({"value": estimate.value, "interval": list(estimate.interval)})


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has no NaN: a number that is not one becomes null."""
    text = json.dumps(values, default=float)
    return json.loads(text, parse_constant=lambda name: None)
