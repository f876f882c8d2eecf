"""Several networks, each holding out a part of the rows: answers for the pool itself, and for more.

One network holds out a fifth of the rows, and what it says of the others is tainted: it was trained
on them. Where every row is held out by one network, share, threshold and error come from all rows,
and the pool is answered by networks that have not seen the row.
"""

import warnings
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.answering import LacClassifier
from eulac.classifier.fit_tasks import FitTasks, fit_tasks
from eulac.classifier.input_rows import in_given_order, open_sample
from eulac.classifier.known_proportion import choose_proportion, warn_of_doubtful_proportion
from eulac.classifier.options import SHIFTS, Progress
from eulac.data import requirements
from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.data.validation import rows_by_name
from eulac.deep.deep_classifier import DeepEulacClassifier
from eulac.deep.held_out_logits import proportion_of_logits
from eulac.deep.row_scaling import as_channels_first
from eulac.deep.runs.run_plan import require_seconds
from eulac.exceptions import EulacWarning
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import ReadyProportion
from eulac.risk.decision_rule import fit_decision_rule, held_out_answers, warn_if_trivial
from eulac.risk.evidence import Logits
from eulac.risk.held_out import HeldOut, answers_risk
from eulac.risk.weights import labeled_weights

__all__ = ["EnsembleEulacClassifier"]

Array = NDArray[np.float64]


