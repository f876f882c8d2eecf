"""What becomes of a table's columns before the classifier, as part of an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from eulac.data.preprocessing import CATEGORY, DATE, FLAG, MISSING, NUMBER, TableColumns
from eulac.persistence.onnx_graph import ML_DOMAIN, Graph

__all__ = ["input_columns", "table_inputs"]

NEVER_SEEN = "\0never seen"


def input_columns(columns: TableColumns) -> dict[str, list[str]]:
    """Return which columns of the table are those of which input, in order.

    Examples
    --------
    >>> import pandas as pd
    >>> from eulac.data.preprocessing import fit_columns
    >>> frame = pd.DataFrame({"color": ["red", "blue"] * 8, "size": range(16)})
    >>> input_columns(fit_columns({"birds.csv": frame}))
    {'X': ['size'], 'categories': ['color']}
    """
    of = {kind: [n for n, k in columns.kinds.items() if k == kind] for kind in (NUMBER, FLAG)}
    inputs = {
        "X": of[NUMBER] + of[FLAG],
        "categories": [name for name, kind in columns.kinds.items() if kind == CATEGORY],
    }
    return {name: there for name, there in inputs.items() if there}


def table_inputs(graph: Graph, columns: TableColumns) -> str:
    """Declare the inputs of a table and return the matrix the classifier takes."""
    dates = [name for name, kind in columns.kinds.items() if kind == DATE]
    if dates:
        raise ValueError(
            f"ONNX graphs take numbers, flags and categories; {dates[0]!r} holds dates. Fit "
            f"without them: `--drop {dates[0]}`."
        )
    inputs, steps = input_columns(columns), columns.transformer.named_transformers_
    parts = []
    if "X" in inputs:
        fillers = (steps[kind] for kind in ("numbers", "flags") if kind in steps)
        values = np.concatenate([filler.statistics_ for filler in fillers]).astype(np.float64)
        x = graph.input("X", len(inputs["X"]))
        parts.append(graph.add("Where", graph.add("IsNaN", x), values, x))
    if "categories" in inputs:
        texts = graph.input("categories", len(inputs["categories"]), texts=True)
        encoder = steps["categories"]
        parts += [
            graph.add("Gather", table, _places(graph, graph.column(texts, index), known), axis=0)
            for index, (known, table) in enumerate(_encodings(encoder))
        ]
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)


def _places(graph: Graph, texts: str, known: list[str]) -> str:
    """Return the place of each text in a list, or the place after its end."""
    # An empty cell is a missing one; its own name still works.
    keys, places = [*known], [*range(len(known))]
    if MISSING in known and "" not in known:
        keys, places = [*keys, ""], [*places, known.index(MISSING)]
    return graph.add(
        "LabelEncoder",
        texts,
        domain=ML_DOMAIN,
        keys_strings=keys,
        values_int64s=places,
        default_int64=len(known),
    )


def _encodings(encoder: Any) -> list[tuple[list[str], Any]]:
    """Return, of each column, its categories and their features, those of unseen ones last."""
    import pandas as pd

    n_columns = len(encoder.categories_)
    edges = np.concatenate([[0], np.cumsum(_widths(encoder))])
    found = []
    for index, categories in enumerate(encoder.categories_):
        known = [str(category) for category in categories]
        rows = np.full((len(known) + 1, n_columns), NEVER_SEEN, dtype=object)
        rows[: len(known), index] = categories
        features = encoder.transform(pd.DataFrame(rows, columns=encoder.feature_names_in_))
        found.append((known, np.ascontiguousarray(features[:, edges[index] : edges[index + 1]])))
    return found


def _widths(encoder: Any) -> list[int]:
    """Return the number of features of each column; rare categories have one among them."""
    rare = encoder.infrequent_categories_
    return [
        len(known) if few is None else len(known) - len(few) + 1
        for known, few in zip(encoder.categories_, rare, strict=True)
    ]
