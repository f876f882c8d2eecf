"""`eulac proportion`: how much of a pool of unlabeled rows is known, how much is new."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.proportion.methods import LEANS, METHODS, QUICK_METHODS, compare_methods

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from eulac.data.lac_sample import LacSample
    from eulac.data.tables import Table
    from eulac.proportion.estimate import ProportionEstimate

__all__ = ["proportion"]

LABEL_NAMES = ("label", "y", "class", "target", "species")
MIN_LABELED, MIN_UNLABELED, MIN_PER_CLASS = 50, 100, 5
APART = 0.1  # methods that differ by more disagree
SHOWN_CLASSES = 20


@click.command()
@click.argument("labeled", type=click.Path(path_type=Path))
@click.option(
    "--unlabeled",
    "pool",
    type=click.Path(path_type=Path),
    help="Table of the unlabeled rows; may be left out if LABELED has rows with a blank label.",
)
@click.option("--label-column", help=f"Default: the one column named {'/'.join(LABEL_NAMES)}.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(list(METHODS)),
    metavar="NAME",
    help=f"Run this method only; may be repeated, the first gives the answer. "
    f"One of {', '.join(METHODS)}. Default: all but kernel_mean_per_class, which is slow.",
)
@click.option("--quick", is_flag=True, help="The consensus only, without other methods beside it.")
@click.option("--seed", default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
def proportion(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    methods: tuple[str, ...],
    quick: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Estimate how much of an unlabeled table belongs to the classes of a LABELED one.

    Tables end in .csv, .tsv (also .gz), .parquet, .npz or .svm. Columns are matched by name and
    must be numbers, except the labels.

    \b
    Example:
      eulac proportion labeled.csv --unlabeled pool.csv --label-column species
    """
    if methods and quick:
        raise click.UsageError("`--quick` and `--method` exclude each other; got both.")
    source = read_source(labeled, pool, label_column)
    names = ("consensus",) if quick else tuple(dict.fromkeys(methods)) or QUICK_METHODS
    result = summarize(source, run_methods(source.sample, names, seed)) | {"seed": seed}
    if as_json:
        click.echo(json.dumps(result, default=_plain))
    else:
        _print(result)


@dataclass(frozen=True)
class Source:
    """The sample two tables hold, and what was noticed while reading them."""

    sample: LacSample
    label_column: str
    notes: list[str]
    doubts: list[str]


@dataclass(frozen=True)
class Run:
    """What one method said, and how long it took."""

    outcome: ProportionEstimate | str
    seconds: float
    warnings: list[str] = field(default_factory=list)


def read_source(labeled: Path, pool: Path | None, label_column: str | None) -> Source:
    """Return the sample of one or two tables, columns matched by name and scaled to [0, 1]."""
    import numpy as np

    from eulac.data.lac_sample import LacSample
    from eulac.data.splits import min_max_scale

    table, notes = _read_labeled(labeled, label_column)
    y, blank = _labels_and_blanks(table)
    frames = {str(labeled): table.features}
    if pool is not None:
        frames[str(pool)], more = _read_pool(pool, table)
        notes += more
    elif not blank.any():
        raise click.UsageError(
            f"unlabeled rows are needed; every row of {labeled} has a label in "
            f"{table.label_column!r}. Name their table with `--unlabeled`."
        )
    if blank.any():
        notes.append(
            f"{blank.sum():,} rows of {labeled} have a blank label and count as unlabeled."
        )
    for source, frame in frames.items():
        _check_numbers(frame, source)
    X = np.vstack([frame.to_numpy(dtype=np.float64) for frame in frames.values()])
    is_labeled = np.append(~blank, np.zeros(len(X) - len(blank), dtype=bool))
    doubts = _doubts_about_columns(X, is_labeled, list(table.features))
    X = min_max_scale(X)
    sample = LacSample.from_masked(X[is_labeled], y, X_unlabeled=X[~is_labeled])
    return Source(sample, table.label_column, notes, doubts)


