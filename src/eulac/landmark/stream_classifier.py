"""EULAC on a stream: the newest rows count, old ones are taken out of the sums again."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.input_rows import markers, take_labels, unordered_sample
from eulac.classifier.known_proportion import choose_proportion
from eulac.data import requirements
from eulac.data.folds import seed_of
from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.row_sketch import beside_each_other, fold_of_rows, hash_rows
from eulac.data.validation import rows_by_name
from eulac.exceptions import ProportionAtBoundWarning
from eulac.landmark.chunk_source import chunk_importance
from eulac.landmark.landmark_classifier import LandmarkEulacClassifier
from eulac.landmark.landmark_model import KeptRows
from eulac.landmark.machine import MomentClassifier
from eulac.landmark.moment_proportion import moment_proportion
from eulac.landmark.monitor import StreamMonitor
from eulac.landmark.newest_rows import (
    FEWEST_ROWS,
    GivenAnswers,
    NewestRows,
    StreamReport,
    given_answers,
    judge_newest,
)
from eulac.maths.linear_systems import shifted_cholesky
from eulac.proportion.best_bin import BestBinProportion
from eulac.solvers.moment_folds import FoldMoments
from eulac.solvers.moments import LacMoments

__all__ = ["StreamEulacClassifier"]

Array = NDArray[np.float64]

RESIDUAL_RIDGE = 1e-4
"""Of the regression on the reference rows, whose residual says how far a row is from them."""


class StreamEulacClassifier(MomentClassifier):
    """Classify a stream into known classes or *augmented*, as it is now.

    Starts from labeled rows and a pool of unlabeled ones. Each update adds the sums of new rows
    and takes those of old ones out, so it costs as much as the rows that come and go, and leaves
    exactly the fit to the window. The proportion is estimated anew from the same sums. A monitor
    compares the stream with the pool it started from.

    Parameters
    ----------
    estimator : LandmarkEulacClassifier, optional
        Settings, and how the features are frozen. Default: 300 landmarks.
    window : int, default=2000
        Number of unlabeled rows that count, the newest.
    half_life : float, optional
        Instead of a window: after so many further rows a row counts half.
    false_alarm_rate : float, default=0.01
        Bound on the probability that the alarm is ever raised while nothing changes.
    unlabeled_label, augmented_label
        As in `EulacClassifier`; those of `estimator` are not used.
    random_state : int or None, default=None
        Seed, unless `estimator` has its own.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_
        As in `EulacClassifier`, of the window.
    held_out_probabilities_, held_out_labels_, held_out_codes_
        As in `EulacClassifier`, of the rows of `fit`, until the window moves on.
    moments_ : FoldMoments
        Of the labeled rows and the window.
    n_seen_ : int
    model_ : LandmarkModel

    Examples
    --------
    A third class appears in the stream.

    >>> import numpy as np
    >>> from eulac import StreamEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X, y = rng.normal(centers[[0] * 60 + [1] * 60], 0.5), np.repeat(["left", "right"], 60)
    >>> pool = rng.normal(centers[rng.integers(0, 2, 300)], 0.5)
    >>> stream = StreamEulacClassifier(window=300, random_state=0).fit(X, y, pool)
    >>> stream.update(rng.normal(centers[rng.integers(0, 2, 150)], 0.5)).alarm
    False
    >>> report = stream.update(rng.normal(centers[rng.integers(0, 3, 150)], 0.5))
    >>> report.alarm, stream.predict([[2.0, 4.0]]).tolist()
    (True, ['augmented'])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        window: int = 2000,
        half_life: float | None = None,
        false_alarm_rate: float = 0.01,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.window = window
        self.half_life = half_life
        self.false_alarm_rate = false_alarm_rate
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn from labeled rows and a pool, as in `EulacClassifier.fit`.

        The pool, some hundred rows or better thousands, is the first window and the reference;
        of a pool larger than the window a random part is. The order of its rows does not matter.
        """
        requirements.require_at_least("window", self.window, 10)
        if self.half_life is not None:
            requirements.require_range("half_life", self.half_life, 1.0, np.inf)
        requirements.require_range("false_alarm_rate", self.false_alarm_rate, 1e-12, 1.0)
        sample = unordered_sample(self, X, y, X_unlabeled, sample_weight, by_name=True)
        if not sample.n_unlabeled:
            raise ValueError("a stream needs unlabeled rows to start from; got none.")
        with fit_tasks(self):
            self._begin_with(sample)
            return self.solve().watch()._hold_out(X, X_unlabeled)

    def _begin_with(self, sample: LacSample) -> None:
        """Freeze features, and take labeled rows and the first window."""
        inner = self._inner().begin(sample.X_unlabeled)
        # The pool has no age: its rows stand, and later leave, in an order of their values.
        pool = sample.X_unlabeled[np.argsort(hash_rows(sample.X_unlabeled, inner.seed_))]
        self._given, self._shift = inner.known_proportion, inner.shift
        # Landmarks are nearer to themselves than any row to come: rows the monitor compares the
        # stream with must not be among them.
        kept_apart = self._is_reference(hash_rows(pool, inner.seed_), inner.n_folds)
        labels = sample.codec.decode(sample.y_labeled)
        weights = sample.importance
        self.inner_ = _frozen(inner, sample.X_labeled, labels, weights, pool[~kept_apart])
        self.plan_ = inner.plan_
        take_labels(self, inner.codec_, closed_set=False)
        kept = inner.survey_.labeled.sample()
        folds = fold_of_rows(kept.hashes, self.plan_.n_folds)
        self._labeled = [(self.plan_.encoder(kept.rows), kept.codes, folds, kept.weights)]
        self.moments_ = inner.moments_.decayed(0.0)  # the labeled rows only
        self._window: list[tuple[Array, NDArray[np.uint64]]] = []
        self.n_seen_ = 0
        self._push(pool)

    def update(self, X: Any, *, solve: bool = True) -> StreamReport:
        """Take the next unlabeled rows and let the oldest go.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
        solve : bool, default=True
            Bring proportion and classifier up to date too, not only sums and monitor.

        Returns
        -------
        report : StreamReport
        """
        check_is_fitted(self, "model_")
        X = self._rows(X)
        answers = self._given_answers(X) if solve else None
        features = self._push(X)
        self.evidence_ = self.monitor_.update(*self._residual(features))
        if solve:
            self.solve()
        self.n_seen_ += len(X)
        return StreamReport(
            self.n_seen_,
            self.moments_.total.n_unlabeled,
            self.proportion_,
            self.risk_,
            self.evidence_,
            self._judged(answers),
        )

    def _given_answers(self, X: Array) -> GivenAnswers | None:
        """Return what is said of the newest rows before they are learned from, if they are many."""
        limit = self._most_rows()
        if len(X) < FEWEST_ROWS or limit < FEWEST_ROWS:
            return None
        features = self.plan_.encoder(X[-limit:])
        per_class = self.proportion_.per_class
        return given_answers(self.model_, self.moments_, self._kept(), per_class, features)

    def _judged(self, answers: GivenAnswers | None) -> NewestRows | None:
        if answers is None:
            return None
        options = {"random_state": self.inner_.seed_}
        return judge_newest(answers, self.moments_, self._kept(), self.proportion_, **options)

    def solve(self) -> Self:
        """Bring proportion and classifier up to date with the sums, as `update` does.

        Returns
        -------
        self
        """
        kept, inner = self._kept(), self.inner_
        if isinstance(self._given, str):
            self.proportion_ = moment_proportion(
                self.moments_, kept, self.codec_, shift=self._shift, random_state=inner.seed_
            )
        else:
            self.proportion_ = choose_proportion(self._given, False).estimate(
                kept.sample(self.codec_)
            )
        self._fit_model(kept, inner)
        return self

    def watch(self) -> Self:
        """Set the monitor up anew: what is in the window now is the reference.

        Some folds of the window are ranked by a score learned from the others. Call it once an
        alarm has been dealt with.

        Returns
        -------
        self
        """
        n_folds = self.plan_.n_folds
        rest = LacMoments.merge(self.moments_.parts[n_folds // 2 :])
        self._coefficients = rest.solve(self.proportion_.per_class, self.model_.penalty)
        self._factor = shifted_cholesky(rest.second / rest.n_unlabeled, RESIDUAL_RIDGE)
        features, hashes = self._window_rows()
        reference = features[self._is_reference(hashes, n_folds)]
        self.monitor_ = StreamMonitor(
            *self._residual(reference),
            false_alarm_rate=self.false_alarm_rate,
            random_state=self.inner_.seed_,
        )
        return self

    def add_class(self, label: Any, X: Any, *, sample_weight: Any = None) -> Self:
        """Make a new class known, by rows that somebody named.

        They are labeled from now on; rows of the window stay, because it stands for the stream.

        Parameters
        ----------
        label : scalar
            Of the kind of the other labels.
        X : array or data frame of shape (n_rows, n_features)
        sample_weight : array of shape (n_rows,), optional
            How much each row counts; the labeled rows of `fit` count one on average.

        Returns
        -------
        self
        """
        check_is_fitted(self, "model_")
        if label in self.codec_.known.tolist():
            raise ValueError(f"{label!r} is a known class already. Name another.")
        X = rows_by_name(self, X)
        counts = _counts(sample_weight, len(X), label)
        X, counts = X[counts > 0], counts[counts > 0]
        known = np.sort(np.append(self.codec_.known, label))
        place = int(np.flatnonzero(known == label)[0])
        codec = self.codec_
        codec = LabelCodec.from_labels(
            known, augmented_label=codec.augmented_label, unlabeled_label=codec.unlabeled_label
        )
        take_labels(self, codec, closed_set=False)
        features, hashes = self.plan_.encoder(X), hash_rows(X, self.plan_.seed)
        fold = fold_of_rows(hashes, self.plan_.n_folds)
        in_folds = [fold == index for index in range(self.plan_.n_folds)]
        parts = (
            part.with_class(place, counts[rows] @ features[rows], counts[rows].sum())
            for part, rows in zip(self.moments_.parts, in_folds, strict=True)
        )
        self.moments_ = FoldMoments(tuple(parts))
        old = [(F, y + (y >= place), folds, n) for F, y, folds, n in self._labeled]
        new = features, np.full(len(X), place, dtype=np.intp), fold, counts
        self._labeled = [*old, new]
        self.plan_ = replace(self.plan_, n_known=len(known))
        return self.solve().watch()

    @staticmethod
    def _is_reference(hashes: NDArray[np.uint64], n_folds: int) -> NDArray[np.bool_]:
        return fold_of_rows(hashes, n_folds) < n_folds // 2

    def _inner(self) -> LandmarkEulacClassifier:
        """Return the inner classifier, its seed a number: it is needed before the fit."""
        inner = LandmarkEulacClassifier(n_landmarks=300)
        if self.estimator is not None:
            inner = clone(self.estimator)
        state = self.random_state if inner.random_state is None else inner.random_state
        return inner.set_params(random_state=seed_of(state), **markers(self))

    def _push(self, X: Array) -> Array:
        """Add rows to window and sums, and take out what leaves; return their features."""
        features, hashes = self.plan_.encoder(X), hash_rows(X, self.plan_.seed)
        if self.half_life is not None:
            self.moments_ = self.moments_.decayed(0.5 ** (len(X) / self.half_life))
        self.moments_ = self.moments_ + self._moments(features, hashes)
        self._window.append((features, hashes))
        for gone in self._popped(self._most_rows()):
            if self.half_life is None:
                self.moments_ = self.moments_ - self._moments(*gone)
        return features

    def _most_rows(self) -> int:
        """Return how many unlabeled rows are kept."""
        # As many rows as a stream that is forgotten so fast has to tell: 1 / (1 - 2^(-1/h)).
        return self.window if self.half_life is None else int(1.44 * self.half_life) + 1

    def _moments(self, features: Array, hashes: NDArray[np.uint64]) -> FoldMoments:
        hidden = np.full(len(features), -1, dtype=np.intp)
        options: dict[str, Any] = {"n_folds": self.plan_.n_folds, "n_known": self.plan_.n_known}
        return FoldMoments.of(lambda rows: rows, features, hidden, hashes, **options)

    def _popped(self, limit: int) -> Iterator[tuple[Array, NDArray[np.uint64]]]:
        """Yield the oldest rows beyond the newest `limit`, which leave the window."""
        excess = sum(len(features) for features, _ in self._window) - limit
        while excess > 0:
            features, hashes = self._window.pop(0)
            n_gone = min(excess, len(features))
            if n_gone < len(features):
                self._window.insert(0, (features[n_gone:], hashes[n_gone:]))
            excess -= n_gone
            yield features[:n_gone], hashes[:n_gone]

    def _window_rows(self) -> tuple[Array, NDArray[np.uint64]]:
        features, hashes = zip(*self._window, strict=True)
        return np.vstack(features), np.concatenate(hashes)

    def _kept(self) -> KeptRows:
        labeled = (np.concatenate(parts) for parts in zip(*self._labeled, strict=True))
        rows, y, folds, counts = labeled
        features, hashes = self._window_rows()
        unlabeled_folds = fold_of_rows(hashes, self.plan_.n_folds)
        return KeptRows(rows, y, folds, features, unlabeled_folds, beside_each_other(counts))

    def _residual(self, features: Array) -> tuple[Array, NDArray[np.intp]]:
        """How far from the reference each row is, and the known class it looks most like.

        The first is the part of the row's kernel function that functions of the reference rows
        cannot reproduce: what the landmarks miss, and what ridge regression on the rest misses.
        """
        solved = solve_triangular(self._factor, features.T, lower=True)
        missed = 1.0 - np.square(features).sum(axis=1)
        residual = missed + RESIDUAL_RIDGE * np.square(solved).sum(axis=0)
        return residual, (features @ self._coefficients[:, :-1]).argmax(axis=1)


def _frozen(
    inner: LandmarkEulacClassifier, X: Array, y: NDArray[Any], weights: Any, pool: Array
) -> LandmarkEulacClassifier:
    """Fit the inner classifier, for its features and the sums of its labeled rows."""
    if isinstance(inner.known_proportion, str):
        # Good enough to choose a bandwidth by; the window's own estimate comes after.
        first = BestBinProportion(n_resamples=20, random_state=inner.seed_)
        inner.set_params(known_proportion=first, shift=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProportionAtBoundWarning)
        return inner.fit(X, y, pool, sample_weight=weights)


def _counts(sample_weight: Any, n_rows: int, label: Any) -> Array:
    """Return how much each row of a class to be counts."""
    counts = chunk_importance(sample_weight, np.zeros(n_rows, dtype=np.intp))
    counts = np.ones(n_rows) if counts is None else counts
    if not counts.any():
        raise ValueError(
            f"`sample_weight` must leave the class {label!r} a row that counts; got zero for all "
            f"{n_rows}. Leave such rows out."
        )
    return counts
