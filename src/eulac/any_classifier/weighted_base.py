"""Fitting any scikit-learn classifier to weighted rows and class codes.

Most take sample weights; a pipeline takes them for its last step. Others (nearest neighbors) get
rows drawn in proportion to their weights instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from eulac.data.any_rows import picked_rows
from eulac.data.folds import drawn_rows
from eulac.maths.compact_forest import compact_forest
from eulac.maths.quick_forest import (
    fit_extra_trees,
    forest_probabilities,
    takes_quick_trees,
)

__all__ = [
    "AveragedModel",
    "CodedModel",
    "fit_weighted",
    "require_probabilities",
    "with_random_state",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class CodedModel:
    """A fitted classifier and the class code of each column of its probabilities."""

    model: Any
    codes: Codes
    n_codes: int

    def probabilities(self, X: Any) -> Array:
        """Return P(code) of rows; zero for codes the model was not trained on."""
        if takes_quick_trees(self.model, X):
            known = forest_probabilities(self.model, X)
        else:
            known = _probabilities(self.model, X)
        out = np.zeros((len(known), self.n_codes))
        out[:, self.codes] = known
        return out

    def compacted(self) -> "CodedModel":
        """Return the same with forests in flat arrays, which answer and take little room."""
        return CodedModel(compact_forest(self.model), self.codes, self.n_codes)


@dataclass(frozen=True, eq=False)
class AveragedModel:
    """Classifiers of the same codes whose probabilities are averaged."""

    models: tuple[CodedModel, ...]

    @property
    def model(self) -> Any:
        """The first of the classifiers."""
        return self.models[0].model

    def probabilities(self, X: Any) -> Array:
        """Return the mean P(code) of rows."""
        return np.asarray(np.mean([model.probabilities(X) for model in self.models], axis=0))

    def compacted(self) -> "AveragedModel":
        """Return the same with forests in flat arrays."""
        return AveragedModel(tuple(model.compacted() for model in self.models))


def require_probabilities(base: Any) -> None:
    """Refuse what is no classifier with probabilities."""
    if isinstance(base, type):
        advice = f"Pass an instance: {base.__name__}()."
    elif hasattr(base, "fit") and hasattr(base, "predict_proba"):
        return
    elif hasattr(base, "fit") and is_classifier(base):
        advice = "Wrap it in CalibratedClassifierCV."
    else:
        advice = "Pass one, such as RandomForestClassifier()."
    raise TypeError(
        "`estimator` must be a scikit-learn classifier with `predict_proba`; got "
        f"{base!r}. {advice}"
    )


def fit_weighted(
    base: Any, X: Any, codes: Codes, weights: Array, *, n_codes: int, seed: int
) -> CodedModel:
    """Return a clone of the classifier fitted to weighted rows.

    Rows of weight zero are left out; the others' weights are scaled to average one. Inside,
    classes are numbered as they first appear: what a class is called must not change a bit.

    Parameters
    ----------
    base : scikit-learn classifier
    X : rows
    codes : int array of shape (n_rows,)
    weights : array of shape (n_rows,)
    n_codes : int
        Columns of the probabilities.
    seed : int
        For whatever random state `base` leaves open, and for drawing rows.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, codes = np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 2])
    >>> nearest = KNeighborsClassifier(1)
    >>> model = fit_weighted(nearest, X, codes, np.ones(3), n_codes=3, seed=0)
    >>> model.probabilities([[8.0]])
    array([[0., 0., 1.]])
    """
    used = np.flatnonzero(weights > 0)
    weights = weights[used] / weights[used].mean()
    name = _weight_parameter(base)
    if name is None and np.ptp(weights) > 0:
        drawn = drawn_rows(weights, seed)
        used, weights = used[drawn], np.ones(len(drawn))
    rows, target = picked_rows(X, used), codes[used]
    present, first, inverse = np.unique(target, return_index=True, return_inverse=True)
    rank = np.empty(len(present), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(present))
    # Equal weights say nothing, and some classifiers take far longer with weights than without.
    options = {} if name is None or np.ptp(weights) == 0 else {name: weights}
    # Many classifiers refuse a single class; then there is nothing to tell apart.
    model = with_random_state(base, seed) if len(present) > 1 else DummyClassifier()
    if len(present) == 1:
        options = {}
    if takes_quick_trees(model, rows):
        fit_extra_trees(model, rows, rank[inverse], options.get(name or ""))
        return CodedModel(model, present[np.argsort(first)], n_codes)
    with _saying_what_takes_strings(model):
        model.fit(rows, rank[inverse], **options)
    return CodedModel(model, present[np.argsort(first)], n_codes)


def _probabilities(model: Any, X: Any) -> Array:
    with _saying_what_takes_strings(model):
        return np.asarray(model.predict_proba(X), dtype=float)


@contextmanager
def _saying_what_takes_strings(model: Any) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        raise ValueError(
            f"{type(model).__name__} takes no strings, and some columns hold them ({error}). Turn "
            "them into columns of type 'category' if it takes those, put an encoder of these "
            "columns before it (make_column_transformer and OrdinalEncoder), or take "
            "EulacClassifier, which encodes them."
        ) from error


def _weight_parameter(base: Any) -> str | None:
    """Return the name of the sample weights in `fit`; None where it takes none."""
    if isinstance(base, Pipeline):
        step, last = base.steps[-1]
        # With metadata routing on, a pipeline's steps must have asked for weights beforehand.
        routed = get_config()["enable_metadata_routing"]
        weighted = has_fit_parameter(last, "sample_weight") and not routed
        return f"{step}__sample_weight" if weighted else None
    return "sample_weight" if _takes_weights(base) else None


def _takes_weights(base: Any) -> bool:
    """Return whether `fit` takes sample weights, and so do the classifiers it hands them to.

    Votes and stacks of scikit-learn 1.6 take them whatever they are made of, and fail later.
    """
    parts = []
    if isinstance(base, VotingClassifier | StackingClassifier):
        parts = [part for _, part in base.estimators if hasattr(part, "fit")]
    return has_fit_parameter(base, "sample_weight") and all(map(_takes_weights, parts))


def with_random_state(base: Any, seed: int) -> Any:
    """Return a clone whose open random states are set."""
    model = clone(base)
    open_states = [
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and name.split("__")[-1] == "random_state"
    ]
    return model.set_params(**dict.fromkeys(open_states, seed)) if open_states else model
