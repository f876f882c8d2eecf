"""The loop closes: rows a reviewer named become labeled rows, and the classifier is refitted.

Named rows are labeled *and stay in the pool*. The pool stands for deployment; without its named
rows, their class would seem to be missing there, and the classifier would learn not to answer it.

The shares of the classes come from the review by default: a named class has the share of its rows
in the pool; still new are the rows that look new, were not named, and do not lie among known or
named rows; the old classes have the rest, in their estimated proportions. Estimating anew is
possible, but estimators compare labeled with unlabeled rows and take them for independent, which
the named rows are not: they are in both.

Where the review leaves nothing that could be new, unlabeled rows have nothing more to tell: the
refit is one of labeled rows only, which is the more accurate. It calls nothing new.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.data import requirements
from eulac.data.labels import LabelCodec, is_unlabeled
from eulac.data.reading.text_format import SNIFFED, TextFormat
from eulac.data.validation import require_same_columns
from eulac.discovery.false_alarms import among_known
from eulac.discovery.labeled_rows import (
    LabeledRows,
    as_matrix,
    labeled_rows,
    score_pool,
    without_checkpoint,
)
from eulac.discovery.spaces import KnownRows
from eulac.exceptions import NoUnlabeledRowsWarning
from eulac.proportion.estimate import ProportionEstimate
from eulac.report.decisions import Decisions
from eulac.tables.pool_table import read_pool_table
from eulac.tables.table_model import TableModel

__all__ = [
    "PROPORTIONS",
    "NamedRows",
    "PromotedTable",
    "is_all_known",
    "label_of",
    "n_in_no_group",
    "n_still_new",
    "named_rows",
    "promote",
    "promote_table",
    "promoted_rows",
    "reviewed_shares",
]

PROPORTIONS = ("reviewed", "estimated")

FEWEST_NEW = 5
"""Fewer rows that are still new are no class."""


@dataclass(frozen=True, eq=False)
class NamedRows:
    """What decisions come to for a classifier.

    Attributes
    ----------
    rows : int array
        Rows of the pool that were named.
    labels : array
        Their labels, of the same kind as the known ones.
    new_classes : list
        Labels that were not known before.
    known_after_all : int array
        Rows that look new and are of some known class, as a reviewer says.
    """

    rows: NDArray[np.intp]
    labels: NDArray[Any]
    new_classes: list[Any]
    known_after_all: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))


class PromotedTable(NamedTuple):
    """The model of a table after a review, and how many new-looking rows it did not decide on."""

    model: TableModel
    n_in_no_group: int


def named_rows(codec: LabelCodec, decisions: Decisions) -> NamedRows:
    """Return named rows with labels of the classifier's kind, text or numbers.

    Parameters
    ----------
    codec : LabelCodec
        Of the classifier that is promoted.
    decisions : Decisions
    """
    named = decisions.named()
    if not named:
        raise ValueError(
            "promoting needs at least one named group or row; the decisions name none. Name some, "
            "on the page of groups or in the column `name` of a sheet, and save again."
        )
    labels = {name: label_of(name, codec) for name in named}
    rows = np.concatenate(list(named.values()))
    if not len(rows):
        raise ValueError("promoting needs named rows; the named groups are empty.")
    repeated = [np.full(len(named[name]), labels[name], dtype=object) for name in named]
    values = np.concatenate(repeated)
    known = codec.known.tolist()
    new = sorted({label for label in labels.values() if label not in known})
    return NamedRows(rows, values, new, decisions.rows_of("known"))


def label_of(name: str, codec: LabelCodec) -> Any:
    """Return a typed name as a label, refusing what the classifier calls otherwise."""
    is_text = codec.known.dtype.kind in "USO" and isinstance(codec.known.tolist()[0], str)
    label: Any = name
    if not is_text:
        try:
            label = float(name)
        except ValueError:
            raise ValueError(
                f"the known classes are numbers ({codec.known.tolist()}), so new ones must be "
                f"too; got the name {name!r}. Type a number, or fit with labels that are text."
            ) from None
        if codec.known.dtype.kind != "f":
            if not label.is_integer():
                raise ValueError(f"the known classes are whole numbers; got the name {name!r}.")
            label = int(label)
    if label == codec.augmented_label or is_unlabeled([label], codec.unlabeled_label)[0]:
        raise ValueError(
            f"the name {name!r} already means 'new' or 'unlabeled' here. Choose another."
        )
    return label


def promote(
    classifier: Any,
    X: Any,
    y: Any,
    X_unlabeled: Any,
    decisions: Decisions,
    *,
    proportion: str = "reviewed",
) -> Any:
    """Refit a clone in which the named groups are known classes.

    Rows of named groups become labeled rows; groups of one name become one class, and a known
    name adds its rows to that class. Other rows stay unlabeled only; those that are known after all
    do not count as still new. All rows of the pool stay in it, because it stands for deployment. If
    all that looked new was named, the result knows no *augmented* class any more: fit with a new
    pool to look for more.

    Parameters
    ----------
    classifier : fitted classifier
        Left as it is.
    X, y : arrays or None
        Labeled rows of the fit (unlabeled ones may be among them). None for the rows a kernel
        classifier carries itself.
    X_unlabeled : array of shape (n_rows, n_features)
        The pool the decisions were made on.
    decisions : Decisions
    proportion : {"reviewed", "estimated"}, default="reviewed"
        Whether the shares of the classes come from the review (a named class has that of its rows
        in the pool, old classes what named and still new rows leave) or are estimated anew.

    Returns
    -------
    promoted : fitted classifier

    Examples
    --------
    >>> from eulac import KernelEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X, y = rng.normal(centers[[0] * 40 + [1] * 40], 0.5), np.repeat(["left", "right"], 40)
    >>> pool = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> clf = KernelEulacClassifier(random_state=0).fit(X, y, X_unlabeled=pool)
    >>> decisions = Decisions.from_names(pool, {"top": range(60, 120)})
    >>> promote(clf, X, y, pool, decisions).predict(centers)
    array(['left', 'right', 'top'], dtype='<U5')
    """
    requirements.require_choice("proportion", proportion, PROPORTIONS)
    decisions.require_pool(X_unlabeled)
    named = named_rows(classifier.codec_, decisions)
    rows, labels = promoted_rows(classifier, X, y, X_unlabeled, named)
    promoted, pool = without_checkpoint(clone(classifier)), _like(classifier, X_unlabeled)
    before = promoted.get_params(deep=False).get("known_proportion")
    if before is None:
        return promoted.fit(rows, labels, X_unlabeled=pool)
    # A number given for the old classes says nothing about the new ones.
    promoted.set_params(known_proportion=before if hasattr(before, "estimate") else "auto")
    if proportion == "estimated" or classifier.proportion_ is None:
        return promoted.fit(rows, labels, X_unlabeled=pool)
    n_new = n_still_new(classifier, LabeledRows(as_matrix(rows), labels), X_unlabeled, named)
    shares = reviewed_shares(classifier, named, decisions.n_rows, n_new)
    if is_all_known(shares, decisions.n_rows):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoUnlabeledRowsWarning)
            return promoted.fit(rows, labels)
    promoted.set_params(known_proportion=shares).fit(rows, labels, X_unlabeled=pool)
    return _as_unsure(promoted, classifier.proportion_)


def _as_unsure(promoted: Any, old: ProportionEstimate) -> Any:
    """Return a classifier whose reviewed share and error are no surer than what they rest on.

    Names settle what named rows are. How many of the others are known was estimated before.
    """
    share = promoted.proportion_
    low, high = (share.total + end - old.total for end in old.interval)
    interval = float(np.clip(low, 0.0, share.total)), float(np.clip(high, share.total, 1.0))
    promoted.proportion_ = replace(
        share, interval=interval, standard_error=float(old.standard_error)
    )
    if getattr(promoted, "risk_", None) is not None:
        error = math.hypot(promoted.risk_.standard_error, old.standard_error)
        promoted.risk_ = replace(promoted.risk_, standard_error=error)
    return promoted


def promote_table(
    model: TableModel,
    decisions: Decisions,
    pool: Path,
    *,
    proportion: str = "reviewed",
    text: TextFormat = SNIFFED,
) -> PromotedTable:
    """Return a model of a table in which the named groups are known classes; see `promote`.

    Parameters
    ----------
    model : TableModel
    decisions : Decisions
    pool : Path
        The table the decisions were made on.
    proportion : {"reviewed", "estimated"}, default="reviewed"
    text : TextFormat, optional
        As in `read_table`.
    """
    X = read_pool_table(model, pool, text=text).X
    given = model.classifier, model.X_labeled, model.y_labeled, X
    promoted = promote(*given, decisions, proportion=proportion)
    rows, labels = promoted_rows(*given, named_rows(model.codec_, decisions))
    model = replace(model, classifier=promoted, X_labeled=rows, y_labeled=labels)
    return PromotedTable(model, n_in_no_group(given[0], X, decisions))


def n_in_no_group(classifier: Any, X_unlabeled: Any, decisions: Decisions) -> int:
    """Return how many rows look new and are in none of the groups that were decided on."""
    grouped = [np.append(group.rows, group.excluded) for group in decisions.groups]
    rows = np.concatenate([*grouped, np.empty(0, dtype=np.intp)])
    looks_new = np.flatnonzero(score_pool(classifier, X_unlabeled).is_new)
    return len(np.setdiff1d(looks_new, rows))


def is_all_known(shares: Sequence[float], n_pool: int) -> bool:
    """Whether shares leave less than one row of a pool to classes that are still new."""
    return (1.0 - sum(shares)) * n_pool < 1.0 - 1e-6


def n_still_new(classifier: Any, labeled: LabeledRows, X_unlabeled: Any, named: NamedRows) -> int:
    """Return how many rows of the pool look new, are not named, and lie apart from labeled ones.

    A few stray rows are no class: they count as none.

    Parameters
    ----------
    classifier : fitted classifier
        From before the review.
    labeled : LabeledRows
        Old and named rows.
    X_unlabeled : array of shape (n_rows, n_features)
    named : NamedRows
    """
    decided = np.concatenate([named.rows, named.known_after_all])
    rows = np.setdiff1d(np.flatnonzero(score_pool(classifier, X_unlabeled).is_new), decided)
    codes = np.unique(labeled.codes, return_inverse=True)[1]
    apart = ~among_known(KnownRows(labeled.X, codes), as_matrix(X_unlabeled)[rows])
    return int(apart.sum()) if apart.sum() >= FEWEST_NEW else 0


def reviewed_shares(
    classifier: Any, named: NamedRows, n_pool: int, n_still_new: int
) -> list[float]:
    """Return the share of each class in the pool after a review, by sorted label."""
    codec, old = classifier.codec_, classifier.proportion_.per_class
    rest = max(n_pool - len(named.rows) - n_still_new, 0) / n_pool
    scaled = old * rest / max(old.sum(), 1e-12)
    shares = dict(zip(codec.known.tolist(), scaled.tolist(), strict=True))
    for label in named.labels:
        shares[label] = shares.get(label, 0.0) + 1.0 / n_pool
    return [min(shares[label], 1.0) for label in sorted(shares)]


def promoted_rows(
    classifier: Any, X: Any, y: Any, X_unlabeled: Any, named: NamedRows
) -> tuple[Any, NDArray[Any]]:
    """Return old and named rows with their labels, in the shape the classifier was fitted on."""
    require_same_columns(X, X_unlabeled)
    labeled = labeled_rows(classifier, X, y)
    if labeled is None:
        raise ValueError(
            f"{type(classifier).__name__} does not carry its labeled rows. Pass them as `X` and "
            "`y`."
        )
    rows = np.vstack([labeled.X, as_matrix(X_unlabeled)[named.rows]])
    rows = rows.reshape(len(rows), *np.shape(X_unlabeled)[1:])
    old = classifier.codec_.known[labeled.codes].astype(object)
    labels = np.concatenate([old, named.labels])
    return _like(classifier, rows), np.array(labels.tolist())


def _like(classifier: Any, rows: Any) -> Any:
    """Return rows under the column names of the fit, if it had any."""
    names = getattr(classifier, "feature_names_in_", None)
    if names is None or hasattr(rows, "columns"):
        return rows
    import pandas as pd

    return pd.DataFrame(rows, columns=names)
