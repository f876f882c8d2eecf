"""Known classes that moved by themselves: labeled rows of some writers, the pool of others.

The official parts of three tables of digits come from different writers. Labeled rows are drawn
from the first part, unlabeled and test rows from the last; half of the classes are new.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import CONTENDERS, TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table

__all__ = ["DRIFT_COLUMNS", "EXPERIMENT", "drift_cells", "error_is_inside"]

METHODS = ("default", "default_as_labeled", "osnn", "evm", "w_svm")
DATASETS = ("pendigits", "optdigits", "usps")
DRIFT_COLUMNS = (
    *("accuracy", "called new", "known share off by", "share in its interval", "claimed error"),
    *("true error", "error in its interval", "draws"),
)
COLUMNS = ("dataset", "method", *DRIFT_COLUMNS)


def plan(scope: Scope) -> Plan:
    """List twenty draws of classes."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    conditions = [{"parts": True}]
    trials = trial_grid("drift", scope, datasets, METHODS, conditions, draws=20, samples=1)
    return Plan(tuple(trials), remarks)


def part(section: Section) -> Part:
    """Return accuracy, share and error, claimed and true, of every method."""
    rows, notes = [], []
    used = {record.trial.method for record in section.records}
    for dataset in in_paper_order({record.trial.draw.dataset for record in section.records}):
        found = {
            method: [r for r in section.records if _is_of(r, dataset, method)]
            for method in TRIAL_METHODS
            if method in used
        }
        rows += [[dataset, TRIAL_METHODS[m].label, *drift_cells(here)] for m, here in found.items()]
        notes += _against_contenders(dataset, found)
    note = (
        "Means over draws, in percent. The known share is off by the mean absolute difference, in "
        "points; intervals are of 95 %."
    )
    table = text_table(COLUMNS, rows)
    return Part([table, note, *notes], {f"{section.stem}.csv": csv_table(COLUMNS, rows)})


def _against_contenders(dataset: str, found: Mapping[str, Sequence[Record]]) -> list[str]:
    """Return how the default stands to the contender with the most right answers."""
    means = {
        method: float(np.mean([_metric(record) for record in records]))
        for method, records in found.items()
        if method in CONTENDERS and records
    }
    if not means or not found.get("default"):
        return []
    best = max(means, key=lambda method: means[method])
    ours = float(np.mean([_metric(record) for record in found["default"]]))
    return [
        f"{dataset}: EULAC {100 * ours:.1f}, the best contender, {TRIAL_METHODS[best].label}, "
        f"{100 * means[best]:.1f}."
    ]


def _is_of(record: Record, dataset: str, method: str) -> bool:
    return record.ok and (record.trial.draw.dataset, record.trial.method) == (dataset, method)


def drift_cells(records: Sequence[Record]) -> list[str]:
    """Return the cells of `DRIFT_COLUMNS` for the records of one method."""
    if not records:
        return ["–"] * 7 + ["0"]
    accuracy = np.array([_metric(record) for record in records])
    shares = [record.proportion for record in records if record.proportion]
    off = [abs(share["estimate"] - share["true"]) for share in shares]
    inside = [share["interval"][0] <= share["true"] <= share["interval"][1] for share in shares]
    claimed = [max(record.risk["raw"], 0.0) for record in records if record.risk]
    covers = [error_is_inside(record) for record in records if record.risk]
    called = [r.metrics["called_new"] for r in records if "called_new" in r.metrics]
    return [
        *(_percent(accuracy), _percent(called), _percent(off), _percent(inside)),
        _percent(claimed),
        *(_percent(1 - accuracy), _percent(covers), str(len(records))),
    ]


def error_is_inside(record: Record) -> bool:
    """Return whether the interval of the claimed error holds the true one."""
    risk = record.risk or {}
    half = 1.96 * risk["standard_error"]
    low, high = risk.get("interval") or (risk["raw"] - half, risk["raw"] + half)
    return bool(low <= 1 - _metric(record) <= high)


def _metric(record: Record) -> float:
    return float((record.metrics or {})["accuracy"])


def _percent(values: object) -> str:
    numbers = np.asarray(values, dtype=float)
    return f"{100 * numbers.mean():.1f}" if numbers.size else "–"


EXPERIMENT = Experiment("Known classes that moved", METHODS, plan, part)
