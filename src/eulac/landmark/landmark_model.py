"""Fitting in a feature space from moments and a few kept rows. No classes of users.

Whoever added the moments up, and in which order: from here on the fit is one and the same. Sums
give the coefficients and the surrogate risk exactly; the kept rows, each scored without its fold,
give the 0-1 risk and the decision rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.input_rows import scaled_rows
from eulac.data.folds import rows_standing_in
from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.row_sketch import RowSurvey, SketchedRows, fold_of_rows, hash_rows
from eulac.drift.moved_risk import risk_after_drift
from eulac.maths.kernels import GaussianKernel
from eulac.maths.losses import get_loss
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision_rule import DecisionRule, fit_score_rule
from eulac.risk.evidence import ClassShares
from eulac.risk.held_out import HeldOut
from eulac.risk.unbiased import BoundTerms, estimation_error_bound, generalization_bound
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk
from eulac.solvers.moment_folds import FoldMoments, FoldSolution, held_out_solutions
from eulac.solvers.search import Candidate, as_table, select

__all__ = [
    "KeptRows",
    "LandmarkModel",
    "MomentPlan",
    "RowEncoder",
    "assess_sample",
    "fit_landmark_model",
    "held_out_scores",
    "standing_in",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RowEncoder:
    """Raw rows to features: a frozen scaler, then a frozen feature map."""

    scaler: Any
    feature_map: Any

    def __call__(self, X: Array) -> NDArray[Any]:
        """Return features of rows."""
        rows = scaled_rows(self.scaler, np.asarray(X, dtype=np.float64))
        return np.asarray(self.feature_map.transform(rows))


@dataclass(frozen=True, eq=False)
class MomentPlan:
    """All a worker needs to turn rows into moments.

    `closed_set`: there are no unlabeled rows, and labeled ones stand in for them.
    """

    encoder: RowEncoder
    n_known: int
    n_folds: int
    seed: int
    closed_set: bool = False

    def moments(self, X: Array, codes: Codes, importance: Array | None = None) -> FoldMoments:
        """Return the moments of rows, fold by fold; with `importance` each counts as that many."""
        hashes = hash_rows(X, self.seed)
        options: dict[str, Any] = {"n_folds": self.n_folds, "n_known": self.n_known}
        options["importance"] = importance
        moments = FoldMoments.of(self.encoder, X, codes, hashes, **options)
        if self.closed_set:
            hidden = np.full(len(X), -1, dtype=np.intp)
            moments = moments + FoldMoments.of(self.encoder, X, hidden, hashes, **options)
        return moments


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Features of the kept rows of either sample, and the fold each is held out by.

    `importance` says how much labeled rows count beside each other; None: all the same.
    """

    labeled: NDArray[Any]
    y: Codes
    labeled_fold: Codes
    unlabeled: NDArray[Any]
    unlabeled_fold: Codes
    importance: Array | None = None

    @classmethod
    def of(cls, survey: RowSurvey, plan: MomentPlan) -> "KeptRows":
        """Return the kept rows of a survey as features."""
        labeled, pool = survey.labeled.sample(), survey.unlabeled.sample()
        folds = (fold_of_rows(part.hashes, plan.n_folds) for part in (labeled, pool))
        labeled_fold, unlabeled_fold = folds
        encoded = plan.encoder(labeled.rows)
        if plan.closed_set:
            stand_ins = standing_in(labeled)
            unlabeled, unlabeled_fold = encoded[stand_ins], labeled_fold[stand_ins]
        else:
            unlabeled = plan.encoder(pool.rows)
        parts = encoded, labeled.codes, labeled_fold, unlabeled, unlabeled_fold
        return cls(*parts, labeled.importance)

    def sample(self, codec: LabelCodec) -> LacSample:
        """Return the kept rows as a sample of features."""
        return LacSample(self.labeled, self.y, self.unlabeled, codec, self.importance)

    def weights(self, per_class: Array) -> Array:
        """Return the weight of each labeled row under shares of the known classes."""
        return labeled_weights(self.y, per_class, self.importance)

    def scores(self, solution: FoldSolution) -> tuple[Array, Array]:
        """Return held-out scores of labeled and of unlabeled rows."""
        return (
            solution.scores(self.labeled, self.labeled_fold),
            solution.scores(self.unlabeled, self.unlabeled_fold),
        )


def standing_in(labeled: SketchedRows) -> Codes:
    """Return labeled rows that stand in for a missing pool, each as often as it counts."""
    if labeled.importance is None:
        return np.arange(len(labeled.rows))
    return rows_standing_in(labeled.importance, seed=0)


@dataclass(frozen=True, eq=False)
class LandmarkModel:
    """A fitted classifier on raw rows and class codes."""

    encoder: RowEncoder
    coefficients: Array
    evidence: ClassShares
    rule: DecisionRule
    risk: RiskEstimate
    penalty: float
    cv_results: dict[str, Array]
    answer_shares: Array
    """Share of held-out unlabeled rows given each answer."""

    def scores(self, X: Array) -> Array:
        """Return the scores of new rows, a block of features at a time."""
        out = np.empty((len(X), self.coefficients.shape[1]))
        for piece in _blocks(len(X)):
            out[piece] = self.encoder(X[piece]) @ self.coefficients
        return out

    def decide(self, X: Array) -> Array:
        """Return decision values of rows."""
        return self.decided(self.scores(X))

    def decided(self, scores: Array) -> Array:
        """Return decision values of scores."""
        return self.rule.decide_outputs(scores, self.evidence)


