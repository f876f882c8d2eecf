"""Models in MLflow: our own safe file inside, read by our own loader, nothing pickled.

Needs the extra `mlflow`.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from eulac.classifier.own_answers import own_answers_of
from eulac.data.preprocessing import CATEGORY, FLAG, NUMBER
from eulac.persistence.files import load, save
from eulac.tables.table_answers import LABEL, PROBABILITY, SCORE
from eulac.tables.table_model import TableModel

__all__ = ["log_mlflow", "mlflow_signature", "save_mlflow"]

LOADER = "eulac.persistence.mlflow_flavor"
FILE = "model.eulac"
KINDS = {NUMBER: "double", FLAG: "boolean", CATEGORY: "string"}
"""Types of columns in a signature; of dates, which come as texts or as times, any."""


def save_mlflow(model: Any, path: str | Path, **options: Any) -> None:
    """Write a fitted classifier as a model of MLflow, a folder.

    Parameters
    ----------
    model : fitted classifier of this package, or TableModel
    path : str or path
        A folder that does not exist yet.
    **options
        For `mlflow.pyfunc.save_model`.
    """
    _hand_over(_pyfunc().save_model, model, path=str(path), **options)


def log_mlflow(model: Any, name: str = "model", **options: Any) -> Any:
    """Log a fitted classifier in the run of MLflow that is open; return what MLflow returns.

    `mlflow.pyfunc.load_model` reads it again, `mlflow models serve` answers by it: a table of
    `label`, a probability for each class, and `augmented_score`.

    Parameters
    ----------
    model : fitted classifier of this package, or TableModel
    name : str, default="model"
    **options
        For `mlflow.pyfunc.log_model`, such as `registered_model_name`.

    Returns
    -------
    info : mlflow.models.model.ModelInfo
        What MLflow returns; `info.model_uri` is what it loads the model by.
    """
    return _hand_over(_pyfunc().log_model, model, name=name, **options)


def mlflow_signature(model: Any) -> Any:
    """Return the columns a model takes and gives, as MLflow writes them down.

    Parameters
    ----------
    model : fitted classifier of this package, or TableModel
    """
    from mlflow.models import ModelSignature

    return ModelSignature(_inputs(model), _outputs(getattr(model, "classifier", model)))


def _pyfunc() -> Any:
    try:
        import mlflow.pyfunc
    except ImportError as error:
        raise ImportError(
            "models of MLflow need mlflow, which is not installed. Install the extra: "
            "eulac[mlflow]."
        ) from error
    return mlflow.pyfunc


def _hand_over(write: Any, model: Any, **options: Any) -> Any:
    """Save the model to a file of ours, and let MLflow take a copy of it."""
    options.setdefault("signature", mlflow_signature(model))
    options.setdefault("pip_requirements", [f"eulac=={version('eulac')}"])
    with tempfile.TemporaryDirectory() as folder:
        path = save(model, Path(folder, FILE))
        return write(loader_module=LOADER, data_path=str(path), **options)


def _load_pyfunc(path: str) -> _Answering:
    """Return what MLflow asks for answers; MLflow calls this by its name."""
    where = Path(path)
    return _Answering(load(where / FILE if where.is_dir() else where))


class _Answering:
    """A model as MLflow calls it."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, rows: Any, params: Any = None) -> Any:
        """Return answers as a table, with the index of the rows."""
        import pandas as pd

        classifier = getattr(self.model, "classifier", self.model)
        X = self.model.matrix(rows) if isinstance(self.model, TableModel) else rows
        answers, _ = own_answers_of(classifier, X)
        columns: dict[str, Any] = {LABEL: answers.labels}
        if answers.probabilities is not None:
            names = [PROBABILITY.format(label) for label in classifier.classes_.tolist()]
            columns |= dict(zip(names, answers.probabilities.T, strict=True))
        columns[SCORE] = np.asarray(answers.augmented_score, dtype=np.float64)
        return pd.DataFrame(columns, index=getattr(rows, "index", None))


def _inputs(model: Any) -> Any:
    from mlflow.types.schema import AnyType, ColSpec, Schema, TensorSpec

    if isinstance(model, TableModel):
        kinds = model.columns.kinds.items()
        return Schema([ColSpec(KINDS.get(kind) or AnyType(), name) for name, kind in kinds])
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return Schema([TensorSpec(np.dtype(np.float64), (-1, model.n_features_in_))])
    return Schema([ColSpec("double", str(name)) for name in names])


def _outputs(classifier: Any) -> Any:
    from mlflow.types.schema import ColSpec, Schema

    kind = {"f": "double", "O": "string", "U": "string", "b": "boolean"}
    columns = [ColSpec(kind.get(classifier.classes_.dtype.kind, "long"), LABEL)]
    if hasattr(classifier, "predict_proba"):
        names = (PROBABILITY.format(label) for label in classifier.classes_.tolist())
        columns += [ColSpec("double", name) for name in names]
    return Schema([*columns, ColSpec("double", SCORE)])
