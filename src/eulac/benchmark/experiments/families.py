"""Every family of classifiers, and their label-free mixture, on the configurations of Table 1.

The proportion is estimated: the consensus, refined by the forest's held-out scores, once per draw
and for all; `auto` decides by what all its candidates say of it. `default` is `EulacClassifier()`
as users get it, which reads the proportion itself. Two rows are not run but found in
the records: `select`, the candidate with the smallest label-free error, and `oracle`, the one with
the most right answers on the test rows, which nobody without test labels can choose.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from eulac.benchmark.comparison_tables import METRICS, in_paper_order
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import FAMILY_METHODS
from eulac.benchmark.paper_results import best_in_paper
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section
from eulac.risk.zero_one import RiskEstimate

__all__ = ["EXPERIMENT", "by_method"]

DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle")
METHODS = tuple(FAMILY_METHODS)
CANDIDATES = ("extra_trees", "kernel_logistic", "boosting", "neighbors")
ROWS = ("auto", *CANDIDATES, "select", "oracle", *METHODS[1 + len(CANDIDATES) :])
MIXTURES = ("auto", "default")
FAMILIES = tuple(name for name in METHODS if name not in MIXTURES and not name.endswith("_log"))

Records = Sequence[Record]
ByMethod = Mapping[str, Records]


def plan(scope: Scope) -> Plan:
    """List ten draws of classes and three of rows for each."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    draws = 1 if scope.quick else 10
    trials = trial_grid("families", scope, datasets, METHODS, draws=draws, samples=3)
    return Plan(tuple(trials), remarks)


def part(section: Section) -> Part:
    """Return a table per dataset, `auto` against the best family, and how estimates fared."""
    found = {record.trial.draw.dataset for record in section.records}
    tables = {name: by_method(section.records, name) for name in in_paper_order(found)}
    tables = {name: table for name, table in tables.items() if table.get("auto")}
    if not tables:
        return Part(["No records of `auto`."], {})
    paragraphs = [
        "Mean ± standard error over n configurations, in percent; median seconds of a fit (where "
        "records come from several machines, seconds of different methods do not compare). EULAC "
        "is `EulacClassifier()` as users get it. `auto` is the mixture with "
        "`refine_proportion=True`; `select` is its candidate with the smallest label-free "
        "error, `oracle` the one with the most right answers on test rows, which nobody can "
        "choose. Single families share one estimate of the proportion a draw."
    ]
    for name, table in tables.items():
        paragraphs += [f"### {name}", _metrics_table(name, table)]
    paragraphs += _best_families(tables) + _estimates(tables) + _scores(tables)
    return Part(paragraphs, {f"{section.stem}.csv": _csv(tables)})


def by_method(records: Iterable[Record], dataset: str) -> dict[str, Records]:
    """Return the records of a dataset by method, with `select` and `oracle` among them."""
    found: dict[str, list[Record]] = {}
    ok = [r for r in records if r.ok and r.trial.draw.dataset == dataset]
    ok.sort(key=_place)
    for record in ok:
        found.setdefault(record.trial.method, []).append(record)
    for _, of_draw in groupby(ok, key=_place):
        here = {record.trial.method: record for record in of_draw}
        candidates = [here[name] for name in _candidates(here) if name in here]
        if candidates:
            found.setdefault("select", []).append(min(candidates, key=_estimated_error))
            found.setdefault("oracle", []).append(max(candidates, key=_accuracy))
    return {name: found[name] for name in ROWS if name in found}


def _place(record: Record) -> tuple[int, int]:
    return record.trial.draw.class_draw, record.trial.draw.sample_draw


def _candidates(here: Mapping[str, Record]) -> Iterable[str]:
    """Return the candidates of the mixture on a draw: those it gave a weight, be it zero."""
    weighted = here["auto"].parameters["weights"] if "auto" in here else ()
    return [name for name in CANDIDATES if name in weighted]


def _estimated_error(record: Record) -> float:
    return float((record.risk or {})["raw"])


def _accuracy(record: Record) -> float:
    return record.metrics["accuracy"]


def _percent(metric: str) -> Callable[[Record], float]:
    # Rounded far beyond what is shown: 93.55 is printed as 93.5 or 93.6, and not by chance.
    return lambda record: round(100 * record.metrics[metric], 6)


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return fmean(values), float(error)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _table(head: Sequence[str], lines: Iterable[str]) -> str:
    return "\n".join([_line(*head), "|---" * len(head) + "|", *lines])


def _label(method: str) -> str:
    known = FAMILY_METHODS.get(method)
    return method if known is None or method == "auto" else known.label


def _metrics_table(dataset: str, table: ByMethod) -> str:
    best = [best_in_paper(metric, dataset) for metric in METRICS]
    paper = ["–" if mean is None else f"{mean:.1f}" for mean in best]
    lines = [_line("best of the paper's table", "", *paper, "")]
    for method, records in table.items():
        pairs = [_mean_and_error([_percent(m)(r) for r in records]) for m in METRICS]
        cells = [f"{mean:.1f} ± {error:.1f}" for mean, error in pairs]
        seconds = float(np.median([record.seconds["fit"] for record in records]))
        lines.append(_line(_label(method), str(len(records)), *cells, f"{seconds:.1f}"))
    return _table(("method", "n", "macro-F1", "accuracy", "AUC", "seconds"), lines)


