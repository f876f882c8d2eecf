"""The loop end to end: fit, find, name, go on; and what each answer of a person is worth.

A kernel classifier is fitted, the rows it calls new are grouped, and each group gets the name most
of its rows have. A classifier of all classes then learns from labeled and named rows. Beside it:
one that got the true labels of as many rows of the pool, drawn at random, as names were given, and
one that got the true labels of the whole pool. All three learn from labeled rows only, as a
promoted classifier does once nothing is left that is new.

Answers one by one: all new rows are grouped; a person is asked about single rows, in the order of
`next_row` or at random, and answers are spread over groups. Measured is how many new rows have
their name. Beside that, random answers without groups: each row is named as the nearest answered
one.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import StandardScaler

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.discovered import called_new, classes_in, is_new, true_classes
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section
from eulac.discovery.new_classes import NewClasses
from eulac.discovery.next_rows import next_row, spread_names
from eulac.exceptions import NoUnlabeledRowsWarning, SmallClassWarning
from eulac.kernel.kernel_classifier import KernelEulacClassifier

__all__ = ["EXPERIMENT", "ask_for_names", "majority_names", "name_the_groups"]

Labels = NDArray[Any]
Codes = NDArray[np.intp]

DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "letter")
METHODS = ("named_groups", "next_rows")
SPENT = (5, 10, 20, 40, 80)
LOOP = ("before", "as_many_labels", "named", "full")
ORDERS = {"next": "asked by `next_row`", "random": "at random", "nearest": "at random, no groups"}


def plan(scope: Scope) -> Plan:
    """List ten draws of classes; half of the pool is new."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    sizes = {} if scope.quick else {"n_unlabeled": 1200, "n_test": 1000}
    conditions = [{**sizes, "known_proportion": 0.5}]
    trials = trial_grid("loop", scope, datasets, METHODS, conditions, draws=10, samples=1)
    return Plan(tuple(trials), remarks)


def majority_names(classes: NewClasses, truth: Labels) -> Iterator[tuple[Codes, Any]]:
    """Yield the rows of each group and the class most of them have, as a person would say."""
    for rows in classes.typical_rows:
        names, counts = np.unique(truth[rows], return_counts=True)
        yield rows, names[counts.argmax()]


def name_the_groups(opened: OpenDraw) -> dict[str, float]:
    """Return accuracy over all classes before and after groups were named, and beside it."""
    sample, truth = opened.split.sample, true_classes(opened)
    before, called = called_new(opened)
    classes = classes_in(opened, called)
    named = list(majority_names(classes, truth))
    names = truth.copy()
    for rows, name in named:
        names[rows] = name
    some = np.random.default_rng(opened.draw.fit_seed).choice(len(truth), len(named), replace=False)
    grouped = np.concatenate([rows for rows, _ in named] or [some])
    told = true_classes(opened, opened.split.X_test)
    accuracy = {"before": float(np.mean(before.predict(opened.split.X_test) == told))}
    chosen = {"named": grouped, "as_many_labels": some, "full": np.arange(len(truth))}
    for kind, rows in chosen.items():
        X = np.vstack([sample.X_labeled, sample.X_unlabeled[rows]])
        labels = names if kind == "named" else truth
        y = np.concatenate([opened.split.known_classes[sample.y_labeled], labels[rows]])
        answers = _learned(X, y, opened).predict(opened.split.X_test)
        accuracy[kind] = float(np.mean(answers == told))
    return accuracy | {"n_names": float(len(named))}


