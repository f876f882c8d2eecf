"""Choosing among classifiers of any family, or mixing them, without a label of a test row.

All candidates give probabilities of the same rows, none by a model that has seen the row, under
one known proportion; only then are label-free risks comparable. The smallest risk of many noisy
ones is rarely the best classifier: a mixture gives a share to every one that is not clearly worse.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.data.any_rows import picked_rows
from eulac.data.lac_table import LacTable
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_answers
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut, answers_risk
from eulac.risk.zero_one import RiskEstimate, label_free_macro_f1, macro_f1_of_shares

__all__ = [
    "Mixture",
    "fit_mixture",
    "held_out_outputs",
    "mixed",
    "mixed_candidates",
    "mixed_held_out",
    "stack_weights",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


N_RESAMPLES = 60
"""For the standard error of a difference, which need not be exact."""

NO_WEIGHT = 0.03
"""Of the best candidate's weight: less is none. Three and a half standard errors behind, a family
changes no answer that matters, and would have to be kept and asked all the same."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Weights of the candidates, and the rule that turns their mean into answers."""

    weights: Array
    rule: DecisionRule

    def decide(self, probabilities: Sequence[Array]) -> Array:
        """Return decision values of rows, from each candidate's probabilities of them."""
        return self.rule.decide(LogProbabilities().of(mixed(probabilities, self.weights)))

    def decide_by(self, models: Sequence[Any], X: Any, n_codes: int) -> Array:
        """Return decision values of rows; candidates without weight are not asked."""
        used = np.flatnonzero(self.weights).tolist()
        probabilities = [code_probabilities(models[index], X, n_codes) for index in used]
        return Mixture(self.weights[used], self.rule).decide(probabilities)


def mixed(probabilities: Sequence[Array], weights: Array) -> Array:
    """Return the weighted mean of the candidates' probabilities."""
    return np.asarray(np.tensordot(weights, np.stack(probabilities), axes=1))


def held_out_outputs(candidate: Any, table: LacTable, fold: Codes) -> Array:
    """Return probabilities of all rows by fits of the candidate on the other folds.

    Parameters
    ----------
    candidate : classifier with `fit` on masked labels
        Without `predict_proba`, its answers count as certain.
    table : LacTable
    fold : int array of shape (n_rows,)
        By which each row is held out.
    """
    codes = table.masked_codes()
    out = np.zeros((len(fold), table.n_known_classes + 1))
    for index in range(fold.max() + 1):
        held_out, kept = np.flatnonzero(fold == index), np.flatnonzero(fold != index)
        model = clone(candidate).fit(picked_rows(table.X, kept), codes[kept])
        out[held_out] = code_probabilities(model, picked_rows(table.X, held_out), out.shape[1])
    return out


def code_probabilities(model: Any, X: Any, n_codes: int) -> Array:
    """Return a fitted classifier's P(code); classes are codes, and anything else is augmented."""
    if hasattr(model, "predict_proba"):
        return in_columns(model.predict_proba(X), model.classes_, n_codes)
    return np.eye(n_codes)[_columns(model.predict(X), n_codes)]


def in_columns(probabilities: Array, classes: Any, n_codes: int) -> Array:
    """Return probabilities of some classes as columns of all codes."""
    out = np.zeros((len(probabilities), n_codes))
    out[:, _columns(classes, n_codes)] = probabilities
    return out


def _columns(classes: Any, n_codes: int) -> Codes:
    classes = np.asarray(classes, dtype=np.intp)
    return np.where(classes < 0, n_codes - 1, classes)


def stack_weights(
    candidates: Sequence[HeldOut],
    *,
    closed_set: bool = False,
    random_state: int | None = None,
) -> Array:
    """Return simplex weights that fall with the label-free macro-F1, in units of its uncertainty.

    The best candidate counts fully; another one by ``exp(-gap / standard error)``, both of the
    difference of their macro-F1 on the same rows, the latter by the bootstrap. Candidates that
    nothing tells apart count the same, and clearly worse ones hardly. Macro-F1 rather than the
    error, which does not see a candidate that gives up a class of few rows.

    Examples
    --------
    >>> y, half = np.zeros(40, int), np.full(40, 0.5)
    >>> sure = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> rows = np.repeat(sure, 20, axis=0)
    >>> good = HeldOut(sure[y], rows, y, half)
    >>> bad = HeldOut(sure[1 - y], rows, y, half)
    >>> stack_weights([good, good, bad], random_state=0).round(2)
    array([0.5, 0.5, 0. ])
    """
    if len(candidates) == 1:
        return np.ones(1)
    answers = [_answers(candidate, closed_set) for candidate in candidates]
    scores = _macro_f1(candidates[0], answers)
    resampled = _resampled_macro_f1(candidates[0], answers, np.random.default_rng(random_state))
    best = int(np.argmax(scores))
    gaps = scores[best] - scores
    errors = (resampled[:, [best]] - resampled).std(axis=0)
    in_errors = np.divide(gaps, errors, out=np.where(gaps > 0, np.inf, 0.0), where=errors > 0)
    weights = np.exp(-in_errors)
    weights[weights < NO_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum())


def _answers(candidate: HeldOut, closed_set: bool) -> tuple[Codes, Codes]:
    kind = LogProbabilities()
    rule = fit_decision_rule(candidate, kind, closed_set=closed_set, calibrated=False)
    return held_out_answers(candidate, rule, kind)


def _macro_f1(rows: HeldOut, answers: Sequence[tuple[Codes, Codes]]) -> Array:
    """Return label-free macro-F1 of every candidate's answers."""
    scores = [
        label_free_macro_f1(known, rows.y_labeled, rows.weights, others, augmented=rows.augmented)
        for known, others in answers
    ]
    return np.array(scores)


