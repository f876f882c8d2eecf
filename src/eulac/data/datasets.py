"""Named datasets: where each one lies, and how to get it.

Nothing is downloaded unless asked. Whatever the file, its size and class counts are checked against
`DATASETS`, so that two runs on "usps" are runs on the same data. Values are raw; scaling to [0, 1],
as in the paper, is the business of the experiment.
"""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.dataset_specs import DATASETS, DatasetSpec
from eulac.data.reading.drafts import replacing
from eulac.data.table_formats import did_you_mean, read_npz

__all__ = [
    "DATASETS",
    "Dataset",
    "DatasetSpec",
    "DatasetStatus",
    "fetch_dataset",
    "list_datasets",
    "load_dataset",
]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A named dataset in memory: `X` (n_rows, n_features), raw, and `y` (n_rows,).

    `X` is float32 unless the file holds doubles or wide integers; images are flattened, and
    `X.reshape(-1, *image_shape)` gives them back.

    Examples
    --------
    >>> spec = DatasetSpec("pair", 2, 2, 2, (1, 1), "made up")
    >>> Dataset("pair", np.eye(2), np.array([0, 1]), spec, Path("pair.npz"))
    Dataset('pair', 2 rows x 2 features, 2 classes, from pair.npz)
    """

    name: str
    X: NDArray[np.floating[Any]]
    y: NDArray[Any]
    spec: DatasetSpec
    path: Path

    @property
    def image_shape(self) -> tuple[int, ...] | None:
        """Shape of one row as an image; None for data that are no images."""
        return self.spec.image_shape

    def __repr__(self) -> str:
        size = f"{self.X.shape[0]} rows x {self.X.shape[1]} features"
        return f"Dataset({self.name!r}, {size}, {self.spec.n_classes} classes, from {self.path})"


@dataclass(frozen=True)
class DatasetStatus:
    """Where a named dataset was found; `path` is None when it was not.

    Examples
    --------
    >>> DatasetStatus("usps", None, DATASETS["usps"]).spec.openml
    ('USPS', 2)
    """

    name: str
    path: Path | None
    spec: DatasetSpec


def load_dataset(name: str, *, download: bool = False) -> Dataset:
    """Return a named dataset, checked against its entry in `DATASETS`.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    download : bool, default=False
        Whether to fetch the data when neither $EULAC_DATA nor the cache has them.

    Returns
    -------
    dataset : Dataset

    Examples
    --------
    >>> load_dataset("mnits")
    Traceback (most recent call last):
    ValueError: unknown dataset 'mnits'. Known: cifar10, ... Did you mean 'mnist'?
    """
    spec = _spec(name)
    path = fetch_dataset(name) if download else _find(spec)
    if path is None:
        places = " and in ".join(map(str, _folders()))
        raise FileNotFoundError(
            f"dataset {name!r} must be on this machine; {spec.file_name} is not in {places}. "
            f"{_advice(spec)}"
        )
    X, labels = read_npz(path, label_array="y")
    X, y = X.reshape(len(X), math.prod(X.shape[1:])), np.asarray(labels)
    _check(spec, X, y, str(path))
    # uint8 and int16 fit float32 exactly; doubles and wider integers become or stay doubles.
    return Dataset(name, X.astype(np.result_type(X, np.float32)), y, spec, path)


def fetch_dataset(name: str, *, force: bool = False) -> Path:
    """Return the file of a named dataset, downloading it from OpenML when it is not here.

    Rows come in OpenML's order with its labels, as integers where they are whole numbers.

    Parameters
    ----------
    name : str
        A key of `DATASETS`.
    force : bool, default=False
        Download into the cache even when a file is found.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> fetch_dataset("sensit300", force=True)
    Traceback (most recent call last):
    ValueError: dataset 'sensit300' cannot be fetched. No public copy fits: put sensit300.npz ...
    """
    spec = _spec(name)
    found = _find(spec)
    if found is not None and not force:
        return found
    X, y = _download(spec)
    _check(spec, X, y, f"OpenML's {spec.openml}")
    path = _cache_folder() / spec.file_name
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        np.savez_compressed(draft, X=X, y=y)
    return path


def list_datasets() -> list[DatasetStatus]:
    """Return every named dataset with the place where it was found, sorted by name.

    Examples
    --------
    >>> [status.name for status in list_datasets()][:3]
    ['cifar10', 'cifar10_exact', 'landset']
    """
    return [DatasetStatus(name, _find(DATASETS[name]), DATASETS[name]) for name in sorted(DATASETS)]


def _cache_folder() -> Path:
    if os.environ.get("EULAC_CACHE"):
        return Path(os.environ["EULAC_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eulac"


def _folders() -> list[Path]:
    given = os.environ.get("EULAC_DATA")
    return [Path(given), _cache_folder()] if given else [_cache_folder()]


def _spec(name: str) -> DatasetSpec:
    if name not in DATASETS:
        raise ValueError(
            f"unknown dataset {name!r}. Known: {', '.join(sorted(DATASETS))}."
            f"{did_you_mean(name, DATASETS)}"
        )
    return DATASETS[name]


def _find(spec: DatasetSpec) -> Path | None:
    paths = [folder / spec.file_name for folder in _folders()]
    return next((path for path in paths if path.is_file()), None)


def _advice(spec: DatasetSpec) -> str:
    by_hand = f"put {spec.file_name} in a folder and set EULAC_DATA to it."
    if spec.openml is None:
        return f"No public copy fits: {by_hand}"
    return f"Run `eulac data fetch {spec.name}`, or {by_hand}"


def _check(spec: DatasetSpec, X: NDArray[Any], y: NDArray[Any], where: str) -> None:
    counts = np.unique(y, return_counts=True)[1]
    found = {
        "rows": (spec.n_rows, len(X)),
        "features": (spec.n_features, X.shape[1]),
        "classes": (spec.n_classes, len(counts)),
    }
    if spec.class_counts is not None and len(counts):
        found["rows in its smallest class"] = (spec.class_counts[0], int(counts.min()))
        found["rows in its biggest class"] = (spec.class_counts[1], int(counts.max()))
    for what, (expected, got) in found.items():
        if got != expected:
            raise ValueError(
                f"dataset {spec.name!r} must have {expected} {what}; {where} has {got}. "
                f"Use a whole copy of {spec.file_name} instead."
            )


def _download(spec: DatasetSpec) -> tuple[NDArray[Any], NDArray[Any]]:
    from sklearn.datasets import fetch_openml

    if spec.openml is None:
        raise ValueError(f"dataset {spec.name!r} cannot be fetched. {_advice(spec)}")
    name, version = spec.openml
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A network error occurred")  # the error says it
            X, y = fetch_openml(
                name, version=version, as_frame=False, return_X_y=True, cache=False, n_retries=1
            )
    except (OSError, ValueError, HTTPException) as error:
        raise ConnectionError(
            f"dataset {spec.name!r} must be downloaded from OpenML ({name!r}, version {version}), "
            f"and that failed: {error}. Try again later, or put {spec.file_name} in a folder and "
            "set EULAC_DATA to it."
        ) from error
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return X.astype(np.float32), _whole_numbers(np.asarray(y))


def _whole_numbers(y: NDArray[Any]) -> NDArray[Any]:
    """Return labels such as '3' or 3.0 as integers, and other labels as text."""
    try:
        numbers = y.astype(float)
    except ValueError:
        return y.astype(str)
    return numbers.astype(np.int64) if np.all(numbers == numbers.round()) else y.astype(str)
