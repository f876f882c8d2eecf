"""What a fit says of the pool in front of the user, beside the truth.

One fit per draw: the answers for its own pool and for fresh rows, the share it calls new, the known
share with its interval, the claimed error with its interval, and how far its probabilities can be
taken at their word. Draws have a seed of their own: no setting was chosen on them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eulac.benchmark.comparison_tables import in_paper_order
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section, csv_table, text_table

__all__ = ["EXPERIMENT", "SEED", "covers", "with_own_seed"]

METHODS = ("judged_default", "judged_kernel")
DATASETS = (
    *("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle", "letter"),
)
SEED = 21_000
"""Added to the seed of the scope: rows and classes that no other experiment draws."""

Records = Sequence[Record]
Numbers = dict[str, float]
ByDataset = Mapping[str, Numbers]

MEASURED = ("ece", "ece_if_right", "ece_new", "log_loss", "shares_log_loss")
BOTH = ("pool", "fresh")


def with_own_seed(scope: Scope) -> Scope:
    """Return the scope with a seed that no other experiment has."""
    return replace(scope, seed=scope.seed + SEED)


def plan(scope: Scope) -> Plan:
    """List ten draws of classes."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    trials = trial_grid("trust", with_own_seed(scope), datasets, METHODS, draws=10, samples=1)
    return Plan(tuple(trials), remarks)


class TrustTable(NamedTuple):
    """A table of the report: what it says of the records of a dataset, and of all of them."""

    title: str
    about: str
    head: tuple[str, ...]
    numbers: Callable[[Records], Numbers]
    cells: Callable[[Numbers], list[str]]
    told: Callable[[ByDataset], str]

    def found(self, records: Records) -> dict[str, dict[str, Numbers]]:
        """Return numbers by method and dataset, the mean over datasets last."""
        used = {record.trial.method for record in records}
        return {
            method: _by_dataset([r for r in records if r.trial.method == method], self.numbers)
            for method in TRIAL_METHODS
            if method in used
        }

    def paragraphs(self, found: Mapping[str, ByDataset]) -> list[str]:
        """Return title, what the columns are, the table, and a sentence on each method."""
        labels = {method: TRIAL_METHODS[method].label for method in found}
        rows = [
            [name, labels[method], *self.cells(numbers)]
            for method, by_dataset in found.items()
            for name, numbers in by_dataset.items()
        ]
        table = text_table(("dataset", "method", *self.head), rows)
        notes = [f"{labels[method]}: {self.told(one)}" for method, one in found.items()]
        return [f"### {self.title}", self.about, table, *notes]


def part(section: Section) -> Part:
    """Return four tables: answers for the pool, the known share, the error, probabilities."""
    paragraphs = ["In percent; means over draws. Intervals are of 95 %."]
    lines = []
    records = [record for record in section.records if record.ok]
    for name, table in TABLES.items():
        found = table.found(records)
        paragraphs += table.paragraphs(found)
        lines += [
            [name, dataset, method, number, f"{value:.6g}"]
            for method, by_dataset in found.items()
            for dataset, numbers in by_dataset.items()
            for number, value in numbers.items()
        ]
    head = ("table", "dataset", "method", "number", "value")
    return Part(paragraphs, {f"{section.stem}.csv": csv_table(head, lines)})


def covers(interval: Sequence[float], true: float) -> bool:
    """Return whether an interval holds the truth."""
    return interval[0] <= true <= interval[1]


def _by_dataset(records: Records, numbers: Callable[[Records], Numbers]) -> dict[str, Numbers]:
    """Return numbers for each dataset, and the mean over datasets last."""
    found = {
        name: numbers([record for record in records if record.trial.draw.dataset == name])
        for name in in_paper_order({record.trial.draw.dataset for record in records})
    }
    names = next(iter(found.values()))
    mean = {name: float(np.mean([one[name] for one in found.values()])) for name in names}
    return {**found, "mean": mean | {"draws": sum(one["draws"] for one in found.values())}}


def _values(records: Records, name: str) -> NDArray[np.float64]:
    return np.array([record.metrics[name] for record in records])


def _standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def _answers(records: Records) -> Numbers:
    pool, fresh = _values(records, "pool_accuracy"), _values(records, "fresh_accuracy")
    called = _values(records, "pool_called_new")
    estimated = 1.0 - np.array([(record.proportion or {})["estimate"] for record in records])
    return {
        "pool": float(pool.mean()),
        "fresh": float(fresh.mean()),
        "gap": float((pool - fresh).mean()),
        "gap_error": _standard_error(pool - fresh),
        "called": float(called.mean()),
        "estimated": float(estimated.mean()),
        "apart": float(np.abs(called - estimated).mean()),
        "seconds": float(np.median([record.seconds["fit"] for record in records])),
        "draws": len(records),
    }


def _shares(records: Records) -> Numbers:
    entries = [record.proportion or {} for record in records]
    return _estimates(
        [entry["estimate"] for entry in entries],
        [entry["interval"] for entry in entries],
        [entry["true"] for entry in entries],
    )


def _errors(records: Records) -> Numbers:
    entries = [record.risk or {} for record in records]
    return _estimates(
        [min(max(entry["raw"], 0.0), 1.0) for entry in entries],
        [entry["interval"] for entry in entries],
        (1.0 - _values(records, "fresh_accuracy")).tolist(),
    )


