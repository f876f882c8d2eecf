"""The loop end to end: fit, find, name, go on; and what each answer of a person is worth.

The default classifier is fitted, the rows it calls new are grouped, and each group gets the name
most of its rows have. A classifier of all classes then learns from labeled and named rows. Beside
it: one that got the true labels of as many rows of the pool, drawn at random, as names were given,
one that got those of all grouped rows, and one that got those of the whole pool. All learn from
labeled rows only, as a promoted classifier does once nothing is left that is new.

Labels spent: single rows are asked about in the order of `next_row`, and answers are spread over
rows called new by `spread_names`; beside it as many true labels of rows drawn at random.

Answers one by one: all new rows are grouped; a person is asked about single rows, in the order of
`next_row` or at random, and answers are spread. Measured is how many new rows have their name.
Beside that, random answers without groups: each row is named as the nearest answered one.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import StandardScaler

from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.discovered import called_new, classes_in, is_new, true_classes
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table
from eulac.discovery.new_classes import NewClasses
from eulac.discovery.next_rows import next_row, spread_names
from eulac.exceptions import NoUnlabeledRowsWarning, SmallClassWarning

__all__ = [
    "EXPERIMENT",
    "LEARNED",
    "LOOP",
    "ORDERS",
    "SPENT",
    "ask_for_names",
    "majority_names",
    "name_the_groups",
]

Labels = NDArray[Any]
Codes = NDArray[np.intp]

DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "letter")
METHODS = ("named_groups", "next_rows")
SPENT = (5, 10, 20, 40, 80)
"""Answers after which names are counted."""

LEARNED = (20, 80)
"""Answers after which a classifier learns."""

RATHER_FINE = 0.04
"""Tolerance in the number of groups, as in a review: to merge is to type a name twice."""

LOOP = ("before", "as_many_labels", "named", "grouped", "full")
ORDERS = {"next": "asked by `next_row`", "random": "at random", "nearest": "at random, no groups"}


def plan(scope: Scope) -> Plan:
    """List ten draws of classes; half of the pool is new."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    sizes = {} if scope.quick else {"n_unlabeled": 1000, "n_test": 500}
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
    truth, X_test = true_classes(opened), opened.split.X_test
    before, called = called_new(opened)
    classes = classes_in(opened, called, tolerance=RATHER_FINE)
    groups = list(majority_names(classes, truth))
    named = {int(row): name for rows, name in groups for row in rows}
    order = np.random.default_rng(opened.draw.fit_seed).permutation(len(truth))
    chosen = {
        "as_many_labels": _true(truth, order[: len(groups)]),
        "named": named,
        "grouped": _true(truth, named),
        "full": _true(truth, order),
    }
    for spent, spread in _asked(classes, truth, LEARNED):
        chosen[f"asked_{spent}"] = {r: n for r, n in enumerate(spread.tolist()) if n is not None}
        chosen[f"labels_{spent}"] = _true(truth, order[:spent])
    told = true_classes(opened, X_test)
    accuracy = {"before": float(np.mean(before.predict(X_test) == told))}
    for kind, names in chosen.items():
        accuracy[kind] = float(np.mean(_learned(opened, names).predict(X_test) == told))
    return accuracy | {"n_names": float(len(groups))}


def ask_for_names(opened: OpenDraw) -> dict[str, float]:
    """Return the share of new rows with their name, by answers spent and order of questions."""
    truth, new = true_classes(opened), np.flatnonzero(is_new(opened))
    classes = classes_in(opened, new, are_certain=True, tolerance=RATHER_FINE)
    order = np.random.default_rng(opened.draw.fit_seed).permutation(new)
    X = StandardScaler().fit_transform(opened.split.sample.X_unlabeled)
    found = {}
    for spent, names in _asked(classes, truth, SPENT):
        random = order[:spent]
        by_chance = spread_names(classes, _true(truth, random))
        nearest = truth[random][pairwise_distances_argmin(X[new], X[random])]
        found[f"next_{spent}"] = np.mean(names[new] == truth[new])
        found[f"random_{spent}"] = np.mean(by_chance[new] == truth[new])
        found[f"nearest_{spent}"] = np.mean(nearest == truth[new])
    return {name: float(value) for name, value in found.items()}


def _asked(
    classes: NewClasses, truth: Labels, counts: Sequence[int]
) -> Iterator[tuple[int, Labels]]:
    """Yield numbers of answers, and the names of rows after so many."""
    answers: dict[int, Any] = {}
    for spent in counts:
        while len(answers) < spent and (row := next_row(classes, answers)) is not None:
            answers[row] = truth[row]
        yield spent, spread_names(classes, answers)


def _true(truth: Labels, rows: Any) -> dict[int, Any]:
    return {int(row): truth[int(row)] for row in rows}


