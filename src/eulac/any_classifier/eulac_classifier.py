"""Several classifiers, of which the best is chosen or all are mixed, by label-free risk alone."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from eulac.any_classifier import image_rows
from eulac.any_classifier.default_candidates import default_candidates, plain_numbers
from eulac.any_classifier.default_proportion import (
    TableReading,
    default_estimate,
    read_table,
    without_left_out,
)
from eulac.any_classifier.fit_progress import ANSWERING, READING, FitProgress, fit_progress
from eulac.any_classifier.large_tables import MOST_ROWS, all_rows, fitted_part
from eulac.any_classifier.selection import Mixture, mixed_candidates, own_risk
from eulac.any_classifier.sentence_columns import warn_of_sentences
from eulac.any_classifier.stages import split_folds, table_folds
from eulac.any_classifier.table_proportion import REFINES
from eulac.any_classifier.tried_candidates import (
    TriedCandidate,
    asked_answers,
    fitted_candidate,
    held_out_rows,
    is_late,
    kept_candidates,
    leading_candidate,
    named_candidates,
    require_candidates,
    require_seconds,
    selection_of,
    voted,
)
from eulac.classifier.input_rows import open_table
from eulac.classifier.known_proportion import choose_proportion, warn_of_doubtful_proportion
from eulac.classifier.options import SHIFTS, Progress
from eulac.classifier.table_fitting import GivenRows, TableClassifier
from eulac.data import any_rows, requirements
from eulac.data.lac_table import LacTable
from eulac.drift.moved_risk import risk_after_drift
from eulac.drift.two_readings import DRIFTS
from eulac.proportion.estimate import surer
from eulac.proportion.given import ReadyProportion
from eulac.risk.decision_rule import warn_if_trivial

__all__ = ["EulacClassifier"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

CHOICES = ("stack", "select")


class EulacClassifier(TableClassifier):
    """Try several families of classifiers, and answer by the best one or by all of them.

    Candidates are compared by the label-free test error of held-out rows, under one estimate of
    the known proportion. Inductive: predicts any new row.

    Parameters
    ----------
    candidates : "auto", mapping of names to classifiers, or sequence of classifiers
        Anything that learns from masked labels: `TwoStageEulacClassifier` around any base, other
        families, contenders. "auto": what suits the rows, see `default_candidates`; for images
        networks too, which then find the known share.
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Share of known classes among the unlabeled rows: estimated, given (one number, or one per
        known class), or an object such as `BestBinProportion`.
    refine_proportion : {"auto", True, False}, default="auto"
        Whether held-out answers have a say in the proportion. "auto": the mixture of the default
        candidates has two votes of three where it can know, see `proportion_with_answers`. True:
        the first candidate that can, in the end all, beside a number or estimate you pass.
    drift : {"auto", True, False}, default="auto"
        Whether known classes may look in deployment other than in the labels, where the proportion
        is estimated: decided by a test, taken for granted, or ruled out, which is the paper's
        condition. See `TwoReadingsProportion`; `proportion_.diagnostics["readings"]` has both.
    shift : {"auto", True, False}, default="auto"
        Whether the known classes' priors among each other may differ from the labeled ones:
        estimated, kept, or used only where they moved significantly. A given proportion is taken
        as it is.
    choose : {"stack", "select"}, default="stack"
        Mix the candidates' probabilities, those with a smaller label-free macro-F1 by less, see
        `stack_weights`; or take the one with the smallest label-free error.
    time_budget : float, optional
        Seconds that are not to be exceeded: no candidate is begun once another one as slow as the
        slowest so far would not fit in. The first is tried to its end; see `selection_.skipped`.
    n_folds : int, default=5
        Number of parts the rows are divided into, each held out once.
    unlabeled_label : scalar, default=-1
        What marks an unlabeled row in `y`.
    augmented_label : scalar, default="auto"
        What augmented rows are called: -2 for numbers and "augmented" for strings by default.
    n_jobs : int, optional
        For candidates that leave theirs open, and the proportion estimate.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the proportion estimate, and of whatever the candidates leave open.

    Attributes
    ----------
    classes_ : array of shape (n_known_classes + 1,)
        Known labels in sorted order, then the augmented label: the columns of all outputs.
    known_classes_ : array of shape (n_known_classes,)
    proportion_ : ProportionEstimate
    risk_ : RiskEstimate
        Label-free test error of the chosen or mixed classifier, by nested folds.
    held_out_probabilities_ : array of shape (n_rows, n_classes)
        For each row of `X`, then of `X_unlabeled`, by models that have not seen it.
    held_out_labels_ : array of shape (n_rows,)
        The labels that follow; `fit_predict` returns those of the unlabeled rows.
    left_out_columns_ : int array
        Columns that alone told unlabeled rows from labeled ones: an ID, a time stamp, another unit.
        Nothing is learned from them. See `drift`.
    n_fitted_rows_ : (int, int)
        Labeled and unlabeled rows the families were fitted to. Of a large table that is a part; the
        other rows are answered by models that have not seen them.
    selection_ : Selection
        Risk, weight and seconds of every candidate.
    candidates_ : dict of fitted classifiers
        All that were tried, of the default ones those with a weight. Their labels are class codes;
        they answer by the proportion they were trained with, not by the one all voted for.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from eulac import EulacClassifier, KernelEulacClassifier, TwoStageEulacClassifier
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

    most_labeled_rows = MOST_ROWS[0]
    """Of a table file; the default families learn from no more."""

    def __init__(
        self,
        candidates: Any = "auto",
        *,
        known_proportion: Any = "auto",
        refine_proportion: Any = "auto",
        drift: Any = "auto",
        shift: Any = "auto",
        choose: str = "stack",
        time_budget: float | None = None,
        n_folds: int = 5,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.refine_proportion = refine_proportion
        self.drift = drift
        self.choose = choose
        self.time_budget = time_budget
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    def _fit(self, rows: GivenRows, progress: Progress) -> None:
        self._check_parameters()
        self.image_shape_ = image_rows.image_shape(rows.X) if self._is_auto() else None
        X, more = (image_rows.pixels(X, self.image_shape_) for X in (rows.X, rows.X_unlabeled))
        rows = rows._replace(X=X, X_unlabeled=more)
        table, seed = open_table(self, *rows, inner=self._inner(), by_name=self._is_auto())
        whole = replace(table, X=any_rows.as_pandas(table.X)) if self._is_auto() else table
        if self._is_auto():
            warn_of_sentences(whole.X)
            table = fitted_part(whole, image_rows.most_rows(self.image_shape_))
        n_fitted, named = table.n_labeled + table.n_unlabeled, self._named_candidates(table, None)
        n_rest = max(len(whole.places) - n_fitted, 0)
        with fit_progress(self, progress, named, n_fitted, n_rest) as steps:
            table, found = self._read(table, seed)
            steps.finished(READING)
            table = replace(table, X=plain_numbers(table.X)) if self._is_auto() else table
            named = self._named_candidates(table, found)
            tried = self._try(named, table, seed, found, steps)
            on_rows = steps.begun(ANSWERING)
            self.mixture_, self.risk_ = mixed_candidates(
                [one.held_out for one in tried],
                split_folds(table, self.n_folds, seed),
                self.proportion_,
                # Labeled rows do not tell which candidate is best where known classes have moved.
                choose="equal" if found and found.guesses is not None else self.choose,
                closed_set=self.closed_set_,
                random_state=seed,
            )
            self._keep(tried, named, table, whole, on_rows)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = any_rows.input_tags(self._inner())
        return tags

    def _inner(self) -> Any:
        """Return a classifier that takes the rows the candidates take."""
        if self._is_auto():
            return ExtraTreesClassifier()
        return next(iter(named_candidates(self.candidates).values()))

    def _is_auto(self) -> bool:
        return isinstance(self.candidates, str)

    def _read(self, table: LacTable, seed: int) -> tuple[LacTable, TableReading | None]:
        """Return the table as candidates get it, and what the rows tell of the proportion."""
        self.left_out_columns_ = np.empty(0, dtype=np.intp)
        given = not isinstance(self.known_proportion, str)
        if self.closed_set_ or given or self.refine_proportion is True:
            return table, None
        choose_proportion(self.known_proportion)  # refuses other words than "auto"
        # Candidates of the user see all columns.
        found = read_table(self, table, seed, may_leave_out=self._is_auto())
        if self.image_shape_ is not None:
            return table, image_rows.clear_reading(found)
        self.left_out_columns_ = found.left_out
        return replace(table, X=without_left_out(self, table.X)), found

    def _check_parameters(self) -> None:
        requirements.require_choice("choose", self.choose, CHOICES)
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("refine_proportion", self.refine_proportion, REFINES)
        requirements.require_choice("drift", self.drift, DRIFTS)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        require_seconds("time_budget", self.time_budget)
        require_candidates(self.candidates)

    def _named_candidates(self, table: LacTable, found: TableReading | None) -> dict[str, Any]:
        if not self._is_auto():
            return named_candidates(self.candidates)
        named = default_candidates(table.X)
        return image_rows.beside_networks(named, self.image_shape_, found, self.time_budget)

    def _try(
        self,
        named: dict[str, Any],
        table: LacTable,
        seed: int,
        found: TableReading | None,
        steps: FitProgress,
    ) -> list[TriedCandidate]:
        """Return candidates fitted and judged, as time allows; first comes a proportion for all."""
        start = time.perf_counter()
        fold = table_folds(table, self.n_folds, seed)
        leader = self._leader(named, table)
        if leader is None:
            self.proportion_ = found.estimate if found else default_estimate(self, table, seed)
        tried: list[TriedCandidate] = []
        for name in sorted(named, key=lambda name: name != leader):  # the others in their order
            if is_late(start, tried, self.time_budget):
                break
            one = self._try_one(
                *(name, named[name], table, fold, seed),
                leads=name == leader,
                found=found,
                progress=steps.within(name),
                fitting=partial(steps.fitting, name),
            )
            tried.append(one)
            steps.finished(name)
        if leader is not None and self.refine_proportion is True:
            self.proportion_, tried = voted(tried, leader, self.proportion_, table, seed)
        elif found and leader is None and self._is_auto() and self.refine_proportion == "auto":
            self.proportion_, tried = asked_answers(tried, self.proportion_, table, seed)
        warn_of_doubtful_proportion(self.proportion_)
        return sorted(tried, key=lambda one: list(named).index(one.name))

    def _try_one(
        self,
        name: str,
        candidate: Any,
        table: LacTable,
        fold: Codes,
        seed: int,
        *,
        leads: bool,
        found: TableReading | None,
        **options: Any,
    ) -> TriedCandidate:
        """Return a candidate fitted with the proportion of all, or to find it, and judged."""
        begun = time.perf_counter()
        parameters: dict[str, Any] = {
            "known_proportion": self.known_proportion,
            "shift": self.shift,
            "refine_proportion": self.refine_proportion is True,
        }
        if not leads:  # the estimate says already how priors moved
            shared = ReadyProportion(self.proportion_)
            parameters |= {"known_proportion": shared, "shift": False, "refine_proportion": False}
        guesses = found.guesses if found else None
        options |= {"seed": seed, "n_jobs": self.n_jobs, "guesses": guesses}
        model = fitted_candidate(candidate, table, parameters, **options)
        if leads:  # what was read off pixels may be surer
            self.proportion_ = surer(model.proportion_, found.estimate if found else None)
        held_out = held_out_rows(model, table, fold, self.proportion_)
        risk = own_risk(held_out, self.proportion_, closed_set=self.closed_set_)
        return TriedCandidate(name, model, held_out, risk, time.perf_counter() - begun)

    def _leader(self, named: dict[str, Any], table: LacTable) -> str | None:
        """Return the candidate that refines the proportion with its own scores, if any."""
        if self.closed_set_:
            return None
        # Without numbers only own scores can tell how the priors of a given share moved.
        given = not isinstance(self.known_proportion, str)
        if image_rows.NETWORKS in named and self._is_auto() and not given:
            return image_rows.NETWORKS
        must = given and self.shift is True and any_rows.scaled_numbers(table.X) is None
        return leading_candidate(named, wanted=self.refine_proportion is True, must=must)

    def _keep(
        self,
        tried: list[TriedCandidate],
        named: dict[str, Any],
        table: LacTable,
        whole: LacTable,
        on_rows: Callable[[int, int], Any],
    ) -> None:
        parts = [np.vstack([one.held_out.labeled, one.held_out.unlabeled]) for one in tried]
        decision = self.mixture_.decide(parts)
        probabilities = self._calibrated(decision)
        samples = np.split(probabilities, [table.n_labeled])
        self.risk_ = risk_after_drift(self.risk_, self.proportion_, samples)
        self.selection_ = selection_of(tried, named, self.mixture_.weights, self.risk_)
        self._keep_models(tried)
        self.n_fitted_rows_ = table.n_labeled, table.n_unlabeled

        def answered(rows: Codes) -> Array:
            return self._calibrated(self._decide(any_rows.picked_rows(whole.X, rows)))

        every = all_rows(table, whole, probabilities, answered, on_rows)
        self.held_out_probabilities_ = every
        answers = decision[table.n_labeled :].argmax(axis=1)
        counts = np.bincount(answers, minlength=len(self.classes_))
        warn_if_trivial(counts / counts.sum(), self.classes_)

    def _keep_models(self, tried: list[TriedCandidate]) -> None:
        """Keep all candidates of the user; of the default ones those that have a say."""
        self.candidates_ = {one.name: one.model for one in tried}
        if self._is_auto():
            weights = self.mixture_.weights
            self.candidates_ = kept_candidates(tried, weights)
            self.mixture_ = Mixture(weights[weights > 0], self.mixture_.rule)

    def _decision(self, X: Any) -> Array:
        check_is_fitted(self)
        X = any_rows.opened_rows(self, image_rows.pixels(X, self.image_shape_), inner=self._inner())
        X = any_rows.in_name_order(self, X)
        return self._decide(any_rows.as_pandas(X) if self._is_auto() else X)

    def _decide(self, X: Any) -> Array:
        """Return decision values of rows as the fit has them, all columns included."""
        X = without_left_out(self, X)
        X = plain_numbers(X) if self._is_auto() else X
        n_codes = len(self.known_classes_) + 1
        return self.mixture_.decide_by(list(self.candidates_.values()), X, n_codes)

    def _calibrated(self, decision: Array) -> Array:
        return self.mixture_.rule.probabilities(decision)
