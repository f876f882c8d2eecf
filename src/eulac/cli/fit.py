"""`eulac fit`: tables in, a model file out, and what was learned in a few sentences."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eulac.cli.fit_summary import print_summary, summarize
from eulac.cli.output import echo_json, listed, noted_warnings, progress_bar
from eulac.cli.sources import (
    LABEL_NAMES,
    PATH,
    SEED,
    GuessingChoice,
    Seconds,
    choose_label_column,
    labels_and_blanks,
    read_labeled,
    read_pool,
    refuse_existing,
    row_number_doubts,
)

if TYPE_CHECKING:
    import pandas as pd

    from eulac.tables.table_model import TableModel

__all__ = ["METHODS", "fit"]

METHODS = {
    "kernel": "KernelEulacClassifier",
    "auto": "EulacClassifier",
    "forest": "TwoStageEulacClassifier",
    "linear": "LinearEulacClassifier",
    "boosted": "BoostedEulacClassifier",
    "landmark": "LandmarkEulacClassifier",
    "deep": "DeepEulacClassifier",
    "ovr-svm": "OvrSvmClassifier",
    "w-svm": "WSvmClassifier",
    "osnn": "OsnnClassifier",
    "evm": "EvmClassifier",
    "lacu-svm": "LacuSvmClassifier",
    "pac-iforest": "PacIForestClassifier",
    "novelty": "NoveltyClassifier",
    "ovr-shift": "OvrShiftClassifier",
}
"""Public class of every method; a new one is one line."""

MOST_UNLABELED = 5000
COMMANDLINE = click.core.ParameterSource.COMMANDLINE


@click.command(epilog="Example: eulac fit train.csv --unlabeled pool.csv --model birds.eulac")
@click.argument("labeled", type=PATH)
@click.option("--unlabeled", "pool", type=PATH, help="Needed if no label is blank.")
@click.option("--label-column", help=f"Default: the one column named {'/'.join(LABEL_NAMES)}.")
@click.option("--model", "target", type=PATH, required=True, help="File to write.")
@click.option(
    "--method",
    type=GuessingChoice(list(METHODS)),
    metavar="NAME",
    default="kernel",
    show_default=True,
    help=f"One of {', '.join(METHODS)}.",
)
@click.option(
    "--time-budget",
    type=Seconds(),
    help="For `--method auto`: begin no further family that would go beyond it.",
)
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave it out; may be repeated.")
@click.option(
    "--max-unlabeled",
    type=click.IntRange(2),
    default=MOST_UNLABELED,
    show_default=True,
    help="Learn from a random part of a pool larger than this.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--force", is_flag=True, help="Replace an existing model file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
def fit(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    target: Path,
    method: str,
    time_budget: float | None,
    drop: tuple[str, ...],
    max_unlabeled: int,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Learn known classes, and what is new, from a LABELED table and unlabeled rows.

    Unlabeled rows stand in a table of their own, or in the same one with a blank label. Tables
    end in .csv, .tsv (also .gz), .parquet, .npz or .svm. Columns are matched by name: numbers,
    true/false and categories, with missing values. The method `landmark` reads .csv, .tsv and
    .parquet files of any length in pieces and learns from every row; interrupted, the same
    command goes on.
    """
    from eulac.persistence.files import save
    from eulac.persistence.manifest import data_fingerprint

    refuse_existing(target, force)
    settings = _settings(method, time_budget)
    start = time.perf_counter()
    if method == "landmark" and _is_long(labeled) and (pool is None or _is_long(pool)):
        with noted_warnings() as warned:
            model, rows = _fitted_in_pieces(labeled, pool, label_column, drop, seed, target)
    else:
        rows = read_rows(labeled, pool, label_column, drop, max_unlabeled, seed)
        with noted_warnings() as warned:
            model = _fitted(method, rows, drop, {"random_state": seed, **settings})
    fingerprint = data_fingerprint(model.X_labeled, model.y_labeled)
    save(model, target, fingerprint=fingerprint, overwrite=force)
    result = {
        "model": str(target),
        "method": method,
        **summarize(model, rows.label_column, rows.counts, rows.notes),
        "seed": seed,
        "seconds": round(time.perf_counter() - start, 2),
        "warnings": [*rows.doubts, *warned],
    }
    if as_json:
        echo_json(result)
    else:
        print_summary(result)


class Rows(NamedTuple):
    """Labeled rows first, unlabeled ones after them, and what was noticed while reading."""

    frames: dict[str, pd.DataFrame]
    y: Any
    label_column: str
    row_shape: tuple[int, ...] | None
    notes: list[str]
    doubts: list[str]

    @property
    def counts(self) -> tuple[int, int]:
        """Number of labeled and of unlabeled rows."""
        n_labeled, *others = map(len, self.frames.values())
        return n_labeled, sum(others)


class LongRows(NamedTuple):
    """What is known of rows that were read in pieces."""

    counts: tuple[int, int]
    label_column: str
    notes: list[str]
    doubts: list[str]


