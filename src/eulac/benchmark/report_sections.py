"""What the report says of each experiment: paragraphs of Markdown, and tables as files."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eulac.benchmark.comparison_tables import METRICS, Table, comparison_table
from eulac.benchmark.curves import (
    Curve,
    Point,
    condition,
    curves_by_method,
    estimated_shares,
)
from eulac.benchmark.formats import latex_table, long_csv, markdown_table, notes_on
from eulac.benchmark.records import Record
from eulac.benchmark.theory import RISKS
from eulac.benchmark.trial_methods import ALL_METHODS

__all__ = ["PARTS", "Part", "Section"]

REFERENCES = {"deep": "deep_eulac"}
"""Whom the others are compared with, where it is not `eulac`."""

ROWS = ("n_labeled", "n_unlabeled")
COLUMNS = {"n_unlabeled": "unlabeled rows", "shift_intensity": "shift intensity"}


class Section(NamedTuple):
    """Records of an experiment under one protocol, and the name of their files."""

    experiment: str
    title: str
    stem: str
    records: Sequence[Record]


class Part(NamedTuple):
    """What a section gives: paragraphs of Markdown, and files with their text by name."""

    paragraphs: list[str]
    files: dict[str, str]


def _comparison(section: Section) -> Part:
    reference = REFERENCES.get(section.experiment, "eulac")
    tables = [comparison_table(section.records, m, reference=reference) for m in METRICS]
    tables = [table for table in tables if any(reference in row for row in table.rows.values())]
    if not tables:  # without our method there is nobody to compare with
        return Part(["No records of the method the others are compared with."], {})
    paragraphs: list[str] = []
    for table in tables:
        paragraphs += [f"### {METRICS[table.metric]}", markdown_table(table), *notes_on(table)]
    files = {f"{section.stem}.csv": long_csv(tables)}
    files |= {f"{section.stem}_{table.metric}.tex": _printed(table) for table in tables}
    return Part(paragraphs, files)


def _printed(table: Table) -> str:
    notes = "".join(f"% {note}\n" for note in notes_on(table))
    return notes + latex_table(table)


def _curves(x: str, metric: str) -> Callable[[Section], Part]:
    """Return the part of an experiment that varies one condition: a table per dataset."""

    def part(section: Section) -> Part:
        paragraphs, lines = [], [f"dataset,method,{x},{metric},standard_error,n"]
        datasets = sorted({record.trial.draw.dataset for record in section.records})
        for dataset in datasets:
            here = [r for r in section.records if r.trial.draw.dataset == dataset]
            curves = curves_by_method(here, condition(x), metric)
            paragraphs += [f"### {dataset}", _curve_table(x, curves)]
            lines += _curve_lines(dataset, curves)
        name = METRICS[metric]
        paragraphs.append(f"{name} in percent, mean ± standard error over draws.")
        return Part(paragraphs, {f"{section.stem}.csv": "\n".join(lines) + "\n"})

    return part


def _theta(section: Section) -> Part:
    records = section.records
    estimates = estimated_shares(records, ("kme_base", "kme_shift", "consensus"))
    lines = ["true_share,given_share,macro_f1,standard_error,n"]
    curves: dict[str, Curve] = {}
    for true in sorted({r.trial.draw.condition("known_proportion") for r in records}):
        here = [r for r in records if r.trial.draw.condition("known_proportion") == true]
        found = curves_by_method(here, lambda r: r.trial.setting("known_proportion"), "macro_f1")
        curves[f"true {true:g}"] = found.get("eulac_given", ())
        lines += [f"{true:g},{_csv_point(point)}" for point in found.get("eulac_given", ())]
    paragraphs = [
        "### macro-F1 with a given proportion",
        _curve_table("given", curves),
        "### Mean estimate of the proportion",
        _curve_table("true", estimates, digits=3),
        "Mean ± standard error over draws.",
    ]
    estimated = ["dataset,method,true_share,estimate,standard_error,n"]
    estimated += _curve_lines(records[0].trial.draw.dataset, estimates)
    files = {f"{section.stem}.csv": lines, f"{section.stem}_estimates.csv": estimated}
    return Part(paragraphs, {name: "\n".join(text) + "\n" for name, text in files.items()})


def _theory(section: Section) -> Part:
    fits = [r for r in section.records if r.trial.method == "excess_risk" and r.ok]
    batches = [r for r in section.records if r.trial.method == "unbiasedness" and r.ok]
    paragraphs, lines = [], ["n_labeled,n_unlabeled,error,bayes_error,excess_error,bound"]
    if batches:
        paragraphs += ["### Unbiasedness", _unbiasedness_table(batches)]
    for record in fits:
        sizes = [str(record.trial.draw.condition(name)) for name in ROWS]
        names = ("error", "bayes_error", "excess_error", "bound")
        lines.append(",".join([*sizes, *(f"{record.metrics[name]:.6f}" for name in names)]))
    kept = sum(record.metrics["excess_error"] <= record.metrics["bound"] for record in fits)
    paragraphs += ["### Consistency", _consistency_table(fits), "### Theorem 2"]
    paragraphs.append(f"The inequality holds for {kept} of {len(fits)} fits.")
    return Part(paragraphs, {f"{section.stem}.csv": "\n".join(lines) + "\n"})


PARTS: Mapping[str, Callable[[Section], Part]] = {
    "table1": _comparison,
    "mine": _comparison,
    "deep": _comparison,
    "unlabeled_size": _curves("n_unlabeled", "macro_f1"),
    "environments": _curves("shift_intensity", "accuracy"),
    "theta": _theta,
    "theory": _theory,
}


def _curve_table(x: str, curves: Mapping[str, Curve], *, digits: int = 1) -> str:
    labels = [ALL_METHODS[name].label if name in ALL_METHODS else name for name in curves]
    lines = [f"| {' | '.join([COLUMNS.get(x, x), *labels])} |", "|---" * (len(curves) + 1) + "|"]
    for value in sorted({point.x for curve in curves.values() for point in curve}):
        cells = []
        for curve in curves.values():
            [point] = [point for point in curve if point.x == value] or [None]
            error = "" if point is None or point.error is None else f" ± {point.error:.{digits}f}"
            cells.append("–" if point is None else f"{point.mean:.{digits}f}{error}")
        lines.append(f"| {value:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _curve_lines(dataset: str, curves: Mapping[str, Curve]) -> list[str]:
    return [
        f"{dataset},{method},{_csv_point(point)}"
        for method, curve in curves.items()
        for point in curve
    ]


def _csv_point(point: Point) -> str:
    error = "" if point.error is None else f"{point.error:.6f}"
    return f"{point.x:g},{point.mean:.6f},{error},{point.n}"


def _unbiasedness_table(records: Sequence[Record]) -> str:
    lines = ["| risk | truth | mean of estimates | standard errors apart |", "|---|---|---|---|"]
    for name in RISKS:
        means, errors, truths = (
            np.array([record.metrics[f"{name}_{part}"] for record in records])
            for part in ("mean", "standard_error", "truth")
        )
        error = np.sqrt(np.mean(errors**2) / len(records))
        apart = (means.mean() - truths.mean()) / error
        lines.append(f"| {name} | {truths.mean():.4f} | {means.mean():.4f} | {apart:+.1f} |")
    return "\n".join(lines)


def _consistency_table(records: Sequence[Record]) -> str:
    lines = ["| labeled | unlabeled | test error | Bayes error | fits |", "|---|---|---|---|---|"]
    sizes = {tuple(r.trial.draw.condition(name) for name in ROWS) for r in records}
    for pair in sorted(sizes):
        here = [r for r in records if tuple(r.trial.draw.condition(n) for n in ROWS) == pair]
        error, bayes = (
            100 * float(np.mean([record.metrics[name] for record in here]))
            for name in ("error", "bayes_error")
        )
        lines.append(f"| {pair[0]} | {pair[1]} | {error:.2f} | {bayes:.2f} | {len(here)} |")
    return "\n".join(lines)
