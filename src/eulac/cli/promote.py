"""`eulac promote`: named groups become known classes, and the model is refitted."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import PATH, TABLE, TableCommand, refuse_existing, text_options
from eulac.cli.output import echo_json, noted_warnings, percent, print_table, say
from eulac.data.table_formats import listed

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.report.decisions import Decisions
    from eulac.tables.table_model import TableModel

__all__ = ["promote"]


@click.command(
    cls=TableCommand,
    epilog="Example: eulac promote birds.eulac decisions.json --unlabeled pool.csv",
)
@click.argument("model", type=PATH)
@click.argument("decisions", type=PATH)
@click.option("--unlabeled", "pool", type=TABLE, required=True, help="The table of the page.")
@click.option("--output", type=PATH, help="Model to write. Default: MODEL-promoted.eulac.")
@click.option(
    "--proportion",
    type=click.Choice(["reviewed", "estimated"]),
    default="reviewed",
    show_default=True,
    help="Shares of the classes: as the review says, or estimated anew.",
)
@click.option("--force", is_flag=True, help="Replace an existing model file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@text_options
def promote(
    model: Path,
    decisions: Path,
    pool: Path,
    output: Path | None,
    proportion: str,
    force: bool,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Refit MODEL with the groups named in DECISIONS as known classes.

    DECISIONS is the file of `eulac report` or `eulac review`: JSON, a sheet (.csv), or what Label
    Studio exported. It is refused for any other table. Named rows become labeled ones and stay in
    the pool, which stands for deployment; others stay unlabeled. MODEL itself is not changed.
    """
    target = output or model.with_name(f"{model.stem}-promoted.eulac")
    refuse_existing(target, force)
    from eulac.persistence.files import load_table_model, save
    from eulac.report.decision_files import read_decisions
    from eulac.report.promotion import promote_table

    start = time.perf_counter()
    fitted, decided = load_table_model(model), read_decisions(decisions)
    with noted_warnings() as warned:
        found = promote_table(fitted, decided, pool, proportion=proportion, text=text)
    promoted = found.model
    save(promoted, target, overwrite=force)
    result = {
        "output": str(target),
        **_summary(fitted, promoted, decided),
        "rows_in_no_group": found.n_in_no_group,
        "seconds": round(time.perf_counter() - start, 2),
        "warnings": warned,
    }
    if as_json:
        echo_json(result)
    else:
        _print(result)


def _summary(model: TableModel, promoted: TableModel, decisions: Decisions) -> dict[str, Any]:
    kinds = [group.decision for group in decisions.groups]
    known = model.codec_.known.tolist()
    estimate = promoted.proportion_
    augmented = promoted.codec_.augmented_label in promoted.classes_.tolist()
    return {
        "named": {name: len(rows) for name, rows in decisions.named().items()},
        "rejected_groups": kinds.count("reject"),
        "known_groups": kinds.count("known"),
        "unsure_groups": kinds.count("unsure"),
        "undecided_groups": kinds.count("undecided"),
        "undecided_rows": len(decisions.rows_of("undecided")),
        "new_classes": [c for c in promoted.codec_.known.tolist() if c not in known],
        "classes": promoted.classes_.tolist(),
        "still_new": None
        if estimate is None
        else (estimate.augmented_proportion if augmented else 0.0),
        "calls_new": augmented,
    }


def _print(result: dict[str, Any]) -> None:
    print_table(("class", "rows named"), [(name, f"{n:,}") for name, n in result["named"].items()])
    say(
        f"Groups rejected: {result['rejected_groups']}; known after all: "
        f"{result['known_groups']}; not sure: {result['unsure_groups']}; left undecided: "
        f"{result['undecided_groups']}."
    )
    if result["undecided_rows"]:
        say(
            f"Rows left undecided: {result['undecided_rows']:,}. They stay unlabeled, as new ones. "
            "If they may be of a class you named, name them too, or have the share estimated anew: "
            "`--proportion estimated`."
        )
    if result["rows_in_no_group"]:
        say(
            f"Rows that look new and are in no group: {result['rows_in_no_group']:,}. Nobody was "
            "asked about them; they stay unlabeled."
        )
    say(*(f"Warning: {warning}" for warning in result["warnings"]))
    new = result["new_classes"]
    say(f"Now known too: {listed(new)}." if new else "No class is new; known ones have more rows.")
    if not result["calls_new"]:
        say(
            "All that looked new was named: the model calls nothing new any more. To look for "
            "more, fit with a new pool."
        )
    elif result["still_new"] is not None:
        say(f"{percent(result['still_new'])} of the pool are still new.")
    say(f"Model: {result['output']}")
