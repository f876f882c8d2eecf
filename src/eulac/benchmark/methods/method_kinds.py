"""Kinds of methods a trial may name: each turns an open draw into what its record says.

A kind is a frozen dataclass with a label and `outcome`. `trial_methods.py` lists the methods.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.methods.shared_estimates import shared_estimate
from eulac.data.splits import LacSplit
from eulac.evaluation.metrics import evaluate
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import ReadyProportion
from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "EstimateOnly",
    "FittedClassifier",
    "Measurement",
    "Outcome",
    "TrialMethod",
    "load",
    "proportion_entry",
    "own_risk",
    "risk_entry",
]

Outcome = dict[str, Any]
"""Fields of a `Record`: metrics, proportion, risk, parameters, draw, seconds."""


@dataclass(frozen=True)
class TrialMethod:
    """A method by its label.

    Parameters
    ----------
    label : str
        What tables and figures call it.
    paper_name : str or None, default=None
        Key in the paper's tables, where it has one.
    """

    label: str
    paper_name: str | None = field(default=None, kw_only=True)

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return what the record says, run on one draw with the settings of a trial."""
        raise NotImplementedError(f"{type(self).__name__} must say what its outcome is.")


@dataclass(frozen=True)
class EstimateOnly(TrialMethod):
    """An estimate of the proportion and nothing else: the one `SHARED` has by that name."""

    shares: str

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return the estimate and the truth."""
        estimate, seconds = shared_estimate(opened, self.shares)
        return {
            "proportion": proportion_entry(estimate, opened),
            "parameters": dict(settings),
            "draw": opened.describe(),
            "seconds": {"shared": seconds},
        }


@dataclass(frozen=True)
class Measurement(TrialMethod):
    """A function of an open draw that returns numbers: ``"module:function"``."""

    home: str

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return the numbers as metrics."""
        start = time.process_time()
        metrics = load(self.home)(opened, **settings)
        seconds = {"fit": time.process_time() - start}
        given = {"parameters": dict(settings), "draw": opened.describe()}
        return given | {"metrics": metrics, "seconds": seconds}


@dataclass(frozen=True)
class FittedClassifier(TrialMethod):
    """A classifier that is fitted to the draw and scored on its test rows.

    Parameters
    ----------
    home : str
        Module and attribute: ``"eulac.contenders.osnn:OsnnClassifier"``.
    settings : mapping, default={"scale": None}
        Rows come scaled, so a classifier does not scale unless it says otherwise.
    shares : str or None, default=None
        Name of the proportion estimate it takes from the draw, a key of `SHARED`.
    takes : {"estimate", "per_class"}, default="estimate"
        The estimate itself, with its uncertainty, or its shares of the classes as given numbers.

    Examples
    --------
    >>> osnn = FittedClassifier("OSNN", "eulac.contenders.osnn:OsnnClassifier")
    >>> osnn.build(random_state=0)
    OsnnClassifier(random_state=0, scale=None)
    """

    home: str
    settings: Mapping[str, Any] = field(default_factory=lambda: {"scale": None})
    shares: str | None = field(default=None, kw_only=True)
    takes: str = field(default="estimate", kw_only=True)

    def build(
        self, *, random_state: int, estimate: ProportionEstimate | None = None, **settings: Any
    ) -> Any:
        """Return the unfitted classifier."""
        options = {**self.settings, **settings}
        if estimate is not None and "known_proportion" not in settings:
            options["known_proportion"] = (
                ReadyProportion(estimate) if self.takes == "estimate" else list(estimate.per_class)
            )
        return load(self.home)(random_state=random_state, **options)

    def shared(self, opened: OpenDraw) -> tuple[ProportionEstimate | None, float]:
        """Return the estimate the classifier is given, and the seconds it took."""
        return (None, 0.0) if self.shares is None else shared_estimate(opened, self.shares)

    def measured(self, classifier: Any, split: LacSplit) -> dict[str, float]:
        """Return what the fitted classifier is worth on the test rows."""
        metrics = evaluate(classifier, split.X_test, split.y_test)
        return asdict(metrics)

    def outcome(self, opened: OpenDraw, settings: Mapping[str, Any]) -> Outcome:
        """Return metrics, proportion, risk and what the fit chose."""
        split = opened.split
        estimate, before = (None, 0.0) if "known_proportion" in settings else self.shared(opened)
        classifier = self.build(random_state=opened.draw.fit_seed, estimate=estimate, **settings)
        start = time.process_time()
        classifier.fit(*split.sample.as_masked())
        fitted = time.process_time()
        metrics = self.measured(classifier, split)
        scored = time.process_time()
        used = estimate or getattr(classifier, "proportion_", None)
        return {
            "metrics": metrics,
            "proportion": None if used is None else proportion_entry(used, opened),
            "risk": own_risk(classifier),
            "parameters": {**self.settings, **settings, "chosen": _chosen(classifier)},
            "draw": opened.describe(),
            "seconds": {"shared": before, "fit": fitted - start, "score": scored - fitted},
        }


def load(home: str) -> Any:
    """Import and return what ``"module:attribute"`` names."""
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)


def proportion_entry(estimate: ProportionEstimate, opened: OpenDraw) -> dict[str, Any]:
    """Return what a record says of an estimate: its numbers, and the true ones."""
    split = opened.split
    drift = estimate.diagnostics.get("drift")
    return {
        "estimate": estimate.total,
        "interval": list(estimate.interval),
        "per_class": estimate.per_class.tolist(),
        "method": estimate.method,
        "true": split.known_proportion,
        "true_per_class": split.per_class.tolist(),
        **({} if drift is None else {"drift_suspected": bool(drift["suspected"])}),
    }


def risk_entry(risk: RiskEstimate) -> dict[str, Any]:
    """Return what a record says of a label-free error."""
    entry = {
        "raw": risk.raw,
        "standard_error": risk.standard_error,
        "interval": list(risk.interval),
    }
    if "macro_f1" in risk.diagnostics:
        entry["macro_f1"] = risk.diagnostics["macro_f1"]
    return entry


def own_risk(classifier: Any) -> dict[str, Any] | None:
    """Return the error a classifier claims, for a record; None for one that claims none."""
    risk = getattr(classifier, "risk_", None)
    return None if risk is None else risk_entry(risk)


def _chosen(classifier: Any) -> dict[str, Any]:
    """Return what the fit chose: bandwidth and penalty of a kernel machine, or a threshold."""
    model: Any = getattr(classifier, "model_", None)
    if hasattr(model, "expansion"):
        kernel = model.expansion.kernel
        return {"bandwidth": getattr(kernel, "bandwidth", None), "penalty": model.penalty}
    if hasattr(classifier, "threshold_"):
        return {"threshold": classifier.threshold_}
    return {}
