"""Tables of numbers, flags and categories to matrices: what each column is, and what it becomes.

Numbers keep their values, a missing one becomes the median; flags become 0 or 1; a category
becomes a column of zeros and ones, rare and unseen ones together; dates become elapsed days, month,
weekday and hour. Texts that differ in nearly every row, and empty columns, are left out. Scaling is
left to the classifier.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.date_parts import (
    PARTS,
    date_parts,
    look_like_dates,
    part_name,
    tells_samples_apart,
)
from eulac.data.table_formats import did_you_mean, listed
from eulac.exceptions import TableRequestError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PROSE", "TableColumns", "fit_columns", "holds_sentences", "require_columns"]

NUMBER, FLAG, CATEGORY, DATE = "number", "flag", "category", "date"
TREATMENTS = {
    NUMBER: "as it is; missing values become the median",
    FLAG: "0 or 1; missing values become the commoner one",
    CATEGORY: "a column of 0 and 1 each; rare and unseen values together, missing ones too",
    DATE: "elapsed days, month, weekday and hour, where they vary",
}
IDENTIFIES = "identifies rows: copied to answers"
APART = "labeled and unlabeled rows are of different times, so it tells the samples apart"
TIME = "time"
MISSING = "(missing)"
FLAGS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
PROSE, PROSE_WORDS = "of several words each; tables learn from no such texts", 4
RARE_ROWS, MOST_CATEGORIES = 5, 30
NAME_LIKE_SHARE, NAME_LIKE_VALUES = 0.5, 20
"""Texts with more distinct values than this, and in such a share of rows, name or describe rows."""


@dataclass(frozen=True, eq=False, repr=False)
class TableColumns:
    """The feature columns of a table and the fitted transformer that makes a matrix of them.

    Attributes
    ----------
    kinds : dict of str
        "number", "flag", "category" or "date" of every column used, in the order of the table.
    ignored : dict of str
        Columns left out, and why.
    transformer : sklearn.compose.ColumnTransformer
        Fitted; numbers first, then flags, then categories, then parts of dates.
    ranges : dict of (float, float)
        Smallest and largest value of each column of numbers.
    id_column : str or None
        Column that identifies rows.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, None, 3.0] * 5, "color": ["red", "blue", "red"] * 5})
    >>> columns = fit_columns({"birds.csv": frame})
    >>> columns
    TableColumns(1 number, 1 category: 3 features)
    >>> columns.transform(pd.DataFrame({"color": ["green"], "size": [None]}))
    array([[2., 0., 0.]])
    """

    kinds: dict[str, str]
    ignored: dict[str, str]
    transformer: Any
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    id_column: str | None = None

    @property
    def names(self) -> list[str]:
        """Columns a table must have."""
        return list(self.kinds)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of the matrix."""
        return [str(name) for name in self.transformer.get_feature_names_out()]

    @property
    def feature_columns(self) -> list[str]:
        """The column of the table that each column of the matrix comes from."""
        found: list[str] = []
        for title, step, names in self.transformer.transformers_:
            if title == _plural(CATEGORY):
                known = zip(names, step.categories_, step.infrequent_categories_, strict=True)
                for name, all_of, rare in known:
                    found += [name] * (len(all_of) if rare is None else len(all_of) - len(rare) + 1)
            elif title == _plural(DATE):
                found += [name.rpartition(" (")[0] for name in names]
            elif step != "drop":  # parts of dates that are not used
                found += names
        return found

    def categories(self) -> dict[str, set[str]]:
        """Return every text the fit saw in each column of categories."""
        names = [name for name, kind in self.kinds.items() if kind == CATEGORY]
        if not names:
            return {}
        known = self.transformer.named_transformers_[_plural(CATEGORY)].categories_
        return {name: set(map(str, values)) for name, values in zip(names, known, strict=True)}

    def as_texts(self, column: pd.Series) -> NDArray[Any]:
        """Return the cells of a column of categories as the texts they are compared by."""
        return _texts(column, "")

    def transform(self, frame: pd.DataFrame, source: str = "the table") -> NDArray[np.float64]:
        """Return the matrix of a table, whose columns are matched by name."""
        require_columns(self.names, list(frame.columns), source)
        complete = self._complete_numbers(frame)
        if complete is not None:
            return complete
        X = self.transformer.transform(_typed(frame, self.kinds, source))
        return np.ascontiguousarray(X, dtype=np.float64)

    def _complete_numbers(self, frame: pd.DataFrame) -> NDArray[np.float64] | None:
        """Return the matrix of a table of finite numbers, in which there is nothing to do."""
        if set(self.kinds.values()) != {NUMBER}:
            return None
        numbers = frame[self.names]
        if not all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in numbers.dtypes):
            return None
        X = np.ascontiguousarray(numbers.to_numpy(dtype=np.float64))
        return X if np.isfinite(X.sum()) else None

    def __repr__(self) -> str:
        kinds = list(self.kinds.values())
        counts = [(kinds.count(kind), kind) for kind in TREATMENTS]
        counted = ", ".join(f"{n} {kind if n == 1 else _plural(kind)}" for n, kind in counts if n)
        return f"TableColumns({counted}: {len(self.feature_names)} features)"