def _best_families(tables: Mapping[str, ByMethod]) -> list[str]:
    """Return which family is best where, and how far `auto` is from it."""
    lines = []
    for name, table in tables.items():
        cells = [_lead(table, metric) for metric in METRICS]
        lines.append(_line(name, *cells))
    return [
        "### `auto` and the best family",
        "Positive where `auto` is ahead; in points, and in standard errors of the family's mean.",
        _table(("dataset", "macro-F1", "accuracy", "AUC"), lines),
    ]


def _lead(table: ByMethod, metric: str) -> str:
    of = _percent(metric)
    means = {
        name: _mean_and_error([of(record) for record in table[name]])
        for name in FAMILIES
        if name in table
    }
    if not means:
        return "–"
    best = max(means, key=lambda name: means[name][0])
    lead = float(np.mean([of(record) for record in table["auto"]])) - means[best][0]
    return f"{_label(best)} {lead:+.2f} ({lead / means[best][1]:+.1f})"


def _estimates(tables: Mapping[str, ByMethod]) -> list[str]:
    """Return how far the proportions and the label-free error are from the truth."""
    rows = {name: _estimates_row(table) for name, table in tables.items()}
    rows["mean"] = np.mean(list(rows.values()), axis=0).tolist()
    lines = [_line(name, *(f"{cell:.1f}" for cell in cells)) for name, cells in rows.items()]
    head = ("dataset", "consensus", "refined", "voted", "in interval", "error of auto")
    return [
        "### Estimates",
        "Mean absolute differences from the truth, in points, and coverage of 95 % intervals.",
        _table((*head, "in interval", "regret"), lines),
        "Proportion: of the consensus, refined by the forest, and as all candidates vote. Regret: "
        "accuracy of `oracle` less that of `select`, in points.",
    ]


def _estimates_row(table: ByMethod) -> list[float]:
    autos = table["auto"]
    proportions = [record.proportion or {} for record in autos]
    truth = np.array([entry["true"] for entry in proportions])
    gaps = [
        100 * float(np.abs(np.array([entry[name] for entry in proportions]) - truth).mean())
        for name in ("consensus", "refined", "estimate")
    ]
    low, high = np.array([entry["interval"] for entry in proportions]).T
    errors = [abs(_estimated_error(record) - (1 - _accuracy(record))) for record in autos]
    oracle, select = (np.array([_accuracy(r) for r in table[n]]) for n in ("oracle", "select"))
    return [
        *gaps,
        100 * float(np.mean((low <= truth) & (truth <= high))),
        100 * float(np.mean(errors)),
        100 * float(np.mean([_error_is_covered(record) for record in autos])),
        100 * float(np.mean(oracle - select)),
    ]


def _error_is_covered(record: Record) -> bool:
    risk = record.risk or {}
    low, high = RiskEstimate(risk["raw"], risk["standard_error"]).interval
    return low <= 1 - _accuracy(record) <= high


def _scores(tables: Mapping[str, ByMethod]) -> list[str]:
    """Return what each score alone would have said of the proportion."""
    first = next(iter(tables.values()))["auto"][0].proportion or {}
    scores = list(first["by_score"])
    rows = {name: _score_gaps(table["auto"], scores) for name, table in tables.items()}
    rows["mean"] = np.mean(list(rows.values()), axis=0)
    lines = [
        _line(name, *(f"{size:.1f} ({mean:+.1f})" for size, mean in gaps.T))
        for name, gaps in rows.items()
    ]
    return [
        "### The proportion by score",
        "Mean absolute difference from the truth, in points, and in parentheses the mean "
        "difference.",
        _table(("dataset", *scores, "consensus", "refined", "voted"), lines),
    ]


def _score_gaps(autos: Records, scores: Sequence[str]) -> NDArray[np.float64]:
    proportions = [record.proportion or {} for record in autos]
    truth = np.array([entry["true"] for entry in proportions])
    found = [[entry["by_score"][score] for entry in proportions] for score in scores]
    found += [
        [entry[name] for entry in proportions] for name in ("consensus", "refined", "estimate")
    ]
    gaps = 100 * (np.array(found) - truth)
    return np.array([np.abs(gaps).mean(axis=1), gaps.mean(axis=1)])


def _csv(tables: Mapping[str, ByMethod]) -> str:
    lines = ["dataset,method,metric,mean,standard_error,n"]
    for name, table in tables.items():
        for method, records in table.items():
            for metric in METRICS:
                mean, error = _mean_and_error([_percent(metric)(r) for r in records])
                lines.append(f"{name},{method},{metric},{mean:.4f},{error:.4f},{len(records)}")
    return "\n".join(lines) + "\n"


EXPERIMENT = Experiment("Every family of classifiers, and their mixture", METHODS, plan, part)