def _learned(opened: OpenDraw, names: Mapping[int, Any]) -> Any:
    """Return a classifier of labeled rows and rows of the pool with names."""
    sample = opened.split.sample
    X = np.vstack([sample.X_labeled, sample.X_unlabeled[list(names)]])
    y = np.array([*opened.split.known_classes[sample.y_labeled], *names.values()])
    classifier = EulacClassifier(random_state=opened.draw.fit_seed)
    with warnings.catch_warnings():
        for meant in (NoUnlabeledRowsWarning, SmallClassWarning):
            warnings.simplefilter("ignore", meant)
        return classifier.fit(X, y)


def part(section: Section) -> Part:
    """Return accuracy over all classes, and names by answers spent, for every table."""
    loop = [r for r in section.records if r.ok and r.trial.method == "named_groups"]
    asked = [r for r in section.records if r.ok and r.trial.method == "next_rows"]
    paragraphs, files = [], {}
    for name, note, head, rows in (
        ("", LOOP_NOTE, LOOP_HEAD, [[n, *_loop_cells(m)] for n, m in _tables(loop)]),
        ("_learned", LEARNED_NOTE, LEARNED_HEAD, [[n, *_spent_cells(m)] for n, m in _tables(loop)]),
        ("_asked", ASKED_NOTE, ASKED_HEAD, _asked_rows(asked)),
    ):
        if rows:
            paragraphs += [text_table(head, rows), note]
            files[f"{section.stem}{name}.csv"] = csv_table(head, rows)
    return Part(paragraphs, files)


LOOP_HEAD = (
    *("dataset", "before", "as many labels", "groups named", "grouped rows told", "all labels"),
    *("gap closed", "gap closed if grouped rows were told", "names", "draws"),
)
LEARNED_HEAD = (
    "dataset",
    *(f"{n} {kind}" for n in LEARNED for kind in ("answers", "labels at random")),
    *(f"gap closed by {n} answers" for n in LEARNED),
    "draws",
)
ASKED_HEAD = ("dataset", "order", *(f"{spent} answers" for spent in SPENT), "draws")
LOOP_NOTE = (
    "Accuracy over all classes on fresh rows, in percent, and how much of the gap between before "
    "and all labels naming the groups closes; names: groups that were named. What the true labels "
    "of all grouped rows do not close is lost where new rows are not called new, and by known "
    "classes, of which all labels have more rows."
)
LEARNED_NOTE = (
    "Accuracy over all classes on fresh rows, in percent, after so many single rows were shown to "
    "a person, in the order of `next_row` and with names spread, or at random and not spread."
)
ASKED_NOTE = (
    "Share of new rows that have their true name, in percent, after so many rows were shown to a "
    "person. All new rows are told; groups are those of `find_new_classes`."
)

Metrics = Sequence[Mapping[str, float]]


def _tables(records: Sequence[Record]) -> Iterator[tuple[str, Metrics]]:
    """Yield each dataset and what was measured there, then all of them."""
    names = in_paper_order({record.trial.draw.dataset for record in records})
    for name in names:
        yield name, [r.metrics for r in records if r.trial.draw.dataset == name]
    if records:
        yield "all", [record.metrics for record in records]


def _mean(metrics: Metrics, name: str) -> float:
    return float(np.mean([one[name] for one in metrics]))


def _closed(metrics: Metrics, name: str) -> str:
    before = _mean(metrics, "before")
    gap = max(_mean(metrics, "full") - before, 1e-12)
    return f"{(_mean(metrics, name) - before) / gap:.2f}"


def _loop_cells(metrics: Metrics) -> list[str]:
    accuracy = [f"{100 * _mean(metrics, name):.1f}" for name in LOOP]
    closed = [_closed(metrics, name) for name in ("named", "grouped")]
    return [*accuracy, *closed, f"{_mean(metrics, 'n_names'):.1f}", str(len(metrics))]


def _spent_cells(metrics: Metrics) -> list[str]:
    kinds = [f"{kind}_{n}" for n in LEARNED for kind in ("asked", "labels")]
    closed = [_closed(metrics, f"asked_{n}") for n in LEARNED]
    return [*(f"{100 * _mean(metrics, kind):.1f}" for kind in kinds), *closed, str(len(metrics))]


def _asked_rows(records: Sequence[Record]) -> list[list[str]]:
    return [
        [
            *(name, label),
            *(f"{100 * _mean(metrics, f'{kind}_{spent}'):.1f}" for spent in SPENT),
            str(len(metrics)),
        ]
        for kind, label in ORDERS.items()
        for name, metrics in _tables(records)
    ]


EXPERIMENT = Experiment("Naming", METHODS, plan, part, "eulac.benchmark.paper_figures:loop_figure")
