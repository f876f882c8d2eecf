"""Any scikit-learn classifier turned into one that answers: one of K, or new."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from eulac.any_classifier.repeats import fit_repeated, mean_parts, shuffled_repeats
from eulac.any_classifier.stages import Stages
from eulac.any_classifier.table_proportion import (
    REFINES,
    estimate_table_proportion,
    readable_numbers,
    refines,
    require_readable,
)
from eulac.any_classifier.two_stage_model import TwoStageModel, fit_closed
from eulac.any_classifier.weighted_base import require_probabilities
from eulac.classifier.answering import AnswersMixin
from eulac.classifier.input_rows import open_table, step_counter
from eulac.classifier.options import DECISIONS, SHIFTS
from eulac.data import requirements
from eulac.data.any_rows import opened_rows
from eulac.data.lac_table import LacTable
from eulac.proportion.given import GivenProportion
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.decision import warn_if_trivial

__all__ = ["TwoStageEulacClassifier"]

N_TREES = 300
FOREST_REPEATS = 3
POSTERIORS = ("soft", "hard")


class TwoStageEulacClassifier(AnswersMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
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
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Share of known classes among the unlabeled rows: estimated, given (one number, or one per
        known class), or an object such as `BestBinProportion`. Where rows are not all finite
        numbers, or there are sample weights, "auto" reads it off the classifier's own held-out
        scores.
    refine_proportion : {"auto", True, False}, default="auto"
        Whether the proportion is estimated once more from the second stage's held-out scores,
        which tell new rows better than those before. "auto" does so with `known_proportion="auto"`;
        with True a number or an estimate you pass has a vote too.
    shift : {"auto", True, False}, default="auto"
        Whether the known classes' priors among each other may differ from the labeled ones:
        estimated, kept, or estimated and used only where they moved significantly.
    rounds : int, default=1
        At most so many second stages, each starting from the newness the last one found; they
        stop as soon as the label-free risk of held-out rows no longer falls.
    posteriors : {"hard", "soft"}, default="hard"
        Whether the newest unlabeled rows count as augmented fully and the others not at all, or
        each by the share it is likely to be. Soft ones are for classifiers that average over
        rows; a tree grown to single rows forgets the weights of a leaf's only row.
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
    unlabeled_label : scalar, default=-1
        What marks an unlabeled row in `y`.
    augmented_label : scalar, default="auto"
        What augmented rows are called: -2 for numbers and "augmented" for strings by default.
    n_jobs : int, optional
        Folds fitted side by side. None means 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, of the proportion estimate, and of whatever randomness `estimator`
        leaves open.

    Attributes
    ----------
    classes_ : array of shape (n_known_classes + 1,)
        Known labels in sorted order, then the augmented label: the columns of all outputs.
    known_classes_ : array of shape (n_known_classes,)
    proportion_ : ProportionEstimate
    risk_ : RiskEstimate
        Label-free estimate of the test error, from held-out rows.
    model_ : TwoStageModel
        Classifier, decision rule, risk of every round, and the newness of the unlabeled rows.
    estimator_ : classifier
        What was fitted to all rows; the first of them, where repeated.
    held_out_probabilities_ : array of shape (n_rows, n_classes)
        For each row of `X`, then of `X_unlabeled`, from models that have not seen it.
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

    def __init__(
        self,
        estimator=None,
        *,
        known_proportion="auto",
        refine_proportion="auto",
        shift="auto",
        rounds=1,
        posteriors="hard",
        decision="matched",
        n_repeats="auto",
        n_folds=4,
        unlabeled_label=-1,
        augmented_label="auto",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.known_proportion = known_proportion
        self.refine_proportion = refine_proportion
        self.shift = shift
        self.rounds = rounds
        self.posteriors = posteriors
        self.decision = decision
        self.n_repeats = n_repeats
        self.n_folds = n_folds
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X,
        y,
        X_unlabeled=None,
        *,
        sample_weight=None,
        progress: Callable[[int, int], Any] | None = None,
    ):
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array, data frame or whatever `estimator` takes, of n_rows rows
        y : array of shape (n_rows,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : rows of the same kind, optional
            Further unlabeled rows.
        sample_weight : array of shape (n_rows,), optional
            How much each labeled row counts: in both stages, in the proportion, which then comes
            from the classifier's own scores, and in the risk. Unlabeled rows must weigh the same.
        progress : callable, optional
            Called as ``progress(done, total)`` after each stage.

        Returns
        -------
        self
        """
        self._check_parameters()
        table, seed = open_table(self, X, y, X_unlabeled, sample_weight, inner=self._base())
        stages = self._stages(seed)
        on_stage = step_counter(progress, self._n_repeats() * (self.rounds + 1))
        self.model_ = self._fit_stages(table, stages, on_stage)
        self.risk_, self.estimator_ = self.model_.risk, self.model_.model.model
        self.held_out_probabilities_ = self.model_.held_out_probabilities(table.places)
        self._warn_if_trivial()
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = ExtraTreesClassifier() if self.estimator is None else self.estimator
        tags.input_tags = get_tags(inner).input_tags
        return tags

    def _base(self):
        if self.estimator is not None:
            return self.estimator
        return ExtraTreesClassifier(max(N_TREES // self._n_repeats(), 1))

    def _n_repeats(self) -> int:
        if self.n_repeats == "auto":
            return FOREST_REPEATS if self.estimator is None else 1
        return self.n_repeats

    def _check_parameters(self) -> None:
        requirements.require_at_least("n_repeats", self.n_repeats, 1, or_auto=True)
        require_probabilities(self._base())
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("posteriors", self.posteriors, POSTERIORS)
        requirements.require_choice("decision", self.decision, DECISIONS)
        requirements.require_at_least("rounds", self.rounds, 1)
        requirements.require_choice("refine_proportion", self.refine_proportion, REFINES)
        requirements.require_at_least("n_folds", self.n_folds, 3)

    def _stages(self, seed: int) -> Stages:
        return Stages(
            self._base(),
            n_folds=self.n_folds,
            rounds=self.rounds,
            soft=self.posteriors == "soft",
            matched=self.decision == "matched",
            closed_set=self.closed_set_,
            n_jobs=self.n_jobs,
            seed=seed,
        )

    def _fit_stages(self, table: LacTable, stages: Stages, on_stage) -> TwoStageModel:
        if self.closed_set_:
            self.proportion_ = GivenProportion(1.0).estimate(table.sample())
            return fit_closed(table, self.proportion_, stages)
        require_readable(table, self.known_proportion)
        # Priors of the known classes, where only these scores can tell, need a score of each.
        by_class = self.shift is not False and readable_numbers(table) is None
        repeats = shuffled_repeats(table, stages, self._n_repeats(), on_stage, by_class=by_class)
        estimate = estimate_table_proportion(
            table,
            mean_parts(repeats),
            self.known_proportion,
            self.shift,
            seed=stages.seed,
            n_jobs=self.n_jobs,
        )
        model = fit_repeated(
            repeats,
            estimate,
            lambda index: on_stage(index + len(repeats)),
            refine=refines(self),
        )
        self.proportion_ = model.estimate
        warn_of_doubtful_proportion(self.proportion_)
        return model

    def _warn_if_trivial(self) -> None:
        answers = self.model_.rule.answers(self.model_.held_out.unlabeled)
        counts = np.bincount(answers, minlength=len(self.classes_))
        warn_if_trivial(counts / counts.sum(), self.classes_)

    def _decision(self, X):
        """Decision values with one column per entry of `classes_`."""
        check_is_fitted(self)
        X = opened_rows(self, X, inner=self.estimator_)
        return self.model_.decide(X)

    def _calibrated(self, decision):
        return self.model_.rule.probabilities(decision)
