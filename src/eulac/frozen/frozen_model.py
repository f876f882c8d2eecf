"""Answers of K + 1 classes from the scores of a frozen classifier.

Nothing of the classifier is learned again. Which column belongs to which class, how new a row looks
(`frozen/newness.py`), the shares of the classes and the decision come from held-out comparison of
labeled rows with the pool.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from eulac.classifier.known_proportion import choose_proportion
from eulac.data.lac_sample import LacSample
from eulac.frozen.newness import (
    CERTAIN,
    Newness,
    cross_fitted_newness,
    fit_newness,
    known_probability,
)
from eulac.frozen.score_features import ScorePlaces, ScoreTable
from eulac.frozen.score_proportion import proportion_of_newness
from eulac.proportion.best_bin import best_bin
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import GivenProportion
from eulac.proportion.known_priors import UsedPriors, choose_priors, known_priors
from eulac.proportion.reduction import cross_fit_folds
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate

__all__ = ["FrozenModel", "FrozenSample", "closed_estimate", "estimate_frozen", "fit_frozen_model"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FIRST_GUESS = (0.05, 0.95)
"""Where the first guess of the known share may lie."""


@dataclass(frozen=True, eq=False)
class FrozenSample:
    """What is known of the rows of a fit, labeled ones first.

    Attributes
    ----------
    sample : LacSample
        Its rows are places of the numbers of newness.
    log_probabilities : array of shape (n_labeled + n_unlabeled, n_known_classes)
    folds : (labeled, unlabeled) int arrays
    seed : int
    """

    sample: LacSample
    log_probabilities: Array
    folds: tuple[Codes, Codes]
    seed: int

    @classmethod
    def of(
        cls, sample: LacSample, table: ScoreTable, places: ScorePlaces, n_folds: int, seed: int
    ) -> "FrozenSample":
        """Return the rows of a sample in random order, given their scores taken apart."""
        numbers = np.split(places.transform(table.newness), [sample.n_labeled])
        rows = replace(sample, X_labeled=numbers[0], X_unlabeled=numbers[1])
        return cls(rows, table.log_probabilities, cross_fit_folds(rows, n_folds, seed), seed)

    @property
    def numbers(self) -> Array:
        """Places of the numbers of newness, of all rows."""
        return np.vstack([self.sample.X_labeled, self.sample.X_unlabeled])

    def held_out_newness(self, known_proportion: float, weights: Any = None) -> tuple[Array, Array]:
        """Return held-out log ratios of labeled and of unlabeled rows."""
        return cross_fitted_newness(self.numbers, self.folds, known_proportion, weights)

    def strata(self) -> tuple[Codes, Codes]:
        """Return fold and likely class of each row, as one number."""
        likely = np.split(self.log_probabilities.argmax(axis=1), [self.sample.n_labeled])
        n = self.log_probabilities.shape[1]
        return self.folds[0] * n + likely[0], self.folds[1] * n + likely[1]


@dataclass(frozen=True, eq=False)
class FrozenModel:
    """What turns a table of scores into decisions, and what held-out rows say of it.

    Attributes
    ----------
    places : ScorePlaces
    newness : Newness
    log_prior_ratio : array of shape (n_known_classes,)
        Added to log probabilities, where shares of the known classes have moved.
    estimate : ProportionEstimate
    rule : DecisionRule
    risk : RiskEstimate
    held_out : array of shape (n_labeled + n_unlabeled, n_known_classes + 1)
        Probabilities by fits that have not seen the row, before the rule; of a fitted classifier in
        the order of `X`, then `X_unlabeled`.
    answer_shares : array of shape (n_known_classes + 1,)
        Share of held-out unlabeled rows given each answer.
    """

    places: ScorePlaces
    newness: Newness
    log_prior_ratio: Array
    estimate: ProportionEstimate
    rule: DecisionRule
    risk: RiskEstimate
    held_out: Array
    answer_shares: Array

    def decide(self, table: ScoreTable) -> Array:
        """Return decision values of rows."""
        ratio = self.newness.log_ratio(self.places.transform(table.newness))
        logs = table.log_probabilities + self.log_prior_ratio
        outputs = _outputs(logs, ratio, self.estimate.total)
        return self.rule.decide(LogProbabilities().of(outputs))

    def held_out_probabilities(self) -> Array:
        """Return calibrated held-out probabilities of the rows."""
        return self.rule.probabilities(self.rule.decide(LogProbabilities().of(self.held_out)))


def estimate_frozen(rows: FrozenSample, known_proportion: Any, shift: Any) -> ProportionEstimate:
    """Return the known share and the shares of the classes.

    Parameters
    ----------
    rows : FrozenSample
    known_proportion, shift
        What the user passed.
    """
    sample = rows.sample
    own = isinstance(known_proportion, str) and known_proportion == "auto"
    if not own:
        estimate = choose_proportion(known_proportion, shift=False).estimate(sample)
        if shift is not True or hasattr(known_proportion, "__len__"):
            return estimate
        return replace(estimate, per_class=estimate.total * _priors(rows, shift).used)
    priors = _priors(rows, shift)
    weights = priors.weights(sample.y_labeled)
    first = rows.held_out_newness(0.0, weights)
    guess = float(np.clip(best_bin(-first[0], -first[1], weights)[0], *FIRST_GUESS))
    by_score = {"labeled_or_pool": first, "new_or_known": rows.held_out_newness(guess, weights)}
    return proportion_of_newness(by_score, priors, sample.y_labeled, rows.strata(), seed=rows.seed)


def _priors(rows: FrozenSample, shift: Any) -> UsedPriors:
    """Return the shares of the known classes among each other."""
    sample = rows.sample
    if shift is False:
        return UsedPriors(sample.labeled_frequency, sample.labeled_frequency)
    odds = np.concatenate(rows.held_out_newness(0.0)) + np.log(
        sample.n_unlabeled / sample.n_labeled
    )
    outputs = _joined(rows.log_probabilities, expit(-odds))
    parts = np.split(outputs, [sample.n_labeled])
    return choose_priors(known_priors(sample, *parts, random_state=rows.seed), shift)


def fit_frozen_model(
    rows: FrozenSample,
    places: ScorePlaces,
    estimate: ProportionEstimate,
    *,
    matched: bool = True,
    closed_set: bool = False,
) -> FrozenModel:
    """Return the model of scored rows, given the shares of the classes.

    Parameters
    ----------
    rows : FrozenSample
    places : ScorePlaces
    estimate : ProportionEstimate
    matched, closed_set
        As in `fit_decision_rule`.
    """
    sample = rows.sample
    total, importance = estimate.total, _importance(sample, estimate)
    log_ratio = _log_prior_ratio(sample.labeled_frequency, estimate.per_class)
    ratio = np.concatenate(rows.held_out_newness(total, importance))
    outputs = _outputs(rows.log_probabilities + log_ratio, ratio, total)
    parts = np.split(outputs, [sample.n_labeled])
    weights = labeled_weights(sample.y_labeled, estimate.per_class)
    held_out = HeldOut(parts[0], parts[1], sample.y_labeled, weights, estimate.interval)
    kind = LogProbabilities()
    rule = fit_decision_rule(held_out, kind, matched=matched, closed_set=closed_set)
    answers = rule.decide_outputs(held_out.unlabeled, kind).argmax(axis=1)
    return FrozenModel(
        places,
        fit_newness(rows.numbers, sample.n_labeled, total, importance),
        log_ratio,
        estimate,
        rule,
        held_out_risk(held_out, rule, kind, estimate.standard_error),
        outputs,
        np.bincount(answers, minlength=held_out.augmented + 1) / len(answers),
    )


def closed_estimate(rows: FrozenSample) -> ProportionEstimate:
    """Return the estimate where there are no unlabeled rows: all is known."""
    return GivenProportion(1.0).estimate(rows.sample)


def _importance(sample: LacSample, estimate: ProportionEstimate) -> Array | None:
    """Return how much labeled rows count, one on average; None where all count the same."""
    weights = labeled_weights(sample.y_labeled, estimate.per_class)
    if estimate.total <= CERTAIN or np.ptp(weights) < CERTAIN * weights.mean():
        return None
    return np.asarray(weights / weights.mean())


def _log_prior_ratio(frequency: Array, per_class: Array) -> Array:
    if per_class.sum() <= 0.0:
        return np.zeros(len(per_class))
    shares = per_class / per_class.sum()
    return np.asarray(np.log(np.maximum(shares, CERTAIN * frequency) / frequency))


def _outputs(log_probabilities: Array, log_ratio: Array, known_proportion: float) -> Array:
    """Return probabilities of the known classes and, last, of new."""
    return _joined(log_probabilities, known_probability(log_ratio, known_proportion))


def _joined(log_probabilities: Array, known: Array) -> Array:
    return np.column_stack([softmax(log_probabilities, axis=1) * known[:, None], 1.0 - known])
