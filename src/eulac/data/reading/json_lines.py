"""Rows as JSON objects, one a line: written in full, read some at a time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["json_lines", "json_pieces"]


def json_pieces(path: Path, n_rows: int) -> Iterator[pd.DataFrame]:
    """Yield the rows of a file of JSON objects, one a line, some at a time."""
    import pandas as pd

    opened: Any = gzip.open if path.name.lower().endswith(".gz") else open
    start = 0
    with opened(path, "rt", encoding="utf-8") as stream:
        lines = (line for line in stream if line.strip())
        while rows := [json.loads(line) for line in islice(lines, n_rows)]:
            if not all(isinstance(row, dict) for row in rows):
                raise ValueError('a line is not a JSON object, as {"size": 1.5}')
            yield pd.DataFrame(rows, index=range(start, start + len(rows)))
            start += len(rows)


def json_lines(frame: pd.DataFrame) -> str:
    """Return rows as JSON objects, one a line; numbers in full, gaps as null.

    Examples
    --------
    >>> import pandas as pd
    >>> print(json_lines(pd.DataFrame({"size": [0.1, None], "kind": ["cat", "dog"]})), end="")
    {"size": 0.1, "kind": "cat"}
    {"size": null, "kind": "dog"}
    """
    single = {name: str for name, kind in frame.dtypes.items() if kind == np.float32}
    frame = frame.astype(single).astype(dict.fromkeys(single, float))  # 0.1, not 0.10000000149
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return "".join(json.dumps(row, default=str, ensure_ascii=False) + "\n" for row in records)
