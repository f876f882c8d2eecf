"""Deep EULAC behind scikit-learn's interface."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from eulac.data import requirements
from eulac.deep.deep_fit import DeepFit, FitSettings, split_off_fold
from eulac.deep.held_out_logits import augmented_log_odds
from eulac.deep.lac_losses import RECTIFIERS
from eulac.deep.network_classifier import DeepClassifier
from eulac.deep.phases import OBJECTIVES, plan_phases
from eulac.maths.losses import get_loss
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.decision_rule import held_out_answers, warn_if_trivial
from eulac.risk.evidence import Logits
from eulac.risk.held_out import answers_risk

__all__ = ["DeepEulacClassifier"]


class DeepEulacClassifier(DeepClassifier):
    """EULAC with a neural network, for images, tables and anything a network takes.

    Minimizes the paper's non-negative risk after a warm-up with cross entropy. A fifth of both
    samples is held out: on it the proportion is estimated from the network's own outputs, the
    best epoch is chosen by label-free risk, and the decision rule is fitted.

    Parameters
    ----------
    network : str or callable, default="auto"
        "compact_resnet" (images), "mlp" (tables), "paper_cnn", "vgg13", "vgg16_bn", an
        `nn.Module` with K + 1 outputs (a copy is trained), or a function of input shape and
        number of outputs that returns one.
    known_proportion : "auto", float or sequence of floats, default="auto"
        Estimated on held-out outputs, or given.
    shift : {False, "auto", True}, default=False
        Whether priors of the known classes among each other are estimated too.
    objective : {"paper", "generalized", "selected"}, default="paper"
        The paper's risk of `loss`; the generalized risk of cross entropy; or cross entropy with
        the most novel unlabeled rows as the augmented class.
    loss : {"sigmoid", "logistic", "square", "double_hinge"}, default="sigmoid"
        Loss of the paper's risk.
    rectify : {"per_class", "aggregate", None}, default="per_class"
        How the paper's risk is kept from going negative.
    decision : {"matched", "largest"}, default="matched"
        Whether as many held-out rows are called augmented as the proportion says there are.
    augmentation : {"auto", "shifts", "flips", None}, default="auto"
        Of images while training: moved by up to a fourteenth of their side ("auto"), mirrored
        too, or not at all.
    max_epochs : int, default=12
    patience : int, optional
        Stop after so many epochs without a smaller held-out risk.
    batch_size : int, default=64
        Labeled rows in a batch, and as many unlabeled ones.
    learning_rate, weight_decay : float
    device : str, default="auto"
    mixed_precision : bool, default=False
        Half precision on CUDA devices.
    checkpoint : path, optional
        Written after every epoch. If it exists, `fit` goes on from it, bit for bit; rows, labels
        and settings must be the same, `max_epochs` among them. Needs a `random_state`.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `KernelEulacClassifier`
    network_ : nn.Module
    history_ : list of dict
        Per epoch: objective, risk, held-out error, proportion, phase, seconds.
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

    def __init__(
        self,
        network="auto",
        *,
        known_proportion="auto",
        shift=False,
        objective="paper",
        loss="sigmoid",
        rectify="per_class",
        decision="matched",
        augmentation="auto",
        max_epochs=12,
        patience=None,
        batch_size=64,
        learning_rate=2e-3,
        weight_decay=5e-3,
        device="auto",
        mixed_precision=False,
        checkpoint=None,
        random_state=None,
    ):
        self.network = network
        self.known_proportion = known_proportion
        self.shift = shift
        self.objective = objective
        self.loss = loss
        self.rectify = rectify
        self.decision = decision
        self.augmentation = augmentation
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.device = device
        self.mixed_precision = mixed_precision
        self.checkpoint = checkpoint
        self.random_state = random_state

    def fit(self, X, y, X_unlabeled=None, *, on_epoch: Callable[[dict], Any] | None = None):
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array of shape (n, features), (n, height, width), or with channels first or last
        y : array of shape (n,)
            Labels; unlabeled rows carry -1.
        X_unlabeled : array, optional
            Further unlabeled rows.
        on_epoch : callable, optional
            Called with the record of every epoch: risk, proportion, estimated error. It may look
            at `network_` as it is by then. `EpochLines()` writes a line for each.

        Returns
        -------
        self
        """
        self._check_parameters()
        sample, seed = self._open_sample(X, y, X_unlabeled, needs_unlabeled=True)
        rows, held_out = split_off_fold(sample, seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            training = self._training(rows, rows.n_known_classes + 1, seed)
            self.network_ = training.network
            fit = DeepFit(training, rows, held_out, self._settings(seed))
            fit.run(on_epoch)
        self._keep(fit)
        return self

    def decision_function(self, X):
        """Return the evidence for each class, the augmented one last; the largest wins.

        With only two classes in `classes_` it is one column, positive for the second.
        """
        decision = self._decision(X)
        return decision[:, 1] - decision[:, 0] if len(self.classes_) == 2 else decision

    def predict_proba(self, X):
        """Return P(class) under the distribution of the unlabeled rows, following `classes_`."""
        logits = self._logits(X)
        return self.rule_.probabilities(self.rule_.decide(logits))

    def augmented_score(self, X):
        """Return a score per row: bigger means more likely of a class never labeled.

        The log odds of the augmented class among all, which rank rows far better than its output
        alone. The sign says nothing: `predict` compares the augmented class with the best other.
        """
        return augmented_log_odds(self._logits(X))

    def _check_parameters(self) -> None:
        requirements.require_choice("objective", self.objective, tuple(OBJECTIVES))
        requirements.require_choice("decision", self.decision, ("matched", "largest"))
        requirements.require_choice("shift", self.shift, ("auto", True, False))
        requirements.require_choice("rectify", self.rectify, RECTIFIERS)
        self._check_training_parameters()
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

    def _settings(self, seed: int) -> FitSettings:
        given = 1.0 if self.closed_set_ else self.known_proportion
        return FitSettings(
            plan_phases(self.objective, self.max_epochs, self.loss, self.rectify),
            None if isinstance(given, str) and given == "auto" else given,
            self.shift,
            self.decision == "matched",
            self.patience,
            self.checkpoint,
            seed,
            self._fingerprint(),
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
        self.history_ = fit.training.history
        self.proportion_, self.interrupted_ = fit.estimate, fit.interrupted
        seen = fit.held_out_outputs()
        self.rule_ = replace(fit.rule(seen), closed_set=self.closed_set_)
        answers = held_out_answers(seen, self.rule_, Logits())
        self.risk_ = answers_risk(seen, answers, self.proportion_.standard_error)
        if not self.closed_set_:
            warn_of_doubtful_proportion(self.proportion_)
        shares = np.bincount(answers[1], minlength=len(self.classes_))
        warn_if_trivial(shares / shares.sum(), self.classes_)

    def _decision(self, X):
        """Decision values with one column per entry of `classes_`."""
        logits = self._logits(X)
        return self.rule_.decide(logits)
