"""A classifier of tables on features of images: those of any encoder, or of a trained network."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted
from torch import nn

from eulac.classifier.answering import AnswersMixin
from eulac.classifier.fit_tasks import FitTasks, fit_tasks
from eulac.classifier.input_rows import drawn_seed, take_labels
from eulac.data import requirements
from eulac.data.labels import LabelCodec
from eulac.deep.deep_classifier import DeepEulacClassifier
from eulac.deep.row_scaling import as_channels_first
from eulac.deep.training import logits_of
from eulac.proportion.best_bin import SPREAD_SHARE
from eulac.proportion.estimate import ProportionEstimate, estimate_with_error
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import LogProbabilities
from eulac.risk.held_out import HeldOut, brier_terms
from eulac.risk.weights import labeled_weights

__all__ = ["HeadEulacClassifier", "encoded", "mean_of", "network_share"]

Array = NDArray[np.float64]


class HeadEulacClassifier(AnswersMixin, ClassifierMixin, BaseEstimator):
    """A classifier of tables on what an encoder makes of rows.

    With a network of ours as the encoder, the network is trained first. Rows it was trained on
    look too certain to it, so the head learns from features of the rows it held out; and both are
    asked, each as much as the label-free error says. With any other encoder the head learns from
    all rows and answers alone.

    Parameters
    ----------
    estimator : classifier
        The head: a classifier of this library, such as `EulacClassifier`.
    encoder : DeepEulacClassifier, nn.Module, transformer or callable, optional
        What makes features: a network that is trained (the default), a trained module that returns
        features, anything with `transform`, or a function of rows.
    mix : bool, default=True
        Whether a network of ours has a say beside the head. Needs a head that keeps what it says
        of rows it has not seen (`held_out_probabilities_`).
    unlabeled_label, augmented_label : see `KernelEulacClassifier`
    random_state : int, RandomState instance or None, default=None
        Seed of what estimator and encoder leave open.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `KernelEulacClassifier`
    encoder_, estimator_
        Both as they were fitted. Labels of the head are class codes.
    network_share_ : float
        Weight of the network's probabilities; the rest is that of the head.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from eulac.kernel.kernel_classifier import KernelEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0, 0], [4, 0, 0], [2, 4, 0]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40], 0.5)
    >>> X_deploy = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> head = HeadEulacClassifier(KernelEulacClassifier(random_state=0), PCA(2).fit(X_deploy))
    >>> head.fit(X, np.repeat([0, 1], 40), X_unlabeled=X_deploy).predict(centers)
    array([ 0,  1, -2])
    """

    def __init__(
        self,
        estimator: Any = None,
        encoder: Any = None,
        *,
        mix: bool = True,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.encoder = encoder
        self.mix = mix
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None) -> Self:
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array of rows or images, or whatever the encoder takes
        y : array of shape (n,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : like `X`, optional
            Further unlabeled rows.

        Returns
        -------
        self
        """
        if not hasattr(self.estimator, "augmented_score"):
            raise ValueError(
                "`estimator` must be a classifier of eulac, such as EulacClassifier(); got "
                f"{self.estimator!r}."
            )
        if y is None:
            # scikit-learn's wording, which its own checks look for.
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        requirements.require_table(X)
        requirements.require_label_per_row(X, y)
        requirements.require_finite_labels(y)
        codec = LabelCodec.from_labels(
            y, augmented_label=self.augmented_label, unlabeled_label=self.unlabeled_label
        )
        codes = codec.encode(y)
        take_labels(self, codec, closed_set=X_unlabeled is None and not np.any(codes < 0))
        encoder = DeepEulacClassifier() if self.encoder is None else self.encoder
        seed = drawn_seed(self)
        self.estimator_ = _seeded(self.estimator, seed)
        with fit_tasks(self, 2) as tasks:
            if isinstance(encoder, DeepEulacClassifier):
                self._fit_both(_seeded(encoder, seed), X, codes, X_unlabeled, tasks)
            else:
                self._fit_head(encoder, X, codes, X_unlabeled, tasks)
        return self

    def features(self, X: Any) -> Array:
        """Return what the encoder makes of rows."""
        check_is_fitted(self)
        return encoded(self.encoder_, X)

    def _fit_head(
        self, encoder: Any, X: Any, codes: NDArray[np.intp], X_unlabeled: Any, tasks: FitTasks
    ) -> None:
        """Learn the head from features of all rows."""
        self.encoder_ = encoder
        tasks.begin("features")
        features = encoded(encoder, X)
        others = None if X_unlabeled is None else encoded(encoder, X_unlabeled)
        with tasks.fitting(self.estimator_, "head"):
            self.estimator_.fit(features, codes, X_unlabeled=others)
        self.proportion_, self.risk_ = self.estimator_.proportion_, self.estimator_.risk_
        self.network_share_, self.rule_ = 0.0, DecisionRule(closed_set=self.closed_set_)

    def _fit_both(
        self,
        encoder: DeepEulacClassifier,
        X: Any,
        codes: NDArray[np.intp],
        X_unlabeled: Any,
        tasks: FitTasks,
    ) -> None:
        """Train the network, then the head on rows it held out; mix them by label-free risk."""
        with tasks.fitting(encoder, "network"):
            held_out = encoder._fitted(X, codes, X_unlabeled).held_out
        self.encoder_ = encoder
        rows = held_out.X_labeled, held_out.X_unlabeled
        features = [encoder._features_of_scaled(torch.from_numpy(part)) for part in rows]
        unlabeled = None if self.closed_set_ else features[1]
        with tasks.fitting(self.estimator_, "head"):
            self.estimator_.fit(features[0], held_out.y_labeled, X_unlabeled=unlabeled)
        if self.closed_set_:  # nothing to mix by; the network has learned from more rows
            self.proportion_, self.risk_ = encoder.proportion_, encoder.risk_
            self.network_share_, self.rule_ = 1.0, DecisionRule(closed_set=True)
            return
        self.proportion_ = self._both_proportions()
        logits = (encoder._logits_of_scaled(torch.from_numpy(part)) for part in rows)
        self._mix(held_out.y_labeled, [encoder._probabilities(part) for part in logits])

    def _mix(self, y_labeled: NDArray[np.intp], by_network: list[Array]) -> None:
        """Find the share of the network, the rule and the risk on rows that were held out."""
        estimate = self.proportion_
        weights = labeled_weights(y_labeled, estimate.per_class)
        pairs = by_network, self._held_out_head(len(y_labeled))
        network, head = (
            HeldOut(labeled, unlabeled, y_labeled, weights, estimate.interval)
            for labeled, unlabeled in pairs
        )
        self.network_share_ = network_share(network, head) if self.mix else 0.0
        mixed, kind = _mean(network, head, self.network_share_), LogProbabilities()
        self.rule_ = fit_decision_rule(mixed, kind, known_proportion=estimate.total)
        self.risk_ = held_out_risk(mixed, self.rule_, kind, estimate.standard_error)

    def _both_proportions(self) -> ProportionEstimate:
        """Return the mean of what head and network estimate; one that was given counts alone."""
        own, network = self.estimator_.proportion_, self.encoder_.proportion_
        per_class = np.zeros(len(self.known_classes_))
        per_class[self.estimator_.known_classes_] = own.per_class
        own = replace(own, per_class=per_class)
        return next((one for one in (own, network) if one.method == "given"), mean_of(own, network))

    def _held_out_head(self, n_labeled: int) -> list[Array]:
        """Return what the head says of rows it has not seen."""
        if not hasattr(self.estimator_, "held_out_probabilities_"):
            raise ValueError(
                "`estimator` must keep `held_out_probabilities_`, as EulacClassifier does, to be "
                f"judged beside the network; got {type(self.estimator_).__name__}, which does not."
            )
        rows = self._in_codes(self.estimator_.held_out_probabilities_)
        return np.split(rows, [n_labeled])

    def _in_codes(self, probabilities: Array) -> Array:
        """Return probabilities of the head's classes as columns of all codes."""
        n_codes = len(self.known_classes_) + 1
        columns = np.asarray(self.estimator_.classes_, dtype=np.intp)
        out = np.zeros((len(probabilities), n_codes))
        out[:, np.where(columns < 0, n_codes - 1, columns)] = probabilities
        return out

    def _decision(self, X: Any) -> Array:
        features = self.features(X)
        share = self.network_share_
        outputs = np.zeros((len(features), len(self.known_classes_) + 1))
        if share < 1.0:
            head = self._in_codes(self.estimator_.predict_proba(features))
            outputs += (1.0 - share) * head
        if share > 0.0:
            by_network = self.encoder_.predict_proba(X)
            outputs[:, : by_network.shape[1]] += share * by_network
        return self.rule_.decide(LogProbabilities().of(outputs))

    def _calibrated(self, decision: Array) -> Array:
        return self.rule_.probabilities(decision)


