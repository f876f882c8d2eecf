"""Deep EULAC behind scikit-learn's interface."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax

from eulac.classifier.answering import AnswersMixin
from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.input_rows import drawn_seed, markers, take_labels
from eulac.classifier.known_proportion import warn_of_doubtful_proportion
from eulac.classifier.open_set import open_rows
from eulac.data import requirements
from eulac.data.any_rows import take_column_order
from eulac.data.lac_sample import LacSample
from eulac.deep.batches import Batches
from eulac.deep.deep_fit import DeepFit, FitSettings, read_checkpoint, split_off_fold
from eulac.deep.lac_losses import RECTIFIERS
from eulac.deep.network_classifier import (
    FEWEST_BATCHES,
    DeepClassifier,
    DeepParameters,
    Progress,
)
from eulac.deep.networks import build_network
from eulac.deep.runs.loader_batches import OpenedLoaders
from eulac.deep.runs.phases import OBJECTIVES, plan_phases
from eulac.deep.runs.run_plan import affordable_epochs, planned_epochs, require_seconds
from eulac.deep.training import Training
from eulac.maths.losses import get_loss
from eulac.risk.decision_rule import held_out_answers, warn_if_trivial
from eulac.risk.evidence import Logits
from eulac.risk.held_out import HeldOut, answers_risk

__all__ = ["DeepEulacClassifier"]


class DeepEulacClassifier(AnswersMixin, DeepClassifier):
    """EULAC with a neural network, for images, tables and anything a network takes.

    Warms up by telling labeled from unlabeled rows, then minimizes the objective. A fifth of both
    samples is held out: on it the proportion is estimated from the network's own outputs, the
    best epoch is chosen by label-free risk, and the decision rule is fitted. What is judged and
    kept is the mean of the weights over the last steps.

    Parameters
    ----------
    network : str or callable, default="auto"
        See `DeepClassifier`; this network has K + 1 outputs, the augmented class last.
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Estimated on held-out outputs, given, or estimated as for tables, from the rows themselves,
        by an object such as `TwoReadingsProportion`.
    shift : {"auto", True, False}, default="auto"
        Whether priors of the known classes among each other are estimated too: always, never, or
        used only where they moved significantly.
    objective : {"selected", "paper", "generalized", "pulse"}, default="selected"
        Cross entropy with the unlabeled rows that look newest as the augmented class; the paper's
        risk of `loss`; the generalized risk of cross entropy (GLAC); or the first with PULSE's
        estimate: per-class shares by the known classes' outputs, then the total.
    loss : str, default="sigmoid"
        Loss of the paper's risk, one of `maths/losses.py`, such as "logistic" or "square".
    rectify : {"per_class", "aggregate", None}, default="per_class"
        How the paper's risk is kept from going negative.
    decision : {"matched", "largest"}, default="matched"
        Whether as many held-out rows are called augmented as the proportion says there are.
    max_epochs : int, default="auto"
        By the number of rows and their kind: 600 steps for tables, 4,500 for images, and 12 to 100
        epochs.
    time_budget : float, optional
        Seconds for training: fewer epochs are planned if they would take longer, and none begins
        that would not fit in.
    patience : int, optional
        Stop after so many epochs without a smaller held-out risk.
    checkpoint : path, optional
        Written after every epoch. If it exists, `fit` goes on from it, bit for bit; rows, labels
        and settings must be the same, `max_epochs` among them. Needs a `random_state`.
    augmentation, batch_size, learning_rate, weight_decay, ... : see `DeepClassifier`

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `KernelEulacClassifier`
    network_ : nn.Module
    history_ : list of dict
        Per epoch: objective, risk, held-out error, proportion, phase, seconds.
    held_out_ : HeldOut
        Probabilities of the rows held out, for label-free metrics; None in a model from a file.
    interrupted_ : bool
        Whether training was cut short from the keyboard; the model is usable all the same.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = rng.normal(centers[[0] * 80 + [1] * 80 + [0] * 60 + [1] * 60 + [2] * 120], 0.5)
    >>> y = np.repeat([0, 1, -1], [80, 80, 240])
    >>> clf = DeepEulacClassifier(known_proportion=0.5, max_epochs=10, random_state=0).fit(X, y)
    >>> clf.predict(centers.astype(float))
    array([ 0,  1, -2])
    """

    _plans_epochs = True

    def __init__(
        self,
        network: Any = "auto",
        *,
        known_proportion: Any = "auto",
        shift: str | bool = "auto",
        objective: str = "selected",
        loss: str = "sigmoid",
        rectify: str | None = "per_class",
        decision: str = "matched",
        max_epochs: Any = "auto",
        time_budget: float | None = None,
        patience: int | None = None,
        checkpoint: Any = None,
        **shared: Unpack[DeepParameters],
    ) -> None:
        super().__init__(network, max_epochs=max_epochs, **shared)
        self.known_proportion = known_proportion
        self.shift = shift
        self.objective = objective
        self.loss = loss
        self.rectify = rectify
        self.decision = decision
        self.time_budget = time_budget
        self.patience = patience
        self.checkpoint = checkpoint

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, *, progress: Progress | None = None
    ) -> Self:
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array of shape (n, features), (n, height, width), or with channels first or last
        y : array of shape (n,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : array, optional
            Further unlabeled rows.
        progress : callable, optional
            Called as ``progress(done, total)`` after each epoch. It may look at `network_` and at
            `history_`, whose last record has risk, proportion and estimated error by then.
            `EpochLines(classifier)` writes a line for each.

        Returns
        -------
        self
        """
        self._fitted(X, y, X_unlabeled, progress)
        return self

    def _fitted(
        self, X: Any, y: Any, X_unlabeled: Any = None, progress: Progress | None = None
    ) -> DeepFit:
        """Return the fit itself, with the rows it held out."""
        self._check_parameters()
        options = {"uses_unlabeled": True, "images": True, "by_name": self._is_ours()}
        sample, seed = open_rows(self, X, y, X_unlabeled, **options)
        sample = self._with_scaled_rows(sample, uses_unlabeled=True)
        rows, held_out = split_off_fold(sample, seed)
        return self._run(rows, held_out, self._batches(rows, seed), seed, progress)

    def _fit_apart(self, rows: LacSample, held_out: LacSample, *, closed_set: bool) -> DeepFit:
        """Train on some rows, judge by others; both with channels first, as they are scaled."""
        self._check_parameters()
        take_labels(self, rows.codec, closed_set=closed_set)
        seed = drawn_seed(self)
        rows = self._with_scaled_rows(rows, uses_unlabeled=True)
        scale = self.scaling_.scaled
        apart = held_out.with_rows(
            X_labeled=scale(held_out.X_labeled), X_unlabeled=scale(held_out.X_unlabeled)
        )
        return self._run(rows, apart, self._batches(rows, seed), seed, None)

    def fit_loaders(
        self, labeled: Any, unlabeled: Any, *, progress: Progress | None = None
    ) -> Self:
        """Learn from loaders of rows that need not fit in memory.

        They are passed over once to see labels, scale and size, then as often as there are epochs.
        A fifth of the rows, at most 5,000 of either kind, is held out and kept in memory; they are
        known again by their values, so loaders may shuffle, but must not change rows.

        Parameters
        ----------
        labeled : iterable of (rows, labels), such as a `DataLoader`
        unlabeled : iterable of rows, or of tuples that begin with rows
        progress : see `fit`

        Returns
        -------
        self

        Examples
        --------
        >>> from torch.utils.data import DataLoader, TensorDataset
        >>> rng = np.random.default_rng(0)
        >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
        >>> X = torch.tensor(rng.normal(centers[[0] * 80 + [1] * 80], 0.5))
        >>> U = torch.tensor(rng.normal(centers[[0] * 60 + [1] * 60 + [2] * 120], 0.5))
        >>> labeled = TensorDataset(X, torch.arange(160) // 80)
        >>> clf = DeepEulacClassifier(known_proportion=0.5, max_epochs=10, random_state=0)
        >>> clf = clf.fit_loaders(DataLoader(labeled, 32, shuffle=True), DataLoader(U, 32))
        >>> clf.predict(centers.astype(float))
        array([ 0,  1, -2])
        """
        self._check_parameters()
        opened = OpenedLoaders.of(labeled, unlabeled, **markers(self))
        take_labels(self, opened.rows.codec, closed_set=False)
        take_column_order(self, by_name=False)
        self.scaling_, images = opened.scaling, opened.held_out.X_labeled
        self.row_shape_ = images.shape[1:]
        seed = drawn_seed(self)
        generator, augment = torch.Generator().manual_seed(seed), self._augmentation(images, seed)
        batches = opened.batches(self.batch_size, FEWEST_BATCHES, generator, augment)
        self._run(opened.rows, opened.held_out, batches, seed, progress)
        return self

    def _run(
        self,
        rows: LacSample,
        held_out: LacSample,
        batches: Batches,
        seed: int,
        progress: Progress | None,
    ) -> DeepFit:
        """Train on batches of the rows, judge by those held out; keep and return the fit."""
        if not held_out.n_labeled:
            raise ValueError(
                "labeled rows are held out to judge the network by, so at least one class must "
                f"have two or more of them; got {rows.n_labeled} labeled rows of as many classes. "
                "Label more, or use KernelEulacClassifier."
            )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            training = self._planned_training(batches, held_out)
            self.network_, self.history_ = training.judged, training.history
            fit = DeepFit(training, rows, held_out, self._settings(training.n_epochs, seed))
            with fit_tasks(self, training.n_epochs, "epoch", progress) as tasks:
                fit.run(lambda record: tasks.report(len(self.history_), training.n_epochs))
                self._keep(fit)
        return fit

    def _planned_training(self, batches: Batches, held_out: LacSample) -> Training:
        """Return a fresh network with its optimizer, for as many epochs as there is time."""
        shape = held_out.X_labeled.shape[1:]
        network = build_network(self._network_name(shape), shape, held_out.n_known_classes + 1)
        n_epochs = self.max_epochs
        if isinstance(n_epochs, str):
            n_epochs = planned_epochs(shape, len(batches))
        if self.time_budget is not None:
            trial = self._training_of(
                copy.deepcopy(network), shape, batches, n_epochs, averages=True
            )
            n_epochs = self._affordable(trial, self.time_budget)
        return self._training_of(network, shape, batches, n_epochs, averages=True)

    def _affordable(self, trial: Training, seconds: float) -> int:
        """Return how many epochs there is time for: those of the checkpoint, or as measured."""
        if self.checkpoint is not None and Path(self.checkpoint).exists():
            return int(read_checkpoint(self.checkpoint)["n_epochs"])
        return affordable_epochs(trial.n_epochs, len(trial.batches), seconds, trial.rehearse)

    def _check_parameters(self) -> None:
        requirements.require_choice("objective", self.objective, tuple(OBJECTIVES))
        requirements.require_choice("decision", self.decision, ("matched", "largest"))
        requirements.require_choice("shift", self.shift, ("auto", True, False))
        requirements.require_choice("rectify", self.rectify, RECTIFIERS)
        super()._check_parameters()
        require_seconds("time_budget", self.time_budget)
        if self.patience is not None:
            requirements.require_at_least("patience", self.patience, 1)
        get_loss(self.loss)
        if self.checkpoint is not None:
            self._check_checkpoint()

    def _check_checkpoint(self) -> None:
        path = Path(self.checkpoint)
        if self.random_state is None:
            raise ValueError(
                "`checkpoint` needs a `random_state`: without one no later fit is the same, and "
                "none could go on from it. Pass a number."
            )
        if path.is_dir() or not path.parent.is_dir():
            raise ValueError(
                f"`checkpoint` must name a file in a folder that exists; got {str(path)!r}."
            )

    def _settings(self, n_epochs: int, seed: int) -> FitSettings:
        given = 1.0 if self.closed_set_ else self.known_proportion
        return FitSettings(
            plan_phases(self.objective, n_epochs, self.loss, self.rectify),
            None if isinstance(given, str) and given == "auto" else given,
            self.shift,
            self.decision == "matched",
            self.patience,
            self.checkpoint,
            seed,
            self._fingerprint(),
            pulse=self.objective == "pulse",
            time_budget=self.time_budget,
        )

    def _fingerprint(self) -> str:
        """Name all settings that make a difference; a function or module by its class."""
        settings = self.get_params(deep=False)
        for name in ("checkpoint", "random_state", "device"):
            del settings[name]
        if not isinstance(self.network, str):
            settings["network"] = getattr(self.network, "__qualname__", type(self.network).__name__)
        return repr(sorted(settings.items()))

    def _keep(self, fit: DeepFit) -> None:
        """Keep what came out of a fit, and say what is doubtful."""
        self.proportion_, self.interrupted_ = fit.proportion(), fit.interrupted
        seen = fit.held_out_outputs()
        self.rule_ = replace(fit.rule(seen), closed_set=self.closed_set_)
        answers = held_out_answers(seen, self.rule_, Logits())
        self.risk_ = answers_risk(seen, answers, self.proportion_.standard_error)
        self.held_out_: HeldOut | None = seen.mapped(self._probabilities)
        if not self.closed_set_:
            warn_of_doubtful_proportion(self.proportion_)
        shares = np.bincount(answers[1], minlength=len(self.classes_))
        warn_if_trivial(shares / shares.sum(), self.classes_)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Return shifted logits, one column per entry of `classes_`."""
        logits = self._logits(X)  # first, as it refuses a classifier that is not fitted
        return self.rule_.decide(logits)

    def _probabilities(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._calibrated(self.rule_.decide(logits))

    def _calibrated(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(softmax(self.rule_.sharpness * decision, axis=1))
