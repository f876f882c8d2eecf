"""The known share that the default finds, by labeled rows and by true share.

No classifier is fitted: the share is read off the rows before any family is tried. Draws have the
seed of `trust`.
"""

from collections.abc import Sequence

import numpy as np

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.trusted_numbers import covers, with_own_seed
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table

__all__ = ["EXPERIMENT"]

METHODS = ("default_share",)
DATASETS = ("usps", "satimage", "optdigits", "pendigits", "letter")
"""With rows enough for the largest sizes."""

LABELED = (100, 300, 1000, 2000)
KNOWN = (0.1, 0.4, 0.7, 1.0)
N_UNLABELED = 1000
ENOUGH = 50
"""Draws of a cell whose coverage is worth a verdict."""

HEAD = (
    *("labeled rows", "true known share", "off by", "leans", "in its interval", "width"),
    *("drift suspected", "draws"),
)


def plan(scope: Scope) -> Plan:
    """List ten draws of classes of each table in each cell, one of all cells before the next."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    cells = [
        {"n_labeled": n, "n_unlabeled": N_UNLABELED, "n_test": 0, "known_proportion": share}
        for n in LABELED
        for share in KNOWN
    ]
    if scope.quick:
        cells = [{"n_labeled": 100, "n_unlabeled": 200, "n_test": 0, "known_proportion": 0.4}]
    # Cells of one draw stand together, and class draws are the outer loop: tables fill evenly.
    trials = trial_grid(
        *("coverage", with_own_seed(scope), datasets, METHODS, cells), draws=10, samples=1
    )
    trials.sort(key=lambda trial: trial.draw.class_draw)
    return Plan(tuple(trials), remarks)


def part(section: Section) -> Part:
    """Return error and coverage of every cell, and of all of them."""
    records = [record for record in section.records if record.ok]
    rows = []
    inside = []
    for cell in sorted({_cell(record) for record in records}):
        here = [record for record in records if _cell(record) == cell]
        rows.append([f"{cell[0]}", f"{cell[1]:g}", *_cells(here)])
        if len(here) >= ENOUGH:
            inside.append(float(np.mean([_is_inside(record) for record in here])))
    rows.append(["all", "all", *_cells(records)])
    smallest = f"; the smallest is {100 * min(inside):.0f} %" if inside else ""
    note = (
        "Mean absolute and mean difference from the true known share, in points, and how many "
        "percent of the 95 % intervals hold it. Sizes scale down where a table is too small. "
        f"{len(inside)} cells have {ENOUGH} draws or more{smallest}."
    )
    return Part([text_table(HEAD, rows), note], {f"{section.stem}.csv": csv_table(HEAD, rows)})


def _cell(record: Record) -> tuple[int, float]:
    draw = record.trial.draw
    return draw.condition("n_labeled"), draw.condition("known_proportion")


def _is_inside(record: Record) -> bool:
    entry = record.proportion or {}
    return covers(entry["interval"], entry["true"])


def _cells(records: Sequence[Record]) -> list[str]:
    entries = [record.proportion or {} for record in records]
    gaps = np.array([entry["estimate"] - entry["true"] for entry in entries])
    width = np.mean([entry["interval"][1] - entry["interval"][0] for entry in entries])
    suspected = np.mean([bool(entry.get("drift_suspected")) for entry in entries])
    inside = np.mean([_is_inside(record) for record in records])
    return [
        f"{100 * np.abs(gaps).mean():.1f}",
        f"{100 * gaps.mean():+.1f}",
        *(f"{100 * value:.1f}" for value in (inside, width, suspected)),
        str(len(records)),
    ]


EXPERIMENT = Experiment(
    "The known share by size and true share",
    METHODS,
    plan,
    part,
    varied=("n_labeled", "n_unlabeled", "n_test"),
)
