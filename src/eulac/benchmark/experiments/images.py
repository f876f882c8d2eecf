"""Table 2: networks on images, six classes known and four never labeled."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand
from eulac.benchmark.methods.drawn_images import IMAGES, NEW_CLASSES
from eulac.benchmark.methods.trial_methods import DEEP_METHODS
from eulac.benchmark.paper_results import paper_result
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table
from eulac.benchmark.trial import Draw, Trial, as_pairs

__all__ = ["EXPERIMENT", "mean_in_percent", "require_images"]

COLUMNS = (
    *("dataset", "method", "AUC of new rows", "in the paper", "accuracy", "called new"),
    *("claimed error", "known share", "true", "off by", "minutes", "splits"),
)

NOTE = (
    "Means over class splits ± standard errors, in percent; the known share is that of the "
    "unlabeled rows, minutes are those of a processor core. Only deep EULAC, PULSE and EULAC on "
    "pixels or images learn from unlabeled rows; other networks cannot."
)


def plan(scope: Scope) -> Plan:
    """List trials on the class splits of the literature; `draws` counts splits, at most five."""
    datasets, remarks = datasets_at_hand(scope.datasets, ("mnist", "svhn", "cifar10"))
    require_images(datasets)
    n_splits = min(scope.draws or (1 if scope.quick else len(NEW_CLASSES)), len(NEW_CLASSES))
    trials = [
        Trial("deep", Draw(name, split, 0, as_pairs({"epochs": epochs}), scope.seed), method)
        for split, name, method in product(
            range(n_splits), datasets, scope.methods or tuple(DEEP_METHODS)
        )
        for epochs in [1 if scope.quick else IMAGES[name].n_epochs]
    ]
    return Plan(tuple(trials), remarks)


def require_images(datasets: Sequence[str]) -> None:
    """Refuse datasets that are no images."""
    flat = [name for name in datasets if name not in IMAGES]
    if flat:
        raise ValueError(f"networks need images: {', '.join(IMAGES)}; got {', '.join(flat)}.")


def part(section: Section) -> Part:
    """Return one table of all methods on all datasets."""
    ok = [record for record in section.records if record.ok]
    rows = [
        _cells(name, method, found)
        for name, method in product(IMAGES, DEEP_METHODS)
        if (found := [r for r in ok if (r.trial.draw.dataset, r.trial.method) == (name, method)])
    ]
    return Part(
        [text_table(COLUMNS, rows), NOTE], {f"{section.stem}.csv": csv_table(COLUMNS, rows)}
    )


def _cells(dataset: str, method: str, records: Sequence[Record]) -> list[str]:
    paper = paper_result("auc", dataset, method)
    metrics = [record.metrics or {} for record in records]
    shares = [one for r in records if (one := r.proportion or {}).get("estimate") is not None]
    off = [abs(share["estimate"] - share["true"]) for share in shares]
    minutes = np.mean([record.seconds["fit"] for record in records]) / 60
    return [
        *(dataset, DEEP_METHODS[method].label, mean_in_percent([one["auc"] for one in metrics])),
        "–" if paper is None else f"{paper[0]:.1f}",
        mean_in_percent([one["accuracy"] for one in metrics]),
        mean_in_percent([one["called_new"] for one in metrics if "called_new" in one]),
        mean_in_percent([max(record.risk["raw"], 0.0) for record in records if record.risk]),
        mean_in_percent([share["estimate"] for share in shares]),
        mean_in_percent([share["true"] for share in shares]),
        *(mean_in_percent(off), f"{minutes:.1f}", str(len(records))),
    ]


def mean_in_percent(values: Sequence[float]) -> str:
    """Return a mean in percent, with its standard error if there are several; a dash for none."""
    if not values:
        return "–"
    percent = 100 * np.array(values)
    mean = f"{percent.mean():.1f}"
    if np.ptp(percent) < 1e-9:
        return mean
    return f"{mean} ± {percent.std(ddof=1) / len(percent) ** 0.5:.1f}"


EXPERIMENT = Experiment(
    "Networks",
    tuple(DEEP_METHODS),
    plan,
    part,
    "eulac.benchmark.paper_figures:deep_figure",
)