def _read_labeled(path: Path, label_column: str | None) -> tuple[Table, list[str]]:
    from eulac.data.tables import read_table

    table = read_table(path, label_column=label_column)
    if table.labels is not None:  # asked for, or the file's format says which they are
        return table, []
    names = list(table.features)
    matches = [name for name in names if name.lower() in LABEL_NAMES]
    if len(matches) == 1:
        note = f"Labels are taken from the column {matches[0]!r} of {path}, because of its name."
        return read_table(path, label_column=matches[0]), [note]
    found = f"{len(matches)} columns may be it" if matches else "no column has a usual name"
    raise click.UsageError(
        f"which column of {path} holds the labels must be clear; {found}. Choose one with "
        f"`--label-column`: {_listed(matches or names)}."
    )


def _labels_and_blanks(table: Table) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels there are, and which rows have none."""
    import numpy as np

    assert table.labels is not None
    blank = table.unlabeled | [isinstance(v, str) and not v.strip() for v in table.labels]
    y = table.labels[~blank]
    where = f"column {table.label_column!r} of {table.source}"
    if not len(y):
        raise ValueError(f"labels are needed; all {len(blank):,} cells of {where} are blank.")
    n_marked = sum(str(label) in ("-1", "-1.0") for label in y)
    if n_marked:
        raise ValueError(
            f"the label -1 may be a class or mean 'unlabeled', which must be clear; {n_marked:,} "
            f"cells of {where} hold it. Leave the label of unlabeled rows blank, or rename the "
            "class."
        )
    return y, np.asarray(blank)


def _read_pool(path: Path, labeled: Table) -> tuple[pd.DataFrame, list[str]]:
    from eulac.data.tables import read_table

    table = read_table(path)
    names = list(labeled.features)
    missing = [name for name in names if name not in table.features]
    if missing:
        raise ValueError(
            f"{path} must have every feature column of {labeled.source}; it lacks "
            f"{_listed(missing)}. Add them, or drop them from {labeled.source}."
        )
    extra = [name for name in table.features if name not in names]
    if table.labels is not None:
        extra.append(table.label_column)
    if not extra:
        return table.features[names], []
    return table.features[names], [f"Columns of {path} that were not used: {_listed(extra)}."]


def _check_numbers(frame: pd.DataFrame, source: str) -> None:
    import numpy as np
    from pandas.api.types import is_numeric_dtype

    text = [name for name in frame if not is_numeric_dtype(frame[name])]
    if text:
        raise ValueError(
            f"feature columns must be numbers; {source} has other values in {_listed(text)}. "
            "Encode these columns as numbers, or drop them."
        )
    bad = ~np.isfinite(frame.to_numpy(dtype=np.float64, na_value=np.nan))
    columns = [name for name, any_bad in zip(frame, bad.any(axis=0), strict=True) if any_bad]
    if columns:
        raise ValueError(
            f"feature values must be there and finite; {source} lacks {bad.sum():,} values, in "
            f"{_listed(columns)}. Fill them, or drop these columns or rows."
        )


def _doubts_about_columns(
    X: NDArray[np.float64], is_labeled: NDArray[np.bool_], names: list[str]
) -> list[str]:
    import numpy as np

    doubts = []
    parts = X[is_labeled], X[~is_labeled]
    for column, name in enumerate(names):
        if all(_all_different_whole(part[:, column]) for part in parts):
            doubts.append(
                f"Column {name!r} has a different whole number in every row, as row numbers and "
                "times do. Such a column tells the two samples apart, not classes: drop it."
            )
    known_rows = {row.tobytes() for row in parts[1]}
    copied = float(np.mean([row.tobytes() in known_rows for row in parts[0]]))
    if copied > 0.5:
        doubts.append(
            f"{_percent(copied)} of the labeled rows are among the unlabeled ones too. Take them "
            "out there, or known classes look more frequent than they are."
        )
    return doubts


def _all_different_whole(values: NDArray[np.float64]) -> bool:
    import numpy as np

    n_rows = len(values)
    return n_rows >= 20 and bool(np.all(values % 1 == 0)) and len(np.unique(values)) == n_rows


def run_methods(sample: LacSample, names: tuple[str, ...], seed: int) -> dict[str, Run]:
    """Return the runs of the named methods, with a progress line where somebody can see it."""
    from rich.console import Console
    from rich.progress import Progress

    runs = {}
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            start = time.perf_counter()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                outcome = compare_methods(sample, [name], random_state=seed)[name]
            texts = [str(warning.message).partition("\n")[0] for warning in caught]
            runs[name] = Run(outcome, time.perf_counter() - start, list(dict.fromkeys(texts)))
            progress.advance(task)
    return runs


def summarize(source: Source, runs: dict[str, Run]) -> dict[str, Any]:
    """Return everything there is to say, as plain values; the first run gives the answer."""
    sample = source.sample
    method, chosen = next((name, run.outcome) for name, run in runs.items())
    if isinstance(chosen, str):
        raise ValueError(f"{method} failed: {chosen}")
    consensus = chosen if "consensus" not in runs else runs["consensus"].outcome
    said = {} if isinstance(consensus, str) else consensus.diagnostics
    frequency = sample.labeled_frequency
    return {
        "n_labeled": sample.n_labeled,
        "n_unlabeled": sample.n_unlabeled,
        "n_features": sample.X_labeled.shape[1],
        "label_column": source.label_column,
        "method": method,
        "known_proportion": chosen.total,
        "known_proportion_interval": list(chosen.interval),
        "augmented_proportion": chosen.augmented_proportion,
        "augmented_proportion_interval": list(chosen.augmented_interval),
        "nothing_new_p_value": said.get("nothing_new_p_value"),
        "priors_moved": said.get("priors_moved"),
        "priors_moved_p_value": said.get("priors_moved_p_value"),
        "classes": [
            {"label": label, "labeled_rows": round(share * sample.n_labeled)}
            | {"labeled_share": share, "unlabeled_share": unlabeled}
            for label, share, unlabeled in zip(
                sample.codec.known.tolist(), frequency.tolist(), chosen.per_class, strict=True
            )
        ],
        "methods": {name: _as_dict(run) for name, run in runs.items()},
        "notes": source.notes,
        "warnings": [*source.doubts, *_doubts(sample, runs, said)],
        "remark": chosen.remark,
    }


def _as_dict(run: Run) -> dict[str, Any]:
    estimate = run.outcome
    if isinstance(estimate, str):
        return {"failed": estimate, "seconds": run.seconds}
    return {
        "known_proportion": estimate.total,
        "interval": list(estimate.interval),
        "standard_error": estimate.standard_error,
        "per_class": estimate.per_class.tolist(),
        "at_bound": bool(estimate.diagnostics.get("at_bound", False)),
        "seconds": run.seconds,
        "diagnostics": dict(estimate.diagnostics),
    }


def _doubts(sample: LacSample, runs: dict[str, Run], said: Any) -> list[str]:
    doubts = []
    for count, least, kind in (
        (sample.n_labeled, MIN_LABELED, "labeled"),
        (sample.n_unlabeled, MIN_UNLABELED, "unlabeled"),
    ):
        if count < least:
            doubts.append(f"{count} {kind} rows are few; below {least} every number is shaky.")
    counts = (sample.labeled_frequency * sample.n_labeled).round()
    rare = sample.codec.known[counts < MIN_PER_CLASS].tolist()
    if rare:
        doubts.append(f"Classes with fewer than {MIN_PER_CLASS} labeled rows: {_listed(rare)}.")
    doubts += [f"{name} failed: {r.outcome}" for name, r in runs.items() if _failed(r)]
    doubts += _doubts_about_values({n: r.outcome for n, r in runs.items() if not _failed(r)})
    if said.get("scores_agree") is False:
        values = ", ".join(f"{n} {_percent(v)}" for n, v in said["by_score"].items())
        doubts.append(f"The three scores behind the consensus disagree: {values}.")
    if said.get("priors_moved"):
        doubts.append(
            "The known classes are not as frequent among each other as when labeled "
            f"({_p(said['priors_moved_p_value'])}); the estimate allows for that."
        )
    return doubts + [f"{name}: {text}" for name, run in runs.items() for text in run.warnings]


def _doubts_about_values(estimates: dict[str, Any]) -> list[str]:
    doubts = []
    at_bound = [name for name, e in estimates.items() if e.diagnostics.get("at_bound")]
    if at_bound:
        values = ", ".join(f"{name} ({_percent(estimates[name].total)})" for name in at_bound)
        doubts.append(f"At a bound of its search, so a limit rather than an estimate: {values}.")
    compared = {n: e.total for n, e in estimates.items() if n not in LEANS and n not in at_bound}
    low, high = (pick(compared, key=compared.get, default=None) for pick in (min, max))
    if low and compared[high] - compared[low] > APART:
        doubts.append(
            f"The methods disagree: from {_percent(compared[low])} ({low}) to "
            f"{_percent(compared[high])} ({high}). Trust the value less than its interval says."
        )
    return doubts


def _failed(run: Run) -> bool:
    return isinstance(run.outcome, str)


def _print(result: dict[str, Any]) -> None:
    _say(
        f"{result['n_labeled']:,} labeled rows of {len(result['classes'])} classes in column "
        f"{result['label_column']!r}, {result['n_unlabeled']:,} unlabeled rows, "
        f"{result['n_features']} features."
    )
    for note in result["notes"]:
        _say(note)
    click.echo()
    _say(_answer(result))
    _say(_test_in_words(result))
    _print_classes(result)
    _print_methods(result["methods"])
    for warning in result["warnings"]:
        _say(f"Warning: {warning}")
    _say(f"Note: {result['remark']}")


def _answer(result: dict[str, Any]) -> str:
    low, high = map(_percent, result["known_proportion_interval"])
    known = round(100 * result["known_proportion"], 1)
    by = "" if result["method"] == "consensus" else f"By {result['method']}: "
    return (
        f"{by}{known:.1f} % of the {result['n_unlabeled']:,} unlabeled rows look like known "
        f"classes ({low} to {high}); {100 - known:.1f} % are new."
    )


def _test_in_words(result: dict[str, Any]) -> str:
    p_value = result["nothing_new_p_value"]
    if p_value is None:
        return "Whether anything is new at all is tested by the consensus, which was not run."
    times = "less than once" if p_value < 0.01 else f"about {round(100 * p_value)} times"
    verdict = "there is no sign of anything new"
    if p_value <= 0.05:
        verdict = "something new is likely" if p_value > 0.01 else "something is new"
        if result["priors_moved"]:
            verdict += ", unless it is the moved shares of known classes that show"
    return (
        f"If nothing at all were new, rows would look as new as these {times} in 100 draws "
        f"({_p(p_value)}): {verdict}."
    )


def _print_classes(result: dict[str, Any]) -> None:
    from rich.markup import escape

    table = _table("class", "labeled rows", "share of labeled", "share of unlabeled")
    for row in result["classes"][:SHOWN_CLASSES]:
        shares = _percent(row["labeled_share"]), _percent(row["unlabeled_share"])
        table.add_row(escape(str(row["label"])), f"{row['labeled_rows']:,}", *shares)
    n_more = len(result["classes"]) - SHOWN_CLASSES
    if n_more > 0:
        table.add_row(f"... {n_more} more, in --json", "", "", "")
    table.add_row("(new)", "", "", _percent(result["augmented_proportion"]))
    _console().print(table)


def _print_methods(methods: dict[str, Any]) -> None:
    table = _table("method", "known", "95 % interval", "at bound", "seconds")
    for name, said in methods.items():
        shown = f"{name} (leans {LEANS[name]})" if name in LEANS else name
        values = ["failed", "", ""]
        if "failed" not in said:
            low, high = map(_percent, said["interval"])
            at_bound = "yes" if said["at_bound"] else ""
            values = [_percent(said["known_proportion"]), f"{low} to {high}", at_bound]
        table.add_row(shown, *values, f"{said['seconds']:.1f}")
    _console().print(table)


def _table(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", overflow="fold")
    return table


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 80)


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False, width=_width())


def _say(text: str) -> None:
    """Print wrapped text, a number and its percent sign on one line."""
    lines = textwrap.wrap(text.replace(" %", "\u00a0%"), _width(), break_on_hyphens=False)
    click.echo("\n".join(lines).replace("\u00a0", " "))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _p(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def _listed(names: list[Any]) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:8], f"and {len(shown) - 8} more"])


def _plain(value: Any) -> Any:
    """Return an array or NumPy number as Python's own, for JSON."""
    return value.tolist()
