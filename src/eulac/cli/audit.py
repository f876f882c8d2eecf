"""`eulac audit`: what the scores of a deployed classifier say of a pool."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import (
    LABEL_COLUMN_HELP,
    PATH,
    QUOTE_HELP,
    SEED,
    TABLE,
    GuessingChoice,
    Share,
    TableCommand,
    in_options,
    refuse_existing,
    text_options,
)
from eulac.cli.output import (
    echo_json,
    noted_warnings,
    percent,
    percent_range,
    print_table,
    say,
)

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.tables.score_tables import ScoreAudit

__all__ = ["audit"]

CLASS_COLUMNS = ("class", "score column", "share of labeled", "share of pool", "answered")


@click.command(
    cls=TableCommand,
    epilog="Example: eulac audit scores_labeled.csv scores_pool.csv --label-column species",
)
@click.argument("labeled", type=TABLE)
@click.argument("pool", type=TABLE)
@click.option("--label-column", help=LABEL_COLUMN_HELP)
@click.option(
    "--scores",
    type=GuessingChoice(["probabilities", "logits"]),
    default="probabilities",
    show_default=True,
    metavar="KIND",
    help="What the columns hold: probabilities or logits.",
)
@click.option("--oddness-column", metavar="COLUMN", help="Any score that is bigger for odder rows.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="No score; may be repeated.")
@click.option("--id-column", help="Identifies rows, and is no score; copied to the answers.")
@click.option(
    "--known-proportion",
    type=Share(),
    metavar="SHARE",
    help="Known share of the pool, if it is known. Default: estimated.",
)
@click.option("--output", type=PATH, help="Table of the pool's answers to write.")
@click.option("--quote-formulas", is_flag=True, help=QUOTE_HELP)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
@text_options
def audit(
    labeled: Path,
    pool: Path,
    label_column: str | None,
    scores: str,
    oddness_column: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    known_proportion: float | None,
    output: Path | None,
    quote_formulas: bool,
    force: bool,
    seed: int,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Audit a deployed classifier by its scores, without retraining it.

    LABELED holds its scores, a column per known class, and the labels of rows it was not trained
    on; POOL its scores of unlabeled rows from where it is deployed. All other columns must be
    named: labels, oddness, ids, columns to drop. Says how much of the pool is known, the share of
    each class, and the test error there once rows may be answered with 'new'.
    """
    from eulac.data.reading.formula_cells import quoted_formulas
    from eulac.data.tables import write_table
    from eulac.tables.score_tables import audit_tables

    if output is not None:
        refuse_existing(output, force)
    with noted_warnings() as warned:
        found = audit_tables(
            labeled,
            pool,
            label_column,
            scores=scores,
            oddness_column=oddness_column,
            drop=drop,
            id_column=id_column,
            known_proportion="auto" if known_proportion is None else known_proportion,
            random_state=seed,
            text=text,
        )
    if output is not None:
        answers = quoted_formulas(found.answers) if quote_formulas else found.answers
        write_table(answers, output, overwrite=force)
    result = _summary(found, output, [*found.warnings, *map(in_options, warned)])
    if as_json:
        echo_json(result)
    else:
        _print(result)


def _summary(found: ScoreAudit, output: Path | None, warned: list[str]) -> dict[str, Any]:
    classifier = found.classifier
    estimate, risk = classifier.proportion_, classifier.risk_
    return {
        "n_labeled": found.n_labeled,
        "n_unlabeled": found.n_unlabeled,
        "known_proportion": estimate.total,
        "known_proportion_interval": list(estimate.interval),
        "estimated_error": risk.value,
        "estimated_error_interval": list(risk.interval),
        "separation": estimate.diagnostics.get("separation"),
        "weak_score": estimate.diagnostics.get("weak_score"),
        "classes": _classes(found),
        "output": None if output is None else str(output),
        "notes": [*map(in_options, found.notes)],
        "warnings": warned,
    }


def _classes(found: ScoreAudit) -> list[dict[str, Any]]:
    """Return labels with their columns and shares; *new* comes last and has neither of two."""
    classifier = found.classifier
    estimate, answered = classifier.proportion_, classifier.model_.answer_shares
    labeled = [float((classifier.held_out_codes_ == k).sum()) for k in range(len(found.columns))]
    columns = (
        classifier.classes_.tolist(),
        [*found.columns, None],
        [*(n / found.n_labeled for n in labeled), None],
        [*estimate.per_class.tolist(), estimate.augmented_proportion],
        answered.tolist(),
    )
    keys = "label", "score_column", "labeled_share", "unlabeled_share", "answered_share"
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def _print(result: dict[str, Any]) -> None:
    rows = []
    for one in result["classes"]:
        labeled = one["labeled_share"]
        rows.append(
            (
                str(one["label"]),
                one["score_column"] or "",
                "" if labeled is None else percent(labeled),
                percent(one["unlabeled_share"]),
                percent(one["answered_share"]),
            )
        )
    print_table(CLASS_COLUMNS, rows)
    say(
        f"Known share of the pool: {percent(result['known_proportion'])} "
        f"({percent_range(result['known_proportion_interval'])}).",
        f"Estimated error, 'new' among the answers: {percent(result['estimated_error'])} "
        f"({percent_range(result['estimated_error_interval'])}).",
        *result["notes"],
        *(f"Warning: {warning}" for warning in result["warnings"]),
    )
    if result["output"]:
        say(f"{result['n_unlabeled']:,} rows of the pool answered: {result['output']}")
