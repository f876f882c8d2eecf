"""`eulac export`: a model as an ONNX file, for programs without Python."""

from __future__ import annotations

from pathlib import Path

import click

from eulac.cli.command_options import PATH, TableCommand, refuse_existing
from eulac.cli.output import echo_json, say

__all__ = ["export"]


@click.command(cls=TableCommand, epilog="Example: eulac export birds.eulac --output birds.onnx")
@click.argument("model", type=PATH)
@click.option("--output", type=PATH, required=True, help="ONNX file to write.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def export(model: Path, output: Path, force: bool, as_json: bool) -> None:
    """Write a MODEL as an ONNX graph; methods that cannot are refused by name.

    The graph takes numbers and flags as a matrix `X` of doubles, missing ones NaN, and, where
    there are any, categories as a matrix `categories` of texts, missing ones empty; the columns
    in the order shown. It gives `label`, `probabilities` and `augmented_score`.
    """
    from eulac.data.reading.drafts import replacing
    from eulac.persistence.files import load_table_model
    from eulac.persistence.onnx import to_onnx
    from eulac.persistence.onnx_inputs import input_columns

    refuse_existing(output, force)
    fitted = load_table_model(model)
    graph = to_onnx(fitted)
    with replacing(output) as draft:
        draft.write_bytes(graph.SerializeToString())
    inputs = input_columns(fitted.columns)
    if as_json:
        echo_json({"output": str(output), "inputs": inputs})
        return
    taken = "; ".join(f"{name}: {', '.join(columns)}" for name, columns in inputs.items())
    say(f"{output} takes {taken}. It gives label, probabilities and augmented_score.")
