"""Any scikit-learn classifier turned into one that answers: one of K, or new."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from eulac.any_classifier.label_free_steps import split_steps
from eulac.any_classifier.stages import Stages, guesses_by_place
from eulac.any_classifier.table_proportion import (
    REFINES,
    estimate_table_proportion,
    readable_numbers,
    refines,
    require_readable,
)
from eulac.any_classifier.two_stage_model import (
    TwoStageModel,
    fit_closed,
    fit_repeated,
    mean_parts,
    shuffled_repeats,
)
from eulac.any_classifier.weighted_base import require_probabilities
from eulac.classifier.answering import LacClassifier
from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.input_rows import in_given_order, open_table, step_counter
from eulac.classifier.known_proportion import warn_of_doubtful_proportion
from eulac.classifier.options import DECISIONS, SHIFTS, Progress
from eulac.data import requirements
from eulac.data.any_rows import in_name_order, input_tags, opened_rows
from eulac.data.lac_table import LacTable
from eulac.drift.moved_risk import risk_after_drift
from eulac.drift.two_readings import DRIFTS
from eulac.proportion.given import GivenProportion
from eulac.risk.decision_rule import warn_if_trivial
from eulac.risk.evidence import LogProbabilities

__all__ = ["TwoStageEulacClassifier"]

Array = NDArray[np.float64]

N_TREES = 300
FOREST_REPEATS = 3


class TwoStageEulacClassifier(MetaEstimatorMixin, LacClassifier):
    """Turn any classifier into one of the known classes or *augmented*.

    Two stages, cross-fitted so that no row scores itself: the classifier tells labeled from
    unlabeled rows, which says how new each unlabeled row looks; then it learns K + 1 classes from
    labeled rows, weighted to the test distribution, and from the newest unlabeled rows, as many
    as the proportion says. Data frames reach it as they are, strings and missing values included,
    if it takes them. Inductive: predicts any new row.

    Parameters
    ----------
    estimator : scikit-learn classifier with `predict_proba`, optional
        Forests, boosting, logistic regression, nearest neighbors, pipelines. Default: extremely
        randomized trees, which need neither scaling nor tuning, 300 over all repeats.
    known_proportion, shift, drift, unlabeled_label, augmented_label
        As in `EulacClassifier`. Where rows are not all finite numbers, or there are sample weights,
        "auto" reads the proportion off the classifier's own held-out scores.
    refine_proportion : {"auto", True, False}, default="auto"
        Whether the proportion is estimated once more, from held-out scores of the second stage.
        "auto": unless it was given, or known classes are taken to have moved.
    decision : {"matched", "largest"}, default="matched"
        "matched" calls as many held-out unlabeled rows augmented as the proportion says there
        are; "largest" lets the largest probability win.
    n_repeats : "auto" or int, default="auto"
        How often both stages are run, each time with other folds; probabilities are averaged.
        Proportion, risk and answers then depend less on how the folds fell, at as many times the
        cost. "auto": three times with the default forest, a third of its trees each, otherwise
        once. Without unlabeled rows nothing is repeated.
    n_folds : int, default=4
        In both stages, three at least: the first has a model for each pair of folds, so its cost
        grows with the square. Samples too small for three are fitted with two, and their risk comes
        out too small.
    n_jobs : int, optional
        Folds fitted side by side. None means 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the proportion estimate, and of whatever randomness `estimator`
        leaves open.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_, held_out_probabilities_, held_out_labels_
        As in `EulacClassifier`.
    model_ : TwoStageModel
        Classifier, decision rule, and what they were judged by.
    estimator_ : classifier
        What was fitted to all rows; the first of them, where repeated.
    n_features_in_ : int
    feature_names_in_ : array
        Where the rows came with names.

    Examples
    --------
    A table with strings and gaps; wolves were never labeled.

    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from eulac import TwoStageEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> kinds = np.resize(["cat", "dog", "wolf"], 300)
    >>> X = pd.DataFrame({
    ...     "voice": pd.Categorical(np.resize(["meow", "bark", "howl"], 300)),
    ...     "weight": np.where(rng.random(300) < 0.1, np.nan, rng.normal(20, 5, 300)),
    ... })
    >>> y = np.where((np.arange(300) < 120) & (kinds != "wolf"), kinds, "-1")
    >>> boosting = HistGradientBoostingClassifier()
    >>> classifier = TwoStageEulacClassifier(boosting, random_state=0).fit(X, y)
    >>> classifier.predict(X[:3])
    array(['cat', 'dog', 'augmented'], dtype='<U9')
    """

    takes_pool_guesses = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        known_proportion: Any = "auto",
        refine_proportion: Any = "auto",
        shift: Any = "auto",
        drift: Any = "auto",
        n_folds: int = 4,
        n_repeats: Any = "auto",
        decision: str = "matched",
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.refine_proportion = refine_proportion
        self.decision = decision
        self.n_repeats = n_repeats
        self.drift = drift
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    def fit(
        self,
        X: Any,
        y: Any,
        X_unlabeled: Any = None,
        *,
        sample_weight: Any = None,
        pool_guesses: Any = None,
        progress: Progress = None,
    ) -> Self:
        """Learn from labeled and unlabeled rows, as in `EulacClassifier.fit`.

        Parameters
        ----------
        X, y, X_unlabeled
            Rows of whatever kind `estimator` takes.
        sample_weight : array of shape (n_rows,), optional
            How much each labeled row counts: in both stages, in the proportion, which then comes
            from the classifier's own scores, and in the risk. Unlabeled rows must weigh the same.
        pool_guesses : int array of shape (n_unlabeled,), optional
            What each unlabeled row is taken for: the place of a known class in sorted order, their
            number K for new, -1 for no guess. Takes the place of the first stage where known
            classes have moved, and all unlabeled rows would look new.
        progress : callable, optional
            Called as ``progress(done, total)`` after each stage.

        Returns
        -------
        self
        """
        self._check_parameters()
        rows = X, y, X_unlabeled, sample_weight
        own = self.estimator is None
        table, seed = open_table(self, *rows, inner=self._base(), by_name=own)
        stages, n_stages = self._stages(table, seed), 2 * self._n_repeats()
        guesses = None if pool_guesses is None else guesses_by_place(table, pool_guesses)
        with fit_tasks(self, n_stages, "stage", progress) as tasks:
            on_stage = step_counter(tasks.report, n_stages)
            self.model_ = self._fit_stages(table, stages, on_stage, guesses)
        self.estimator_ = self.model_.model.model
        held_out = self.model_.held_out_probabilities()
        samples = np.split(held_out, [table.n_labeled])
        self.risk_ = risk_after_drift(self.model_.risk, self.proportion_, samples)
        self.held_out_probabilities_ = in_given_order(held_out, table.places)
        self._warn_if_trivial()
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = ExtraTreesClassifier() if self.estimator is None else self.estimator
        tags.input_tags = input_tags(inner)
        return tags

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return ExtraTreesClassifier(max(N_TREES // self._n_repeats(), 1))

    def _n_repeats(self) -> int:
        if self.n_repeats == "auto":
            return FOREST_REPEATS if self.estimator is None else 1
        return int(self.n_repeats)

    def _check_parameters(self) -> None:
        requirements.require_at_least("n_repeats", self.n_repeats, 1, or_auto=True)
        require_probabilities(self._base())
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("drift", self.drift, DRIFTS)
        requirements.require_choice("decision", self.decision, DECISIONS)
        requirements.require_choice("refine_proportion", self.refine_proportion, REFINES)
        requirements.require_at_least("n_folds", self.n_folds, 3)

    def _stages(self, table: LacTable, seed: int) -> Stages:
        prepare, base = split_steps(self._base(), table.X, seed)
        return Stages(
            base,
            n_folds=self.n_folds,
            matched=self.decision == "matched",
            closed_set=self.closed_set_,
            n_jobs=self.n_jobs,
            seed=seed,
            prepare=prepare,
        )

    def _fit_stages(
        self,
        table: LacTable,
        stages: Stages,
        on_stage: Callable[[int], Any],
        guesses: NDArray[np.intp] | None,
    ) -> TwoStageModel:
        if self.closed_set_:
            self.proportion_ = GivenProportion(1.0).estimate(table.sample())
            return fit_closed(table, self.proportion_, stages)
        require_readable(table, self.known_proportion)
        # Priors of the known classes, where only these scores can tell, need a score of each.
        by_class = self.shift is not False and readable_numbers(table) is None
        options: dict[str, Any] = {"by_class": by_class, "guesses": guesses}
        repeats = shuffled_repeats(table, stages, self._n_repeats(), on_stage, **options)
        estimate = estimate_table_proportion(
            table,
            mean_parts(repeats),
            self.known_proportion,
            (self.shift, self.drift),
            seed=stages.seed,
            n_jobs=self.n_jobs,
        )
        model = fit_repeated(
            repeats,
            estimate,
            lambda index: on_stage(index + len(repeats)),
            refine=refines(self) and not estimate.assumes_drift,
        )
        self.proportion_ = model.estimate
        warn_of_doubtful_proportion(self.proportion_)
        return model

    def _compact(self) -> None:
        """Keep what answers, in little room: for a classifier that keeps several of these."""
        self.model_ = replace(self.model_, model=self.model_.model.compacted())
        self.estimator_ = self.model_.model.model

    def _warn_if_trivial(self) -> None:
        evidence = LogProbabilities().of(self.model_.held_out.unlabeled)
        answers = self.model_.rule.answers(evidence)
        counts = np.bincount(answers, minlength=len(self.classes_))
        warn_if_trivial(counts / counts.sum(), self.classes_)

    def _decision(self, X: Any) -> Array:
        check_is_fitted(self)
        X = in_name_order(self, opened_rows(self, X, inner=self._base()))
        return self.model_.decide(X)

    def _calibrated(self, decision: Array) -> Array:
        return self.model_.rule.probabilities(decision)
