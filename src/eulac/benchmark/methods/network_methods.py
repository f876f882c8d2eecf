"""Networks on images of known classes and of classes never labeled, at equal budgets.

Methods pass over the same number of rows; those with a generator pass over a third as many and
spend the rest on it.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.methods.drawn_images import IMAGES, ImageRows, image_rows, image_seed
from eulac.benchmark.methods.method_kinds import Outcome, TrialMethod, load, own_risk
from eulac.benchmark.trial import Draw
from eulac.data.labels import AUGMENTED
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning

__all__ = ["HeadMethod", "NetworkMethod", "largest_logit"]


def largest_logit(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how new rows look by the largest logit, large for new ones."""
    return -logits.max(axis=1)


class Trained(NamedTuple):
    """A network others may build upon, and the processor minutes it took."""

    network: Any
    minutes: float


@dataclass(frozen=True)
class NetworkMethod(TrialMethod):
    """A classifier around a network.

    Parameters
    ----------
    home : str
        ``"module:class"`` within `eulac.deep`.
    score : str
        Function of logits by which rows look new while the network trains.
    settings : mapping, default={}
    sees_unlabeled : bool, default=False
        Others pass over labeled rows alone, and as often as it takes to see as many rows.
    network_share : float, default=1.0
        Part of the budget that goes into the network; the rest goes into a generator.
    built_upon : str or None, default=None
        Method whose network is used if this draw has it: they differ in what they make of it.
    """

    home: str
    score: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    sees_unlabeled: bool = field(default=False, kw_only=True)
    network_share: float = field(default=1.0, kw_only=True)
    built_upon: str | None = field(default=None, kw_only=True)

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return metrics, proportion, and AUC along training."""
        draw = opened.draw
        rows: ImageRows = opened.once("images", partial(image_rows, draw))
        is_new = np.isin(rows.y_test, rows.new)
        earlier: Trained | None = opened.once("networks", dict).get(self.built_upon)
        n_epochs = self.n_epochs(draw)
        classifier = self._build(draw, n_epochs, earlier, settings)
        every = max(n_epochs // draw.condition("epochs"), 1)
        curve = _Curve(classifier, load(self.score), rows.X_test, is_new, every)
        minutes = _fit_minutes(classifier, rows, curve) + (earlier.minutes if earlier else 0.0)
        opened.once("networks", dict)[self.label] = Trained(classifier.network_, minutes)
        metrics = evaluate(classifier, rows.X_test, np.where(is_new, AUGMENTED, rows.y_test))
        return {
            "metrics": asdict(metrics),
            "proportion": _proportion(classifier, rows),
            "risk": own_risk(classifier),
            "parameters": {**settings, "epochs": n_epochs, "curve": curve.points},
            "draw": {"known_classes": classifier.known_classes_.tolist(), "n_labeled": len(rows.y)},
            "seconds": {"fit": 60 * minutes},
        }

    def n_epochs(self, draw: Draw) -> int:
        """Return the epochs in which it passes over as many rows as paired batches do."""
        epochs: int = draw.condition("epochs")
        if self.sees_unlabeled:
            return epochs
        kind = IMAGES[draw.dataset]
        paired = 2 * max(6 * kind.n_labeled, 10 * kind.n_unlabeled)
        return round(self.network_share * epochs * paired / (6 * kind.n_labeled))

    def _build(
        self, draw: Draw, n_epochs: int, earlier: Trained | None, settings: Mapping[str, Any]
    ) -> Any:
        options = {"max_epochs": n_epochs, "device": "cpu", "random_state": image_seed(draw)}
        if earlier is not None:
            options |= {"network": earlier.network, "max_epochs": 0}
        return load(f"eulac.deep.{self.home}")(**options | dict(self.settings) | dict(settings))


@dataclass(frozen=True)
class HeadMethod(TrialMethod):
    """The default classifier: on pixels, on features of a network beside it, or on images.

    Parameters
    ----------
    sees : {"pixels", "features", "images"}
        Images as they come are what it trains networks on by itself.
    """

    sees: str = field(kw_only=True)

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return metrics, proportion and error, at the rows and epochs of the networks."""
        draw = opened.draw
        rows: ImageRows = opened.once("images", partial(image_rows, draw))
        is_new = np.isin(rows.y_test, rows.new)
        classifier = self._build(draw, settings)
        minutes = _fit_minutes(classifier, rows)
        metrics = evaluate(classifier, rows.X_test, np.where(is_new, AUGMENTED, rows.y_test))
        return {
            "metrics": asdict(metrics),
            "proportion": _proportion(classifier, rows),
            "risk": own_risk(classifier),
            "parameters": {**settings, "curve": [], "network_share": _network_share(classifier)},
            "draw": {"known_classes": classifier.known_classes_.tolist(), "n_labeled": len(rows.y)},
            "seconds": {"fit": 60 * minutes},
        }

    def _build(self, draw: Draw, settings: Mapping[str, Any]) -> Any:
        seed = image_seed(draw)
        default = load("eulac.any_classifier.eulac_classifier:EulacClassifier")
        if self.sees == "images":
            return default(random_state=seed, n_jobs=1, **settings)
        encoder = np.asarray
        if self.sees == "features":
            deep = load("eulac.deep.deep_classifier:DeepEulacClassifier")
            options = {"max_epochs": draw.condition("epochs"), "device": "cpu"}
            encoder = deep(**options | {"random_state": seed} | dict(settings))
        head = load("eulac.deep.head_classifier:HeadEulacClassifier")
        return head(default(random_state=seed, n_jobs=1), encoder)


def _network_share(classifier: Any) -> float:
    """Return how much networks count beside what sees pixels or features."""
    if hasattr(classifier, "network_share_"):
        return float(classifier.network_share_)
    chosen = classifier.selection_
    weights = dict(zip(chosen.names, chosen.weights.tolist(), strict=True))
    return float(weights.get("networks", 0.0))


class _Curve:
    """AUC on the test rows along training, and the processor time that looking took."""

    def __init__(self, classifier: Any, score: Callable[..., Any], X: Any, is_new: Any, every: int):
        self.classifier, self.score, self.every = classifier, score, every
        self.X, self.is_new = X, is_new
        self.points: list[float] = []
        self.seconds, self.n_epochs = 0.0, 0

    def __call__(self, n_done: int, n_epochs: int) -> None:
        start = time.process_time()
        self.n_epochs += 1
        if self.n_epochs % self.every == 0:
            score = self.score(self.classifier._logits(self.X))
            self.points.append(float(roc_auc_score(self.is_new, score)))
        self.seconds += time.process_time() - start


def _fit_minutes(classifier: Any, rows: ImageRows, curve: _Curve | None = None) -> float:
    watched = {} if curve is None else {"progress": curve}
    start = time.process_time()
    # All pools, not BLAS alone: a network's own threads would change its last digits.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", EulacWarning)
        classifier.fit(rows.X, rows.y, X_unlabeled=rows.X_unlabeled, **watched)
    return (time.process_time() - start - (0.0 if curve is None else curve.seconds)) / 60


def _proportion(classifier: Any, rows: ImageRows) -> dict[str, Any]:
    estimate = getattr(classifier, "proportion_", None)
    is_known = ~np.isin(rows.y_unlabeled, rows.new)
    return {
        "estimate": None if estimate is None else estimate.total,
        "interval": None if estimate is None else list(estimate.interval),
        "true": float(np.mean(is_known)),
    }
