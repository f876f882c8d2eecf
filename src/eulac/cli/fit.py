"""`eulac fit`: tables in, a model file out, and what was learned in a few sentences."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac import HOMES
from eulac.cli.command_options import (
    LABEL_COLUMN_HELP,
    PATH,
    SEED,
    TABLE,
    GuessingChoice,
    Seconds,
    Share,
    TableCommand,
    in_options,
    refuse_existing,
    text_options,
    was_typed,
)
from eulac.cli.fit_summary import print_summary, summarize
from eulac.cli.output import echo_json, noted_warnings, progress_bar

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.tables.table_model import TableFit

__all__ = ["METHODS", "fit", "most_labeled", "saying_what_is_kept"]

DRIFTS = {"auto": "auto", "yes": True, "no": False}
"""What may be said of known classes on the command line, and the parameter it becomes."""

SHORT_NAMES = {"eulac": "auto", "two_stage": "forest"}
"""Methods not named after the module of their classifier."""

NOT_OFFERED = {
    *("SoftmaxThresholdClassifier", "OpenMaxClassifier"),  # networks for images
    *("GenerativeOpenMaxClassifier", "CounterfactualClassifier"),
    "HeadEulacClassifier",  # around a classifier and an encoder, which are Python
    "EnsembleEulacClassifier",  # of networks, which `deep` has one of
}


def _find_methods() -> dict[str, str]:
    """Return the public classifier of every method; contenders come last."""
    homes = {
        name: home.split(".")[1:]
        for name, home in HOMES.items()
        if name.endswith("Classifier") and name not in NOT_OFFERED
    }
    methods = {}
    for name, (_, module) in sorted(homes.items(), key=lambda item: item[1][0] == "contenders"):
        stem = module.removesuffix("_classifier")
        methods[SHORT_NAMES.get(stem, stem.replace("_", "-"))] = name
    return methods


METHODS = _find_methods()
"""Public class of every method. A new public classifier is offered without a line here."""

MOST_UNLABELED = 5000


@click.command(
    cls=TableCommand, epilog="Example: eulac fit train.csv --unlabeled pool.csv --model birds.eulac"
)
@click.argument("labeled", type=TABLE)
@click.option("--unlabeled", "pool", type=TABLE, help="Needed if no label is blank.")
@click.option("--label-column", help=LABEL_COLUMN_HELP)
@click.option("--id-column", help="Identifies rows: no feature, copied to answers and pages.")
@click.option("--model", "target", type=PATH, required=True, help="File to write.")
@click.option(
    "--method",
    type=GuessingChoice(list(METHODS)),
    metavar="NAME",
    default="auto",
    show_default=True,
    help=f"One of {', '.join(METHODS)}.",
)
@click.option(
    "--time-budget",
    type=Seconds(),
    help="For `--method auto`: begin no further family that would go beyond it.",
)
@click.option(
    "--drift",
    type=GuessingChoice(list(DRIFTS)),
    metavar="WORD",
    default="auto",
    show_default=True,
    help="Whether known classes may look other than in the labels: auto, yes or no.",
)
@click.option(
    "--known-proportion",
    type=Share(),
    metavar="SHARE",
    help="Known share of the unlabeled rows, where you know it. Default: estimated.",
)
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave it out; may be repeated.")
@click.option(
    "--max-labeled",
    type=click.IntRange(2),
    help="Learn from a random part of more labeled rows than this, small classes whole. Default: "
    "5,000 with `auto` and `kernel`, all with others.",
)
@click.option(
    "--max-unlabeled",
    type=click.IntRange(2),
    default=MOST_UNLABELED,
    show_default=True,
    help="Learn from a random part of a pool larger than this.",
)
@click.option(
    "--label-errors",
    type=PATH,
    help="Table to write, of labeled rows that look like another known class; rows count from 0.",
)
@click.option(
    "--keep-pool/--forget-pool",
    default=True,
    show_default=True,
    help="Keep a hash and the held-out answer of each unlabeled row in the file, so that it is "
    "known again: 16 bytes a row, and 8 for each answer there is.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--force", is_flag=True, help="Replace an existing model file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
@text_options
def fit(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    id_column: str | None,
    target: Path,
    method: str,
    time_budget: float | None,
    drift: str,
    known_proportion: float | None,
    drop: tuple[str, ...],
    max_labeled: int | None,
    max_unlabeled: int,
    label_errors: Path | None,
    keep_pool: bool,
    seed: int,
    force: bool,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Learn known classes, and what is new, from a LABELED table and unlabeled rows.

    Unlabeled rows stand in a table of their own, or in the same one with a blank label. Tables
    end in .csv, .tsv, .jsonl (also .gz), .xlsx, .parquet, .npz or .svm; `-` is standard input.
    Columns are matched by name: numbers, true/false, categories and dates, with missing values.
    The method `auto` tries several families and mixes them by what each is worth, without labels.
    The method `landmark` reads .csv, .tsv and .parquet files of any length in pieces and learns
    from every row; interrupted, the same command goes on.
    """
    from eulac.classifier.own_rows import pool_bytes
    from eulac.persistence.files import save
    from eulac.tables.fit_tables import fit_tables

    for path in filter(None, (target, label_errors)):
        refuse_existing(path, force)
    settings = {"random_state": seed, **_settings(method, time_budget, drift)}
    if known_proportion is not None:
        settings["known_proportion"] = known_proportion
        _require_takes_share(method)
    classifier = _class_of(method)(**settings)
    start = time.perf_counter()
    begun = _begun_file(target, labeled, pool, label_column, drop, seed)
    with (
        noted_warnings() as warned,
        progress_bar(f"fitting ({method})") as bar,
        saying_what_is_kept(begun),
    ):
        done = fit_tables(
            classifier,
            labeled,
            pool,
            label_column,
            drop=drop,
            id_column=id_column,
            text=text,
            max_labeled=max_labeled,
            max_unlabeled=max_unlabeled,
            keep_row_shape=method == "deep",
            random_state=seed,
            progress=bar,
            on_phase=lambda task: bar.begin(f"{task} ({method})"),
            checkpoint=begun,
        )
    save(done.model, target, overwrite=force, keep_pool=keep_pool)
    if label_errors is not None:
        _write_label_errors(done, label_errors, force)
    notes = [in_options(note) for note in done.notes] + _notes_on_rows(done)
    result = {
        "model": str(target),
        "method": method,
        **summarize(done, notes),
        "pool_bytes": pool_bytes(done.model.classifier) if keep_pool else 0,
        "seed": seed,
        "label_errors_file": None if label_errors is None else str(label_errors),
        "seconds": round(time.perf_counter() - start, 2),
        "warnings": [*map(in_options, [*done.warnings, *_unread_texts(done), *warned])],
    }
    if result["left_out_features"]:  # told by name in the summary; the warning counts columns
        from eulac.any_classifier.default_proportion import HIDES, MOVED_ALIKE, SEPARATES

        told = SEPARATES, MOVED_ALIKE, HIDES
        result["warnings"] = [
            one for one in result["warnings"] if not any(why in one for why in told)
        ]
    if as_json:
        echo_json(result)
    else:
        print_summary(result)


