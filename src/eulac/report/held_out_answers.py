"""What a classifier says of rows it has not seen: refits on folds, at settings already found."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.data.folds import draw_folds, in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.kernel.kernel_model import KernelModel
from eulac.report.labeled_rows import Array, LabeledRows, known_answers
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk

__all__ = ["HeldOut", "held_out_answers", "settled"]

Codes = NDArray[np.intp]

MOST_LABELED, MOST_UNLABELED = 2000, 3000
"""Rows used at most, drawn at random: the page should not take longer than the fit."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Answers and novelty of rows by models that did not see them.

    Attributes
    ----------
    X_labeled, X_unlabeled : arrays
    y : int array of shape (n_labeled,)
        True class codes.
    known_answer : int array of shape (n_labeled,)
        Likeliest known class; the augmented code where the model does not tell.
    novelty_labeled, novelty_unlabeled : arrays
        `augmented_score`: positive where the answer is new.
    unlabeled_answer : int array of shape (n_unlabeled,)
    per_class : array of shape (n_known_classes,)
        Estimated shares of the known classes.
    """

    X_labeled: Array
    y: Codes
    known_answer: Codes
    novelty_labeled: Array
    X_unlabeled: Array
    unlabeled_answer: Codes
    novelty_unlabeled: Array
    per_class: Array

    @property
    def augmented(self) -> int:
        """Code of the augmented class."""
        return len(self.per_class)

    @property
    def weights(self) -> Array:
        """Weight of each labeled row under the estimated proportion."""
        return labeled_weights(self.y, self.per_class)

    def answers(self, cut: float = 0.0) -> tuple[Codes, Codes]:
        """Return answers to labeled and unlabeled rows if novelty above `cut` is called new.

        Of unlabeled rows that are not new only that is known, unless the cut is the classifier's.
        """
        labeled = np.where(self.novelty_labeled > cut, self.augmented, self.known_answer)
        if cut == 0.0:
            return labeled, self.unlabeled_answer
        return labeled, np.where(self.novelty_unlabeled > cut, self.augmented, 0)

    def risk(self, proportion_error: float = 0.0) -> RiskEstimate:
        """Return the label-free error of the answers."""
        labeled, unlabeled = self.answers()
        return zero_one_risk(
            labeled,
            self.y,
            self.weights,
            unlabeled,
            augmented=self.augmented,
            proportion_error=proportion_error,
        )


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
    return clone(classifier).set_params(**found)


def held_out_answers(
    classifier: Any,
    labeled: LabeledRows,
    X_unlabeled: Array,
    *,
    n_folds: int = 5,
    random_state: int = 0,
) -> HeldOut:
    """Return what refits on all but one fold say of that fold.

    Parameters
    ----------
    classifier : fitted classifier
    labeled : LabeledRows
    X_unlabeled : array of shape (n_unlabeled, n_features)
    n_folds : int, default=5
    random_state : int, default=0
    """
    sample = LacSample(labeled.X, labeled.codes, X_unlabeled, classifier.codec_)
    sample = _at_most(in_canonical_order(sample, random_state))
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, n_folds, random_state)
    n = sample.n_labeled, folds.n_held_out
    answer, novelty = np.empty(n[0], dtype=np.intp), np.empty(n[0])
    unlabeled_answer, unlabeled_novelty = np.empty(n[1], dtype=np.intp), np.empty(n[1])
    for rows, piece in folds:
        model = _without_fold(classifier, sample, rows, piece)
        answer[rows] = known_answers(model, sample.X_labeled[rows], classifier.codec_)
        novelty[rows] = model.augmented_score(sample.X_labeled[rows])
        held_out = sample.X_unlabeled[piece]
        unlabeled_answer[piece] = classifier.codec_.encode(model.predict(held_out))
        unlabeled_novelty[piece] = model.augmented_score(held_out)
    return HeldOut(
        sample.X_labeled,
        sample.y_labeled,
        answer,
        novelty,
        sample.X_unlabeled[: n[1]],
        unlabeled_answer,
        unlabeled_novelty,
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
