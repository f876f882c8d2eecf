"""How many new classes there are and which rows they have, beside k-means and HDBSCAN.

Half of the classes of a table are new. Grouped are either all new rows of the pool, as if somebody
had told them, or the rows that the default classifier calls new. Only `find_new_classes` and
HDBSCAN have to find the number of classes; k-means is told it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.draws import OpenDraw, load_rows
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section
from eulac.discovery.agreement import matched_accuracy
from eulac.discovery.labeled_rows import score_pool
from eulac.discovery.new_classes import NewClasses, new_classes_of
from eulac.discovery.spaces import KnownRows

__all__ = [
    "EXPERIMENT",
    "called_new",
    "classes_in",
    "find_in_called",
    "find_in_true",
    "hdbscan",
    "is_new",
    "k_means",
    "true_classes",
]

Codes = NDArray[np.intp]

DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "letter")
METHODS = ("new_classes", "new_classes_called", "k_means_told", "hdbscan")
COLUMNS = (
    *("dataset", "method", "accuracy", "ARI", "NMI", "classes", "found", "near enough"),
    *("in its interval", "draws"),
)


def plan(scope: Scope) -> Plan:
    """List ten draws of classes; half of the pool is new."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    conditions = [{"n_unlabeled": 1200, "known_proportion": 0.5, "n_test": 0}]
    if scope.quick:
        conditions = [{"n_unlabeled": 300, "known_proportion": 0.5, "n_test": 0}]
    trials = trial_grid("discovery", scope, datasets, METHODS, conditions, draws=10, samples=1)
    return Plan(tuple(trials), remarks)


def true_classes(opened: OpenDraw, rows: Any = None) -> NDArray[Any]:
    """Return the true classes of rows, of the unlabeled ones by default, looked up by values."""
    X, y = load_rows(opened.draw.dataset, opened.source)
    names = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
    rows = opened.split.sample.X_unlabeled if rows is None else rows
    return np.array([names[row.tobytes()] for row in rows])


def find_in_true(opened: OpenDraw) -> dict[str, float]:
    """Group all new rows of the pool with `find_new_classes`."""
    return _found(opened, np.flatnonzero(is_new(opened)), are_certain=True)


def find_in_called(opened: OpenDraw) -> dict[str, float]:
    """Group the rows of the pool that the default classifier calls new."""
    return _found(opened, called_new(opened)[1], are_certain=False)


def called_new(opened: OpenDraw) -> tuple[EulacClassifier, Codes]:
    """Return the default classifier of the draw, and the rows of the pool that it calls new."""
    sample = opened.split.sample
    classifier = EulacClassifier(random_state=opened.draw.fit_seed)
    classifier.fit(*sample.as_masked())
    return classifier, np.flatnonzero(score_pool(classifier, sample.X_unlabeled).is_new)


def k_means(opened: OpenDraw) -> dict[str, float]:
    """Group all new rows by k-means on standardized columns, the number of classes told."""
    n_classes = len(np.unique(true_classes(opened)[is_new(opened)]))
    seed = opened.draw.fit_seed
    return _others(opened, KMeans(n_classes, n_init=10, random_state=seed).fit_predict)


def hdbscan(opened: OpenDraw) -> dict[str, float]:
    """Group all new rows by HDBSCAN on standardized columns."""
    return _others(opened, HDBSCAN(min_cluster_size=15, copy=True).fit_predict)


def is_new(opened: OpenDraw) -> NDArray[np.bool_]:
    """Return which unlabeled rows are of no known class."""
    return ~np.isin(true_classes(opened), opened.split.known_classes)


def classes_in(
    opened: OpenDraw, rows: Codes, *, are_certain: bool = False, tolerance: float = 0.0
) -> NewClasses:
    """Return the new classes in some rows of the pool; the rest as in `new_classes_of`."""
    sample = opened.split.sample
    known = KnownRows(np.asarray(sample.X_labeled, dtype=float), sample.y_labeled)
    pool = np.asarray(sample.X_unlabeled, dtype=float)
    return new_classes_of(
        *(known, pool, rows),
        are_certain=are_certain,
        tolerance=tolerance,
        random_state=opened.draw.fit_seed,
    )


def _found(opened: OpenDraw, rows: Codes, *, are_certain: bool) -> dict[str, float]:
    found = classes_in(opened, rows, are_certain=are_certain)
    metrics = _metrics(opened, found.assignment)
    low, high = found.interval
    return metrics | {"covered": float(low <= metrics["n_classes"] <= high)}


def _others(opened: OpenDraw, group: Callable[[Any], Any]) -> dict[str, float]:
    new = is_new(opened)
    assignment = np.full(len(new), -1)
    assignment[new] = group(StandardScaler().fit_transform(opened.split.sample.X_unlabeled[new]))
    return _metrics(opened, assignment)


def _metrics(opened: OpenDraw, assignment: Codes) -> dict[str, float]:
    """Judge groups on the rows that are new; those in no group are wrong, and a group of none."""
    new = is_new(opened)
    truth, groups = true_classes(opened)[new], assignment[new]
    return {
        "accuracy": matched_accuracy(groups, truth),
        "ari": float(adjusted_rand_score(truth, groups)),
        "nmi": float(normalized_mutual_info_score(truth, groups)),
        "n_found": float(len(np.unique(assignment[assignment >= 0]))),
        "n_classes": float(len(np.unique(truth))),
    }


def part(section: Section) -> Part:
    """Return accuracy, agreement and number of every method on every table, and their means."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    rows = [",".join(COLUMNS)]
    for dataset in [*in_paper_order({r.trial.draw.dataset for r in section.records}), None]:
        for method in METHODS:
            here = [r for r in section.records if r.ok and r.trial.method == method]
            here = [r for r in here if dataset in (None, r.trial.draw.dataset)]
            if here:
                label = TRIAL_METHODS[method].label
                cells = [dataset or "all", label, *_cells(here), str(len(here))]
                lines.append(f"| {' | '.join(cells)} |")
                rows.append(",".join(cell.replace(",", "") for cell in cells))
    note = (
        "Means over draws. Accuracy (by the best matching of groups and classes), ARI and NMI in "
        "percent, over the new rows of the pool; rows that are not found are wrong. A number is "
        "near enough if it is off by one at most for up to six classes, by a quarter for more."
    )
    return Part(["\n".join(lines), note], {f"{section.stem}.csv": "\n".join(rows) + "\n"})


def _cells(records: Sequence[Record]) -> list[str]:
    values = {
        name: np.array([record.metrics[name] for record in records])
        for name in ("accuracy", "ari", "nmi", "n_classes", "n_found")
    }
    n_classes, n_found = values["n_classes"], values["n_found"]
    near = np.abs(n_found - n_classes) <= np.where(n_classes <= 6, 1, 0.25 * n_classes)
    covered = [r.metrics["covered"] for r in records if "covered" in r.metrics]
    return [
        *(f"{100 * values[name].mean():.1f}" for name in ("accuracy", "ari", "nmi")),
        f"{n_classes.mean():.1f}",
        f"{n_found.mean():.1f}",
        f"{100 * near.mean():.0f}",
        f"{100 * np.mean(covered):.0f}" if covered else "–",
    ]


EXPERIMENT = Experiment("New classes", METHODS, plan, part)
