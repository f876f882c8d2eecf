"""What the landmark classifier does whichever way rows come in: freeze, add up, solve, answer."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.answering import LacClassifier
from eulac.classifier.input_rows import (
    drawn_seed,
    markers,
    take_labels,
    warn_of_small_classes,
)
from eulac.classifier.known_proportion import estimate_proportion, warn_of_doubtful_proportion
from eulac.data import requirements
from eulac.data.any_rows import in_name_order, take_column_order
from eulac.data.labels import LabelCodec
from eulac.data.row_sketch import RowSurvey
from eulac.data.validation import checked_rows, rows_by_name
from eulac.landmark.chunk_source import SurveyPlan
from eulac.landmark.landmark_model import (
    KeptRows,
    LandmarkModel,
    MomentPlan,
    fit_landmark_model,
    held_out_scores,
)
from eulac.landmark.moment_proportion import moment_proportion
from eulac.landmark.pilot import MapSettings, Pilot, as_penalties, with_labeled_priors
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.decision_rule import warn_if_trivial
from eulac.solvers.moment_folds import FoldMoments

__all__ = ["LandmarkMachine", "MomentClassifier"]

Array = NDArray[np.float64]


class MomentClassifier(LacClassifier):
    """Base of classifiers whose model is solved from moments: of all rows, or of a window."""

    model_: LandmarkModel
    moments_: FoldMoments
    plan_: MomentPlan

    def _hold_out(self, X: Any, X_unlabeled: Any) -> Self:
        """Look at the rows of `fit` once more, for what models without their folds say of them."""
        rows = self._rows(X)
        if X_unlabeled is not None:
            rows = np.vstack([rows, self._rows(X_unlabeled)])
        per_class, penalty = self.proportion_.per_class, self.model_.penalty
        scores = held_out_scores(rows, self.moments_, per_class, penalty, self.plan_)
        self.held_out_probabilities_ = self._calibrated(self.model_.decided(scores))
        return self

    def _fit_model(self, kept: KeptRows, settings: Any) -> None:
        """Solve the moments for coefficients, penalty and decision rule."""
        if hasattr(self, "held_out_probabilities_"):
            del self.held_out_probabilities_  # by another model
        self.model_ = fit_landmark_model(
            self.moments_,
            kept,
            self.proportion_,
            self.plan_,
            penalties=as_penalties(settings.penalty),
            bandwidth=settings.bandwidth_,
            selection=settings.selection,
            matched=settings.decision == "matched",
        )
        self.risk_, self.cv_results_ = self.model_.risk, self.model_.cv_results

    def _rows(self, X: Any, *, reset: bool = False) -> Array:
        X = checked_rows(self, X, reset=reset)
        requirements.require_bounded(X)
        if reset:
            take_column_order(self)
        return np.asarray(in_name_order(self, X))

    def _decision(self, X: Any) -> Array:
        check_is_fitted(self, "model_")
        return self.model_.decide(rows_by_name(self, X))

    def _calibrated(self, decision: Array) -> Array:
        return self.model_.rule.probabilities(decision)


class LandmarkMachine(MomentClassifier):
    """Base of `LandmarkEulacClassifier`: a survey in, moments in, a classifier out.

    The three steps every way in shares: survey all rows (`survey_plan`), `freeze` what the
    survey decides, turn all rows into moments (`plan_.moments`) and `solve`. Workers need the two
    plans only.
    """

    n_landmarks: int
    feature_map: str
    landmarks: str
    bandwidth: Any
    penalty: Any
    selection: str
    decision: str
    scale: str | None
    pilot_rows: int
    dtype: str
    moments_: Any  # None until there are any

    def begin(self, X: Any) -> Self:
        """Check parameters, remember columns and draw the seed: before rows are surveyed.

        Parameters
        ----------
        X : array or data frame
            A row or more, to know the columns by.

        Returns
        -------
        self
        """
        self._check_parameters()
        self._rows(X, reset=True)
        self.seed_ = drawn_seed(self)
        return self

    def finish(self, moments: FoldMoments) -> Self:
        """Take the moments of all rows, wherever they were added up, and solve.

        Returns
        -------
        self
        """
        self.moments_ = moments
        return self.solve()

    def survey_plan(self) -> SurveyPlan:
        """Return how rows are looked at first: for `freeze`, on whatever machine."""
        n_kept = max(self.pilot_rows, 3 * self.n_landmarks)
        return SurveyPlan(n_kept, self.n_folds, self.seed_, self.unlabeled_label)

    def freeze(self, survey: RowSurvey) -> Self:
        """Freeze labels, scaler, features and proportion from a survey of all rows.

        Returns
        -------
        self
        """
        if not len(survey.labels):
            raise ValueError(
                f"the rows are all unlabeled ({survey.n_unlabeled}). At least one labeled row per "
                "known class is needed."
            )
        codec = LabelCodec.from_labels(survey.labels, **markers(self))
        pilot = Pilot.of(survey, codec, self.scale)
        take_labels(self, codec, closed_set=pilot.closed_set)
        self.survey_ = survey
        warn_of_small_classes(pilot.sample, self.n_folds)
        self.estimate_ = self._estimate_proportion(pilot)
        settings = MapSettings(
            self.feature_map, self.n_landmarks, self.landmarks, self.dtype, self.seed_
        )
        self.bandwidth_ = pilot.bandwidth(self.bandwidth, self.estimate_, settings, self.n_folds)
        encoder = pilot.encoder(self.bandwidth_, settings)
        n_known = self.codec_.n_known_classes
        self.plan_ = MomentPlan(encoder, n_known, self.n_folds, self.seed_, self.closed_set_)
        self.moments_ = None
        return self

    def solve(self) -> Self:
        """Solve for coefficients, penalty and decision rule from the moments there are.

        Returns
        -------
        self
        """
        frequency = self.moments_.total.labeled_frequency
        kept = KeptRows.of(self.survey_, self.plan_)
        if self._by_moments() and not self.closed_set_:
            self.estimate_ = moment_proportion(
                self.moments_, kept, self.codec_, shift=self.shift, random_state=self.seed_
            )
            warn_of_doubtful_proportion(self.estimate_)
        self.proportion_ = with_labeled_priors(self.estimate_, frequency)
        self._fit_model(kept, self)
        warn_if_trivial(self.model_.answer_shares, self.classes_)
        return self

    def _by_moments(self) -> bool:
        return isinstance(self.known_proportion, str) and self.known_proportion == "moments"

    def _is_complete(self) -> bool:
        """Whether rows of both kinds have come."""
        total = self.moments_.total
        return total.n_unlabeled > 0 and total.class_counts.sum() > 0

    def _add(self, X: Array, codes: NDArray[np.intp], importance: Array | None = None) -> None:
        fresh = self.plan_.moments(X, codes, importance)
        self.moments_ = fresh if self.moments_ is None else self.moments_ + fresh

    def _estimate_proportion(self, pilot: Pilot) -> ProportionEstimate:
        # Moments are yet to come; bandwidths are compared under an estimate from the sample.
        by_moments = self._by_moments()
        instead = {"known_proportion": "auto"} if by_moments else {}
        return pilot.estimate(
            lambda part: estimate_proportion(
                self, part, self.seed_, warn=not by_moments, **instead
            ),
            self.pilot_rows,
        )
