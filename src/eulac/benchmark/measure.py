"""Running one trial: draw, fit, score, and a record whatever happens."""

import hashlib
import platform
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from eulac.benchmark.draws import OpenDraw, TableSource
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Trial
from eulac.benchmark.trial_methods import Method, find_method
from eulac.evaluation.metrics import evaluate
from eulac.maths.threads import blas_threads
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["failure", "run_group", "run_trial"]

ROOMS = (
    *("maths", "data", "risk", "proportion", "solvers", "classifier", "kernel", "landmark"),
    *("any_classifier", "direct_risk", "contenders", "evaluation"),
)


def run_group(
    trials: Sequence[Trial], tables: Mapping[str, TableSource] | None = None
) -> Iterator[Record]:
    """Run trials that share a draw, one after the other, with one BLAS thread.

    Parameters
    ----------
    trials : sequence of Trial
        All with the same draw.
    tables : mapping, optional
        Tables of the user's, by dataset name.

    Yields
    ------
    record : Record
        As soon as its trial has ended.
    """
    draw = trials[0].draw
    opened = OpenDraw(draw, (tables or {}).get(draw.dataset))
    for trial in trials:
        with blas_threads(1):
            record = run_trial(trial, opened)
        yield record


def run_trial(trial: Trial, opened: OpenDraw) -> Record:
    """Return the record of a trial; a failure is a record with its reason.

    Examples
    --------
    >>> from eulac.benchmark.trial import Draw
    >>> sizes = {"n_labeled": 60, "n_unlabeled": 90, "n_test": 90}
    >>> trial = Trial("table1", Draw("digits", conditions=sizes), "osnn")
    >>> record = run_trial(trial, OpenDraw(trial.draw))
    >>> record.status, sorted(record.metrics)
    ('ok', ['accuracy', 'auc', 'macro_f1'])
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome = _outcome(trial, opened)
        except Exception as error:  # whatever it is: the other trials still run
            outcome = {"status": "failed", "reason": f"{type(error).__name__}: {error}"}
    outcome.setdefault("seconds", {})["wall"] = time.perf_counter() - start
    return Record(
        trial,
        warnings=sorted({str(warning.message) for warning in caught}),
        versions=_versions(),
        **outcome,
    )


def failure(trial: Trial, reason: str) -> Record:
    """Return the record of a trial that could not be run to its end."""
    return Record(trial, "failed", reason, versions=_versions())


def _outcome(trial: Trial, opened: OpenDraw) -> dict[str, Any]:
    method, settings = find_method(trial.method), dict(trial.settings)
    given = {"parameters": {**method.settings, **settings}, "draw": opened.describe()}
    if method.measures:
        return given | _measured(method, opened, settings)
    if method.home is None:
        estimate, seconds = opened.shared(str(method.shares))
        proportion = _told(estimate, opened)
        return given | {"proportion": proportion, "seconds": {"shared": seconds}}
    return given | _fitted_and_scored(method, opened, settings)


def _measured(method: Method, opened: OpenDraw, settings: Mapping[str, Any]) -> dict[str, Any]:
    start = time.process_time()
    metrics = method.load()(opened, **settings)
    return {"metrics": metrics, "seconds": {"fit": time.process_time() - start}}


def _fitted_and_scored(
    method: Method, opened: OpenDraw, settings: Mapping[str, Any]
) -> dict[str, Any]:
    split, estimate, shared_seconds = opened.split, None, 0.0
    if method.shares is not None and "known_proportion" not in settings:
        estimate, shared_seconds = opened.shared(method.shares)
    classifier = method.build(random_state=opened.draw.fit_seed, estimate=estimate, **settings)
    start = time.process_time()
    classifier.fit(*split.sample.as_masked())
    fitted = time.process_time()
    metrics = evaluate(classifier, split.X_test, split.y_test)
    scored = time.process_time()
    used = estimate or getattr(classifier, "proportion_", None)
    return {
        "metrics": asdict(metrics),
        "proportion": None if used is None else _told(used, opened),
        "risk": _told_risk(classifier),
        "parameters": {**method.settings, **settings, "chosen": _chosen(classifier)},
        "seconds": {"shared": shared_seconds, "fit": fitted - start, "score": scored - fitted},
    }


def _told(estimate: ProportionEstimate, opened: OpenDraw) -> dict[str, Any]:
    split = opened.split
    return {
        "estimate": estimate.total,
        "interval": list(estimate.interval),
        "per_class": estimate.per_class.tolist(),
        "method": estimate.method,
        "true": split.known_proportion,
        "true_per_class": split.per_class.tolist(),
    }


def _told_risk(classifier: Any) -> dict[str, float] | None:
    risk = getattr(classifier, "risk_", None)
    if risk is None:
        return None
    told = {"raw": risk.raw, "standard_error": risk.standard_error}
    if "macro_f1" in risk.diagnostics:
        told["macro_f1"] = risk.diagnostics["macro_f1"]
    return told


def _chosen(classifier: Any) -> dict[str, Any]:
    """Return what the fit chose: bandwidth and penalty of EULAC, the threshold of contenders."""
    model = classifier.model_
    if hasattr(model, "penalty"):
        kernel = model.expansion.kernel
        return {"bandwidth": getattr(kernel, "bandwidth", None), "penalty": model.penalty}
    return {"threshold": classifier.threshold_}


@cache
def _versions() -> dict[str, str]:
    names = ("eulac", "numpy", "scipy", "scikit-learn")
    return {
        "python": platform.python_version(),
        "code": _code(),
        **{name: version(name) for name in names},
    }


def _code() -> str:
    """Return twelve digits that stand for the source of all rooms a result can depend on."""
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for room in ROOMS:
        for path in sorted((root / room).glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
