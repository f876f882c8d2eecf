"""One row at a time around a stream classifier: the words that River uses, without River."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eulac.data import requirements
from eulac.landmark.newest_rows import StreamReport
from eulac.landmark.stream_classifier import StreamEulacClassifier

__all__ = ["OneRowStream"]


class OneRowStream:
    """Feed a stream classifier row by row, each a mapping from column to number.

    Rows are collected and handed on together: an update costs nearly the same for one row as for a
    hundred.

    Parameters
    ----------
    stream : fitted StreamEulacClassifier
        Is brought up to date in place.
    n_rows : int, default=100
        Rows collected before an update.
    n_named : int, default=20
        Rows of a label that is not known before it becomes a known class.

    Attributes
    ----------
    report_ : StreamReport or None
        Of the last update.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import OneRowStream, StreamEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal([[0, 0], [4, 0]] * 60, 0.5), np.resize(["left", "right"], 120)
    >>> stream = StreamEulacClassifier(window=200, random_state=0)
    >>> rows = OneRowStream(stream.fit(X, y, rng.normal([[0, 0], [4, 0]] * 100, 0.5)))
    >>> rows.learn_one({"x": 0.1, "y": 0.2}).predict_one({"x": 4.0, "y": 0.1})
    'right'
    """

    def __init__(self, stream: Any, n_rows: int = 100, n_named: int = 20) -> None:
        if not isinstance(stream, StreamEulacClassifier):
            raise TypeError(
                "`stream` must be a StreamEulacClassifier, which learns as rows come; got "
                f"{type(stream).__name__}. Fit one to labeled rows and a first pool."
            )
        check_is_fitted(stream, "model_")
        requirements.require_at_least("n_rows", n_rows, 1)
        requirements.require_at_least("n_named", n_named, 1)
        self.stream = stream
        self.n_rows = n_rows
        self.n_named = n_named
        self.report_: StreamReport | None = None
        names = getattr(stream, "feature_names_in_", None)
        self._names: tuple[str, ...] | None = None if names is None else tuple(names)
        self._waiting: list[list[float]] = []
        self._named: dict[Any, list[list[float]]] = {}

    def learn_one(self, x: Mapping[str, Any], y: Any = None) -> OneRowStream:
        """Take the next row of the stream.

        Parameters
        ----------
        x : mapping from column to number
        y : label, optional
            Where somebody named the row. A label that is not known yet becomes a known class after
            `n_named` rows; of known ones the row counts as a row of the stream, like any other.

        Returns
        -------
        self
        """
        row = self._row(x)
        self._waiting.append(row)
        known = self.stream.known_classes_.tolist()
        if y is not None and y != self.stream.unlabeled_label and y not in known:
            self._named.setdefault(y, []).append(row)
        if len(self._waiting) >= self.n_rows:
            self.update()
        if len(self._named.get(y, ())) >= self.n_named:
            self.update()
            self.stream.add_class(y, np.array(self._named.pop(y)))
        return self

    def update(self) -> StreamReport | None:
        """Hand on the rows that wait, and return the report of the last update."""
        if self._waiting:
            self.report_ = self.stream.update(self._frame(self._waiting))
            self._waiting = []
        return self.report_

    def predict_one(self, x: Mapping[str, Any]) -> Any:
        """Return a known label, or the augmented label."""
        return self.stream.predict(self._frame([self._row(x)])).tolist()[0]

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Any, float]:
        """Return the probability of each known label and of the augmented one."""
        [probabilities] = self.stream.predict_proba(self._frame([self._row(x)])).tolist()
        return dict(zip(self.stream.classes_.tolist(), probabilities, strict=True))

    def score_one(self, x: Mapping[str, Any]) -> float:
        """Return how new the row looks: positive where `predict_one` says augmented."""
        return float(self.stream.augmented_score(self._frame([self._row(x)]))[0])

    def _row(self, x: Mapping[str, Any]) -> list[float]:
        """Return the numbers of a row, in the order of the fit, or of the first row."""
        if self._names is None:
            self._names = tuple(x)
        if len(self._names) != self.stream.n_features_in_ or set(x) != set(self._names):
            raise ValueError(
                f"rows must have the {self.stream.n_features_in_} columns of the fit"
                f" ({', '.join(map(str, self._names[:6]))}); got {', '.join(map(str, x))}."
            )
        return [float(x[name]) for name in self._names]

    def _frame(self, rows: list[list[float]]) -> Any:
        if not hasattr(self.stream, "feature_names_in_"):
            return np.array(rows)
        import pandas as pd

        return pd.DataFrame(rows, columns=list(self._names or ()))