def ask_for_names(opened: OpenDraw) -> dict[str, float]:
    """Return the share of new rows with their name, by answers spent and order of questions."""
    truth, new = true_classes(opened), np.flatnonzero(is_new(opened))
    classes = classes_in(opened, new)
    order = np.random.default_rng(opened.draw.fit_seed).permutation(new)
    X = StandardScaler().fit_transform(opened.split.sample.X_unlabeled)
    found, answers = {}, {}
    for spent in SPENT:
        while len(answers) < spent and (row := next_row(classes, answers)) is not None:
            answers[row] = truth[row]
        random = order[:spent]
        by_chance = spread_names(classes, {int(row): truth[row] for row in random})
        nearest = truth[random][pairwise_distances_argmin(X[new], X[random])]
        found[f"next_{spent}"] = np.mean(spread_names(classes, answers)[new] == truth[new])
        found[f"random_{spent}"] = np.mean(by_chance[new] == truth[new])
        found[f"nearest_{spent}"] = np.mean(nearest == truth[new])
    return {name: float(value) for name, value in found.items()}


def _learned(X: Any, y: Labels, opened: OpenDraw) -> Any:
    classifier = KernelEulacClassifier(scale=None, random_state=opened.draw.fit_seed)
    with warnings.catch_warnings():
        for meant in (NoUnlabeledRowsWarning, SmallClassWarning):
            warnings.simplefilter("ignore", meant)
        return classifier.fit(X, y)


def part(section: Section) -> Part:
    """Return accuracy over all classes, and names by answers spent, for every table."""
    loop = [r for r in section.records if r.ok and r.trial.method == "named_groups"]
    asked = [r for r in section.records if r.ok and r.trial.method == "next_rows"]
    paragraphs, files = [], {}
    heads = ("before", "as many labels", "groups named", "all labels", "gap closed", "names")
    if loop:
        paragraphs += [_table(heads, {"": loop}, _loop_cells), LOOP_NOTE]
        files[f"{section.stem}_named.csv"] = _lines(heads, {"": loop}, _loop_cells, ",")
    if asked:
        columns = ("order", *(f"{spent} answers" for spent in SPENT))
        kinds = dict.fromkeys(ORDERS, asked)
        paragraphs += [_table(columns, kinds, _asked_cells), ASKED_NOTE]
        files[f"{section.stem}_asked.csv"] = _lines(columns, kinds, _asked_cells, ",")
    return Part(paragraphs, files)


LOOP_NOTE = (
    "Accuracy over all classes on fresh rows, in percent, and how much of the gap between before "
    "and all labels naming the groups closes; names: groups that were named."
)
ASKED_NOTE = (
    "Share of new rows that have their true name, in percent, after so many rows were shown to a "
    "person. All new rows are told; groups are those of `find_new_classes`."
)


def _table(heads: Sequence[str], kinds: Mapping[str, list[Record]], cells: Any) -> str:
    lines = [f"| {line} |" for line in _lines(heads, kinds, cells, " | ").splitlines()]
    return "\n".join([lines[0], "|---" * (len(heads) + 2) + "|", *lines[1:]])


def _lines(heads: Sequence[str], kinds: Mapping[str, list[Record]], cells: Any, mark: str) -> str:
    lines = [mark.join(["dataset", *heads, "draws"])]
    for kind, records in kinds.items():
        for dataset in [*in_paper_order({r.trial.draw.dataset for r in records}), None]:
            here = [r.metrics for r in records if dataset in (None, r.trial.draw.dataset)]
            lines.append(mark.join([dataset or "all", *cells(kind, here), str(len(here))]))
    return "\n".join(lines) + "\n"


def _loop_cells(kind: str, metrics: Sequence[Mapping[str, float]]) -> list[str]:
    means = {name: np.mean([one[name] for one in metrics]) for name in (*LOOP, "n_names")}
    closed = (means["named"] - means["before"]) / max(means["full"] - means["before"], 1e-12)
    accuracy = [f"{100 * means[name]:.1f}" for name in LOOP]
    return [*accuracy, f"{closed:.2f}", f"{means['n_names']:.1f}"]


def _asked_cells(kind: str, metrics: Sequence[Mapping[str, float]]) -> list[str]:
    means = [100 * np.mean([one[f"{kind}_{spent}"] for one in metrics]) for spent in SPENT]
    return [ORDERS[kind], *(f"{mean:.1f}" for mean in means)]


EXPERIMENT = Experiment("Naming", METHODS, plan, part)