def fit_columns(
    frames: dict[str, pd.DataFrame], drop: Sequence[str] = (), id_column: str | None = None
) -> TableColumns:
    """Return the columns of one or more tables of the same rows' kind, fitted on all of them.

    Parameters
    ----------
    frames : dict of pandas.DataFrame
        Feature tables by where they came from. The first one says which columns there are; the
        others must have them too, in any order.
    drop : sequence of str, default=()
        Columns to leave out.
    id_column : str, optional
        Column that identifies rows, which is left out too; it may be absent already.

    Returns
    -------
    columns : TableColumns
    """
    import pandas as pd

    first, *others = frames
    names = [str(name) for name in frames[first].columns]
    require_columns(drop, names, first, what="a column to drop", typed=True)
    kept = [name for name in names if name not in {*drop, id_column}]
    for other in others:
        require_columns(kept, list(frames[other].columns), other)
    ignored = dict.fromkeys(drop, "asked for")
    if id_column is not None:
        ignored[id_column] = IDENTIFIES
    kinds: dict[str, str] = {}
    for name in kept:
        kind, reason = _kind({source: frame[name] for source, frame in frames.items()})
        if kind is None:
            ignored[name] = reason
        else:
            kinds[name] = kind
    typed = [_typed(frame, kinds, source) for source, frame in frames.items()]
    parts = _telling_parts(typed, kinds, ignored)
    if not kinds:
        raise ValueError(
            f"at least one column of {first} must be usable; none is: {_reasons(ignored)}."
        )
    rows = pd.concat(typed)
    transformer = _transformer(kinds, parts).fit(rows)
    return TableColumns(kinds, ignored, transformer, _ranges(rows, kinds), id_column)


def _telling_parts(
    typed: list[pd.DataFrame], kinds: dict[str, str], ignored: dict[str, str]
) -> list[str]:
    """Return the parts of dates to learn from; note the others, and drop dates without any."""
    parts: list[str] = []
    for name in [name for name, kind in kinds.items() if kind == DATE]:
        why = {}
        for part in (part_name(name, part) for part in PARTS):
            values = [frame[part].to_numpy() for frame in typed]
            together = np.concatenate(values)
            if not np.nanmin(together) < np.nanmax(together):
                why[part] = "the same in all rows"
            elif len(values) > 1 and tells_samples_apart(values[0], np.concatenate(values[1:])):
                why[part] = APART
            else:
                parts.append(part)
        apart = {part: reason for part, reason in why.items() if reason == APART}
        if len(why) == len(PARTS):
            ignored[name] = APART if apart else "the same date in all rows"
            del kinds[name]
        else:
            ignored |= apart
    return parts


def _ranges(rows: pd.DataFrame, kinds: dict[str, str]) -> dict[str, tuple[float, float]]:
    numbers = (name for name, kind in kinds.items() if kind == NUMBER)
    return {name: (float(rows[name].min()), float(rows[name].max())) for name in numbers}


def require_columns(
    wanted: Iterable[str],
    there: list[str],
    source: str,
    *,
    what: str = "every column it needs",
    typed: bool = False,
) -> None:
    """Refuse a table that lacks columns, naming them and a likely typing error.

    Columns that somebody typed are a wrong request; others make it the wrong table.
    """
    missing = [name for name in wanted if name not in there]
    if missing:
        raise (TableRequestError if typed else ValueError)(
            f"{source} must have {what}; it lacks {listed(missing)}. It has: "
            f"{', '.join(map(repr, there[:12]))}{', ...' if len(there) > 12 else ''}."
            f"{did_you_mean(missing[0], map(str, there))}"
        )


def _plural(kind: str) -> str:
    return "categories" if kind == CATEGORY else f"{kind}s"


def _reasons(ignored: dict[str, str]) -> str:
    return "; ".join(f"{name!r} ({reason})" for name, reason in list(ignored.items())[:6])


