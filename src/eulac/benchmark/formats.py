"""Tables as text: Markdown to read, CSV to compute with, LaTeX to print."""

import csv
import io
import math
from collections.abc import Iterable

from eulac.benchmark.comparison_tables import METRICS, Cell, ComparisonTable
from eulac.benchmark.methods.trial_methods import DEEP_METHODS, TRIAL_METHODS

__all__ = ["latex_table", "long_csv", "markdown_table", "notes_on"]

MARKS = {"win": "•", "loss": "∘"}
CSV_COLUMNS = (
    *("metric", "dataset", "method", "mean", "std", "n", "n_failed", "paper_mean", "paper_std"),
    *("difference", "reference_minus_method", "p_value", "n_pairs", "reference_outcome"),
)
LATEX_MARKS = {"win": r" $\bullet$", "loss": r" $\circ$"}


def markdown_table(table: ComparisonTable) -> str:
    """Return the table in Markdown: mean ± deviation, then the paper's mean and the difference.

    Examples
    --------
    >>> rows = {"usps": {"kernel": Cell(88.41, 2.12, 100, 0, (86.52, 2.72), best=True)}}
    >>> print(markdown_table(ComparisonTable("macro_f1", ("kernel",), rows)))
    | dataset | EULAC, kernel |
    |---|---|
    | usps | **88.4 ± 2.1** (86.5, +1.9) |
    | EULAC, kernel w/t/l | first in 1 of 1 |
    """
    lines = [_line(["dataset", *_labels(table)]), "|---" * (len(table.methods) + 1) + "|"]
    for dataset, row in table.rows.items():
        lines.append(_line([dataset, *(_markdown_cell(row[name]) for name in table.methods)]))
    return "\n".join([*lines, _line([f"{_name(table)} w/t/l", *_last_row(table)])])


def notes_on(table: ComparisonTable) -> list[str]:
    """Return the sentences a reader needs below the table."""
    beside = "; in parentheses the paper's mean and ours less the paper's"
    notes = [
        f"{METRICS[table.metric]} in percent, mean ± standard deviation over configurations"
        f"{beside if table.has_paper else ''}. Bold: the "
        f"largest mean over the configurations that all methods have. • {_name(table)} is "
        "significantly better, ∘ significantly worse (paired t-test at 5 % over common "
        "configurations)."
    ]
    if table.other_sizes:
        notes.append("Sizes are not the paper's, so differences from it say little.")
    if table.metric == "auc" and {"ovr_svm", "lacu_svm"} & set(table.methods) and table.has_paper:
        notes.append(
            "The paper's AUC of OVR-SVM and LACU-SVM is printed for a score that is high for known "
            "rows; here it is 100 less the printed number. W-SVM has none: two scores decide."
        )
    if set(table.methods) & set(DEEP_METHODS):
        notes.append(
            "Only deep EULAC, PULSE and EULAC on pixels or images learn from unlabeled rows; other "
            "networks cannot."
        )
    return [*notes, *_counts(table), *_failures(table)]


def long_csv(tables: Iterable[ComparisonTable]) -> str:
    """Return all tables in one CSV text, a line per dataset, method and metric."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for table in tables:
        for dataset, row in table.rows.items():
            for method in table.methods:
                writer.writerow([table.metric, dataset, method, *_csv_cell(row[method])])
    return out.getvalue()


def latex_table(table: ComparisonTable) -> str:
    """Return a LaTeX table in the look of the paper, its figures in a second line of each row."""
    columns = "l" * (len(table.methods) + 1)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex(["Dataset", *_labels(table)])]
    lines.append(r"\midrule")
    for dataset, row in table.rows.items():
        lines.append(_latex([dataset, *(_latex_cell(row[name]) for name in table.methods)]))
        if any(cell.paper for cell in row.values()):
            papers = (_latex_paper(row[name]) for name in table.methods)
            lines.append(_latex([r"\quad paper", *papers]))
    lines += [r"\midrule", _latex([f"{_name(table)} w/ t/ l", *_last_row(table)])]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _labels(table: ComparisonTable) -> list[str]:
    return [TRIAL_METHODS[name].label for name in table.methods]


def _name(table: ComparisonTable) -> str:
    return TRIAL_METHODS[table.reference].label


def _last_row(table: ComparisonTable) -> list[str]:
    return [
        f"first in {table.n_first} of {len(table.rows)}"
        if name == table.reference
        else "/".join(map(str, table.wins(name)))
        for name in table.methods
    ]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _spread(cell: Cell, plus_minus: str) -> str:
    return f"{cell.mean:.1f}" + ("" if cell.std is None else f" {plus_minus} {cell.std:.1f}")


def _markdown_cell(cell: Cell) -> str:
    if cell.mean is None:
        return f"failed {cell.n_failed} times" if cell.n_failed else "–"
    text = f"**{_spread(cell, '±')}**" if cell.best else _spread(cell, "±")
    mark = f" {MARKS[cell.outcome]}" if cell.outcome in MARKS else ""
    paper = f" ({cell.paper[0]:.1f}, {_signed(cell.difference)})" if cell.paper else ""
    return text + mark + paper


def _latex(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    if cell.mean is None:
        return "--"
    text = _spread(cell, r"$\pm$")
    text = rf"\textbf{{{text}}}" if cell.best else text
    return text + LATEX_MARKS.get(cell.outcome or "", "")


def _latex_paper(cell: Cell) -> str:
    if cell.paper is None:
        return "--"
    shown = rf"{cell.paper[0]:.1f} $\pm$ {cell.paper[1]:.1f}"
    return shown if cell.difference is None else f"{shown} (${_signed(cell.difference)}$)"


def _csv_cell(cell: Cell) -> list[object]:
    test = cell.comparison
    tested: list[object] = [None] * 4
    if test is not None:
        tested = [
            _rounded(test.difference),
            _rounded(test.p_value, ".4g"),
            test.n_pairs,
            test.outcome,
        ]
    paper = cell.paper or (None, None)
    own = [_rounded(cell.mean), _rounded(cell.std), cell.n, cell.n_failed]
    return [*own, *paper, _rounded(cell.difference), *tested]


def _rounded(value: float | None, how: str = ".4f") -> str | None:
    return None if value is None or math.isnan(value) else format(value, how)


def _signed(value: float | None) -> str:
    """Return the number with its sign; what rounds to zero is +0.0."""
    return f"{round(value or 0.0, 1) + 0.0:+.1f}"


def _counts(table: ComparisonTable) -> list[str]:
    """Return how many configurations stand behind the columns."""
    parts = []
    for name in table.methods:
        counts = sorted({row[name].n for row in table.rows.values() if row[name].n})
        if counts:
            span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
            parts.append(f"{TRIAL_METHODS[name].label} {span}")
    return [f"Configurations per dataset: {', '.join(parts)}."]


def _failures(table: ComparisonTable) -> list[str]:
    failed = [
        f"{TRIAL_METHODS[name].label} on {dataset} {row[name].n_failed} times"
        for dataset, row in table.rows.items()
        for name in table.methods
        if row[name].n_failed
    ]
    return [f"Failed: {', '.join(failed)}."] if failed else []
