"""Known classes that moved by themselves: labeled rows of some writers, the pool of others.

The official parts of three tables of digits come from different writers. Labeled rows are drawn
from the first part, unlabeled and test rows from the last; half of the classes are new.
"""

from collections.abc import Sequence

import numpy as np

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section

__all__ = ["DRIFT_COLUMNS", "EXPERIMENT", "drift_cells"]

METHODS = ("default", "default_as_labeled", "osnn")
DATASETS = ("pendigits", "optdigits", "usps")
DRIFT_COLUMNS = (
    *("accuracy", "known share off by", "share in its interval", "claimed error"),
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
    rows = [",".join(COLUMNS)]
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    used = {record.trial.method for record in section.records}
    for dataset in in_paper_order({record.trial.draw.dataset for record in section.records}):
        for method in [name for name in TRIAL_METHODS if name in used]:
            here = [r for r in section.records if _is_of(r, dataset, method)]
            cells = [dataset, TRIAL_METHODS[method].label, *drift_cells(here)]
            lines.append(f"| {' | '.join(cells)} |")
            rows.append(",".join(cell.replace(",", "") for cell in cells))
    note = (
        "Means over draws, in percent. The known share is off by the mean absolute difference, in "
        "points; intervals are of 95 %."
    )
    return Part(["\n".join(lines), note], {f"{section.stem}.csv": "\n".join(rows) + "\n"})


def _is_of(record: Record, dataset: str, method: str) -> bool:
    return record.ok and (record.trial.draw.dataset, record.trial.method) == (dataset, method)


def drift_cells(records: Sequence[Record]) -> list[str]:
    """Return the cells of `DRIFT_COLUMNS` for the records of one method."""
    if not records:
        return ["–"] * 6 + ["0"]
    accuracy = np.array([_metric(record) for record in records])
    shares = [record.proportion for record in records if record.proportion]
    risks = [(record.risk, 1 - _metric(record)) for record in records if record.risk]
    off = [abs(share["estimate"] - share["true"]) for share in shares]
    inside = [share["interval"][0] <= share["true"] <= share["interval"][1] for share in shares]
    claimed = [max(risk["raw"], 0.0) for risk, _ in risks]
    covers = [abs(risk["raw"] - true) <= 1.96 * risk["standard_error"] for risk, true in risks]
    return [
        *(_percent(accuracy), _percent(off), _percent(inside), _percent(claimed)),
        *(_percent(1 - accuracy), _percent(covers), str(len(records))),
    ]


def _metric(record: Record) -> float:
    return float((record.metrics or {})["accuracy"])


def _percent(values: object) -> str:
    numbers = np.asarray(values, dtype=float)
    return f"{100 * numbers.mean():.1f}" if numbers.size else "–"


EXPERIMENT = Experiment("Known classes that moved", METHODS, plan, part)