def _write_label_errors(done: TableFit, path: Path, force: bool) -> None:
    if done.label_errors is None:
        raise ValueError(
            "`--label-errors` needs a method that holds out rows while it learns in memory; "
            f"{type(done.model.classifier).__name__} did not. Choose `--method auto` or `kernel`."
        )
    if len(done.label_errors):
        from eulac.data.tables import write_table

        write_table(done.label_errors, path, overwrite=force)


def _class_of(method: str) -> Any:
    return getattr(import_module("eulac"), METHODS[method])


def most_labeled(method: str) -> int | None:
    """Return how many labeled rows of a table a method learns from; None for all."""
    return getattr(_class_of(method), "most_labeled_rows", None)


def _require_takes_share(method: str) -> None:
    """Refuse a given share where the method takes none."""
    if "known_proportion" not in signature(_class_of(method)).parameters:
        raise click.UsageError(
            f"`--known-proportion` does not belong to `--method {method}`, which estimates the "
            "share anew with every batch. Leave it out."
        )


def _settings(method: str, time_budget: float | None, drift: str) -> dict[str, Any]:
    """Return the parameters that only some methods have."""
    wanted = {"time_budget": time_budget, "drift": DRIFTS[drift]}
    taken = signature(_class_of(method)).parameters
    for option in wanted.keys() - taken.keys():
        if was_typed(option):
            typed = option.replace("_", "-")
            raise click.UsageError(
                f"`--{typed}` does not belong to `--method {method}`. Leave it out, or choose "
                "another method, such as `--method auto`."
            )
    # What does not belong to a method was written in a file, for another one.
    return {option: value for option, value in wanted.items() if option in taken}


def _unread_texts(done: TableFit) -> list[str]:
    """Warn of columns of sentences, which may be what matters most."""
    from eulac.data.preprocessing import PROSE

    ignored = done.model.columns.ignored
    return [
        f"Column {name!r} holds sentences, and a table model learns from none: it was left out. In "
        'Python `TwoStageEulacClassifier` learns from sentences: see "Text" in docs/recipes.md.'
        for name, reason in ignored.items()
        if reason.endswith(PROSE)
    ]


def _notes_on_rows(done: TableFit) -> list[str]:
    """Say which of many rows were learned from."""
    if done.in_pieces:
        typed = [name for name in ("max_labeled", "max_unlabeled") if was_typed(name)]
        options = (f"`--{name.replace('_', '-')}`" for name in typed)
        return [f"{option} is ignored: this method learns from every row." for option in options]
    if any("`max_unlabeled`" in note or "`max_labeled`" in note for note in done.notes):
        return ["To learn from every row of tables of any length: `--method landmark`."]
    return []


@contextmanager
def saying_what_is_kept(begun: Path) -> Iterator[None]:
    """Say, where the block is interrupted, whether anything is left to go on from."""
    try:
        yield
    except KeyboardInterrupt:
        kept = f"What was done is in {begun}; the same command goes on from there."
        none = "Nothing was kept, and no file written: the same command begins anew."
        click.echo(kept if begun.exists() else none, err=True)
        raise


def _begun_file(target: Path, *request: Any) -> Path:
    """Return where a fit in pieces keeps what it has done: another file for other tables."""
    from hashlib import sha256

    files = [item for item in request if isinstance(item, Path) and item.exists()]
    states = [(file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    mark = sha256(repr((request, states)).encode()).hexdigest()[:8]
    return target.with_name(f"{target.name}.{mark}.begun")
