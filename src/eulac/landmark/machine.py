"""What the landmark classifier does whichever way rows come in: freeze, add up, solve, answer."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from eulac.classifier.answering import AnswersMixin
from eulac.classifier.fit_warnings import warn_of_small_classes
from eulac.data import requirements
from eulac.data.labels import LabelCodec
from eulac.data.row_sketch import RowSurvey
from eulac.landmark.chunk_source import SurveyPlan
from eulac.landmark.landmark_model import KeptRows, MomentPlan, fit_landmark_model
from eulac.landmark.moment_proportion import moment_proportion
from eulac.landmark.pilot import MapSettings, Pilot, as_penalties, with_labeled_priors
from eulac.proportion.choose_proportion import choose_proportion
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.decision_rule import warn_if_trivial
from eulac.solvers.moment_folds import FoldMoments

__all__ = ["LandmarkMachine"]


class LandmarkMachine(AnswersMixin, ClassifierMixin, BaseEstimator):
    """Base of `LandmarkEulacClassifier`: a survey in, moments in, a classifier out.

    The three steps every way in shares: survey all rows (`survey_plan`), `freeze` what the
    survey decides, turn all rows into moments (`plan_.moments`) and `solve`. Workers need the two
    plans only.
    """

    def begin(self, X):
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
        self.seed_ = self._draw_seed()
        return self

    def finish(self, moments: FoldMoments):
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
        return SurveyPlan(n_kept, self.cv, self.seed_, self.unlabeled_label)

    def freeze(self, survey: RowSurvey):
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
        markers = {name: getattr(self, name) for name in ("augmented_label", "unlabeled_label")}
        self.codec_ = LabelCodec.from_labels(survey.labels, **markers)
        pilot = Pilot.of(survey, self.codec_, self.scale)
        self.closed_set_, self.survey_ = pilot.closed_set, survey
        self.known_classes_ = self.codec_.known
        self.classes_ = self.codec_.known if self.closed_set_ else self.codec_.all_labels
        warn_of_small_classes(pilot.sample, self.cv)
        self.estimate_ = self._estimate_proportion(pilot)
        settings = MapSettings(
            self.feature_map, self.n_landmarks, self.landmarks, self.dtype, self.seed_
        )
        self.bandwidth_ = pilot.bandwidth(self.bandwidth, self.estimate_, settings, self.cv)
        encoder = pilot.encoder(self.bandwidth_, settings)
        n_known = self.codec_.n_known_classes
        self.plan_ = MomentPlan(encoder, n_known, self.cv, self.seed_, self.closed_set_)
        self.moments_ = None
        return self

    def solve(self):
        """Solve for coefficients, penalty and decision rule from the moments there are.

        Returns
        -------
        self
        """
        frequency = self.moments_.total.labeled_frequency
        kept = KeptRows.of(self.survey_, self.plan_)
        if self._by_moments() and not self.closed_set_:
            options = {"shift": self.shift, "random_state": self.seed_}
            self.estimate_ = moment_proportion(self.moments_, kept, self.codec_, **options)
            warn_of_doubtful_proportion(self.estimate_)
        self.proportion_ = with_labeled_priors(self.estimate_, frequency)
        self.model_ = fit_landmark_model(
            self.moments_,
            kept,
            self.proportion_,
            self.plan_,
            penalties=as_penalties(self.penalty),
            bandwidth=self.bandwidth_,
            selection=self.selection,
            matched=self.decision == "matched",
        )
        self.risk_, self.cv_results_ = self.model_.risk, self.model_.cv_results
        warn_if_trivial(self.model_.answer_shares, self.classes_)
        return self

    def _by_moments(self) -> bool:
        return isinstance(self.known_proportion, str) and self.known_proportion == "moments"

    def _is_complete(self) -> bool:
        """Whether rows of both kinds have come."""
        total = self.moments_.total
        return total.n_unlabeled > 0 and total.class_counts.sum() > 0

    def _add(self, X, codes) -> None:
        fresh = self.plan_.moments(X, codes)
        self.moments_ = fresh if self.moments_ is None else self.moments_ + fresh

    def _rows(self, X, *, reset: bool = False):
        X = validate_data(self, X, dtype=np.float64, reset=reset)
        requirements.require_bounded(X)
        return X

    def _draw_seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _estimate_proportion(self, pilot: Pilot):
        # Moments are yet to come; bandwidths are compared under an estimate from the sample.
        given = "auto" if self._by_moments() else self.known_proportion
        given = 1.0 if self.closed_set_ else given
        shift = False if self.closed_set_ else self.shift
        options = {"random_state": self.seed_, "n_jobs": self.n_jobs}
        estimate = pilot.estimate(choose_proportion(given, shift, **options), self.pilot_rows)
        if not self.closed_set_ and not self._by_moments():
            warn_of_doubtful_proportion(estimate)
        return estimate

    def _decision(self, X):
        """Decision values with one column per entry of `classes_`."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.model_.decide(X)

    def _calibrated(self, decision):
        return self.model_.rule.probabilities(decision)
