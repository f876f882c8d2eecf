"""From records to tables: a row per dataset, a column per method, and the paper's beside ours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.paper_results import PAPER_RESULTS, paper_result
from eulac.benchmark.records import Record
from eulac.evaluation.comparison import Comparison, compare_paired

__all__ = [
    "METRICS",
    "Cell",
    "ComparisonTable",
    "comparison_table",
    "in_paper_order",
    "values_by_draw",
]

METRICS = {"macro_f1": "macro-F1", "accuracy": "accuracy", "auc": "AUC of new rows"}
REFERENCE = "kernel"
WITHOUT_AUC = ("w_svm",)
"""The paper gives none for W-SVM: two scores decide, and no curve belongs to them."""

Values = Mapping[object, float]


@dataclass(frozen=True)
class Cell:
    """One method on one dataset, in percent.

    Attributes
    ----------
    mean, std : float or None
        None where no trial came to its end.
    n, n_failed : int
        Trials that did, and that did not.
    paper : (float, float) or None
        Mean and standard deviation in the paper, AUC corrected.
    comparison : Comparison or None
        The reference against this method; None for the reference itself.
    best : bool
        Whether its mean is the largest of the row, over draws that all methods have.

    Examples
    --------
    >>> Cell(88.4, 2.1, 100, 0, (86.5, 2.7)).difference
    1.9
    """

    mean: float | None
    std: float | None
    n: int
    n_failed: int = 0
    paper: tuple[float, float] | None = None
    comparison: Comparison | None = None
    best: bool = False

    @property
    def difference(self) -> float | None:
        """Our mean less the paper's, rounded as they print it."""
        if self.mean is None or self.paper is None:
            return None
        return round(self.mean - self.paper[0], 2)

    @property
    def outcome(self) -> str | None:
        """How the reference fares against this method."""
        return None if self.comparison is None else self.comparison.outcome


@dataclass(frozen=True)
class ComparisonTable:
    """All cells of a metric.

    Attributes
    ----------
    metric : str
    methods : tuple of str
        Columns.
    rows : dict of dict of Cell
        By dataset, then by method.
    reference : str
        The method the others are tested against.
    has_paper : bool
        Whether the paper has figures to stand beside.
    other_sizes : bool
        Whether samples were drawn in other sizes than the paper's.
    """

    metric: str
    methods: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Cell]]
    reference: str = REFERENCE
    has_paper: bool = True
    other_sizes: bool = False

    def wins(self, method: str) -> tuple[int, int, int]:
        """Return how often the reference wins, ties and loses against a method."""
        outcomes = [row[method].outcome for row in self.rows.values() if row[method].n]
        return outcomes.count("win"), outcomes.count("tie"), outcomes.count("loss")

    @property
    def n_first(self) -> int:
        """Rows in which the reference is best."""
        return sum(row[self.reference].best for row in self.rows.values())


def comparison_table(
    records: Iterable[Record], metric: str, *, reference: str = REFERENCE
) -> ComparisonTable:
    """Return the table of a metric; the records may hold other things too.

    Examples
    --------
    >>> from eulac.benchmark.trial import Draw, Trial
    >>> records = [
    ...     Record(Trial("table1", Draw("usps", i), method), metrics={"auc": value + i / 100})
    ...     for method, value in [("osnn", 0.7), ("kernel", 0.9)]
    ...     for i in range(3)
    ... ]
    >>> table = comparison_table(records, "auc")
    >>> table.wins("osnn"), table.n_first, table.rows["usps"]["kernel"].paper
    ((1, 0, 0), 1, (97.05, 1.08))
    """
    records = [record for record in records if not _is_without(record, metric)]
    found = {record.trial.draw.dataset for record in records}
    methods = tuple(name for name in TRIAL_METHODS if any(r.trial.method == name for r in records))
    rows = {
        dataset: _row([r for r in records if r.trial.draw.dataset == dataset], metric, reference)
        for dataset in in_paper_order(found)
    }
    filled = {dataset: _filled(row, methods) for dataset, row in rows.items()}
    has_paper = any(cell.paper for row in filled.values() for cell in row.values())
    other_sizes = any(record.trial.draw.condition("n_labeled") for record in records)
    return ComparisonTable(metric, methods, filled, reference, has_paper, has_paper and other_sizes)


def values_by_draw(records: Iterable[Record], metric: str) -> dict[str, dict[object, float]]:
    """Return the values of each method in percent, by draw; failed trials have none."""
    values: dict[str, dict[object, float]] = {}
    for record in records:
        value = record.metrics.get(metric)
        if record.ok and value is not None and np.isfinite(value):
            values.setdefault(record.trial.method, {})[record.trial.draw] = 100 * value
    return values


def _row(records: Sequence[Record], metric: str, reference: str) -> dict[str, Cell]:
    values = values_by_draw(records, metric)
    failed = [record.trial.method for record in records if not record.ok]
    best = _best(values)
    cells = {}
    for method in {record.trial.method for record in records}:
        own = values.get(method, {})
        numbers = _sorted_values(own)
        cells[method] = Cell(
            fmean(numbers) if numbers else None,
            float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None,
            len(numbers),
            failed.count(method),
            _paper(metric, records[0].trial.draw.dataset, method),
            _against(values.get(reference), own) if method != reference else None,
            method == best,
        )
    return cells


def _against(reference: Values | None, other: Values) -> Comparison | None:
    if not reference or not other:
        return None
    # In one order whatever the order of the records: sums depend on it in their last digit.
    ordered = {draw: reference[draw] for draw in sorted(reference, key=repr)}
    return compare_paired(ordered, other)


def _best(values: Mapping[str, Values]) -> str | None:
    """Return the method with the largest mean over the draws that all methods have."""
    if not values:
        return None
    common = set.intersection(*(set(own) for own in values.values()))
    means = {
        method: fmean(_sorted_values({draw: own[draw] for draw in common} if common else own))
        for method, own in values.items()
    }
    return max(sorted(means), key=means.__getitem__)


def _sorted_values(values: Values) -> list[float]:
    return [values[draw] for draw in sorted(values, key=repr)]


def _filled(row: Mapping[str, Cell], methods: Sequence[str]) -> dict[str, Cell]:
    return {method: row.get(method, Cell(None, None, 0)) for method in methods}


def _paper(metric: str, dataset: str, method: str) -> tuple[float, float] | None:
    name = TRIAL_METHODS[method].paper_name
    return None if name is None else paper_result(metric, dataset, name)


def in_paper_order(datasets: Iterable[str]) -> list[str]:
    """Return datasets as the paper lists them, others after them by name."""
    order = list(PAPER_RESULTS["macro_f1"])
    return sorted(datasets, key=lambda name: (order.index(name) if name in order else 99, name))


def _is_without(record: Record, metric: str) -> bool:
    return metric == "auc" and record.trial.method in WITHOUT_AUC
