"""A classifier together with the columns it reads: what `eulac fit` makes and files hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from eulac.data.preprocessing import TableColumns, fit_columns
from eulac.data.reading.column_watch import ColumnWatch
from eulac.exceptions import UnfamiliarValuesWarning, warn_caller

if TYPE_CHECKING:
    import pandas as pd

    from eulac.data.labels import LabelCodec

__all__ = ["TableFit", "TableModel", "fit_table_model"]


@dataclass(frozen=True, eq=False, repr=False)
class TableModel:
    """A fitted classifier that takes tables, columns matched by name.

    Attributes
    ----------
    columns : TableColumns
        What is read of a table, and how it becomes a matrix.
    classifier : fitted classifier
        On that matrix.
    X_labeled, y_labeled : arrays
        The labeled rows it learned from, as a matrix, so that naming new classes can go on from
        them.
    label_column : str
    row_shape : tuple of int or None
        Shape of one row for classifiers of images.

    Examples
    --------
    >>> import pandas as pd
    >>> from eulac.contenders.osnn import OsnnClassifier
    >>> frame = pd.DataFrame({"size": [1.0, 1.1, 9.0, 9.1], "wild": [True, True, False, False]})
    >>> y = np.array(["sparrow", "sparrow", "hen", "hen"])
    >>> model = fit_table_model(OsnnClassifier(ratio=0.5), {"birds.csv": frame}, y)
    >>> model.predict(pd.DataFrame({"wild": [True], "size": [1.05]})).tolist()
    ['sparrow']
    """

    columns: TableColumns
    classifier: Any
    X_labeled: NDArray[np.float64]
    y_labeled: NDArray[Any]
    label_column: str = "label"
    row_shape: tuple[int, ...] | None = None

    @property
    def classes_(self) -> NDArray[Any]:
        """Known labels in sorted order, then the augmented label."""
        return self.classifier.classes_

    @property
    def codec_(self) -> LabelCodec:
        """How labels and class codes correspond."""
        return self.classifier.codec_

    @property
    def proportion_(self) -> Any:
        """Known share of the unlabeled rows, or None where the method does not estimate it."""
        return getattr(self.classifier, "proportion_", None)

    @property
    def risk_(self) -> Any:
        """Label-free estimate of the test error, or None where the method has none."""
        return getattr(self.classifier, "risk_", None)

    def matrix(self, frame: pd.DataFrame, source: str = "the table") -> NDArray[np.float64]:
        """Return the rows of a table as the classifier takes them."""
        if not hasattr(frame, "columns"):
            raise TypeError(
                "a model of a table takes data frames, its columns by name "
                f"({', '.join(self.columns.names[:6])}, ...); got {type(frame).__name__}. Its "
                "`classifier` takes matrices."
            )
        X = self.columns.transform(frame, source)
        return X if self.row_shape is None else X.reshape(len(X), *self.row_shape)

    def predict(self, frame: pd.DataFrame) -> NDArray[Any]:
        """Return a known label for each row, or the augmented label.

        Warns of categories the fit has not seen, and of numbers far outside its range.
        """
        labels = self.classifier.predict(self.matrix(frame))
        watch = ColumnWatch(self.columns)
        watch.look(frame)
        for sentence in watch.sentences():
            warn_caller(sentence, UnfamiliarValuesWarning)
        return labels

    @available_if(lambda model: hasattr(model.classifier, "predict_proba"))
    def predict_proba(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return probabilities, following `classes_`, where the method has them."""
        return self.classifier.predict_proba(self.matrix(frame))

    def augmented_score(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return a score per row: bigger means more likely of a class never labeled."""
        return self.classifier.augmented_score(self.matrix(frame))

    def __repr__(self) -> str:
        return f"TableModel({type(self.classifier).__name__}, {self.columns!r})"


@dataclass(frozen=True, eq=False)
class TableFit:
    """A model of tables, of how many rows, and what was noticed while reading and fitting.

    `in_pieces` says whether the tables were read in pieces, every row learned from; `label_errors`
    are labeled rows that look like another known class, None where the method cannot tell.
    """

    model: TableModel
    n_labeled: int
    n_unlabeled: int
    notes: list[str]
    warnings: list[str]
    in_pieces: bool = False
    label_errors: pd.DataFrame | None = None


def fit_table_model(
    classifier: Any,
    frames: dict[str, pd.DataFrame],
    y: NDArray[Any],
    *,
    drop: tuple[str, ...] = (),
    id_column: str | None = None,
    label_column: str = "label",
    row_shape: tuple[int, ...] | None = None,
    **fit_options: Any,
) -> TableModel:
    """Return a classifier fitted on tables.

    Parameters
    ----------
    classifier : unfitted classifier
    frames : dict of pandas.DataFrame
        The labeled rows' table first; unlabeled rows' tables after it.
    y : array
        Labels of the first table's rows.
    drop : tuple of str, default=()
        Columns to leave out.
    id_column : str, optional
        Column that identifies rows, and is no feature.
    label_column : str, default="label"
    row_shape : tuple of int or None, default=None
    **fit_options
        Handed to the classifier's `fit`.
    """
    columns = fit_columns(frames, drop, id_column)
    labeled, *unlabeled = (columns.transform(frame, source) for source, frame in frames.items())
    pool = np.vstack(unlabeled) if unlabeled else None
    if row_shape is not None:
        labeled = labeled.reshape(len(labeled), *row_shape)
        pool = None if pool is None else pool.reshape(len(pool), *row_shape)
    classifier.fit(labeled, y, X_unlabeled=pool, **fit_options)
    return TableModel(columns, classifier, labeled, np.asarray(y), label_column, row_shape)
