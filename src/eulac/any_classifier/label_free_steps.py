"""Steps before a classifier that learn nothing of labels: done once, not for each fold.

A stage is fitted a dozen times to parts of the same rows. Scales, landmarks, bins and codes of
strings depend on the rows and not on what they are called, so that they may be found from all rows:
a row that is held out has lent its values to them, never its label.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from eulac.any_classifier.weighted_base import AveragedModel, CodedModel, with_random_state
from eulac.maths.softmax_regression import fit_softmax, softmax_probabilities

__all__ = [
    "ColumnBins",
    "LabelFreeSteps",
    "PreparedModel",
    "SoftmaxRegression",
    "prepared_rows",
    "split_steps",
]

Array = NDArray[np.float64]


class LabelFreeSteps(Pipeline):
    """A pipeline whose steps before the last one see no labels, and may see all rows.

    Examples
    --------
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> steps = LabelFreeSteps([("scale", MinMaxScaler()), ("model", SoftmaxRegression())])
    >>> steps.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5]])
    array([0])
    """


def split_steps(base: Any, X: Any, seed: int) -> tuple[Any, Any]:
    """Return what prepares rows, fitted to all of them, and the classifier that learns from that.

    None and the base itself where it has no such steps.

    Examples
    --------
    >>> split_steps(SoftmaxRegression(), np.eye(2), 0)
    (None, SoftmaxRegression())
    """
    if not isinstance(base, LabelFreeSteps) or len(base.steps) == 1:
        return None, base
    steps = with_random_state(base, seed).steps
    return Pipeline(steps[:-1]).fit(X), steps[-1][1]


def prepared_rows(prepare: Any, X: Any) -> Any:
    """Return rows as the classifier behind the steps gets them."""
    return X if prepare is None else prepare.transform(X)


@dataclass(frozen=True, eq=False)
class PreparedModel:
    """A fitted model behind steps that were fitted once for all of its parts."""

    prepare: Any
    inner: CodedModel | AveragedModel

    @property
    def model(self) -> Any:
        """The first of the classifiers, without the steps."""
        return self.inner.model

    def probabilities(self, X: Any) -> Array:
        """Return P(code) of rows."""
        return self.inner.probabilities(self.prepare.transform(X))

    def compacted(self) -> "PreparedModel":
        """Return the same with forests in flat arrays."""
        return PreparedModel(self.prepare, self.inner.compacted())


class ColumnBins(TransformerMixin, BaseEstimator):
    """Columns as numbers of bins, most of which hold about as many rows; gaps stay gaps.

    Boosting bins columns by itself, but once for every fit, and with weights it sorts every column
    once for every bin.

    Parameters
    ----------
    n_bins : int, default=64

    Examples
    --------
    >>> ColumnBins(2).fit_transform([[1.0], [2.0], [30.0], [40.0]]).ravel()
    array([0., 0., 1., 1.])
    """

    def __init__(self, n_bins: int = 64) -> None:
        self.n_bins = n_bins

    def fit(self, X: Any, y: Any = None) -> "ColumnBins":
        """Find the edges of the bins."""
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        self.edges_ = [_edges(column[~np.isnan(column)], self.n_bins) for column in X.T]
        return self

    def transform(self, X: Any) -> Array:
        """Return the bin of each value."""
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        out = np.empty(X.shape)
        for place, edges in enumerate(self.edges_):
            out[:, place] = np.searchsorted(edges, X[:, place])
        out[np.isnan(X)] = np.nan
        return out

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _edges(values: Array, n_bins: int) -> Array:
    """Return edges of bins: between values where they are few, else at quantiles and evenly.

    A few rows of a class far out would share their bin with all rows of the last quantile.
    """
    if not len(values):
        return np.empty(0)
    values = np.sort(values)
    distinct = values[np.append(True, values[1:] > values[:-1])]
    if len(distinct) <= n_bins:
        return np.asarray(0.5 * distinct[:-1] + 0.5 * distinct[1:])
    n_quantiles = n_bins - n_bins // 4
    places = np.arange(1, n_quantiles) * len(values) // n_quantiles
    quantiles = 0.5 * values[places - 1] + 0.5 * values[places]
    even = np.linspace(values[0], values[-1], n_bins // 4 + 2)[1:-1]
    return np.unique(np.append(quantiles, even))


class SoftmaxRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression as scikit-learn's, quicker for many fits of a few hundred columns.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the penalty.
    tol : float, default=3e-4

    Examples
    --------
    >>> model = SoftmaxRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> model.predict([[0.5], [2.5]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(self, C: float = 1.0, tol: float = 3e-4) -> None:
        self.C = C
        self.tol = tol

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SoftmaxRegression":
        """Learn from rows, labels and weights of the rows."""
        X, y = validate_data(self, X, y, dtype=(np.float64, np.float32))
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.coefficients_ = fit_softmax(
            X, codes, sample_weight, penalty=1.0 / self.C, tolerance=self.tol
        )
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=(np.float64, np.float32), reset=False)
        return softmax_probabilities(X, self.coefficients_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
