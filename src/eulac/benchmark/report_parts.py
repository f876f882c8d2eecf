"""What the report says of each experiment: paragraphs of Markdown, and tables as files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from eulac.benchmark.comparison_tables import METRICS, ComparisonTable, comparison_table
from eulac.benchmark.curves import Curve, Point, condition, curves_by_method
from eulac.benchmark.formats import latex_table, long_csv, markdown_table, notes_on
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record

__all__ = [
    "Part",
    "Section",
    "comparison_part",
    "csv_point",
    "csv_table",
    "curve_lines",
    "curve_table",
    "curves_part",
    "text_table",
]

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


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown.

    Examples
    --------
    >>> print(text_table(["dataset", "draws"], [["usps", "10"]]))
    | dataset | draws |
    |---|---|
    | usps | 10 |
    """
    return "\n".join([_line(head), "|---" * len(head) + "|", *map(_line, rows)])


def csv_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table as CSV; commas within cells are left out.

    Examples
    --------
    >>> csv_table(["method", "draws"], [["EULAC, kernel", "10"]])
    'method,draws\nEULAC kernel,10\n'
    """
    lines = [",".join(cell.replace(",", "") for cell in row) for row in (head, *rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def comparison_part(reference: str) -> Callable[[Section], Part]:
    """Return the part of an experiment that compares methods with one of them."""

    def part(section: Section) -> Part:
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

    return part


def _printed(table: ComparisonTable) -> str:
    notes = "".join(f"% {note}\n" for note in notes_on(table))
    return notes + latex_table(table)


def curves_part(x: str, metric: str) -> Callable[[Section], Part]:
    """Return the part of an experiment that varies one condition: a table per dataset."""

    def part(section: Section) -> Part:
        paragraphs, lines = [], [f"dataset,method,{x},{metric},standard_error,n"]
        datasets = sorted({record.trial.draw.dataset for record in section.records})
        for dataset in datasets:
            here = [r for r in section.records if r.trial.draw.dataset == dataset]
            curves = curves_by_method(here, condition(x), metric)
            paragraphs += [f"### {dataset}", curve_table(x, curves)]
            lines += curve_lines(dataset, curves)
        name = METRICS[metric]
        paragraphs.append(f"{name} in percent, mean ± standard error over draws.")
        return Part(paragraphs, {f"{section.stem}.csv": "\n".join(lines) + "\n"})

    return part


def curve_table(x: str, curves: Mapping[str, Curve], *, digits: int = 1) -> str:
    """Return curves side by side in Markdown, a line for each x."""
    labels = [TRIAL_METHODS[name].label if name in TRIAL_METHODS else name for name in curves]
    lines = [f"| {' | '.join([COLUMNS.get(x, x), *labels])} |", "|---" * (len(curves) + 1) + "|"]
    for value in sorted({point.x for curve in curves.values() for point in curve}):
        cells = []
        for curve in curves.values():
            here = [_shown_point(point, digits) for point in curve if point.x == value]
            cells.append(here[0] if here else "–")
        lines.append(f"| {value:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def curve_lines(dataset: str, curves: Mapping[str, Curve]) -> list[str]:
    """Return curves as lines of CSV."""
    return [
        f"{dataset},{method},{csv_point(point)}"
        for method, curve in curves.items()
        for point in curve
    ]


def csv_point(point: Point) -> str:
    """Return x, mean, standard error and count with commas between them."""
    error = "" if point.error is None else f"{point.error:.6f}"
    return f"{point.x:g},{point.mean:.6f},{error},{point.n}"


def _shown_point(point: Point, digits: int) -> str:
    error = "" if point.error is None else f" ± {point.error:.{digits}f}"
    return f"{point.mean:.{digits}f}{error}"