class EnsembleEulacClassifier(LacClassifier):
    """Networks that hold out a part of the rows each, and answer together.

    Every row is held out by one network: known share, threshold and error come from all rows, and
    `fit_predict`, `select_new` and `new_p_values` answer the pool by networks that have not seen
    the row. Other rows get the mean of what all networks say.

    Parameters
    ----------
    estimator : DeepEulacClassifier, optional
        How a network is trained; `DeepEulacClassifier()` by default. What it says of known
        proportion, shift, labels and seeds does not count.
    row_shape : tuple of int, optional
        Shape of a row, where images come as rows of a table; by default as they come.
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Estimated on held-out outputs of all networks, or given, see `DeepEulacClassifier`.
    shift : {"auto", True, False}, default="auto"
        See `DeepEulacClassifier`.
    time_budget : float, optional
        Seconds for training all networks.
    n_folds : int, default=3
        Number of networks.
    unlabeled_label, augmented_label : see `KernelEulacClassifier`
    n_jobs : int, optional
        Not used: torch has threads of its own, `torch.set_num_threads`.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `KernelEulacClassifier`
    held_out_probabilities_, held_out_labels_ : see `EulacClassifier`
    networks_ : list of DeepEulacClassifier

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = rng.normal(centers[[0] * 80 + [1] * 80], 0.5)
    >>> X_deploy = rng.normal(centers[[0] * 60 + [1] * 60 + [2] * 120], 0.5)
    >>> networks = DeepEulacClassifier(max_epochs=8)
    >>> clf = EnsembleEulacClassifier(networks, known_proportion=0.5, n_folds=2, random_state=0)
    >>> clf.fit_predict(X, np.repeat([0, 1], 80), X_unlabeled=X_deploy)[::60]
    array([ 0,  1, -2, -2])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        row_shape: Any = None,
        known_proportion: Any = "auto",
        shift: Any = "auto",
        time_budget: float | None = None,
        n_folds: int = 3,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.row_shape = row_shape
        self.time_budget = time_budget
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None, *, progress: Progress = None) -> Self:
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array of rows or images, see `DeepEulacClassifier.fit`
        y : array of shape (n,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : like `X`, optional
            Further unlabeled rows.
        progress : callable, optional
            Called as ``progress(done, total)`` after each network.

        Returns
        -------
        self
        """
        self._check_parameters()
        requirements.require_table(X)
        self.row_shape_ = tuple(_shape(X)[1:] if self.row_shape is None else self.row_shape)
        more = None if X_unlabeled is None else _flat(X_unlabeled)
        options: dict[str, Any] = {"n_folds": self.n_folds, "by_name": self._takes_tables()}
        sample, seed, places = open_sample(self, _flat(X), y, more, **options)
        given = self._given(sample, seed)
        with fit_tasks(self, self.n_folds) as tasks:
            logits = self._train(sample, given, seed, tasks, progress)
        self.proportion_ = given or proportion_of_logits(
            sample, logits, sample.labeled_frequency, shift=self.shift, seed=seed
        )
        self._keep(sample, logits, places)
        return self

    def _check_parameters(self) -> None:
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        require_seconds("time_budget", self.time_budget)
        if self.estimator is not None and not isinstance(self.estimator, DeepEulacClassifier):
            raise ValueError(
                "`estimator` must be a DeepEulacClassifier, or None for the default one; got "
                f"{self.estimator!r}."
            )

    def _takes_tables(self) -> bool:
        """Whether columns are known by name: pixels, and those of a user's network, by place."""
        network = "auto" if self.estimator is None else self.estimator.network
        return len(self.row_shape_) == 1 and isinstance(network, str)

    def _given(self, sample: LacSample, seed: int) -> ProportionEstimate | None:
        """Return shares that were given, or read off the rows by an estimator; None for neither."""
        known = 1.0 if self.closed_set_ else self.known_proportion
        if isinstance(known, str) and known == "auto":
            return None
        shift = False if self.closed_set_ else self.shift
        return choose_proportion(known, shift, random_state=seed).estimate(sample)

    def _train(
        self,
        sample: LacSample,
        given: ProportionEstimate | None,
        seed: int,
        tasks: FitTasks,
        progress: Progress,
    ) -> tuple[Array, Array]:
        """Train the networks; return logits of all rows by the one that held them out."""
        images = sample.with_rows(
            X_labeled=self._images(sample.X_labeled), X_unlabeled=self._images(sample.X_unlabeled)
        )
        of_labeled = draw_folds(sample.y_labeled, sample.n_unlabeled, self.n_folds, seed).labeled
        # Runs, as copies of a row stand next to each other.
        of_unlabeled = np.arange(sample.n_unlabeled) * self.n_folds // sample.n_unlabeled
        n_codes = sample.n_known_classes + 1
        labeled, unlabeled = (np.zeros((len(rows), n_codes)) for rows in (of_labeled, of_unlabeled))
        self.networks_: list[DeepEulacClassifier] = []
        for fold in range(self.n_folds):
            apart = of_labeled == fold, of_unlabeled == fold
            self.networks_.append(self._trained(images, apart, given, seed + fold, tasks))
            labeled[apart[0]] = self._said(fold, images.X_labeled[apart[0]])
            unlabeled[apart[1]] = self._said(fold, images.X_unlabeled[apart[1]])
            if progress is not None:
                progress(fold + 1, self.n_folds)
        return labeled, unlabeled

    def _trained(
        self,
        images: LacSample,
        apart: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        given: ProportionEstimate | None,
        seed: int,
        tasks: FitTasks,
    ) -> DeepEulacClassifier:
        """Return a network trained on all rows but those, which judge it."""
        network = clone(DeepEulacClassifier() if self.estimator is None else self.estimator)
        share = {"known_proportion": "auto", "shift": self.shift}
        if given is not None:
            share = {"known_proportion": ReadyProportion(given), "shift": False}
        if self.time_budget is not None:
            network.set_params(time_budget=self.time_budget / self.n_folds)
        if network.checkpoint is not None:
            network.set_params(checkpoint=f"{network.checkpoint}.{len(self.networks_)}")
        network.set_params(random_state=seed, **share)
        labeled, unlabeled = apart
        # A class must not be held out as a whole.
        y = images.y_labeled
        judging = labeled & np.isin(y, y[~labeled])
        with warnings.catch_warnings(), tasks.fitting(network, "network"):
            warnings.simplefilter("ignore", EulacWarning)  # said once, of all networks
            network._fit_apart(
                images.taken(~judging, ~unlabeled),
                images.taken(judging, unlabeled),
                closed_set=self.closed_set_,
            )
        return network

    def _keep(
        self, sample: LacSample, logits: tuple[Array, Array], places: NDArray[np.intp]
    ) -> None:
        """Keep rule, risk and held-out answers, and say what is doubtful."""
        estimate, y = self.proportion_, sample.y_labeled
        seen = HeldOut(*logits, y, labeled_weights(y, estimate.per_class), estimate.interval)
        self.rule_ = fit_decision_rule(
            seen, Logits(), closed_set=self.closed_set_, known_proportion=estimate.total
        )
        answers = held_out_answers(seen, self.rule_, Logits())
        self.risk_ = answers_risk(seen, answers, estimate.standard_error)
        probabilities = self._calibrated(self.rule_.decide(np.vstack(logits)))
        self.held_out_probabilities_ = in_given_order(probabilities, places)
        if not self.closed_set_:
            warn_of_doubtful_proportion(estimate)
        shares = np.bincount(answers[1], minlength=len(self.classes_))
        warn_if_trivial(shares / shares.sum(), self.classes_)

    def _images(self, rows: Array) -> NDArray[Any]:
        return as_channels_first(rows.reshape(len(rows), *self.row_shape_))

    def _said(self, number: int, images: NDArray[Any]) -> Array:
        """Return the logarithm of what a network says each class is likely."""
        network = self.networks_[number]
        rows = torch.from_numpy(network.scaling_.scaled(images))
        return np.asarray(log_softmax(network._logits_of_scaled(rows), axis=1))

    def _decision(self, X: Any) -> Array:
        check_is_fitted(self)
        images = self._images(rows_by_name(self, _flat(X)))
        said = [self._said(number, images) for number in range(len(self.networks_))]
        return self.rule_.decide(np.mean(said, axis=0))

    def _calibrated(self, decision: Array) -> Array:
        return self.rule_.probabilities(decision)


def _flat(X: Any) -> Any:
    """Return images as rows of a table; others as they are."""
    shape = _shape(X)
    return np.reshape(np.asarray(X), (shape[0], -1)) if len(shape) > 2 else X


def _shape(X: Any) -> tuple[int, ...]:
    """Return the shape of whatever NumPy can make an array of."""
    return X.shape if hasattr(X, "shape") else np.asarray(X).shape
