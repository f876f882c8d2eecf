"""The test error of a fitted classifier on rows it has not seen, none labeled as augmented."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eulac.classifier.known_proportion import choose_proportion, warn_of_doubtful_proportion
from eulac.classifier.own_answers import own_answers_of
from eulac.classifier.own_rows import held_out_rows
from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.row_sketch import hash_rows
from eulac.data.splits import min_max_scale
from eulac.data.table_formats import listed
from eulac.drift.moved_risk import risk_after_drift
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk
from eulac.tables.labeled_tables import LabeledTable, read_table_for
from eulac.tables.pool_table import read_pool_table
from eulac.tables.table_model import TableModel

__all__ = ["TableError", "label_free_error", "seen_rows_warnings", "table_error"]

SEEN_ROWS = (
    "{:,} labeled rows are among those the model learned from, or equal to some. Labeled rows must "
    "not be among those the model learned from, or the error looks too small."
)


@dataclass(frozen=True)
class TableError:
    """The estimated error in a table of unlabeled rows, and what it rests on."""

    risk: RiskEstimate
    proportion: ProportionEstimate
    n_labeled: int
    n_unlabeled: int
    notes: list[str]
    warnings: list[str]
    n_held_out: int = 0
    """Rows of the pool that models answered which have not seen them, being of the fit."""


def label_free_error(
    classifier: Any,
    sample: LacSample,
    *,
    known_proportion: Any = "auto",
    random_state: int = 0,
) -> tuple[RiskEstimate, ProportionEstimate]:
    """Return the estimated error in the unlabeled rows, and their known proportion.

    Parameters
    ----------
    classifier : fitted classifier
    sample : LacSample
        Rows as the classifier takes them, none of them learned from; codes of its codec.
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Known share of the unlabeled rows, as in `KernelEulacClassifier`.
    random_state : int, default=0
        Seed of the proportion estimate.

    Examples
    --------
    >>> from eulac.contenders.osnn import OsnnClassifier
    >>> rng = np.random.default_rng(0)
    >>> def rows(codes):
    ...     return rng.normal(9.0 * np.array(codes)[:, None], 0.5, (len(codes), 2))
    >>> clf = OsnnClassifier(ratio=0.5).fit(rows([0, 1] * 30), [0, 1] * 30)
    >>> codes = np.array([0, 1] * 40)
    >>> sample = LacSample(rows(codes), codes, rows([0, 1, 9] * 50), clf.codec_)
    >>> risk, _ = label_free_error(clf, sample, known_proportion=2 / 3)
    >>> risk.value < 0.1
    True
    """
    present = np.bincount(sample.y_labeled, minlength=sample.n_known_classes)
    if np.any(present == 0):
        absent = sample.codec.known[present == 0].tolist()
        raise ValueError(
            f"labeled rows of every known class are needed; there are none of {absent}. Add some."
        )
    flat = [part.reshape(len(part), -1) for part in (sample.X_labeled, sample.X_unlabeled)]
    scaled = min_max_scale(np.vstack(flat))
    labeled, unlabeled = np.split(scaled, [sample.n_labeled])
    rows = replace(sample, X_labeled=labeled, X_unlabeled=unlabeled)
    chosen = choose_proportion(known_proportion, random_state=random_state)
    estimate = chosen.estimate(in_canonical_order(rows, random_state))
    warn_of_doubtful_proportion(estimate)
    encode = sample.codec.encode
    risk = zero_one_risk(
        encode(classifier.predict(sample.X_labeled)),
        sample.y_labeled,
        labeled_weights(sample.y_labeled, estimate.per_class),
        encode(own_answers_of(classifier, sample.X_unlabeled).answers.labels),
        augmented=sample.n_known_classes,
        proportion_error=estimate.standard_error,
    )
    return risk_after_drift(risk, estimate), estimate


def table_error(
    model: TableModel,
    labeled: Path,
    pool: Path,
    label_column: str | None = None,
    *,
    random_state: int = 0,
    text: TextFormat = SNIFFED,
) -> TableError:
    """Return the label-free error of a model's answers to a table of unlabeled rows.

    Parameters
    ----------
    model : TableModel
    labeled : Path
        Rows of the known classes that the model has not learned from.
    pool : Path
        Rows from where it is deployed.
    label_column : str, optional
        By default the one the model learned from.
    random_state : int, default=0
        Seed of the proportion estimate.
    text : TextFormat, optional
        As in `read_table`.
    """
    table, unseen = read_table_for(model, labeled, label_column, text=text)
    notes = [*table.notes]
    if unseen:
        notes.append(f"Not known to the model, and left out: {listed(unseen)}.")
    sample = _known_sample(model, table, read_pool_table(model, pool, text=text).X)
    warnings = seen_rows_warnings(model, sample.X_labeled)
    risk, estimate = label_free_error(model.classifier, sample, random_state=random_state)
    n_held_out = int(held_out_rows(model.classifier, sample.X_unlabeled).found.sum())
    sizes = sample.n_labeled, sample.n_unlabeled
    return TableError(risk, estimate, *sizes, notes, warnings, n_held_out)


def _known_sample(model: TableModel, table: LabeledTable, pool: Any) -> LacSample:
    """Return labeled rows of the known classes, and the rows of a pool."""
    codes = model.codec_.encode(table.y)
    known = codes < model.codec_.n_known_classes
    X = model.matrix(table.features[known], table.source)
    return LacSample(X, codes[known], pool, model.codec_)


def seen_rows_warnings(model: TableModel, X: Any) -> list[str]:
    """Return a warning where rows to judge a model by are among its labeled ones."""
    ours, theirs = (hash_rows(rows.reshape(len(rows), -1)) for rows in (X, model.X_labeled))
    n_seen = int(np.isin(ours, theirs).sum())
    return [SEEN_ROWS.format(n_seen)] if n_seen else []
