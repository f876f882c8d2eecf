"""The table of numbers in the README, written from committed records between two comments."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from eulac.benchmark.comparison_tables import METRICS, ComparisonTable, comparison_table
from eulac.benchmark.methods.trial_methods import CONTENDERS, TRIAL_METHODS
from eulac.benchmark.paper_results import best_in_paper
from eulac.benchmark.records import Record
from eulac.data.reading.drafts import replacing

__all__ = ["BEGIN", "END", "readme_table", "rewrite_readme", "with_table"]

BEGIN = "<!-- numbers: begin, written by `eulac benchmark readme` -->"
END = "<!-- numbers: end -->"
DEFAULT, KERNEL = "default", "kernel"
DATASETS = ("usps", "mnist", "satimage", "pendigits", "optdigits", "segment", "shuttle")

HEAD = (
    *("dataset", *METRICS.values()),
    *("`KernelEulacClassifier`, macro-F1", "best contender, macro-F1"),
)


def readme_table(records: Iterable[Record]) -> str:
    """Return the table in Markdown: the default classifier, the kernel machine, a contender.

    In parentheses, the best of the paper's own table. A row is over the draws the default has, so
    that its columns compare; over all draws where it has none.

    Parameters
    ----------
    records : iterable of Record
        Of `table1`; those of the default come from `families`, which has the same draws.
    """
    records = [r for r in records if r.trial.experiment in ("table1", "families")]
    common = _shared_draws(records)
    tables = {metric: comparison_table(common, metric, reference=DEFAULT) for metric in METRICS}
    lines = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    for dataset in [name for name in DATASETS if name in tables["macro_f1"].rows]:
        own = [_beside_the_paper(tables[metric], dataset) for metric in METRICS]
        kernel = _mean(tables["macro_f1"], dataset, KERNEL)
        contender = _best_contender(tables["macro_f1"], dataset)
        lines.append(f"| {' | '.join([dataset, *own, kernel, contender])} |")
    return "\n".join(lines)


def _shared_draws(records: Sequence[Record]) -> list[Record]:
    """Return the records of draws that the default classifier has, where it has any."""
    draws = {r.trial.draw for r in records if r.trial.method == DEFAULT}
    datasets = {draw.dataset for draw in draws}
    return [r for r in records if r.trial.draw in draws or r.trial.draw.dataset not in datasets]


def _mean(table: ComparisonTable, dataset: str, method: str) -> str:
    cell = table.rows[dataset].get(method)
    return "–" if cell is None or cell.mean is None else f"{cell.mean:.1f}"


def _beside_the_paper(table: ComparisonTable, dataset: str) -> str:
    paper = best_in_paper(table.metric, dataset)
    return _mean(table, dataset, DEFAULT) + ("" if paper is None else f" ({paper:.1f})")


def _best_contender(table: ComparisonTable, dataset: str) -> str:
    cells = {name: cell for name, cell in table.rows[dataset].items() if name in CONTENDERS}
    means = {name: cell.mean for name, cell in cells.items() if cell.mean is not None}
    if not means:
        return "–"
    best = max(means, key=means.__getitem__)
    return f"{means[best]:.1f} ({TRIAL_METHODS[best].label})"


def with_table(text: str, table: str) -> str:
    r"""Return a text with what stands between the two comments replaced.

    Examples
    --------
    >>> print(with_table(f"before\n{BEGIN}\nold\n{END}\nafter", "new"))
    before
    <!-- numbers: begin, written by `eulac benchmark readme` -->
    new
    <!-- numbers: end -->
    after
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"the text must hold {BEGIN!r} and then {END!r}, once each. Add them.")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def rewrite_readme(path: Path, records: Iterable[Record]) -> bool:
    """Rewrite the table of a file from records; return whether anything changed."""
    text = path.read_text(encoding="utf-8")
    fresh = with_table(text, readme_table(records))
    if fresh != text:
        with replacing(path) as draft:
            draft.write_text(fresh, encoding="utf-8")
    return fresh != text
