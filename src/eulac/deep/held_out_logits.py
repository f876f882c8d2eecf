"""What held-out outputs of a network say: the known proportion, a decision rule, the test error."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import corrected_best_bin
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.risk.decision import best_sharpness, matching_shift
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk

__all__ = ["HeldOut", "LogitRule", "augmented_log_odds"]

Array = NDArray[np.float64]

SHARPNESS_LIMITS = (0.02, 20.0)
FURTHEST_LOGIT = 1e6
CLEAR_LOGITS = 2.0
"""So far apart that the border between the rows may run anywhere in between."""


def augmented_log_odds(logits: Array) -> Array:
    """Return the log odds of the last class: raw outputs of it alone rank rows far worse."""
    return np.asarray(logits[:, -1] - logsumexp(logits[:, :-1], axis=1))


@dataclass(frozen=True)
class LogitRule:
    """How logits become answers: a shift of the augmented one, and a sharpness.

    `shift` matches the share of held-out unlabeled rows called augmented to the proportion.
    """

    shift: float = 0.0
    sharpness: float = 1.0
    closed_set: bool = False

    def decide(self, logits: Array) -> Array:
        """Return shifted logits, without the augmented class where there is none."""
        if self.closed_set:
            return logits[:, :-1]
        return np.column_stack([logits[:, :-1], logits[:, -1] + self.shift])

    def probabilities(self, logits: Array) -> Array:
        """Return P(class) under the distribution of the unlabeled rows."""
        return np.asarray(softmax(self.sharpness * self.decide(logits), axis=1))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Outputs of a network for rows it was not trained on.

    Attributes
    ----------
    sample : LacSample
        The held-out rows.
    labeled, unlabeled : arrays of shape (n, n_known_classes + 1)
        Logits.
    """

    sample: LacSample
    labeled: Array
    unlabeled: Array

    def estimate_proportion(
        self, labeled_frequency: Array, shift: Any, seed: int
    ) -> ProportionEstimate:
        """Return the known proportion by the best bin of the log odds of being known.

        Class priors among the known are those of all labeled rows, or come from the outputs too
        if `shift` asks for them.
        """
        known, unlabeled = (-augmented_log_odds(x) for x in (self.labeled, self.unlabeled))
        best = corrected_best_bin(known, unlabeled, random_state=seed)
        error = best.standard_error
        frequency = labeled_frequency
        diagnostics: dict[str, Any] = {"raw": best.raw, "at_bound": best.value >= 1.0}
        if shift is not False:
            probabilities = softmax(self.labeled, axis=1), softmax(self.unlabeled, axis=1)
            found = known_priors(self.sample, *probabilities, random_state=seed)
            priors = choose_priors(found, shift)
            frequency = priors.used
            diagnostics |= priors.diagnostics()
        return ProportionEstimate(
            best.value * frequency,
            (max(best.value - 1.96 * error, 0.0), min(best.value + 1.96 * error, 1.0)),
            "held_out_outputs",
            self.sample.n_labeled,
            self.sample.n_unlabeled,
            standard_error=error,
            diagnostics=diagnostics,
        )

    def rule(self, estimate: ProportionEstimate, *, matched: bool = True) -> LogitRule:
        """Return the decision rule for a proportion."""
        shift = 0.0
        if matched:
            shift = matching_shift(
                self.unlabeled,
                estimate.total,
                interval=estimate.interval,
                reach=FURTHEST_LOGIT,
                clear_gap=CLEAR_LOGITS,
            )
        shifted = LogitRule(shift)
        sharpness = best_sharpness(
            shifted.decide(self.labeled),
            self.sample.y_labeled,
            self._weights(estimate),
            shifted.decide(self.unlabeled),
            limits=SHARPNESS_LIMITS,
        )
        return LogitRule(shift, sharpness)

    def risk(self, rule: LogitRule, estimate: ProportionEstimate) -> RiskEstimate:
        """Return the label-free test error of the rule."""
        return zero_one_risk(
            rule.decide(self.labeled).argmax(axis=1),
            self.sample.y_labeled,
            self._weights(estimate),
            self.answers(rule),
            augmented=self.sample.n_known_classes,
            proportion_error=estimate.standard_error,
        )

    def answers(self, rule: LogitRule) -> NDArray[np.intp]:
        """Return the codes answered for the unlabeled rows."""
        return rule.decide(self.unlabeled).argmax(axis=1)

    def _weights(self, estimate: ProportionEstimate) -> Array:
        return labeled_weights(self.sample.y_labeled, estimate.per_class)