def _kind(columns: dict[str, pd.Series]) -> tuple[str | None, str]:
    """Return what a column is by all its tables, or None and why it is left out."""
    import pandas as pd

    filled = {source: column.dropna() for source, column in columns.items()}
    filled = {source: column for source, column in filled.items() if len(column)}
    if not filled:
        return None, "no values"
    found = {source: _kind_of_one(column) for source, column in filled.items()}
    kinds = set(found.values())
    if DATE in kinds and len(kinds) > 1:
        return None, "dates in one table, something else in another"
    if TIME in kinds:
        return None, "times without a date"
    if len(kinds) > 1 and kinds <= {NUMBER, FLAG}:
        return NUMBER, ""
    if len(kinds) > 1:
        (a, kind_a), (b, kind_b) = list(found.items())[:2]
        name = next(iter(columns.values())).name
        text = next(filled[s].iloc[0] for s, kind in found.items() if kind == CATEGORY)
        raise ValueError(
            f"column {name!r} must be of one kind; in {a} it holds {_plural(kind_a)}, in {b} "
            f"{_plural(kind_b)}, such as {_shown(text)}. Mend the values, or drop the column."
        )
    kind = kinds.pop()
    if kind == CATEGORY:
        values = pd.concat(list(filled.values())).astype(str)
        if _name_rows(values):
            kind = PROSE if reads_like_prose(values) else "as names have"
            return None, f"{values.nunique():,} different texts in {len(values):,} rows, {kind}"
    return kind, ""


def holds_sentences(texts: pd.Series) -> bool:
    """Whether texts, none of them missing, are sentences that describe their rows."""
    return _name_rows(texts) and reads_like_prose(texts)


def _name_rows(texts: pd.Series) -> bool:
    return bool(texts.nunique() > max(NAME_LIKE_VALUES, NAME_LIKE_SHARE * len(texts)))


def reads_like_prose(texts: pd.Series) -> bool:
    """Whether the usual cell of a column holds several words."""
    return bool(texts.astype(str).str.count(r"\w+\s").median() >= PROSE_WORDS - 1)


def _kind_of_one(column: pd.Series) -> str:
    """Return "number", "flag", "category", "date" or "time" of a column without gaps."""
    from pandas.api import types

    if types.is_bool_dtype(column) or all(isinstance(v, bool | np.bool_) for v in column):
        return FLAG
    if types.is_numeric_dtype(column):
        return NUMBER
    if types.is_timedelta64_dtype(column) or all(isinstance(v, datetime.time) for v in column):
        return TIME
    return DATE if look_like_dates(column) else CATEGORY


def _typed(frame: pd.DataFrame, kinds: dict[str, str], source: str) -> pd.DataFrame:
    """Return the used columns as numbers (gaps NaN) and texts (gaps a text of their own)."""
    import pandas as pd

    convert = {NUMBER: _numbers, FLAG: _flags, CATEGORY: _texts}
    columns: dict[str, Any] = {}
    for name, kind in kinds.items():
        if kind == DATE:
            columns |= date_parts(frame[name], source)
        else:
            columns[name] = convert[kind](frame[name], source)
    return pd.DataFrame(columns)


def _numbers(column: pd.Series, source: str) -> NDArray[np.float64]:
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.isinf(values) | (np.isnan(values) & column.notna().to_numpy())
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"column {column.name!r} must hold finite numbers; row {_row_number(column, row)} "
            f"(counted from 0) of {source} has {_shown(column.iloc[row])}. "
            "Mend it, or leave the cell empty."
        )
    return values


def _flags(column: pd.Series, source: str) -> NDArray[np.float64]:
    texts = column.astype(object).map(lambda value: str(value).strip().lower(), na_action="ignore")
    values = texts.map(FLAGS).to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.isnan(values) & column.notna().to_numpy()
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"column {column.name!r} must hold true or false; row {_row_number(column, row)} "
            f"(counted from 0) of {source} has {_shown(column.iloc[row])}. "
            "Mend it, or leave the cell empty."
        )
    return values


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _row_number(column: pd.Series, row: int) -> int:
    """Count from 0 over all pieces of a table that is read in pieces."""
    label = column.index[row]
    return int(label) if isinstance(label, int | np.integer) else row


def _texts(column: pd.Series, source: str) -> NDArray[Any]:
    from pandas.api import types

    if types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")  # whole numbers beside gaps are read as 1.0, 2.0
    texts = column.astype(object)
    if not types.is_string_dtype(column):
        texts = texts.map(str, na_action="ignore")
    return texts.where(texts.notna(), MISSING).to_numpy(dtype=object)


def _transformer(kinds: dict[str, str], date_columns: list[str]) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    steps = {
        NUMBER: SimpleImputer(strategy="median"),
        FLAG: SimpleImputer(strategy="most_frequent"),
        CATEGORY: OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            min_frequency=RARE_ROWS,
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        ),
        DATE: SimpleImputer(strategy="median"),
    }
    by_kind = {kind: [n for n, k in kinds.items() if k == kind] for kind in steps}
    by_kind[DATE] = date_columns
    parts = [(_plural(kind), steps[kind], names) for kind, names in by_kind.items() if names]
    return ColumnTransformer(parts, verbose_feature_names_out=False)
