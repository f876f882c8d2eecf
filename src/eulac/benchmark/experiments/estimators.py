"""Every estimator of the known proportion, side by side on the draws of Table 1."""

from collections.abc import Sequence

import numpy as np

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section
from eulac.proportion.methods import PROPORTIONS, QUICK_PROPORTIONS

__all__ = ["EXPERIMENT"]

DATASETS = (
    *("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle", "letter"),
)
"""Those of Table 1 and one of many classes with few rows each."""


def plan(scope: Scope) -> Plan:
    """List ten draws of classes."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    trials = trial_grid(
        "proportion", scope, datasets, tuple(QUICK_PROPORTIONS), draws=10, samples=1
    )
    return Plan(tuple(trials), remarks)


def part(section: Section) -> Part:
    """Return mean absolute errors, biases and coverage of every estimator."""
    datasets = in_paper_order({record.trial.draw.dataset for record in section.records})
    used = {record.trial.method for record in section.records}
    methods = [name for name in TRIAL_METHODS if name in used]
    lines = [f"| dataset | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    csv = ["dataset,method,bias,mean_absolute_error,coverage,seconds,n"]
    sizes: dict[str, list[float]] = {method: [] for method in methods}
    for dataset in datasets:
        cells = []
        for method in methods:
            here = [r for r in section.records if _is_of(r, dataset, method)]
            bias, size, covered, seconds = _errors(here)
            sizes[method].append(size)
            cells.append(f"{size:.1f} ({bias:+.1f})")
            numbers = f"{bias:.4f},{size:.4f},{covered:.4f},{seconds:.2f},{len(here)}"
            csv.append(f"{dataset},{method},{numbers}")
        lines.append(f"| {dataset} | {' | '.join(cells)} |")
    means = [f"{np.mean(sizes[method]):.1f}" for method in methods]
    lines.append(f"| mean | {' | '.join(means)} |")
    note = (
        "Mean absolute difference from the true known proportion, in points, and in parentheses "
        "the mean difference. Coverage of the intervals is in the CSV file; those of `kernel_mean` "
        "take a bootstrap, which is left out here."
    )
    return Part(["\n".join(lines), note], {f"{section.stem}.csv": "\n".join(csv) + "\n"})


def _is_of(record: Record, dataset: str, method: str) -> bool:
    return record.ok and (record.trial.draw.dataset, record.trial.method) == (dataset, method)


def _errors(records: Sequence[Record]) -> tuple[float, float, float, float]:
    """Return bias and mean absolute error in points, share of intervals that cover, seconds."""
    proportions = [record.proportion or {} for record in records]
    gaps = np.array([100 * (entry["estimate"] - entry["true"]) for entry in proportions])
    covered = [_covers(entry.get("interval"), entry["true"]) for entry in proportions]
    seconds = [record.seconds.get("shared", np.nan) for record in records]
    if not proportions:
        return (float("nan"),) * 4
    return gaps.mean(), np.abs(gaps).mean(), float(np.mean(covered)), float(np.mean(seconds))


def _covers(interval: Sequence[float] | None, true: float) -> bool:
    return interval is not None and interval[0] <= true <= interval[1]


EXPERIMENT = Experiment(
    "Estimators of the known proportion",
    tuple(QUICK_PROPORTIONS),
    plan,
    part,
    other_methods=(*(name for name in PROPORTIONS if name not in QUICK_PROPORTIONS), "kme_base"),
)