def _seeded(estimator: Any, seed: int) -> Any:
    """Return a clone whose open random states are set."""
    model = clone(estimator)
    states = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if value is None and name.split("__")[-1] == "random_state"
    }
    return model.set_params(**states)


def encoded(encoder: Any, X: Any) -> Array:
    """Return features of rows: of a network of ours, a module, a transformer or a function.

    Examples
    --------
    >>> encoded(lambda rows: rows.reshape(len(rows), -1), np.zeros((3, 2, 2))).shape
    (3, 4)
    """
    if isinstance(encoder, DeepEulacClassifier):
        return encoder.features(X)
    if isinstance(encoder, nn.Module):
        rows = torch.from_numpy(as_channels_first(np.asarray(X, dtype=np.float32)))
        device = next((part.device for part in encoder.parameters()), torch.device("cpu"))
        return _flat(logits_of(encoder, rows, device))
    if not hasattr(encoder, "transform") and not callable(encoder):
        raise TypeError(
            "`encoder` must be a network, something with `transform`, or a function of rows; got "
            f"{encoder!r}."
        )
    made = encoder.transform(X) if hasattr(encoder, "transform") else encoder(X)
    return _flat(made.detach().cpu().numpy() if isinstance(made, torch.Tensor) else made)


def _flat(features: Any) -> Array:
    features = np.asarray(features, dtype=np.float64)
    return features.reshape(len(features), -1)


