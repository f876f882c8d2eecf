"""EULAC for more rows than a kernel matrix can hold: arrays, chunks, partial fits, workers."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from eulac.classifier.fit_tasks import FitTasks, fit_tasks
from eulac.classifier.input_rows import drawn_seed, unordered_sample
from eulac.classifier.options import DECISIONS, SCALERS, SHIFTS, Progress
from eulac.classifier.table_fitting import GivenRows, TableClassifier
from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.data.row_sketch import RowSurvey
from eulac.drift.two_readings import DRIFTS
from eulac.landmark.checkpoint import Checkpoint
from eulac.landmark.chunk_source import (
    ChunkSource,
    chunk_importance,
    known_codes,
    require_counted_classes,
)
from eulac.landmark.machine import LandmarkMachine
from eulac.landmark.pilot import FEATURE_MAPS, as_penalties
from eulac.maths.feature_maps import LANDMARK_CHOICES
from eulac.solvers.moment_folds import FoldMoments
from eulac.solvers.search import SELECTIONS

__all__ = ["LandmarkEulacClassifier"]

DTYPES = ("float64", "float32")

MOST_SECONDS = 30.0
"""Work that is lost at the most when a summation is interrupted."""


class LandmarkEulacClassifier(TableClassifier, LandmarkMachine):
    """Classify into the known classes or *augmented*, from any number of rows.

    EULAC with the square loss on frozen features of a Gaussian kernel. All it takes from the rows
    are sums, so arrays (`fit`), chunks (`fit_chunks`), rows as they come (`partial_fit`) and Dask
    collections (`eulac.distributed.fit_dask`) give the same classifier, in memory that does not
    grow with the number of rows. Scaler, bandwidth, features and proportion are frozen from a
    sample of the rows that depends on neither their order nor the chunks.

    Parameters
    ----------
    known_proportion
        As in `EulacClassifier`, estimated from the sample; "moments" estimates it from the moments
        of all rows.
    shift, drift, unlabeled_label, augmented_label, random_state
        As in `EulacClassifier`.
    n_landmarks : int, default=1000
        Number of features; time grows with its square.
    feature_map : {"nystroem", "fourier"}, default="nystroem"
        Kernel values with landmarks, or random Fourier features.
    landmarks : {"kmeans++", "leverage", "uniform"}, default="kmeans++"
        How landmarks are chosen out of the sample.
    bandwidth : float or sequence of floats, optional
        Gaussian bandwidth instead of the one that is best on a part of the sample.
    penalty : float or sequence of floats, optional
        Weight of the squared norms (or several to choose from by exact cross validation).
    selection : {"zero_one", "surrogate"}, default="zero_one"
        Held-out risk that chooses the penalty: estimated test error of the rows kept, or the
        loss that is minimized, of all rows.
    decision : {"matched", "largest"}, default="matched"
        "matched" calls as many held-out unlabeled rows augmented as the proportion says there
        are; "largest" lets the largest score win.
    scale : {"minmax", "standard"} or None, default="minmax"
        Scaling of the features, learned on the sample.
    n_folds : int, default=5
        A row's fold follows from its values.
    pilot_rows : int, default=6000
        Rows of the sample the proportion is estimated from, a third of them labeled. At least
        three times `n_landmarks` rows are kept.
    dtype : {"float64", "float32"}, default="float64"
        Of the features. Sums are doubles in any case.
    n_jobs : int, optional
        Number of cores `fit` may use. None means 1.

    Attributes
    ----------
    classes_, known_classes_, proportion_
        As in `EulacClassifier`.
    risk_ : RiskEstimate
        Label-free estimate of the test error, from held-out rows of the sample.
    held_out_probabilities_, held_out_labels_, held_out_codes_
        As in `EulacClassifier`, of the rows of `fit`; after `fit_chunks` and `partial_fit` there
        are none, as rows are looked at some at a time and not kept.
    cv_results_ : dict of arrays
        One entry per penalty: both held-out risks.
    bandwidth_ : float
    moments_ : FoldMoments
        The sums; `moments_.total` is a `LacMoments`.
    model_ : LandmarkModel
    plan_ : MomentPlan
        Turns rows into moments: all a worker needs.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import LandmarkEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40], 0.5)
    >>> y = np.repeat(["left", "right"], 40)
    >>> X_deploy = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> clf = LandmarkEulacClassifier(n_landmarks=50, random_state=0)
    >>> clf.fit(X, y, X_unlabeled=X_deploy).predict(centers)
    array(['left', 'right', 'augmented'], dtype='<U9')
    >>> chunks = [(X_deploy[60:], None), (X, y), (X_deploy[:60], None)]
    >>> again = LandmarkEulacClassifier(n_landmarks=50, random_state=0).fit_chunks(chunks)
    >>> bool(np.allclose(again.model_.coefficients, clf.model_.coefficients, atol=1e-10))
    True
    """

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        n_folds: int = 5,
        shift: Any = "auto",
        drift: Any = "auto",
        n_landmarks: int = 1000,
        feature_map: str = "nystroem",
        landmarks: str = "kmeans++",
        pilot_rows: int = 6000,
        bandwidth: Any = None,
        penalty: Any = None,
        selection: str = "zero_one",
        decision: str = "matched",
        scale: str | None = "minmax",
        dtype: str = "float64",
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_landmarks = n_landmarks
        self.feature_map = feature_map
        self.landmarks = landmarks
        self.pilot_rows = pilot_rows
        self.bandwidth = bandwidth
        self.penalty = penalty
        self.selection = selection
        self.decision = decision
        self.dtype = dtype
        self.scale = scale
        self.drift = drift
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    def _fit(self, rows: GivenRows, progress: Progress) -> None:
        with fit_tasks(self, 2, "look at rows", progress) as tasks:
            sample, survey = self._open_sample(*rows)
            self.freeze(survey)
            tasks.report(1, 2)
            moments = FoldMoments.merge(self.plan_.moments(*piece) for piece in _pieces(sample))
            tasks.report(2, 2)
            self.finish(moments)._hold_out(rows.X, rows.X_unlabeled)

    def prepare(
        self, X: Any, y: Any, X_unlabeled: Any = None, *, sample_weight: Any = None
    ) -> Self:
        """Freeze scaler, features and proportion from a sample, without learning from it.

        Then `partial_fit` may be called with labeled and unlabeled rows in any order; there is a
        classifier as soon as rows of both kinds have come.

        Returns
        -------
        self
        """
        _, survey = self._open_sample(X, y, X_unlabeled, sample_weight)
        return self.freeze(survey)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        *,
        sample_weight: Any = None,
        solve: bool = True,
    ) -> Self:
        """Learn from more rows; unlabeled ones carry `unlabeled_label` (-1), or `y` is None.

        The first call freezes scaler, features and proportion, unless `prepare`, `fit` or
        `fit_chunks` did: it should have some thousand rows of both kinds.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
        y : array of shape (n_rows,) or None
        classes : array, optional
            All known labels, if the first call does not have them all.
        sample_weight : array of shape (n_rows,), optional
            As how many rows each labeled one counts; 1 for unlabeled ones. `fit` and `prepare`
            count weights beside each other, one on average: those of later rows go by that.
        solve : bool, default=True
            Solve for the new coefficients at once. With many small chunks, solve with the last.

        Returns
        -------
        self
        """
        is_first = not hasattr(self, "plan_")
        if is_first:
            survey = self.begin(X).survey_plan().survey(self._rows(X), y, classes, sample_weight)
            if classes is None:
                require_counted_classes(survey)
            self.freeze(survey)
        X = self._rows(X)
        codes = known_codes(self.codec_, len(X), y)
        importance = chunk_importance(sample_weight, codes)
        if self.closed_set_ and np.any(codes < 0):
            raise ValueError(
                "this classifier was begun without unlabeled rows and knows no new class; got "
                f"{np.sum(codes < 0)} of them. Call `prepare` first, with rows of both kinds."
            )
        if not is_first:
            more = self.survey_plan().survey_codes(X, codes, self.known_classes_, importance)
            # Rows of a sample to prepare with are not learned from, unless they come again.
            self.survey_ = more if self.moments_ is None else self.survey_.merge(more)
        self._add(X, codes, importance)
        return self.solve() if solve and self._is_complete() else self

    def fit_chunks(
        self,
        chunks: Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]],
        *,
        progress: Progress = None,
        checkpoint: Path | str | None = None,
        checkpoint_every: int = 20,
    ) -> Self:
        """Learn from chunks of rows, each looked at twice; memory does not grow with their number.

        Parameters
        ----------
        chunks : iterable of (X, y) or (X, y, sample_weight), or a function that returns one
            Iterated twice: a list, an object that opens its files anew, or a function, but not a
            generator. `y` is None for a chunk of unlabeled rows; weights are as in `partial_fit`.
        progress : callable, optional
            Called as ``progress(done, total)`` after each chunk of either pass; the total is None
            as long as the number of chunks is not known.
        checkpoint : path, optional
            File of the sample and the sums so far; the same call goes on from there after an
            interruption. It is removed at the end.
        checkpoint_every : int, default=20
            Chunks between two writings at the most; slow chunks are written down every half minute.

        Returns
        -------
        self
        """
        self._check_parameters()
        source = ChunkSource.of(chunks)
        saved = Checkpoint.open(checkpoint, self._settings())
        self.seed_ = drawn_seed(self) if saved.seed is None else saved.seed
        total = None if source.n_chunks is None else 2 * source.n_chunks
        with fit_tasks(self, total, "chunk", progress) as tasks:
            survey, n_chunks = saved.survey, saved.n_chunks
            if survey is None or n_chunks is None:
                survey, n_chunks = self._survey_chunks(source, saved, tasks)
            if not hasattr(self, "n_features_in_"):
                self._rows(next(iter(source))[0], reset=True)
            saved = saved.begun(survey, self.seed_, n_chunks)
            self.freeze(survey)
            self._sum_chunks(source, saved, n_chunks, checkpoint_every, tasks)
            self.solve()
        saved.remove()
        return self

    def _sum_chunks(
        self,
        source: ChunkSource,
        saved: Checkpoint,
        n_chunks: int,
        checkpoint_every: int,
        tasks: FitTasks,
    ) -> None:
        self.moments_ = saved.moments
        written = time.monotonic()
        for done, (X, y, weight) in enumerate(source.skipping(saved.n_done), saved.n_done + 1):
            X = self._rows(X)
            codes = known_codes(self.codec_, len(X), y)
            self._add(X, codes, chunk_importance(weight, codes))
            tasks.report(n_chunks + done, 2 * n_chunks)
            if done % checkpoint_every == 0 or time.monotonic() - written > MOST_SECONDS:
                saved.write(self.moments_, done)
                written = time.monotonic()

    def _survey_chunks(
        self, source: ChunkSource, saved: Checkpoint, tasks: FitTasks
    ) -> tuple[RowSurvey, int]:
        plan, survey, done = self.survey_plan(), saved.survey, saved.n_done
        written = time.monotonic()
        for done, (X, y, weight) in enumerate(source.skipping(saved.n_done), saved.n_done + 1):
            rows = self._rows(X, reset=done == saved.n_done + 1)
            more = plan.survey(rows, y, sample_weight=weight)
            survey = more if survey is None else survey.merge(more)
            tasks.report(done, tasks.total)
            if time.monotonic() - written > MOST_SECONDS:
                saved.surveying(survey, self.seed_, done)
                written = time.monotonic()
        if survey is None:
            raise ValueError("at least one chunk is needed; got none.")
        require_counted_classes(survey)
        return survey, done

    def _settings(self) -> str:
        """Parameters a checkpoint must agree with."""
        left_out = ("random_state", "n_jobs", "penalty", "selection", "decision")
        parameters = self.get_params(deep=False).items()
        return repr({name: value for name, value in parameters if name not in left_out})

    def _check_parameters(self) -> None:
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("drift", self.drift, DRIFTS)
        requirements.require_choice("feature_map", self.feature_map, FEATURE_MAPS)
        requirements.require_choice("landmarks", self.landmarks, tuple(LANDMARK_CHOICES))
        requirements.require_choice("selection", self.selection, SELECTIONS)
        requirements.require_choice("decision", self.decision, DECISIONS)
        requirements.require_choice("scale", self.scale, (*SCALERS, None))
        requirements.require_choice("dtype", self.dtype, DTYPES)
        requirements.require_at_least("n_landmarks", self.n_landmarks, 1)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        requirements.require_at_least("pilot_rows", self.pilot_rows, 6)
        as_penalties(self.penalty)
        requirements.as_candidates("bandwidth", self.bandwidth, default=())

    def _open_sample(
        self, X: Any, y: Any, X_unlabeled: Any, sample_weight: Any
    ) -> tuple[LacSample, RowSurvey]:
        """Return the rows of a call as they are, and their survey."""
        self._check_parameters()
        sample = unordered_sample(self, X, y, X_unlabeled, sample_weight, by_name=True)
        self.seed_ = drawn_seed(self)
        plan, known = self.survey_plan(), sample.codec.known
        for rows, _, _ in _pieces(sample):
            requirements.require_bounded(rows)
        surveys = (
            plan.survey_codes(rows, codes, known, counts) for rows, codes, counts in _pieces(sample)
        )
        return sample, RowSurvey.merged(surveys)


def _pieces(sample: LacSample) -> list[tuple[NDArray[Any], NDArray[np.intp], Any]]:
    """Return both kinds of rows with codes and importance, without copying either."""
    hidden = np.full(sample.n_unlabeled, -1, dtype=np.intp)
    labeled = sample.X_labeled, sample.y_labeled, sample.importance
    pieces = [labeled, (sample.X_unlabeled, hidden, None)]
    return [piece for piece in pieces if len(piece[0])]
