"""Known classes that were moved by hand, with nothing, a tenth or half of the rows new."""

from itertools import product

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.other_writers import DRIFT_COLUMNS, drift_cells
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.report_parts import Part, Section
from eulac.benchmark.simulated_drift import MOVES

__all__ = ["EXPERIMENT"]

METHODS = ("default", "default_as_labeled", "osnn")
DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle")
KNOWN_PROPORTIONS = (1.0, 0.9, 0.5)
COLUMNS = ("what moved", "new", "method", *DRIFT_COLUMNS)


def plan(scope: Scope) -> Plan:
    """List three draws of classes for each way of moving and share of new rows."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    conditions = [
        {"moved": kind, "known_proportion": share}
        for kind, share in product(MOVES, KNOWN_PROPORTIONS)
    ]
    conditions = conditions[2:3] if scope.quick else conditions
    trials = trial_grid("moved", scope, datasets, METHODS, conditions, draws=3, samples=1)
    return Plan(tuple(trials), remarks)


def part(section: Section) -> Part:
    """Return shares and errors of every method, over all datasets and draws."""
    records = [record for record in section.records if record.ok]
    datasets = in_paper_order({record.trial.draw.dataset for record in records})
    used = [name for name in TRIAL_METHODS if name in {r.trial.method for r in records}]
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for kind, share, method in product(MOVES, KNOWN_PROPORTIONS, used):
        here = [
            record
            for record in records
            if record.trial.method == method
            and record.trial.draw.condition("moved") == kind
            and record.trial.draw.condition("known_proportion") == share
        ]
        if here:
            cells = [kind, f"{1 - share:.0%}", TRIAL_METHODS[method].label, *drift_cells(here)]
            lines.append(f"| {' | '.join(cells)} |")
    note = (
        f"Means over draws of {', '.join(datasets)}, in percent. The known share is off by the "
        "mean absolute difference, in points; intervals are of 95 %."
    )
    rows = [_as_csv(line) for line in (lines[0], *lines[2:])]
    csv = "\n".join(rows) + "\n"
    return Part(["\n".join(lines), note], {f"{section.stem}.csv": csv})


def _as_csv(line: str) -> str:
    return ",".join(cell.strip().replace(",", "") for cell in line.strip("|").split("|"))


EXPERIMENT = Experiment("Known classes moved by hand", METHODS, plan, part)
