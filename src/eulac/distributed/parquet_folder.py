"""A folder of Parquet files to a folder of answers, file by file; a second run goes on.

An answer file takes its place when it is whole, and says in its metadata which model answered which
rows. What is there already is left as it is, if it says so.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from eulac.data.preprocessing import require_columns
from eulac.data.reading.column_watch import ColumnWatch
from eulac.data.reading.drafts import replacing
from eulac.distributed.answer_batches import answer_schema, answered_batches, read_columns
from eulac.exceptions import TableRequestError, UnfamiliarValuesWarning, warn_caller
from eulac.persistence.files import load_table_model
from eulac.tables.table_answers import LABEL

__all__ = ["FolderAnswers", "predict_folder"]

ORIGIN = b"eulac"
"""Key of the metadata that says where answers come from."""


class FolderAnswers(NamedTuple):
    """How often each answer was given in all files, and how many files were answered before."""

    counts: Counter[Any]
    n_files: int
    n_skipped: int


def predict_folder(
    model: Path | str,
    folder: Path | str,
    output: Path | str,
    *,
    keep: Sequence[str] = (),
    overwrite: bool = False,
    progress: Callable[[int, int | None], Any] = lambda done, total: None,
) -> FolderAnswers:
    """Answer every Parquet file of a folder, in a file of the same name in another folder.

    Parameters
    ----------
    model : path
        File of `eulac fit`.
    folder : path
        Files in folders of it count, too.
    output : path
        Folder to write to; made if it is not there. Answers of an earlier run are left and counted.
    keep : sequence of str, default=()
        Columns to carry over, after the one that identifies rows.
    overwrite : bool, default=False
        Whether to answer files again that are answered already.
    progress : callable
        Called as ``progress(done, total)`` after each file.

    Returns
    -------
    answers : FolderAnswers
    """
    model, folder, output = Path(model), Path(folder), Path(output)
    sources = _parquet_files(folder, output)
    fitted, digest = load_table_model(model), hashlib.sha256(model.read_bytes()).hexdigest()
    watch, counts, n_skipped = ColumnWatch(fitted.columns), Counter[Any](), 0
    for done, source in enumerate(sources, 1):
        target = output / source.relative_to(folder)
        origin = {"model": digest, "bytes": source.stat().st_size, "keep": list(keep)}
        if not overwrite and target.exists():
            counts.update(_earlier_answers(target, origin))
            n_skipped += 1
        else:
            counts.update(_answer_file(fitted, source, target, keep, origin, watch))
        progress(done, len(sources))
    for sentence in watch.sentences():
        warn_caller(sentence, UnfamiliarValuesWarning)
    return FolderAnswers(counts, len(sources), n_skipped)


def _parquet_files(folder: Path, output: Path) -> list[Path]:
    if output.resolve().is_relative_to(folder.resolve()):
        raise TableRequestError(
            f"answers must not be written among the rows; {str(output)!r} lies in "
            f"{str(folder)!r}. Choose another folder."
        )
    files = sorted(path for path in folder.rglob("*.parquet") if not path.name.startswith("."))
    if not files:
        raise TableRequestError(
            f"a folder of rows must hold .parquet files; {str(folder)!r} has none. Name another "
            "folder, or a table file."
        )
    return files


def _earlier_answers(target: Path, origin: dict[str, Any]) -> Counter[Any]:
    """Return the counts of a file of answers, refusing one that answers something else."""
    metadata = parquet.read_schema(target).metadata or {}
    said = json.loads(metadata.get(ORIGIN, b"{}"))
    other = [name for name, value in origin.items() if said.get(name) != value]
    if other:
        what = {"model": "another model", "bytes": "other rows", "keep": "other columns to keep"}
        raise TableRequestError(
            f"answers that are there already must be of this call; {str(target)!r} is of "
            f"{what[other[0]]}. Choose another folder, or pass `overwrite=True`."
        )
    labels = parquet.read_table(target, columns=[LABEL]).column(LABEL)
    return Counter({item["values"]: item["counts"] for item in labels.value_counts().to_pylist()})


def _answer_file(
    model: Any,
    source: Path,
    target: Path,
    keep: Sequence[str],
    origin: dict[str, Any],
    watch: ColumnWatch,
) -> Counter[Any]:
    """Write the answers to one file, and return how often each was given."""
    target.parent.mkdir(parents=True, exist_ok=True)
    counts: Counter[Any] = Counter()
    with parquet.ParquetFile(source) as rows, replacing(target) as draft:
        there = rows.schema_arrow
        require_columns(model.columns.names, there.names, str(source))
        carried = _with_id(model, keep, there)
        names = read_columns(model, there.names, carried)
        wanted = list(dict.fromkeys([*names, *carried]))
        schema = answer_schema(model, carried, there).with_metadata({ORIGIN: json.dumps(origin)})
        batches = rows.iter_batches(columns=wanted)
        with parquet.ParquetWriter(draft, schema) as writer:
            for answers in answered_batches(model, batches, names, carried, there, watch):
                counts.update(answers.column(LABEL).to_pylist())
                writer.write_batch(pa.record_batch(answers.columns, schema=schema))
    return counts


def _with_id(model: Any, keep: Sequence[str], there: pa.Schema) -> list[str]:
    name = model.columns.id_column
    return [name, *keep] if name in there.names and name not in keep else list(keep)