def mean_of(one: ProportionEstimate, other: ProportionEstimate) -> ProportionEstimate:
    """Return the mean of two estimates from the same rows; how far they are apart enters its error.

    Examples
    --------
    >>> one, other = (
    ...     estimate_with_error(
    ...         total, np.ones(1), 0.03, method=name, n_labeled=60, n_unlabeled=90
    ...     )
    ...     for total, name in ((0.5, "one"), (0.58, "other"))
    ... )
    >>> both = mean_of(one, other)
    >>> round(both.total, 2), round(both.standard_error, 2)
    (0.54, 0.05)
    """
    per_class = 0.5 * (one.per_class + other.per_class)
    total = float(per_class.sum())
    sampling = 0.5 * (one.standard_error + other.standard_error)
    return estimate_with_error(
        total,
        per_class / total if total > 0 else np.full(len(per_class), 1.0 / len(per_class)),
        float(np.hypot(sampling, SPREAD_SHARE * (one.total - other.total))),
        method="head_and_network",
        n_labeled=one.n_labeled,
        n_unlabeled=one.n_unlabeled,
        diagnostics={**one.diagnostics, "head": one.total, "network": other.total},
    )


def network_share(network: HeldOut, head: HeldOut) -> float:
    """Return the weight of the first of two for the smallest label-free Brier risk of their mean.

    Examples
    --------
    >>> y, half = np.zeros(40, int), np.full(40, 0.5)
    >>> right = np.repeat([[0.9, 0.1], [0.1, 0.9]], 20, axis=0)
    >>> good, bad = (HeldOut(rows[y * 20], rows, y, half) for rows in (right, right[::-1]))
    >>> round(network_share(good, bad), 2)
    1.0
    """

    def risk(share: float) -> float:
        return sum(float(terms.mean()) for terms in brier_terms(_mean(network, head, share)))

    found = minimize_scalar(risk, bounds=(0.0, 1.0), method="bounded")
    # The search never tries the ends themselves.
    return float(min((0.0, float(found.x), 1.0), key=risk))


def _mean(network: HeldOut, head: HeldOut, share: float) -> HeldOut:
    labeled, unlabeled = (
        share * getattr(network, name) + (1.0 - share) * getattr(head, name)
        for name in ("labeled", "unlabeled")
    )
    return HeldOut(labeled, unlabeled, head.y_labeled, head.weights, head.interval)