BLOCK_ROWS = 4096

LOSS = "square"
"""The loss that sums over rows suffice for."""


def _blocks(n_rows: int) -> list[slice]:
    return [slice(start, start + BLOCK_ROWS) for start in range(0, n_rows, BLOCK_ROWS)]


def held_out_scores(
    X: Array, moments: FoldMoments, per_class: Array, penalty: float, plan: MomentPlan
) -> Array:
    """Return scores of rows of the fit, each without its fold, which follows from its values."""
    [solution] = held_out_solutions(moments, per_class, [penalty])
    fold = fold_of_rows(hash_rows(X, plan.seed), plan.n_folds)
    out = np.empty((len(X), plan.n_known + 1))
    for piece in _blocks(len(X)):
        out[piece] = solution.scores(plan.encoder(X[piece]), fold[piece])
    return out


def fit_landmark_model(
    moments: FoldMoments,
    kept: KeptRows,
    estimate: ProportionEstimate,
    plan: MomentPlan,
    *,
    penalties: Sequence[float],
    bandwidth: float,
    selection: str = "zero_one",
    matched: bool = True,
) -> LandmarkModel:
    """Return the model of moments whose known proportion is estimated.

    Parameters
    ----------
    moments : FoldMoments
    kept : KeptRows
    estimate : ProportionEstimate
    plan : MomentPlan
    penalties : sequence of float
        To choose from by held-out risk.
    bandwidth : float
        For the record.
    selection : {"zero_one", "surrogate"}
    matched : bool
        Whether the decision rule matches the augmented proportion.
    """
    weights = kept.weights(estimate.per_class)
    solutions = held_out_solutions(moments, estimate.per_class, penalties)
    candidates = [_assess(solution, kept, weights, bandwidth) for solution in solutions]
    best = select(candidates, (1, len(penalties)), selection)
    scores = HeldOut(*kept.scores(solutions[best]), kept.y, weights, estimate.interval)
    evidence, rule, risk, answer_shares = fit_score_rule(
        scores,
        LOSS,
        matched=matched,
        closed_set=plan.closed_set,
        proportion_error=estimate.standard_error,
    )
    samples = [
        rule.probabilities(rule.decide_outputs(outputs, evidence))
        for outputs in (scores.labeled, scores.unlabeled)
    ]
    risk = risk_after_drift(risk, estimate, samples)
    penalty = float(penalties[best])
    coefficients = moments.total.solve(estimate.per_class, penalty)
    facts = {"surrogate_risk": candidates[best].surrogate, **_bounds(moments, coefficients)}
    return LandmarkModel(
        plan.encoder,
        coefficients,
        evidence,
        rule,
        replace(risk, diagnostics={**risk.diagnostics, **facts}),
        penalty,
        as_table(candidates),
        answer_shares,
    )


def assess_sample(
    plan: MomentPlan,
    sample: LacSample,
    estimate: ProportionEstimate,
    penalties: Sequence[float],
    bandwidth: float,
) -> list[Candidate]:
    """Return a candidate per penalty, from the rows of a sample and their sums."""
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    codes = np.append(sample.y_labeled, np.full(sample.n_unlabeled, -1))
    hashes, features = hash_rows(X, plan.seed), plan.encoder(X)
    options: dict[str, Any] = {"n_folds": plan.n_folds, "n_known": plan.n_known}
    if sample.importance is not None:
        options["importance"] = np.append(sample.importance, np.ones(sample.n_unlabeled))
    moments = FoldMoments.of(lambda rows: rows, features, codes, hashes, **options)
    fold, hidden = fold_of_rows(hashes, plan.n_folds), codes < 0
    labeled = features[~hidden], sample.y_labeled, fold[~hidden]
    kept = KeptRows(*labeled, features[hidden], fold[hidden], sample.importance)
    weights = kept.weights(estimate.per_class)
    solutions = held_out_solutions(moments, estimate.per_class, penalties)
    return [_assess(solution, kept, weights, bandwidth) for solution in solutions]


def _assess(solution: FoldSolution, kept: KeptRows, weights: Array, bandwidth: float) -> Candidate:
    labeled, unlabeled = kept.scores(solution)
    answers = labeled.argmax(axis=1), kept.y, weights, unlabeled.argmax(axis=1)
    risk = zero_one_risk(*answers, augmented=labeled.shape[1] - 1)
    # Sums in another order differ in their last digits; the choice must not.
    surrogate = float(np.round(solution.surrogate, 10))
    return Candidate(GaussianKernel(bandwidth), solution.penalty, risk, surrogate)


def _bounds(moments: FoldMoments, coefficients: Array) -> dict[str, float]:
    total = moments.total
    terms = BoundTerms(
        max(int(total.class_counts.sum()), 1),
        max(int(total.n_unlabeled), 1),
        coefficients.shape[1] - 1,
        float(np.sqrt(np.square(coefficients).sum(axis=0).max())),
        1.0,
        get_loss(LOSS),
    )
    return {
        "generalization_bound": generalization_bound(terms),
        "estimation_error_bound": estimation_error_bound(terms),
    }
