"""Running one trial: draw, fit, score, and a record whatever happens."""

import hashlib
import platform
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

from eulac.benchmark.draws import OpenDraw, TableSource
from eulac.benchmark.methods.trial_methods import find_method
from eulac.benchmark.records import Record
from eulac.benchmark.trial import Trial
from eulac.maths.threads import blas_threads

__all__ = ["failure", "run_group", "run_trial"]

ROOMS_WITHOUT_RESULTS = frozenset(
    {"benchmark", "cli", "distributed", "persistence", "report", "tables"}
)
"""Whose source no result of a trial depends on."""


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
    ('ok', ['accuracy', 'auc', 'called_new', 'macro_f1'])
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome = find_method(trial.method).outcome(opened, dict(trial.settings))
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
    for path in sorted(root.glob("*/*.py")):
        if path.parent.name not in ROOMS_WITHOUT_RESULTS:
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