def read_rows(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    drop: tuple[str, ...],
    max_unlabeled: int,
    seed: int,
) -> Rows:
    """Return the rows of one or two tables; unlabeled ones thinned to what can be learned from."""
    table, notes = read_labeled(labeled, label_column)
    y, blank = labels_and_blanks(table)
    frames = {str(labeled): table.features[~blank].reset_index(drop=True)}
    if pool is not None:
        frames[str(pool)], more = read_pool(pool, table)
        notes += more
    if blank.any():
        notes.append(f"{blank.sum():,} rows of {labeled} have a blank label: unlabeled.")
        frames[f"{labeled} (blank labels)"] = table.features[blank].reset_index(drop=True)
    frames, more = _thinned(frames, max_unlabeled, seed)
    doubts = row_number_doubts(frames, drop)
    return Rows(frames, y, table.label_column, table.row_shape, notes + more, doubts)


def _thinned(frames: dict[str, Any], limit: int, seed: int) -> tuple[dict[str, Any], list[str]]:
    first, *others = frames
    total = sum(len(frames[name]) for name in others)
    if total <= limit:
        return frames, []
    thin = {name: frames[name].sample(frac=limit / total, random_state=seed) for name in others}
    n_kept = sum(map(len, thin.values()))
    note = (
        f"Of {total:,} unlabeled rows {n_kept:,} were drawn to learn from (`--max-unlabeled`); "
        "the model predicts all."
    )
    return {first: frames[first], **thin}, [note]


def _settings(method: str, time_budget: float | None) -> dict[str, Any]:
    """Return the parameters that only some methods have."""
    if time_budget is None:
        return {}
    if method == "auto":
        return {"time_budget": time_budget}
    if click.get_current_context().get_parameter_source("time_budget") == COMMANDLINE:
        raise click.UsageError(
            "`--time-budget` belongs to `--method auto`, which tries several families; got "
            f"`--method {method}`. Leave the budget out, or choose `--method auto`."
        )
    return {}  # from a file that was written for another method


def _fitted(method: str, rows: Rows, drop: tuple[str, ...], settings: dict[str, Any]) -> TableModel:
    from eulac.tables.table_model import fit_table_model

    classifier = getattr(import_module("eulac"), METHODS[method])(**settings)
    if len(rows.frames) == 1 and getattr(classifier, "needs_unlabeled", True):
        source = next(iter(rows.frames))
        raise click.UsageError(
            f"unlabeled rows are needed; every row of {source} has a label in "
            f"{rows.label_column!r}. Name their table with `--unlabeled`."
        )
    with _watching(classifier, method) as options:
        return fit_table_model(
            classifier,
            rows.frames,
            rows.y,
            drop=drop,
            label_column=rows.label_column,
            row_shape=rows.row_shape if method == "deep" else None,
            **options,
        )


@contextmanager
def _watching(classifier: Any, method: str) -> Iterator[dict[str, Any]]:
    """Give the options of `fit` that keep a progress bar going, where it takes any."""
    accepted = inspect.signature(classifier.fit).parameters
    with progress_bar(f"fitting ({method})") as show:
        yield {"progress": show} if "progress" in accepted else {}


def _is_long(path: Path) -> bool:
    """Whether a table's format can be read in pieces."""
    from eulac.data.table_formats import readable_format
    from eulac.data.table_scan import LONG_FORMATS

    return readable_format(path) in LONG_FORMATS


def _fitted_in_pieces(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    drop: tuple[str, ...],
    seed: int,
    target: Path,
) -> tuple[TableModel, LongRows]:
    """Fit on all rows, whatever their number; begun work is kept beside the model to be."""
    from eulac.data.table_scan import column_names
    from eulac.tables.long_table_model import fit_long_tables

    label, notes = choose_label_column(column_names(labeled), labeled, label_column)
    begun = target.with_name(f"{target.name}.{_mark(labeled, pool, label, drop, seed)}.begun")
    if begun.exists():
        notes.append(f"Going on from {begun}, left by a fit that was interrupted.")
    classifier = getattr(import_module("eulac"), METHODS["landmark"])(random_state=seed)
    with progress_bar("fitting (landmark)") as show, _saying_what_is_kept(begun):
        done = fit_long_tables(
            classifier, labeled, label, pool, drop=drop, progress=show, checkpoint=begun
        )
    if not done.n_unlabeled:
        raise click.UsageError(
            f"unlabeled rows are needed; every row of {labeled} has a label in {label!r}. Name "
            "their table with `--unlabeled`."
        )
    first = done.tables[0]
    if first.n_blank:
        notes.append(f"{first.n_blank:,} rows of {labeled} have a blank label: unlabeled.")
    if done.unused:
        notes.append(f"Not used of {pool}: {listed(done.unused)}.")
    if click.get_current_context().get_parameter_source("max_unlabeled") == COMMANDLINE:
        notes.append("`--max-unlabeled` has no say here: every row is learned from.")
    doubts = row_number_doubts({str(table.path): table.rows for table in done.tables}, drop)
    return done.model, LongRows((done.n_labeled, done.n_unlabeled), label, notes, doubts)


@contextmanager
def _saying_what_is_kept(begun: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        kept = f"What was done is in {begun}; the same command goes on from there."
        click.echo(kept if begun.exists() else "Nothing was kept yet.", err=True)
        raise


def _mark(*sources: Any) -> str:
    """Return a few letters that change with the files named."""
    from hashlib import sha256

    states = [(s.stat().st_size, s.stat().st_mtime_ns) for s in sources if isinstance(s, Path)]
    return sha256(repr((sources, states)).encode()).hexdigest()[:8]
