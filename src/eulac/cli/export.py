"""`eulac export`: a model as an ONNX file, for programs without Python."""

from __future__ import annotations

from pathlib import Path

import click

from eulac.cli.output import echo_json, say
from eulac.cli.sources import PATH, load_table_model, refuse_existing

__all__ = ["export"]


@click.command(epilog="Example: eulac export birds.eulac --output birds.onnx")
@click.argument("model", type=PATH)
@click.option("--output", type=PATH, required=True, help="ONNX file to write.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def export(model: Path, output: Path, force: bool, as_json: bool) -> None:
    """Write a MODEL of number columns, fitted by the method `kernel`, as an ONNX graph.

    The graph takes a matrix `X` of doubles, the columns in the order shown, missing values NaN;
    it gives `label`, `probabilities` and `augmented_score`.
    """
    from eulac.data.table_formats import replacing
    from eulac.persistence.onnx import to_onnx

    refuse_existing(output, force)
    fitted = load_table_model(model)
    graph = to_onnx(fitted)
    with replacing(output) as draft:
        draft.write_bytes(graph.SerializeToString())
    result = {"output": str(output), "columns": fitted.columns.feature_names}
    if as_json:
        echo_json(result)
    else:
        say(f"{output}: columns {', '.join(result['columns'])}; label, probabilities, score out.")