def _estimates(
    found: Sequence[float], intervals: Sequence[Sequence[float]], true: Sequence[float]
) -> Numbers:
    gaps = np.array(found) - np.array(true)
    return {
        "said": float(np.mean(found)),
        "true": float(np.mean(true)),
        "off": float(np.abs(gaps).mean()),
        "off_error": _standard_error(np.abs(gaps)),
        "leans": float(gaps.mean()),
        "inside": float(np.mean([covers(*pair) for pair in zip(intervals, true, strict=True)])),
        "width": float(np.mean([high - low for low, high in intervals])),
        "draws": len(gaps),
    }


def _probabilities(records: Records) -> Numbers:
    names = [f"{who}_{what}" for who in BOTH for what in MEASURED]
    found = {name: float(_values(records, name).mean()) for name in names}
    above = [
        _values(records, f"{who}_log_loss") > _values(records, f"{who}_shares_log_loss")
        for who in BOTH
    ]
    return {**found, "above": float(np.mean(above)), "draws": len(records)}


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _signed(value: float) -> str:
    return f"{100 * value + 0.0:+.1f}"


def _answer_cells(found: Numbers) -> list[str]:
    return [
        *(_percent(found["pool"]), _percent(found["fresh"])),
        f"{_signed(found['gap'])} ± {_percent(found['gap_error'])}",
        *(_percent(found[name]) for name in ("called", "estimated", "apart")),
        *(f"{found['seconds']:.1f}", f"{found['draws']:.0f}"),
    ]


def _estimate_cells(found: Numbers) -> list[str]:
    return [
        *(_percent(found["said"]), _percent(found["true"])),
        f"{_percent(found['off'])} ± {_percent(found['off_error'])}",
        *(_signed(found["leans"]), _percent(found["inside"]), _percent(found["width"])),
        f"{found['draws']:.0f}",
    ]


def _probability_cells(found: Numbers) -> list[str]:
    return [
        *(_percent(found[f"{who}_{what}"]) for who in BOTH for what in MEASURED[:3]),
        *(f"{found[f'{who}_{what}']:.3f}" for who in BOTH for what in MEASURED[3:]),
        *(_percent(found["above"]), f"{found['draws']:.0f}"),
    ]


def _of_tables(found: ByDataset) -> list[Numbers]:
    return [numbers for name, numbers in found.items() if name != "mean"]


def _on_answers(found: ByDataset) -> str:
    tables = _of_tables(found)
    near = sum(one["gap"] >= -one["gap_error"] for one in tables)
    equal = sum(one["apart"] <= 0.01 for one in tables)
    return (
        f"the pool is answered as well as fresh rows, or less by at most one standard error, on "
        f"{near} of {len(tables)} tables; the share called new is the estimate within 1 point on "
        f"{equal}."
    )


def _on_estimates(found: ByDataset) -> str:
    worst = max((one["off"], name) for name, one in found.items() if name != "mean")
    mean = found["mean"]
    return (
        f"off by {_percent(mean['off'])} points on average, by {_percent(worst[0])} on {worst[1]}, "
        f"the worst table; leaning by {_signed(mean['leans'])}; {_percent(mean['inside'])} % of "
        f"intervals hold the truth, at a mean width of {_percent(mean['width'])}."
    )


def _on_probabilities(found: ByDataset) -> str:
    tables = _of_tables(found)
    small = sum(max(one["pool_ece"], one["fresh_ece"]) <= 0.03 for one in tables)
    above = _percent(found["mean"]["above"])
    return (
        f"the calibration error is at most 3 points on both samples on {small} of {len(tables)} "
        f"tables; the log loss is above that of the class shares in {above} % of samples."
    )


_ESTIMATE_HEAD = ("said", "true", "off by", "leans", "in its interval", "width", "draws")
_ABOUT_ESTIMATES = (
    "Means of what the fit says and of what is true; the mean absolute difference; the mean "
    "difference, which is where estimates lean; how often the interval holds the truth, and its "
    "mean width."
)

TABLES = {
    "answers": TrustTable(
        "Answers for the rows of the fit",
        "Accuracy of the answers for the pool and for fresh rows; the share of the pool called "
        "new, the share estimated to be new, and the mean distance of the two.",
        (
            *("pool", "fresh rows", "pool less fresh", "called new", "estimated new", "apart"),
            *("seconds", "draws"),
        ),
        *(_answers, _answer_cells, _on_answers),
    ),
    "share": TrustTable(
        "The known share",
        _ABOUT_ESTIMATES,
        *(_ESTIMATE_HEAD, _shares, _estimate_cells, _on_estimates),
    ),
    "error": TrustTable(
        "The error claimed, and on fresh rows",
        _ABOUT_ESTIMATES,
        *(_ESTIMATE_HEAD, _errors, _estimate_cells, _on_estimates),
    ),
    "probabilities": TrustTable(
        "Probabilities",
        "ECE is the expected calibration error of the answers; *if right*, what chance alone would "
        "leave of it if probabilities were right; *of new*, that of the probability of *new*. Log "
        "loss stands beside that of answering every row with the class shares; *above shares* is "
        "how often it is the larger one.",
        (
            *("ECE, pool", "if right", "ECE of new", "ECE, fresh", "if right", "ECE of new"),
            *("log loss, pool", "of shares", "log loss, fresh", "of shares"),
            *("above shares", "draws"),
        ),
        *(_probabilities, _probability_cells, _on_probabilities),
    ),
}
"""Of the report, by what the CSV file calls them."""

EXPERIMENT = Experiment("What a fit says of its pool", METHODS, plan, part)
