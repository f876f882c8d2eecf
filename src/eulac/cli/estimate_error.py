"""`eulac estimate-error`: the test error in a pool, without a label there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eulac.cli.command_options import PATH, SEED, TABLE, TableCommand, text_options
from eulac.cli.output import echo_json, noted_warnings, percent, percent_range, say

if TYPE_CHECKING:
    from eulac.data.reading.text_format import TextFormat
    from eulac.tables.table_model import TableModel

__all__ = ["estimate_error"]

STORED = "The estimate of the fit, from rows held out there; for another pool name both tables."


@click.command(
    "estimate-error",
    cls=TableCommand,
    epilog="Example: eulac estimate-error birds.eulac --labeled fresh.csv --unlabeled pool.csv",
)
@click.argument("model", type=PATH)
@click.option("--labeled", type=TABLE, help="Rows of known classes the model did not learn from.")
@click.option("--unlabeled", "pool", type=TABLE, help="Rows from where it is deployed.")
@click.option("--label-column", help="Default: the one the model learned from.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
@text_options
def estimate_error(
    model: Path,
    labeled: Path | None,
    pool: Path | None,
    label_column: str | None,
    seed: int,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Estimate the MODEL's test error in a pool of unlabeled rows.

    Without tables: the estimate made when it was fitted. With fresh labeled rows of the known
    classes and a pool: its error there, the pool's known share estimated anew.
    """
    if (labeled is None) != (pool is None):
        given, missing = (
            ("--labeled", "--unlabeled") if pool is None else ("--unlabeled", "--labeled")
        )
        raise click.UsageError(f"`{given}` needs `{missing}` too; leave out both, or give both.")
    from eulac.persistence.files import load_table_model
    from eulac.tables.label_free_error import table_error

    fitted = load_table_model(model)
    if labeled is None or pool is None:
        result = _stored(fitted, model)
    else:
        with noted_warnings() as warned:
            error = table_error(fitted, labeled, pool, label_column, random_state=seed, text=text)
        result = {"n_labeled": error.n_labeled, "n_unlabeled": error.n_unlabeled}
        result |= _numbers(error.risk, error.proportion)
        result |= {"notes": error.notes, "warnings": [*error.warnings, *warned]}
    if as_json:
        echo_json(result)
    else:
        _print(result)


def _stored(model: TableModel, path: Path) -> dict[str, Any]:
    if model.risk_ is None or model.proportion_ is None:
        raise ValueError(
            f"{type(model.classifier).__name__} does not estimate its error when fitted, so "
            f"{path} holds none. Give `--labeled` and `--unlabeled` tables."
        )
    return _numbers(model.risk_, model.proportion_) | {"notes": [STORED], "warnings": []}


def _numbers(risk: Any, estimate: Any) -> dict[str, Any]:
    return {
        "estimated_error": risk.value,
        "estimated_error_interval": list(risk.interval),
        "known_proportion": estimate.total,
        "known_proportion_interval": list(estimate.interval),
    }


def _print(result: dict[str, Any]) -> None:
    say(
        f"Estimated error: {percent(result['estimated_error'])} "
        f"({percent_range(result['estimated_error_interval'])}).",
        f"Known share of the pool: {percent(result['known_proportion'])} "
        f"({percent_range(result['known_proportion_interval'])}).",
        *result["notes"],
        *(f"Warning: {warning}" for warning in result["warnings"]),
    )
