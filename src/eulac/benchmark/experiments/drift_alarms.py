"""The test for drift: how often it fires where nothing moved, and whether it finds what did.

No classifier is fitted. In the draws that were moved, one known class of a hundred labeled rows or
so lies half a deviation aside: in all columns, or in one of them. Found means that drift is
suspected; named, that the moved class and a moved column of it are among those the estimate lists.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.trusted_numbers import with_own_seed
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table
from eulac.benchmark.simulated_drift import SMALL_MOVES
from eulac.drift.two_readings import TwoReadingsProportion

__all__ = ["EXPERIMENT", "moved_places", "drift_found"]

METHODS = ("drift_test",)
DATASETS = (
    *("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle", "letter"),
)
MOVED = (None, "one class", *SMALL_MOVES)
SHARES = (1.0, 0.5)
HEAD = ("what moved", "new", "dataset", "drift suspected", "class and column named", "draws")


def plan(scope: Scope) -> Plan:
    """List ten draws of classes, clean ones and moved ones, with nothing or half of it new."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    conditions = [
        {"known_proportion": share} | ({} if kind is None else {"moved": kind})
        for kind in MOVED
        for share in SHARES
    ]
    conditions = conditions[3:4] if scope.quick else conditions
    trials = trial_grid(
        *("alarms", with_own_seed(scope), datasets, METHODS, conditions), draws=10, samples=1
    )
    trials.sort(key=lambda trial: trial.draw.class_draw)
    return Plan(tuple(trials), remarks)


def drift_found(opened: OpenDraw) -> dict[str, float]:
    """Return whether drift is suspected, and whether a moved class and column are named."""
    sample, seed = opened.canonical_sample
    drift = TwoReadingsProportion(random_state=seed).estimate(sample).diagnostics["drift"]
    named = {(one["known_class"], one["column"]) for one in drift["moved"]}
    moved = moved_places(opened)
    return {
        "suspected": float(drift["suspected"]),
        "named": float(bool(named & moved)),
        "named_wrongly": float(len(named - moved)),
        "gap": drift["gap"],
    }


def moved_places(opened: OpenDraw) -> set[tuple[Any, int]]:
    """Return labels of classes and places of columns that were moved in the unlabeled rows."""
    draw = opened.draw
    kept = tuple(pair for pair in draw.conditions if pair[0] != "moved")
    as_drawn = replace(draw, conditions=kept)
    before, after = OpenDraw(as_drawn, opened.source).split, opened.split
    differs = before.sample.X_unlabeled != after.sample.X_unlabeled
    codes = after.sample.codec.encode(after.y_unlabeled)
    return {
        (label, int(column))
        for code, label in enumerate(after.sample.codec.known.tolist())
        for column in np.flatnonzero(differs[codes == code].any(axis=0))
    }


def part(section: Section) -> Part:
    """Return how often drift is suspected and named, by what moved, how much is new and table."""
    records = [record for record in section.records if record.ok]
    rows = []
    for kind in MOVED:
        for share in SHARES:
            here = [record for record in records if _condition(record) == (kind, share)]
            datasets = in_paper_order({record.trial.draw.dataset for record in here})
            for dataset in [*datasets, "all"] if here else []:
                of_table = [r for r in here if dataset in ("all", r.trial.draw.dataset)]
                told = [kind or "nothing", f"{1 - share:.0%}", dataset]
                rows.append([*told, *_cells(of_table), str(len(of_table))])
    note = (
        "In percent of draws. What moved lies half a deviation aside. Goals: at most 5 where "
        "nothing moved, at least 80 where one class did."
    )
    return Part([text_table(HEAD, rows), note], {f"{section.stem}.csv": csv_table(HEAD, rows)})


def _condition(record: Record) -> tuple[str | None, float]:
    draw = record.trial.draw
    return draw.condition("moved"), draw.condition("known_proportion")


def _cells(records: Sequence[Record]) -> list[str]:
    means = [
        np.mean([record.metrics[name] for record in records]) for name in ("suspected", "named")
    ]
    return [f"{100 * mean:.1f}" for mean in means]


EXPERIMENT = Experiment("Power and false alarms of the test for drift", METHODS, plan, part)
