"""Tables of scores of a deployed classifier: what they say of the pool, without retraining it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eulac.classifier.own_rows import augmented_margin
from eulac.data.preprocessing import require_columns
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.table_formats import listed
from eulac.data.tables import read_table
from eulac.exceptions import TableRequestError
from eulac.frozen.frozen_classifier import FrozenEulacClassifier
from eulac.tables.table_answers import LABEL, PROBABILITY, SCORE
from eulac.tables.training_tables import read_training_tables, require_unlabeled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ScoreAudit", "audit_tables"]


@dataclass(frozen=True, eq=False)
class ScoreAudit:
    """What the scores of a deployed classifier say of the pool.

    Attributes
    ----------
    classifier : FrozenEulacClassifier
        Fitted to both tables.
    columns : list of str
        Score column of each known class.
    answers : pandas.DataFrame
        Of the pool's rows, in their order, each by a comparison that has not seen it.
    n_labeled, n_unlabeled : int
    notes, warnings : list of str
    """

    classifier: FrozenEulacClassifier
    columns: list[str]
    answers: pd.DataFrame
    n_labeled: int
    n_unlabeled: int
    notes: list[str]
    warnings: list[str]


def audit_tables(
    labeled: Path,
    pool: Path,
    label_column: str | None = None,
    *,
    scores: str = "probabilities",
    oddness_column: str | None = None,
    drop: Sequence[str] = (),
    id_column: str | None = None,
    known_proportion: Any = "auto",
    random_state: int = 0,
    text: TextFormat = SNIFFED,
) -> ScoreAudit:
    """Return what the scores in two tables say of the pool.

    Parameters
    ----------
    labeled : Path
        Scores and labels of rows the deployed classifier was not trained on.
    pool : Path
        Scores of rows from where it is deployed; columns by the same names.
    label_column, drop, id_column, text
        As in `read_training_tables`.
    scores : {"probabilities", "logits"}, default="probabilities"
    oddness_column : str, optional
        Column that is bigger for odder rows.
    known_proportion : "auto" or float, default="auto"
    random_state : int, default=0
    """
    tables = read_training_tables(
        labeled, pool, label_column, drop=drop, id_column=id_column, text=text
    )
    require_unlabeled(tables.n_unlabeled, str(labeled), tables.label_column)
    known, *unlabeled = tables.frames.values()
    names = _score_columns(known, drop, oddness_column, str(labeled))
    classifier = FrozenEulacClassifier(
        scores,
        oddness_column=None if oddness_column is None else -1,
        known_proportion=known_proportion,
        random_state=random_state,
    )
    rows = [_numbers(part, names, source) for source, part in tables.frames.items()]
    classifier.fit(rows[0], tables.y, np.vstack(rows[1:]))
    ids = None if id_column is None else _ids(pool, id_column, text)
    return ScoreAudit(
        classifier,
        [names[column] for column in classifier.columns_],
        _answers(classifier, len(known), len(unlabeled[0]), ids),
        tables.n_labeled,
        tables.n_unlabeled,
        tables.notes,
        tables.warnings,
    )


def _ids(pool: Path, id_column: str, text: TextFormat) -> pd.DataFrame:
    features = read_table(pool, text=text).features
    require_columns([id_column], list(features), str(pool), what="the column of ids", asked=True)
    return features[[id_column]]


def _score_columns(
    frame: pd.DataFrame, drop: Sequence[str], oddness_column: str | None, source: str
) -> list[str]:
    """Return the columns of scores, oddness last."""
    wanted = [*drop, *([] if oddness_column is None else [oddness_column])]
    require_columns(wanted, list(frame), source, what="the columns asked for", asked=True)
    names = [name for name in frame if name not in (*drop, oddness_column)]
    return names if oddness_column is None else [*names, oddness_column]


def _numbers(frame: pd.DataFrame, names: list[str], source: str) -> Any:
    text = [name for name in names if frame[name].dtype.kind not in "fiub"]
    if text:
        raise TableRequestError(
            f"scores must be numbers; {listed(text)} of {source} are not all. Leave columns that "
            "are no scores out with `drop`."
        )
    return frame[names].to_numpy(dtype=float)


def _answers(
    classifier: FrozenEulacClassifier, n_labeled: int, n_pool: int, ids: pd.DataFrame | None
) -> pd.DataFrame:
    """Return the held-out answers of the pool's rows as a table, as `eulac predict` writes them."""
    import pandas as pd

    rows = slice(n_labeled, n_labeled + n_pool)
    probabilities = classifier.held_out_probabilities_[rows]
    names = [PROBABILITY.format(label) for label in classifier.classes_.tolist()]
    columns: dict[str, Any] = {LABEL: classifier.held_out_labels_[rows]}
    columns |= dict(zip(names, probabilities.T.astype(np.float32), strict=True))
    columns[SCORE] = augmented_margin(probabilities).astype(np.float32)
    answers = pd.DataFrame(columns)
    return answers if ids is None else pd.concat([ids, answers], axis=1)
