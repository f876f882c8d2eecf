"""What a classifier says of rows it has not seen: from the fit itself, or from refits on folds."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.classifier.own_rows import augmented_margin
from eulac.data.folds import draw_folds, in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.discovery.labeled_rows import (
    Array,
    LabeledRows,
    held_out_in_fit,
    known_answers,
    was_fitted_on,
    without_checkpoint,
)
from eulac.kernel.kernel_model import KernelModel
from eulac.risk.contingency import ContingencyTable, contingency_table
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk

__all__ = ["HeldOutAnswers", "held_out_answers", "settled"]

Codes = NDArray[np.intp]

MOST_LABELED, MOST_UNLABELED = 2000, 3000
"""Rows used at most, drawn at random: the page should not take longer than the fit."""


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """Answers and scores of rows by models that did not see them.

    Attributes
    ----------
    X_labeled, X_unlabeled : arrays
    y : int array of shape (n_labeled,)
        True class codes.
    labeled_answer, unlabeled_answer : int arrays
        Codes of the answers.
    known_answer : int array of shape (n_labeled,)
        Likeliest known class; the augmented code where the model does not tell.
    labeled_score, unlabeled_score : arrays
        Bigger for rows that look newer.
    per_class : array of shape (n_known_classes,)
        Estimated shares of the known classes.
    """

    X_labeled: Array
    y: Codes
    labeled_answer: Codes
    known_answer: Codes
    labeled_score: Array
    X_unlabeled: Array
    unlabeled_answer: Codes
    unlabeled_score: Array
    per_class: Array

    @property
    def augmented(self) -> int:
        """Code of the augmented class."""
        return len(self.per_class)

    @property
    def weights(self) -> Array:
        """Weight of each labeled row under the estimated proportion."""
        return labeled_weights(self.y, self.per_class)

    def answers_above(self, cut: float) -> tuple[Codes, Codes]:
        """Return answers to labeled and unlabeled rows if scores above `cut` were called new.

        Of unlabeled rows that are not new only that is known.
        """
        labeled = np.where(self.labeled_score > cut, self.augmented, self.known_answer)
        return labeled, np.where(self.unlabeled_score > cut, self.augmented, 0)

    def risk(self, proportion_error: float = 0.0) -> RiskEstimate:
        """Return the label-free error of the answers."""
        options: dict[str, Any] = {
            "augmented": self.augmented,
            "proportion_error": proportion_error,
        }
        return zero_one_risk(*self._parts(), **options)

    def table(self, proportion_error: float = 0.0) -> ContingencyTable:
        """Return true against answered shares."""
        options: dict[str, Any] = {
            "augmented": self.augmented,
            "proportion_error": proportion_error,
        }
        return contingency_table(*self._parts(), **options)

    def _parts(self) -> tuple[Codes, Codes, Array, Codes]:
        return self.labeled_answer, self.y, self.weights, self.unlabeled_answer


def settled(classifier: Any) -> Any:
    """Return a clone whose searched settings are fixed at what `fit` found: quick to refit."""
    names = set(classifier.get_params(deep=False))
    found: dict[str, Any] = {}
    model = getattr(classifier, "model_", None)
    if isinstance(model, KernelModel):
        found["penalty"] = model.penalty
        if hasattr(model.expansion.kernel, "bandwidth"):
            found["bandwidth"] = model.expansion.kernel.bandwidth
    if classifier.proportion_ is not None and "known_proportion" in names:
        found["known_proportion"] = classifier.proportion_.per_class.tolist()
    return without_checkpoint(clone(classifier)).set_params(**found)


def held_out_answers(
    classifier: Any,
    labeled: LabeledRows,
    X_unlabeled: Array,
    *,
    n_folds: int = 5,
    random_state: int = 0,
) -> HeldOutAnswers:
    """Return what models that have not seen a row say of it.

    Where the rows are those of the fit and the classifier keeps what its own folds said, that is
    it; else refits on all but one fold tell.

    Parameters
    ----------
    classifier : fitted classifier
    labeled : LabeledRows
    X_unlabeled : array of shape (n_unlabeled, n_features)
    n_folds : int, default=5
    random_state : int, default=0
    """
    sample = LacSample(labeled.X, labeled.codes, X_unlabeled, classifier.codec_)
    is_own = was_fitted_on(classifier, X_unlabeled)
    sample = _at_most(in_canonical_order(sample, random_state))
    found = _from_the_fit(classifier, sample) if is_own else None
    return _from_refits(classifier, sample, n_folds, random_state) if found is None else found


def _from_the_fit(classifier: Any, sample: LacSample) -> HeldOutAnswers | None:
    labeled = held_out_in_fit(classifier, sample.X_labeled, unlabeled=False)
    unlabeled = held_out_in_fit(classifier, sample.X_unlabeled, unlabeled=True)
    if labeled is None or unlabeled is None:
        return None
    return HeldOutAnswers(
        sample.X_labeled,
        sample.y_labeled,
        labeled.argmax(axis=1),
        labeled[:, :-1].argmax(axis=1),
        augmented_margin(labeled),
        sample.X_unlabeled,
        unlabeled.argmax(axis=1),
        augmented_margin(unlabeled),
        classifier.proportion_.per_class,
    )


def _from_refits(
    classifier: Any, sample: LacSample, n_folds: int, random_state: int
) -> HeldOutAnswers:
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, n_folds, random_state)
    encode = classifier.codec_.encode
    n_labeled, n_unlabeled = sample.n_labeled, folds.n_held_out
    answer, known = np.empty((2, n_labeled), dtype=np.intp)
    score, unlabeled_score = np.empty(n_labeled), np.empty(n_unlabeled)
    unlabeled_answer = np.empty(n_unlabeled, dtype=np.intp)
    for rows, piece in folds:
        model = _without_fold(classifier, sample, rows, piece)
        held_out, pool = sample.X_labeled[rows], sample.X_unlabeled[piece]
        answer[rows] = encode(model.predict(held_out))
        known[rows] = known_answers(model, held_out, classifier.codec_)
        score[rows] = model.augmented_score(held_out)
        unlabeled_answer[piece] = encode(model.predict(pool))
        unlabeled_score[piece] = model.augmented_score(pool)
    return HeldOutAnswers(
        sample.X_labeled,
        sample.y_labeled,
        answer,
        known,
        score,
        sample.X_unlabeled[:n_unlabeled],
        unlabeled_answer,
        unlabeled_score,
        classifier.proportion_.per_class,
    )


def _at_most(sample: LacSample) -> LacSample:
    """Keep so many rows; they are in random order."""
    return LacSample(
        sample.X_labeled[:MOST_LABELED],
        sample.y_labeled[:MOST_LABELED],
        sample.X_unlabeled[:MOST_UNLABELED],
        sample.codec,
    )


def _without_fold(classifier: Any, sample: LacSample, rows: Codes, piece: slice) -> Any:
    """Refit without a fold; classes that are missing then take their shares with them."""
    kept = np.setdiff1d(np.arange(sample.n_labeled), rows)
    model = settled(classifier)
    codes = sample.y_labeled[kept]
    if "known_proportion" in model.get_params(deep=False):
        present = np.unique(codes)
        model.set_params(known_proportion=classifier.proportion_.per_class[present].tolist())
    labels = sample.codec.decode(codes)
    rest = np.delete(sample.X_unlabeled, piece, axis=0)
    with warnings.catch_warnings():
        # What is doubtful about the fit is said of the fit itself, not of its parts.
        warnings.simplefilter("ignore")
        return model.fit(sample.X_labeled[kept], labels, X_unlabeled=rest)
