"""The paper's experiments as lists of trials; nothing is run here.

To add an experiment, write a function that lists trials, and add it to `EXPERIMENTS`.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from eulac.benchmark.draws import MIXTURE, TableSource
from eulac.benchmark.trial import Draw, Trial
from eulac.benchmark.trial_methods import find_method
from eulac.data.datasets import DATASETS, list_datasets
from eulac.data.table_formats import did_you_mean

__all__ = ["EXPERIMENTS", "Plan", "Scope", "mine", "plan_experiment"]

TABLE1_DATASETS = (
    *("usps", "segment", "satimage", "optdigits", "pendigits", "senseveh", "landset", "mnist"),
    "shuttle",
)
TABLE1_METHODS = (
    *("ovr_svm", "w_svm", "osnn", "evm", "lacu_svm", "pac_iforest", "eulac_paper", "eulac"),
)
ENVIRONMENT_METHODS = (
    *("eulac_base", "eulac_base_plus", "eulac_shift", "eulac_auto", "ovr_shift", "lacu_svm"),
)
TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
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
    """

    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    draws: int | None = None
    samples: int | None = None
    quick: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Plan:
    """Trials in the order they run, what to know about them, and the user's tables."""

    trials: tuple[Trial, ...]
    remarks: tuple[str, ...] = ()
    tables: Mapping[str, TableSource] | None = None


def table1(scope: Scope) -> Plan:
    """Table 1 and its accuracy and AUC twins: half of the classes are never labeled."""
    datasets, remarks = _at_hand(scope.datasets, TABLE1_DATASETS, skip_stand_ins=True)
    trials = _grid("table1", scope, datasets, TABLE1_METHODS, draws=10, samples=10)
    return Plan(tuple(trials), remarks)


def unlabeled_size(scope: Scope) -> Plan:
    """Macro-F1 against the number of unlabeled rows."""
    datasets, remarks = _at_hand(scope.datasets, ("mnist", "landset", "usps"))
    sizes = (100, 200, 400) if scope.quick else range(250, 1501, 250)
    conditions = [{"n_unlabeled": size} for size in sizes]
    methods = ("lacu_svm", "pac_iforest", "eulac")
    trials = _grid("unlabeled_size", scope, datasets, methods, conditions, draws=10, samples=1)
    return Plan(tuple(trials), remarks)


def theta(scope: Scope) -> Plan:
    """Influence of a wrong known proportion, and how well it is estimated."""
    datasets, remarks = _at_hand(scope.datasets, ("mnist",))
    shares = (0.3, 0.7) if scope.quick else TENTHS
    conditions = [{"known_proportion": share} for share in shares]
    methods = ("kme_base", "kme_shift", "consensus", "eulac_given")
    trials = _grid("theta", scope, datasets, methods, conditions, draws=10, samples=1)
    given = (0.1, 0.3, 0.5, 0.7, 0.9) if scope.quick else TENTHS
    return Plan(tuple(_with_given_shares(trials, given)), remarks)


def environments(scope: Scope) -> Plan:
    """Section 5.3: new classes and moved priors of the known ones at once."""
    datasets, remarks = _at_hand(scope.datasets, ("mnist",))
    intensities = (0.0, 0.7) if scope.quick else tuple(tenth / 10 for tenth in range(8))
    conditions = [{"shift_intensity": intensity} for intensity in intensities]
    # Which classes are known is fixed: there is one draw of classes, and --draws counts rows.
    scope = replace(scope, draws=1, samples=scope.samples or scope.draws)
    trials = _grid(
        "environments", scope, datasets, ENVIRONMENT_METHODS, conditions, draws=1, samples=10
    )
    return Plan(tuple(trials), remarks)


def theory(scope: Scope) -> Plan:
    """Unbiasedness, consistency and Theorem 2 on a mixture where everything is known."""
    sizes = [(50, 1600), (100, 1600), (200, 1600), (400, 1600), (800, 1600)]
    sizes += [(800, 100), (800, 200), (800, 400), (800, 800)]
    if scope.quick:
        sizes = [(50, 400), (200, 400), (200, 100)]
    conditions = [{"n_labeled": a, "n_unlabeled": b, "n_test": 5000} for a, b in sizes]
    excess = _grid(
        *("theory", replace(scope, quick=False), [MIXTURE], ("excess_risk",), conditions),
        draws=1,
        samples=2 if scope.quick else 5,
    )
    few = [{"n_labeled": 40, "n_unlabeled": 60, "n_test": 0}]
    unbiased = _grid(
        *("theory", replace(scope, quick=False), [MIXTURE], ("unbiasedness",), few),
        draws=1,
        samples=1 if scope.quick else 5,
    )
    wanted = set(scope.methods or ("excess_risk", "unbiasedness"))
    return Plan(tuple(trial for trial in [*unbiased, *excess] if trial.method in wanted))


EXPERIMENTS: Mapping[str, Callable[[Scope], Plan]] = {
    "table1": table1,
    "unlabeled_size": unlabeled_size,
    "theta": theta,
    "environments": environments,
    "theory": theory,
}


def plan_experiment(name: str, scope: Scope = Scope()) -> Plan:  # noqa: B008 - frozen
    """Return the trials of a named experiment.

    Examples
    --------
    >>> plan = plan_experiment("table1", Scope(datasets=["digits"], methods=["osnn"], draws=2))
    >>> len(plan.trials), plan.trials[0]
    (20, Trial(table1: osnn on digits, classes 0, rows 0))
    """
    if name not in EXPERIMENTS:
        raise ValueError(
            f"unknown experiment {name!r}. Known: {', '.join(EXPERIMENTS)}, mine."
            f"{did_you_mean(name, EXPERIMENTS)}"
        )
    for method in scope.methods or ():
        find_method(method)
    return EXPERIMENTS[name](scope)


def mine(path: str, label_column: str | None, scope: Scope = Scope()) -> Plan:  # noqa: B008
    """Return the trials of the table-1 protocol on a table of the user's.

    The content of the file is part of the trials, so that a changed table is a new experiment.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("weight,kind")
    ...     plan = mine(str(path), "kind", Scope(methods=["osnn"], draws=1, samples=1))
    >>> plan.trials[0]
    Trial(mine: osnn on pets, classes 0, rows 0, label_column kind, table ...)
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"`--table` must name an existing file; got {path!r}.")
    name = file.name.split(".")[0]
    content = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    conditions = [{"table": content, "label_column": label_column}]
    trials = _grid("mine", scope, [name], TABLE1_METHODS, conditions, draws=10, samples=3)
    return Plan(tuple(trials), tables={name: TableSource(str(file), label_column)})


def _grid(
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
            Draw(dataset, i, j, {**sizes, **condition}, scope.seed),
            method,
            quicker.get(method, {}),
        )
        for j, dataset, i, condition, method in product(
            range(samples), datasets, range(draws), conditions, scope.methods or methods
        )
    ]


def _with_given_shares(trials: Iterable[Trial], shares: Sequence[float]) -> Iterable[Trial]:
    for trial in trials:
        if trial.method == "eulac_given":
            for share in shares:
                yield replace(trial, settings={"known_proportion": share})
        else:
            yield trial


def _at_hand(
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
