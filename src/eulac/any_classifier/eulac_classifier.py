"""Several classifiers, of which the best is chosen or all are mixed, by label-free risk alone."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from eulac.any_classifier.default_candidates import default_candidates
from eulac.any_classifier.refined_proportion import voted_proportion
from eulac.any_classifier.selection import (
    Mixture,
    chosen_weights,
    code_probabilities,
    fit_mixture,
    held_out_outputs,
    in_columns,
    nested_risk,
    own_risk,
    split_by_label,
)
from eulac.any_classifier.stages import fold_of_rows
from eulac.any_classifier.table_proportion import (
    REFINES,
    SharedProportion,
    reads_rows,
    refines,
)
from eulac.any_classifier.trials import (
    Selection,
    Trial,
    named_candidates,
    quietly_fitted,
    require_candidates,
    require_seconds,
    with_parameter,
)
from eulac.any_classifier.weighted_base import seeded
from eulac.classifier.answering import AnswersMixin
from eulac.classifier.input_rows import open_table, step_counter
from eulac.classifier.options import SHIFTS
from eulac.classifier.probability_rule import HeldOutProbabilities
from eulac.data import requirements
from eulac.data.any_rows import as_pandas, opened_rows, scaled_numbers
from eulac.data.lac_table import LacTable
from eulac.exceptions import EulacWarning
from eulac.proportion.choose_proportion import choose_proportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import GivenProportion
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.decision import warn_if_trivial
from eulac.risk.weights import sample_weights

__all__ = ["EulacClassifier", "select_classifier"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

CHOICES = ("stack", "select")


def select_classifier(
    candidates: Any, X: Any, y: Any, X_unlabeled: Any = None, **options: Any
) -> Selection:
    """Return what each candidate is worth on these rows, judged by label-free risk.

    Parameters
    ----------
    candidates : "auto", mapping of names to classifiers, or sequence of classifiers
    X, y, X_unlabeled
        As in `EulacClassifier.fit`.
    **options
        Further parameters of `EulacClassifier`.
    """
    return EulacClassifier(candidates, choose="select", **options).fit(X, y, X_unlabeled).selection_


class EulacClassifier(AnswersMixin, ClassifierMixin, BaseEstimator):
    """Try several families of classifiers, and answer by the best one or by all of them.

    Candidates are compared by the label-free test error of held-out rows, under one estimate of
    the known proportion. Inductive: predicts any new row.

    Parameters
    ----------
    candidates : "auto", mapping of names to classifiers, or sequence of classifiers
        Anything that learns from masked labels: `KernelEulacClassifier`,
        `TwoStageEulacClassifier` around any base, contenders. "auto" takes what suits the rows:
        see `default_candidates`.
    known_proportion, refine_proportion, shift
        As in `TwoStageEulacClassifier`; estimated once, for all candidates, and refined with the
        first candidate that can; in the end with all of them, and judged by that.
    choose : {"stack", "select"}, default="stack"
        Mix the candidates' probabilities, those with a smaller label-free macro-F1 by less, see
        `stack_weights`; or take the one with the smallest label-free error.
    time_budget : float, optional
        Seconds that are not to be exceeded: no candidate is begun once another one as slow as the
        slowest so far would not fit in. The first is always tried to its end, or the one that the
        proportion is refined with. `selection_.skipped` names those there was no time for.
    n_folds : int, default=5
    unlabeled_label, augmented_label
        As in `TwoStageEulacClassifier`.
    n_jobs : int, optional
        For candidates that leave theirs open, and the proportion estimate.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_, known_classes_, proportion_
        As in `TwoStageEulacClassifier`.
    risk_ : RiskEstimate
        Label-free test error of the chosen or mixed classifier, by nested folds.
    selection_ : Selection
        Risk, weight and seconds of every candidate.
    candidates_ : dict of fitted classifiers
        All that were tried. They speak in class codes, and answer by the proportion they were
        trained with, not by the one all voted for; those without weight are never asked.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import TwoStageEulacClassifier, EulacClassifier, KernelEulacClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40], 0.5)
    >>> y = np.repeat(["left", "right"], 40)
    >>> X_deploy = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> bayes = TwoStageEulacClassifier(GaussianNB())
    >>> candidates = {"kernel": KernelEulacClassifier(), "bayes": bayes}
    >>> auto = EulacClassifier(candidates, random_state=0).fit(X, y, X_unlabeled=X_deploy)
    >>> auto.predict(centers)
    array(['left', 'right', 'augmented'], dtype='<U9')
    >>> auto.selection_.names
    ('kernel', 'bayes')
    """

    def __init__(
        self,
        candidates="auto",
        *,
        known_proportion="auto",
        refine_proportion="auto",
        shift="auto",
        choose="stack",
        time_budget=None,
        n_folds=5,
        unlabeled_label=-1,
        augmented_label="auto",
        n_jobs=None,
        random_state=None,
    ):
        self.candidates = candidates
        self.known_proportion = known_proportion
        self.refine_proportion = refine_proportion
        self.shift = shift
        self.choose = choose
        self.time_budget = time_budget
        self.n_folds = n_folds
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, X_unlabeled=None, *, progress: Callable[[int, int], Any] | None = None):
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array or data frame of n_rows rows
        y : array of shape (n_rows,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : rows of the same kind, optional
            Further unlabeled rows.
        progress : callable, optional
            Called as ``progress(done, total)`` after each candidate.

        Returns
        -------
        self
        """
        self._check_parameters()
        table, seed = open_table(self, X, y, X_unlabeled, inner=self._inner())
        table = replace(table, X=self._for_candidates(table.X))
        named = self._named_candidates(table)
        trials = self._trials(named, table, seed, step_counter(progress, len(named)))
        held_out = [trial.held_out for trial in trials]
        options = {"closed_set": self.closed_set_}
        weights = None
        if self.choose == "select":
            weights = chosen_weights(held_out, self.proportion_, **options)
        self.mixture_ = fit_mixture(held_out, weights, **options)
        self.risk_ = nested_risk(
            held_out,
            _split_folds(table, self.n_folds, seed),
            self.proportion_,
            stack=self.choose == "stack",
            **options,
        )
        self._keep(trials, named)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._inner()).input_tags
        return tags

    def _inner(self):
        """Return a classifier that takes the rows the candidates take."""
        if isinstance(self.candidates, str):
            return ExtraTreesClassifier()
        return next(iter(named_candidates(self.candidates).values()))

    def _for_candidates(self, X: Any) -> Any:
        """Return rows as the default candidates take them; others take what the user passes."""
        return as_pandas(X) if isinstance(self.candidates, str) else X

    def _check_parameters(self) -> None:
        requirements.require_choice("choose", self.choose, CHOICES)
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("refine_proportion", self.refine_proportion, REFINES)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        require_seconds("time_budget", self.time_budget)
        require_candidates(self.candidates)

    def _named_candidates(self, table: LacTable) -> dict[str, Any]:
        if isinstance(self.candidates, str):
            return default_candidates(table.X)
        return named_candidates(self.candidates)

    def _trials(
        self,
        named: dict[str, Any],
        table: LacTable,
        seed: int,
        on_candidate: Callable[[int], Any],
    ) -> list[Trial]:
        """Return the candidates fitted and judged, as many as the time allows.

        The proportion comes first: from the rows, or from the candidate that can refine it.
        """
        start = time.perf_counter()
        fold = fold_of_rows(table, self.n_folds, seed)
        leader = self._leader(named, table)
        if leader is None:
            self.proportion_ = self._estimate_proportion(table, seed)
        trials: list[Trial] = []
        for name in sorted(named, key=lambda name: name != leader):  # the others in their order
            begun = time.perf_counter()
            longest = max((trial.seconds for trial in trials), default=0.0)
            late = self.time_budget is not None and begun - start + longest > self.time_budget
            if trials and late:
                break
            model = self._fitted(named[name], table, seed, leads=name == leader)
            if name == leader:
                self.proportion_ = model.proportion_
            held_out = self._judged(model, table, fold)
            risk = own_risk(held_out, self.proportion_, closed_set=self.closed_set_)
            trials.append(Trial(name, model, held_out, risk, time.perf_counter() - begun))
            on_candidate(len(trials) - 1)
        if leader is not None and refines(self):
            trials = self._put_to_the_vote(trials, leader, table, seed)
        warn_of_doubtful_proportion(self.proportion_)
        return sorted(trials, key=lambda trial: list(named).index(trial.name))

    def _put_to_the_vote(
        self, trials: list[Trial], leader: str, table: LacTable, seed: int
    ) -> list[Trial]:
        """Return trials judged under the proportion that all of them have a say in."""
        others = {trial.name: trial.held_out for trial in trials if trial.name != leader}
        self.proportion_ = voted_proportion(self.proportion_, others, seed=seed)
        weights = sample_weights(table, self.proportion_.per_class)
        again = []
        for trial in trials:
            held_out = replace(trial.held_out, weights=weights, interval=self.proportion_.interval)
            again.append(
                replace(trial, held_out=held_out, risk=own_risk(held_out, self.proportion_))
            )
        return again

    def _leader(self, named: dict[str, Any], table: LacTable) -> str | None:
        """Return the candidate that finds the proportion of all with its own scores, if any."""
        if self.closed_set_:
            return None
        able = [name for name, model in named.items() if _can_lead(model)]
        if refines(self):
            willing = [name for name in able if named[name].refine_proportion is not False]
            if not willing and self.refine_proportion is True:
                raise ValueError(
                    "`refine_proportion=True` needs a candidate with scores of its own, a "
                    f"TwoStageEulacClassifier; got {', '.join(named)}. Add one, or leave it at "
                    "'auto'."
                )
            if willing:
                return willing[0]
        # Without numbers, own scores are the only ones to tell the proportion, or moved priors.
        asked = isinstance(self.known_proportion, str) or self.shift is True
        return able[0] if able and asked and scaled_numbers(table.X) is None else None

    def _estimate_proportion(self, table: LacTable, seed: int) -> ProportionEstimate:
        """Return the one estimate for all, from the rows."""
        if self.closed_set_:
            return GivenProportion(1.0).estimate(table.sample())
        numbers = scaled_numbers(table.X)
        shift = self.shift if numbers is not None else False
        chosen = choose_proportion(
            self.known_proportion, shift, random_state=seed, n_jobs=self.n_jobs
        )
        if numbers is None and reads_rows(chosen):
            raise ValueError(
                "where columns are not finite numbers, `known_proportion` must be a number, or a "
                f"candidate a TwoStageEulacClassifier; got {self.known_proportion!r} and no such "
                "candidate. Pass one of the two."
            )
        return chosen.estimate(table.sample(numbers))

    def _fitted(self, candidate: Any, table: LacTable, seed: int, *, leads: bool) -> Any:
        """Return a candidate fitted to all rows, with the proportion of all or to find it."""
        told = {
            "known_proportion": self.known_proportion,
            "shift": self.shift,
            "refine_proportion": refines(self),
        }
        if not leads:  # the estimate has its say about priors
            shared = SharedProportion(self.proportion_)
            told = {"known_proportion": shared, "shift": False, "refine_proportion": False}
        model = candidate
        for parameter, value in told.items():
            model = with_parameter(model, parameter, value)
        if self.n_jobs is not None and model.get_params().get("n_jobs", 1) is None:
            model.set_params(n_jobs=self.n_jobs)
        return quietly_fitted(seeded(model, seed), table)

    def _judged(self, model: Any, table: LacTable, fold: Codes) -> HeldOutProbabilities:
        """Return held-out probabilities of every row by a candidate fitted to all rows."""
        n_codes = table.n_known_classes + 1
        if hasattr(model, "held_out_probabilities_"):
            rows = in_columns(model.held_out_probabilities_, model.classes_, n_codes)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EulacWarning)
                rows = held_out_outputs(model, table, fold)
        weights = sample_weights(table, self.proportion_.per_class)
        return split_by_label(table, rows, weights, self.proportion_.interval)

    def _keep(self, trials: list[Trial], named: dict[str, Any]) -> None:
        weights = self.mixture_.weights
        self.selection_ = Selection(
            tuple(trial.name for trial in trials),
            tuple(trial.risk for trial in trials),
            weights,
            tuple(trial.seconds for trial in trials),
            self.risk_,
            tuple(name for name in named if all(name != trial.name for trial in trials)),
        )
        self.candidates_ = {trial.name: trial.model for trial in trials}
        answers = self.mixture_.decide([t.held_out.unlabeled for t in trials]).argmax(axis=1)
        counts = np.bincount(answers, minlength=len(self.classes_))
        warn_if_trivial(counts / counts.sum(), self.classes_)

    def _decision(self, X):
        """Decision values with one column per entry of `classes_`."""
        check_is_fitted(self)
        X = self._for_candidates(opened_rows(self, X, inner=self._inner()))
        n_codes = len(self.known_classes_) + 1
        used = self.mixture_.weights > 0
        models = [m for m, use in zip(self.candidates_.values(), used, strict=True) if use]
        probabilities = [code_probabilities(model, X, n_codes) for model in models]
        mixture = Mixture(self.mixture_.weights[used], self.mixture_.rule)
        return mixture.decide(probabilities)

    def _calibrated(self, decision):
        return self.mixture_.rule.probabilities(decision)


def _can_lead(candidate: Any) -> bool:
    """Whether a candidate, itself and not something in it, can tell the proportion."""
    return "refine_proportion" in candidate.get_params(deep=False)


def _split_folds(table: LacTable, n_folds: int, seed: int):
    labeled, unlabeled = np.split(fold_of_rows(table, n_folds, seed), [table.n_labeled])
    return (labeled, unlabeled) if table.n_unlabeled else (labeled, labeled)
