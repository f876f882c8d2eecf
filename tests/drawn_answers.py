"""Answers and scores drawn by one rule for both samples, with the truth about both."""

from dataclasses import dataclass

import numpy as np

from eulac.risk.contingency import contingency_table
from eulac.risk.weights import labeled_weights

LABELS = ("a", "b", "c", "new")


@dataclass(frozen=True)
class DrawnAnswers:
    y: np.ndarray
    answer: np.ndarray
    score: np.ndarray
    truth: np.ndarray
    unlabeled_answer: np.ndarray
    unlabeled_score: np.ndarray
    per_class: np.ndarray

    @property
    def parts(self):
        weights = labeled_weights(self.y, self.per_class)
        return self.answer, self.y, weights, self.unlabeled_answer

    def table(self, proportion_error=0.0):
        options = {"augmented": len(self.per_class), "proportion_error": proportion_error}
        return contingency_table(*self.parts, **options)


def drawn_answers(seed, per_class=(0.25, 0.25, 0.25), n_labeled=300, n_unlabeled=400):
    """90 % of new and 10 % of known rows are called new; 85 % of the others get their class."""
    rng = np.random.default_rng(seed)
    n_known = len(per_class)
    y = rng.integers(0, n_known, n_labeled)
    truth = rng.choice(n_known + 1, n_unlabeled, p=[*per_class, 1 - sum(per_class)])

    def drawn(classes):
        right = (rng.random(len(classes)) < 0.85) & (classes < n_known)
        known = np.where(right, classes, rng.integers(0, n_known, len(classes)))
        score = rng.normal(np.where(classes == n_known, 1.2816, -1.2816))  # 90 % beyond zero
        return np.where(score > 0, n_known, known), score

    return DrawnAnswers(y, *drawn(y), truth, *drawn(truth), np.array(per_class))
