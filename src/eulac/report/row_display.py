"""How single rows are shown on the page: as values of telling columns, or as small images."""

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["Gallery", "column_effects", "display_table"]

Array = NDArray[np.float64]

MOST_COLUMNS = 7
"""Columns shown of each row."""

LONGEST_CELL = 28

RARE = 0.01
"""Values of so small a part of the rows count as one: any two sets differ in which they have."""

NAME_LIKE = 0.5
"""Texts with more distinct values than this share of the rows name them, and tell nothing."""


def display_table(X: Any, n_rows: int, feature_names: Any = None) -> pd.DataFrame:
    """Return what is shown of the rows: a frame as it is, an array under the names given.

    An index with a name identifies rows, and becomes the first column.
    """
    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=X.index.name is None)
    elif hasattr(X, "columns") and hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    else:
        values = np.asarray(X).reshape(n_rows, -1)
        named = feature_names is not None and len(feature_names) == values.shape[1]
        names = list(feature_names) if named else [f"column {i}" for i in range(values.shape[1])]
        frame = pd.DataFrame(values, columns=names)
    if len(frame) != n_rows:
        raise ValueError(
            f"`display` must have a row for each row of the pool ({n_rows}); it has {len(frame)}."
        )
    return frame


def column_effects(frame: pd.DataFrame, inside: NDArray[np.bool_]) -> Array:
    """Return how far rows inside a set differ from the others, for each column.

    Numbers: difference of means in standard deviations, with its sign. Other columns: twice the
    largest difference in shares that any set of values has.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.0, 1.0, 3.0, 3.0], "kind": ["a", "a", "b", "b"]})
    >>> column_effects(frame, np.array([False, False, True, True]))
    array([2., 2.])
    """
    if inside.all() or not inside.any():
        return np.zeros(frame.shape[1])
    return np.array([_effect(frame.iloc[:, i], inside) for i in range(frame.shape[1])])


def _effect(column: pd.Series, inside: NDArray[np.bool_]) -> float:
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        with np.errstate(invalid="ignore"):
            spread = np.nanstd(values) if np.isfinite(values).any() else 0.0
        if not spread > 0 or not np.isfinite(spread):
            return 0.0
        here, there = values[inside], values[~inside]
        if np.isnan(here).all() or np.isnan(there).all():
            return 0.0
        return float((np.nanmean(here) - np.nanmean(there)) / spread)
    text = _texts(column)
    if text.nunique() > NAME_LIKE * len(text):
        return 0.0
    n_alike = text.map(text.value_counts())
    text = text.where(n_alike >= max(2.0, RARE * len(text)), "one of the rare values")
    shares = pd.DataFrame(
        {
            "here": text[inside].value_counts(normalize=True),
            "there": text[~inside].value_counts(normalize=True),
        }
    ).fillna(0.0)
    return float((shares["here"] - shares["there"]).abs().sum())


def _texts(column: pd.Series) -> pd.Series:
    """Return values as texts, what is missing among them: it may be what tells."""
    return column.astype(object).where(column.notna(), "missing").map(str)


@dataclass(frozen=True, eq=False)
class Gallery:
    """The rows of a pool, ready to be shown.

    Attributes
    ----------
    frame : pandas.DataFrame
        A row for each row of the pool.
    pixels : array of shape (n_rows, height, width) or (n_rows, height, width, 3), or None
        The same as images.
    limits : (float, float)
        Values drawn as black and white.
    named : bool
        Whether the first column identifies rows: it is always shown first, and tells nothing.
    """

    frame: pd.DataFrame
    pixels: Array | None = None
    limits: tuple[float, float] = (0.0, 1.0)
    named: bool = False

    @classmethod
    def of(
        cls,
        X: Array,
        frame: pd.DataFrame,
        image_shape: Sequence[int] | None,
        *,
        named: bool = False,
    ) -> "Gallery":
        """Return the gallery of rows, as images where their shape is given."""
        if image_shape is None:
            return cls(frame, named=named)
        shape = tuple(int(side) for side in image_shape)
        is_image = len(shape) == 2 or (len(shape) == 3 and shape[2] == 3)
        if not is_image or math.prod(shape) != X.shape[1]:
            raise ValueError(
                "`image_shape` must be (height, width) or (height, width, 3) and hold the "
                f"{X.shape[1]} values of a row; got {shape}."
            )
        return cls(frame, X.reshape(len(X), *shape), (float(X.min()), float(X.max())))

    def columns(self, inside: NDArray[np.bool_]) -> list[int]:
        """Return the columns that tell rows inside a set from the others best, those first."""
        effects = np.abs(self._effects(inside))
        order = np.argsort(-effects, kind="stable").tolist()
        first = [0] if self.named else []
        return (first + [column for column in order if column not in first])[:MOST_COLUMNS]

    def _effects(self, inside: NDArray[np.bool_]) -> Array:
        effects = column_effects(self.frame, inside)
        if self.named:
            effects[0] = 0.0
        return effects

    def cells(self, row: int, columns: Sequence[int]) -> list[str]:
        """Return the values of a row as short texts."""
        return [_cell(self.frame.iat[row, column]) for column in columns]

    def image(self, row: int) -> str | None:
        """Return a row as a data URI of a PNG image; None where rows are no images."""
        if self.pixels is None:
            return None
        from matplotlib.image import imsave

        low, high = self.limits
        pixels, buffer = self.pixels[row], io.BytesIO()
        scaled = (pixels - low) / (high - low) if high > low else np.zeros_like(pixels)
        imsave(buffer, scaled, format="png", cmap="gray", vmin=0.0, vmax=1.0)
        return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")

    def traits(self, inside: NDArray[np.bool_], most: int = 3) -> list[str]:
        """Say what sets rows apart from the others: a few columns, and which way."""
        if self.pixels is not None:
            return []
        effects = self._effects(inside)
        order = np.argsort(-np.abs(effects), kind="stable")[:most]
        return [self._trait(int(i), effects[i], inside) for i in order if abs(effects[i]) >= 0.5]

    def _trait(self, column: int, effect: float, inside: NDArray[np.bool_]) -> str:
        values, name = self.frame.iloc[:, column], str(self.frame.columns[column])
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            here, there = values[inside].median(), values[~inside].median()
            direction = "higher" if effect > 0 else "lower"
            return f"{name} {direction} (median {_cell(here)} against {_cell(there)})"
        texts = _texts(values)
        here, there = (texts[rows].value_counts(normalize=True) for rows in (inside, ~inside))
        common = here.sub(there, fill_value=0.0).idxmax()
        often = "mostly" if here[common] >= 0.5 else "more often"
        shares = f"({here[common]:.0%} against {there.get(common, 0.0):.0%})"
        return f"{name} {often} {common[:LONGEST_CELL]!r} {shares}"


def _cell(value: Any) -> str:
    if isinstance(value, bool | np.bool_ | str):
        text = str(value)
        return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return _cell(str(value))