def _resampled_macro_f1(
    rows: HeldOut, answers: Sequence[tuple[Codes, Codes]], rng: np.random.Generator
) -> Array:
    """Return the same for rows drawn with replacement, a line for each of `N_RESAMPLES` draws."""
    n_labeled, n_unlabeled = (len(part) for part in answers[0])
    draws = [
        [np.bincount(rng.integers(0, n, n), minlength=n) / n for n in (n_labeled, n_unlabeled)]
        for _ in range(N_RESAMPLES)
    ]
    labeled, unlabeled = (np.stack(part) for part in zip(*draws, strict=True))
    labeled, codes = labeled * rows.weights, np.eye(rows.augmented + 1)
    in_class = labeled @ codes[rows.y_labeled]
    scores = [
        macro_f1_of_shares(
            in_class,
            (labeled * (known == rows.y_labeled)) @ codes[rows.y_labeled],
            unlabeled @ codes[others],
            labeled @ (known == rows.augmented),
        )
        for known, others in answers
    ]
    return np.column_stack(scores)


def fit_mixture(
    candidates: Sequence[HeldOut],
    weights: Array | None = None,
    *,
    closed_set: bool = False,
    random_state: int | None = None,
    calibrated: bool = True,
) -> Mixture:
    """Return the mixture of held-out probabilities, its weights found or given, and its rule."""
    if weights is None:
        weights = stack_weights(candidates, closed_set=closed_set, random_state=random_state)
    mixture, kind = _mixed(candidates, weights), LogProbabilities()
    rule = fit_decision_rule(mixture, kind, closed_set=closed_set, calibrated=calibrated)
    return Mixture(weights, rule)


def chosen_weights(
    candidates: Sequence[HeldOut],
    estimate: ProportionEstimate,
    *,
    closed_set: bool = False,
) -> Array:
    """Return weight one for the candidate whose answers have the smallest label-free risk."""
    risks = [own_risk(one, estimate, closed_set=closed_set).raw for one in candidates]
    return np.eye(len(candidates))[int(np.argmin(risks))]


def own_risk(
    candidate: HeldOut, estimate: ProportionEstimate, *, closed_set: bool = False
) -> RiskEstimate:
    """Return the label-free error of one candidate."""
    return answers_risk(candidate, _answers(candidate, closed_set), estimate.standard_error)


def mixed_candidates(
    candidates: Sequence[HeldOut],
    folds: tuple[Codes, Codes],
    estimate: ProportionEstimate,
    *,
    choose: str = "stack",
    closed_set: bool = False,
    random_state: int | None = None,
) -> tuple[Mixture, RiskEstimate]:
    """Return the mixture of the candidates, and its label-free error.

    Parameters
    ----------
    candidates : sequence of HeldOut
    folds : (labeled, unlabeled) int arrays
        For the error: weights and rule that judge a fold come from the others.
    estimate : ProportionEstimate
    choose : {"stack", "select", "equal"}
        Weights by label-free macro-F1, all for the smallest error, or the same for all.
    closed_set : bool, default=False
    random_state : int, optional
    """

    def mixture_of(rows: Sequence[HeldOut], *, calibrated: bool = False) -> Mixture:
        weights = None
        if choose == "select":
            weights = chosen_weights(rows, estimate, closed_set=closed_set)
        elif choose == "equal":
            weights = np.full(len(rows), 1.0 / len(rows))
        options: dict[str, Any] = {"random_state": random_state, "calibrated": calibrated}
        return fit_mixture(rows, weights, closed_set=closed_set, **options)

    risk = _nested_risk(candidates, folds, estimate, mixture_of)
    return mixture_of(candidates, calibrated=True), risk


def _nested_risk(
    candidates: Sequence[HeldOut],
    folds: tuple[Codes, Codes],
    estimate: ProportionEstimate,
    mixture_of: Callable[[Sequence[HeldOut]], Mixture],
) -> RiskEstimate:
    """Return the label-free error of mixing, judged on rows without a part in it."""
    first = candidates[0]
    answers = np.zeros(len(first.labeled), np.intp), np.zeros(len(first.unlabeled), np.intp)
    for index in range(max(part.max() for part in folds) + 1):
        inside = [part == index for part in folds]
        mixture = mixture_of([c.taken(~inside[0], ~inside[1]) for c in candidates])
        for part, rows, name in zip(answers, inside, ("labeled", "unlabeled"), strict=True):
            held_out = [getattr(candidate, name)[rows] for candidate in candidates]
            part[rows] = mixture.decide(held_out).argmax(axis=1)
    return answers_risk(first, answers, estimate.standard_error)


def mixed_held_out(candidates: Sequence[HeldOut], *, random_state: int | None = None) -> HeldOut:
    """Return the mixture's probabilities of held-out rows, its weights by label-free macro-F1."""
    return _mixed(candidates, stack_weights(candidates, random_state=random_state))


def _mixed(candidates: Sequence[HeldOut], weights: Array) -> HeldOut:
    first = candidates[0]
    labeled, unlabeled = (
        mixed([getattr(candidate, name) for candidate in candidates], weights)
        for name in ("labeled", "unlabeled")
    )
    return HeldOut(labeled, unlabeled, first.y_labeled, first.weights, first.interval)


def split_by_label(
    table: LacTable, rows: Array, weights: Array, interval: tuple[float, float] | None = None
) -> HeldOut:
    """Return probabilities of all rows of a table as those of labeled and of unlabeled ones."""
    labeled, unlabeled = np.split(rows, [table.n_labeled])
    if not table.n_unlabeled:
        unlabeled = labeled
    return HeldOut(labeled, unlabeled, table.y_labeled, weights, interval)
