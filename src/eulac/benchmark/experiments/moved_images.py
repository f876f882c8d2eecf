"""The setting of PULSE: networks on images of one new class, where all shares of classes moved."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand
from eulac.benchmark.experiments.images import mean_in_percent, require_images
from eulac.benchmark.methods.drawn_images import IMAGES
from eulac.benchmark.methods.trial_methods import DEEP_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table
from eulac.benchmark.trial import Draw, Trial, as_pairs

__all__ = ["EXPERIMENT"]

MOST_DRAWS = 5
"""Of one seed: a sixth would have the rows of the next seed's first."""

METHODS = ("deep_selected", "deep_pulse")
COLUMNS = (
    *("dataset", "method", "share of new rows", "true", "off by", "intervals that hold it"),
    *("accuracy", "AUC of new rows", "minutes", "draws"),
)
NOTE = (
    "Means over draws ± standard errors, in percent. One class of ten is new; of each other class "
    "a part between 20 and 100 % is labeled and the rest unlabeled, so that all shares differ "
    "between the samples."
)


def plan(scope: Scope) -> Plan:
    """List trials; `draws` counts draws of the new class and of all shares."""
    datasets, remarks = datasets_at_hand(scope.datasets, ("cifar10", "mnist"))
    require_images(datasets)
    trials = [
        Trial("deep_moved", Draw(name, i, 0, as_pairs(conditions), scope.seed), method)
        for i, name, method in product(
            range(min(scope.draws or (1 if scope.quick else MOST_DRAWS), MOST_DRAWS)),
            datasets,
            scope.methods or METHODS,
        )
        for conditions in [
            {"epochs": 1 if scope.quick else IMAGES[name].n_epochs, "moved_shares": 1}
        ]
    ]
    return Plan(tuple(trials), remarks)


def part(section: Section) -> Part:
    """Return one table of all methods on all datasets."""
    ok = [record for record in section.records if record.ok]
    rows = [
        _cells(name, method, found)
        for name, method in product(IMAGES, METHODS)
        if (found := [r for r in ok if (r.trial.draw.dataset, r.trial.method) == (name, method)])
    ]
    return Part(
        [text_table(COLUMNS, rows), NOTE], {f"{section.stem}.csv": csv_table(COLUMNS, rows)}
    )


def _cells(dataset: str, method: str, records: Sequence[Record]) -> list[str]:
    metrics = [record.metrics or {} for record in records]
    shares = [record.proportion or {} for record in records]
    held = [one["interval"][0] <= one["true"] <= one["interval"][1] for one in shares]
    minutes = np.mean([record.seconds["fit"] for record in records]) / 60
    return [
        *(dataset, DEEP_METHODS[method].label),
        mean_in_percent([1 - one["estimate"] for one in shares]),
        mean_in_percent([1 - one["true"] for one in shares]),
        mean_in_percent([abs(one["estimate"] - one["true"]) for one in shares]),
        f"{sum(held)} of {len(held)}",
        mean_in_percent([one["accuracy"] for one in metrics]),
        mean_in_percent([one["auc"] for one in metrics]),
        *(f"{minutes:.1f}", str(len(records))),
    ]


EXPERIMENT = Experiment("Networks where shares moved", METHODS, plan, part)
