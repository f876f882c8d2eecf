"""What an experiment is: trials that are listed first, a part of the report, and a figure.

An experiment is one file in `experiments/` and one line in `experiments/__init__.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from eulac.benchmark.draws import MIXTURE, TableSource
from eulac.benchmark.methods.trial_methods import require_methods
from eulac.benchmark.report_parts import Part, Section
from eulac.benchmark.trial import Draw, Trial, as_pairs
from eulac.data.datasets import DATASETS, list_datasets
from eulac.data.table_formats import did_you_mean

__all__ = ["Experiment", "Plan", "Scope", "datasets_at_hand", "trial_grid"]

QUICK_SIZES = {"n_labeled": 150, "n_unlabeled": 300, "n_test": 300}
QUICK_SETTINGS = {"pac_iforest": {"n_estimators": 100}}
BUNDLED = ("digits", MIXTURE)
"""Datasets that need no file."""


@dataclass(frozen=True)
class Scope:
    """How much of an experiment to run; None leaves a choice to the experiment.

    Parameters
    ----------
    datasets, methods : sequence of str or None
    draws : int or None
        Draws of known classes.
    samples : int or None
        Draws of rows for each.
    quick : bool
        Few draws of few rows, to see everything in minutes; not comparable with the paper.
    seed : int
    table : TableSource or None
        A table of the user's, for `mine`.
    """

    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    draws: int | None = None
    samples: int | None = None
    quick: bool = False
    seed: int = 0
    table: TableSource | None = None


@dataclass(frozen=True)
class Plan:
    """Trials in the order they run, what to know about them, and the user's tables."""

    trials: tuple[Trial, ...]
    remarks: tuple[str, ...] = ()
    tables: Mapping[str, TableSource] | None = None


@dataclass(frozen=True)
class Experiment:
    """An experiment: what it runs, and what the report makes of the records.

    Parameters
    ----------
    title : str
        Heading of its section in the report.
    methods : tuple of str
        Keys of `TRIAL_METHODS` that run unless others are asked for.
    plan : callable
        Lists the trials of a scope.
    part : callable
        Writes the section of the report.
    figure : str or None, default=None
        ``"module:function"`` that draws records; a string, as matplotlib may be missing.
    other_methods : tuple of str, default=()
        What may be asked for besides.
    varied : tuple of str, default=()
        Sizes that vary within one section; a difference in others begins a new section.
    """

    title: str
    methods: tuple[str, ...]
    plan: Callable[[Scope], Plan]
    part: Callable[[Section], Part]
    figure: str | None = None
    other_methods: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()

    def list_trials(self, scope: Scope) -> Plan:
        """Return the trials of a scope; methods it cannot run are refused first."""
        require_methods(scope.methods or (), (*self.methods, *self.other_methods))
        return self.plan(scope)


def trial_grid(
    experiment: str,
    scope: Scope,
    datasets: Iterable[str],
    methods: Sequence[str],
    conditions: Iterable[Mapping[str, Any]] = ({},),
    *,
    draws: int,
    samples: int,
) -> list[Trial]:
    """Return trials, one sample of everything before the next, so that tables fill evenly."""
    draws = scope.draws or (min(draws, 2) if scope.quick else draws)
    samples = scope.samples or (1 if scope.quick else samples)
    sizes = QUICK_SIZES if scope.quick else {}
    quicker = QUICK_SETTINGS if scope.quick else {}
    return [
        Trial(
            experiment,
            Draw(dataset, i, j, as_pairs({**sizes, **condition}), scope.seed),
            method,
            as_pairs(quicker.get(method, {})),
        )
        for j, dataset, i, condition, method in product(
            range(samples), datasets, range(draws), conditions, scope.methods or methods
        )
    ]


def datasets_at_hand(
    asked: Sequence[str] | None, default: Sequence[str], *, skip_stand_ins: bool = False
) -> tuple[list[str], tuple[str, ...]]:
    """Return the datasets that can be run, and a sentence on each that cannot or is another's."""
    here = {status.name for status in list_datasets() if status.path is not None}
    names, remarks = [], []
    for name in asked or default:
        spec = DATASETS.get(name)
        if name in BUNDLED:
            names.append(name)
        elif spec is None:
            known = [*DATASETS, *BUNDLED]
            raise ValueError(
                f"unknown dataset {name!r}. Known: {', '.join(known)}.{did_you_mean(name, known)}"
            )
        elif spec.loads and skip_stand_ins and not asked:
            remarks.append(f"{name} is left out: {spec.loads}, its stand-in, has its own row.")
        elif name not in here:
            remarks.append(f"{name} is left out: not at hand. Try `eulac data fetch {name}`.")
        else:
            names.append(name)
            if spec.loads:
                remarks.append(f"{name} is read from {spec.file_name}: {spec.remark}")
    if not names:
        raise FileNotFoundError(
            f"none of the datasets is at hand: {', '.join(asked or default)}. Set EULAC_DATA, or "
            "try `--datasets digits`, which needs no file."
        )
    return names, tuple(remarks)
