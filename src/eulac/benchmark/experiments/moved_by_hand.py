"""Known classes that were moved by hand, with nothing, a tenth or half of the rows new.

Beside it a forest that learned from labeled rows alone and calls new what it is unsure of. Its cut
is the best one for the test rows, found with their true labels: nobody has it, and it is what a
method that knows nothing of new classes could have reached.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.other_writers import DRIFT_COLUMNS, drift_cells, error_is_inside
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table
from eulac.benchmark.simulated_drift import WAYS

__all__ = ["EXPERIMENT", "best_cut", "forest_with_best_cut"]

METHODS = ("default", "default_as_labeled", "osnn", "forest_hindsight")
DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle")
KNOWN_PROPORTIONS = (1.0, 0.9, 0.5)
COLUMNS = ("what moved", "new", "method", *DRIFT_COLUMNS)
NEAR_ENOUGH = 0.03
"""How far below the forest's accuracy ours may be."""

Records = Sequence[Record]
Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def plan(scope: Scope) -> Plan:
    """List three draws of classes for each way of moving and share of new rows."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    conditions = [
        {"moved": kind, "known_proportion": share}
        for kind, share in product(WAYS, KNOWN_PROPORTIONS)
    ]
    conditions = conditions[2:3] if scope.quick else conditions
    trials = trial_grid("moved", scope, datasets, METHODS, conditions, draws=3, samples=1)
    trials.sort(key=lambda trial: trial.draw.class_draw)  # one draw of everything first
    return Plan(tuple(trials), remarks)


def forest_with_best_cut(opened: OpenDraw) -> dict[str, float]:
    """Return what a forest of the known classes reaches with the best cut of its confidence."""
    split = opened.split
    sample = split.sample
    forest = ExtraTreesClassifier(300, min_samples_leaf=2, random_state=opened.draw.fit_seed)
    probabilities = forest.fit(sample.X_labeled, sample.y_labeled).predict_proba(split.X_test)
    true = sample.codec.encode(split.y_test)
    confidence = probabilities.max(axis=1)
    right = forest.classes_[probabilities.argmax(axis=1)] == true
    is_new = true == sample.n_known_classes
    accuracy, called_new = best_cut(confidence, right, is_new)
    both = 0 < is_new.sum() < len(is_new)
    auc = float(roc_auc_score(is_new, -confidence)) if both else float("nan")
    return {"accuracy": accuracy, "called_new": called_new, "auc": auc}


def best_cut(confidence: Array, right: Flags, is_new: Flags) -> tuple[float, float]:
    """Return the largest accuracy that a cut of the confidence gives, and the share called new.

    Examples
    --------
    >>> confidence, right = np.array([0.9, 0.8, 0.3]), np.array([True, True, False])
    >>> best_cut(confidence, right, np.array([False, False, True]))
    (1.0, 0.3333333333333333)
    """
    order = np.argsort(confidence, kind="stable")
    # Called new are the rows below the cut: none, then one more of the least sure at a time.
    hits = (
        np.append(0, np.cumsum(is_new[order])) + right.sum() - np.append(0, np.cumsum(right[order]))
    )
    values = confidence[order]
    between = np.append(True, np.append(np.diff(values) > 0, True))  # ties fall together
    best = int(np.flatnonzero(between)[np.argmax(hits[between])])
    return float(hits[best] / len(order)), best / len(order)


def part(section: Section) -> Part:
    """Return shares and errors of every method over all datasets, and how it compares."""
    records = [record for record in section.records if record.ok]
    datasets = in_paper_order({record.trial.draw.dataset for record in records})
    used = [name for name in TRIAL_METHODS if name in {r.trial.method for r in records}]
    rows = []
    for kind, share, method in product(WAYS, KNOWN_PROPORTIONS, used):
        here = [r for r in records if r.trial.method == method and _condition(r) == (kind, share)]
        if here:
            name = TRIAL_METHODS[method].label
            rows.append([kind, f"{1 - share:.0%}", name, *drift_cells(here)])
    note = (
        f"Means over draws of {', '.join(datasets)}, in percent. The known share is off by the "
        "mean absolute difference, in points; intervals are of 95 %. The forest's cut is chosen "
        "with the true labels of the test rows. With another mix nothing moves, but two kinds of "
        "rows in each known class, 85 to 15 in the labels, are 35 to 65 in deployment."
    )
    paragraphs = [text_table(COLUMNS, rows), note, *_nothing_new(records), *_half_new(records)]
    return Part(paragraphs, {f"{section.stem}.csv": csv_table(COLUMNS, rows)})


def _condition(record: Record) -> tuple[str, float]:
    draw = record.trial.draw
    return draw.condition("moved"), draw.condition("known_proportion")


def _nothing_new(records: Records) -> list[str]:
    """Return how many rows are called new where none is, and whether the claimed error holds."""
    here = [
        record
        for record in records
        if record.trial.method == "default" and _condition(record)[1] == 1.0
    ]
    called = [r.metrics["called_new"] for r in here if "called_new" in r.metrics]
    if not called:
        return []
    inside = [error_is_inside(record) for record in here if record.risk]
    return [
        f"Nothing new: EULAC calls {100 * np.mean(called):.1f} % of the rows new on average of "
        f"{len(called)} draws, and its interval of the error holds the truth in "
        f"{100 * np.mean(inside):.1f} %."
    ]


def _half_new(records: Records) -> list[str]:
    """Return accuracy beside that of the forest, a row for each dataset, where half is new."""
    found: dict[str, dict[str, dict[object, float]]] = {}
    for record in records:
        if _condition(record)[1] == 0.5:
            by_method = found.setdefault(record.trial.draw.dataset, {})
            accuracies = by_method.setdefault(record.trial.method, {})
            accuracies[record.trial.draw] = record.metrics["accuracy"]
    rows, near = [], []
    for dataset in in_paper_order(found):
        ours, forest = (found[dataset].get(m, {}) for m in ("default", "forest_hindsight"))
        leads = [ours[draw] - forest[draw] for draw in ours if draw in forest]
        if leads:
            near.append(np.mean(leads) >= -NEAR_ENOUGH)
            means = [np.mean(list(one.values())) for one in (ours, forest)]
            cells = [f"{100 * value:.1f}" for value in means]
            rows.append([dataset, *cells, f"{100 * np.mean(leads):+.1f}", str(len(leads))])
    if not rows:
        return []
    head = ("dataset", "EULAC", "forest, best cut in hindsight", "EULAC less forest", "draws")
    note = (
        f"Accuracy in percent, over all ways of moving. EULAC is above the forest, or below by at "
        f"most {100 * NEAR_ENOUGH:.0f} points, on {sum(near)} of {len(near)} tables."
    )
    return ["### Half of the rows new", text_table(head, rows), note]


EXPERIMENT = Experiment("Known classes moved by hand", METHODS, plan, part)
