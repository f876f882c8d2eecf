"""How a text file of cells is written: what separates them, which decimal mark, which encoding.

The head of the file tells. What the user says wins.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["SNIFFED", "TextFormat", "text_notes"]

SEPARATORS = (",", ";", "\t", "|")
"""What is looked for; a file with another one must be told."""

NAMES = {"\t": "a tab", ",": "a comma", ";": "';'", "|": "'|'", " ": "a space"}
DECIMALS = (".", ",")
HEAD_BYTES, BLOCK_BYTES, MOST_BYTES = 64 * 2**10, 2**20, 64 * 2**20
"""Cells are looked at in the head; letters beyond ASCII in the first 64 MB."""

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class TextFormat:
    r"""How text files are written; what is None is found out from each file.

    Attributes
    ----------
    separator : str, optional
        One character between cells.
    decimal : {".", ","}, optional
    encoding : str, optional
        As Python calls it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "wine.csv")
    ...     _ = path.write_text("alcohol;kind\n14,2;red\n13,1;white\n")
    ...     SNIFFED.of(path)
    TextFormat(separator=';', decimal=',', encoding='utf-8')
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None and len(self.separator) != 1:
            raise ValueError(
                f"`separator` must be one character, as ';' or a tab; got {self.separator!r}."
            )
        if self.decimal is not None and self.decimal not in DECIMALS:
            raise ValueError(f"`decimal` must be '.' or ','; got {self.decimal!r}.")
        if self.encoding is not None:
            _require_encoding(self.encoding)

    def of(self, path: Path) -> TextFormat:
        """Return the format of a file, nothing left open."""
        encoding = self.encoding or _sniffed_encoding(path)
        lines = _head(path, encoding)
        separator = self.separator or _sniffed_separator(lines, own_separator(path))
        decimal = self.decimal or _sniffed_decimal(lines, separator)
        return TextFormat(separator, decimal, encoding)

    def options(self) -> dict[str, Any]:
        """Return the format as pandas calls it."""
        options = {"sep": self.separator, "decimal": self.decimal, "encoding": self.encoding}
        return options | _exact_numbers()


def _exact_numbers() -> dict[str, Any]:
    """Return what makes pandas read the number that was written; from 3.1 on it does so unasked."""
    import pandas as pd
    from sklearn.utils.fixes import parse_version

    is_exact = parse_version(pd.__version__) >= parse_version("3.1")
    return {} if is_exact else {"float_precision": "round_trip"}


SNIFFED = TextFormat()
"""Nothing said: each file is looked at."""


def own_separator(path: Path) -> str:
    """Return what a suffix promises: tabs in .tsv files, commas in others."""
    return "\t" if ".tsv" in path.name.lower() else ","


def text_notes(path: Path, text: TextFormat = SNIFFED) -> list[str]:
    """Return a sentence about a text file that is not written as its suffix promises."""
    found = text.of(path)
    said = []
    if found.separator != own_separator(path):
        said.append(f"{NAMES.get(str(found.separator), repr(found.separator))} between cells")
    if found.decimal != ".":
        said.append("a decimal comma")
    if found.encoding not in ("utf-8", "utf-8-sig"):
        said.append(f"the encoding {found.encoding}")
    return [f"{path} is read with {' and '.join(said)}."] if said else []


def _require_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError as error:
        raise ValueError(
            f"`encoding` must be one that Python knows, as 'utf-8' or 'latin-1'; got {name!r}."
        ) from error


def _blocks(path: Path, most: int) -> Iterator[bytes]:
    """Yield the beginning of a file, unpacked; nothing more where the packing is broken."""
    opened: Any = gzip.open if path.name.lower().endswith(".gz") else open
    with opened(path, "rb") as stream:
        try:
            for _ in range(max(1, most // BLOCK_BYTES)):
                block = stream.read(min(BLOCK_BYTES, most))
                if not block:
                    return
                yield block
        except (OSError, EOFError):
            return


def _sniffed_encoding(path: Path) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for index, block in enumerate(_blocks(path, MOST_BYTES)):
        if index == 0:
            for mark, name in MARKS.items():
                if block.startswith(mark):
                    return name
        try:
            decoder.decode(block)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8"


def _head(path: Path, encoding: str) -> list[str]:
    """Return the first whole lines."""
    content = next(_blocks(path, HEAD_BYTES), b"")
    lines = content.decode(encoding, errors="replace").splitlines(keepends=True)
    whole = lines if len(content) < HEAD_BYTES else lines[:-1]
    return whole or lines


def _rows(lines: list[str], separator: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(lines, delimiter=separator) if row]
    except csv.Error:
        return []


def _sniffed_separator(lines: list[str], own: str) -> str:
    """Return what cuts every line into as many cells as the first; the suffix's own in doubt."""
    widths = {}
    for separator in SEPARATORS:
        counts = {len(row) for row in _rows(lines, separator)}
        if len(counts) == 1:
            widths[separator] = counts.pop()
    if widths.get(own, 1) > 1:
        return own
    best = max(widths, key=lambda separator: widths[separator], default=own)
    return best if widths.get(best, 1) > 1 else own


def _sniffed_decimal(lines: list[str], separator: str) -> str:
    """Return "," where cells hold numbers with a comma and none with a point."""
    if separator == ",":
        return "."
    cells = {cell.strip() for row in _rows(lines, separator)[1:] for cell in row}
    commas = any(re.fullmatch(r"[-+]?\d+,\d+", cell) for cell in cells)
    points = any(re.fullmatch(r"[-+]?\d+\.\d+", cell) for cell in cells)
    return "," if commas and not points else "."
