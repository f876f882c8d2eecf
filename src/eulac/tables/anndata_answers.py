"""Cells of an AnnData object: labels of some of them in `obs`, answers for all back in `obs`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.classifier.answering import LacClassifier
from eulac.classifier.own_rows import augmented_margin
from eulac.exceptions import TableRequestError
from eulac.tables.table_answers import LABEL, SCORE

__all__ = ["annotate_anndata"]


def annotate_anndata(
    adata: Any,
    label_key: str,
    *,
    classifier: Any = None,
    use_rep: str = "X_pca",
    unlabeled: str = "Unknown",
    key_added: str = "eulac",
    random_state: Any = None,
) -> Any:
    """Answer for each cell: a labeled type, or new. Answers are added to `adata.obs`.

    Cells without a label are the pool. All cells, labeled ones too, are answered by models that
    have not seen them, so a labeled cell with another answer may be labeled wrongly.

    Parameters
    ----------
    adata : anndata.AnnData
    label_key : str
        Column of `adata.obs` with the labels; a cell without one is missing there, or `unlabeled`.
    classifier : classifier of this library, optional
        A copy of it is fitted. Default: `EulacClassifier`.
    use_rep : str, default="X_pca"
        Key of `adata.obsm` with the numbers of each cell, or "X" for `adata.X`, which must be
        dense then.
    unlabeled : str, default="Unknown"
        What else marks a cell without a label.
    key_added : str, default="eulac"
        Begins the names of what is added: ``eulac_label``, ``eulac_new_probability`` and
        ``eulac_augmented_score`` of `obs`, and ``uns["eulac"]`` with known share and estimated
        error, each with its interval.
    random_state : int or None, default=None
        Seed of the default classifier.

    Returns
    -------
    classifier : the fitted classifier

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import pandas as pd
    >>> from eulac import KernelEulacClassifier, annotate_anndata
    >>> rng = np.random.default_rng(0)
    >>> place = np.repeat([0.0, 6.0, 0.0, 6.0, 12.0], 40)
    >>> types = pd.Categorical(["B"] * 40 + ["T"] * 40 + ["Unknown"] * 120)
    >>> names = [f"cell {n}" for n in range(200)]
    >>> adata = anndata.AnnData(obs=pd.DataFrame({"type": types}, index=names))
    >>> adata.obsm["X_pca"] = rng.normal(size=(200, 3)) + place[:, None]
    >>> clf = annotate_anndata(adata, "type", classifier=KernelEulacClassifier(random_state=0))
    >>> adata.obs["eulac_label"].iloc[[0, 90, 190]].tolist()
    ['B', 'B', 'augmented']
    >>> bool(abs(adata.uns["eulac"]["known_proportion"] - 2 / 3) < 0.1)
    True
    """
    X, y = _representation(adata, use_rep), _labels(adata, label_key, unlabeled)
    if classifier is None:
        classifier = EulacClassifier(random_state=random_state)
    if not isinstance(classifier, LacClassifier):
        raise TypeError(
            "`classifier` must be one of this library that learns from unlabeled rows; got "
            f"{type(classifier).__name__}. Wrap it: TwoStageEulacClassifier(classifier)."
        )
    classifier = clone(classifier).set_params(unlabeled_label=unlabeled).fit(X, y)
    for name, values in _columns(classifier).items():
        adata.obs[f"{key_added}_{name}"] = values
    adata.uns[key_added] = _summary(classifier)
    return classifier


def _columns(classifier: Any) -> dict[str, Any]:
    import pandas as pd

    probabilities = classifier.held_out_probabilities_
    # As objects: not every version of AnnData can write the text columns of pandas 3 to a file.
    names = pd.Index(classifier.classes_.tolist(), dtype=object)
    return {
        LABEL: pd.Categorical.from_codes(probabilities.argmax(axis=1), names),
        "new_probability": probabilities[:, -1],
        SCORE: augmented_margin(probabilities),
    }


def _summary(classifier: Any) -> dict[str, Any]:
    """Return numbers and names only: what can be written to a file of cells."""
    estimate, risk = classifier.proportion_, classifier.risk_
    return {
        "known_proportion": float(estimate.total),
        "known_proportion_interval": np.asarray(estimate.interval, dtype=float),
        "per_class": np.asarray(estimate.per_class, dtype=float),
        "known_classes": np.asarray(classifier.known_classes_, dtype=str),
        "error": float(risk.value),
        "error_interval": np.asarray(risk.interval, dtype=float),
    }


def _representation(adata: Any, use_rep: str) -> NDArray[Any]:
    if use_rep != "X" and use_rep not in adata.obsm:
        there = ", ".join(repr(key) for key in adata.obsm) or "nothing"
        raise TableRequestError(
            f"`use_rep` must be a key of `adata.obsm`, or 'X'; got {use_rep!r}, and there is "
            f"{there}. Compute principal components first, for example by `scanpy.pp.pca`."
        )
    X = adata.X if use_rep == "X" else adata.obsm[use_rep]
    if hasattr(X, "toarray"):
        raise TableRequestError(
            f"the numbers of cells must be dense; {use_rep!r} is sparse. Compute principal "
            "components first, or pass `use_rep` of another key."
        )
    return np.asarray(X)


def _labels(adata: Any, label_key: str, unlabeled: str) -> NDArray[Any]:
    """Return labels as text, with one mark for all cells without."""
    if label_key not in adata.obs:
        there = ", ".join(repr(name) for name in adata.obs) or "nothing"
        raise TableRequestError(
            f"`label_key` must be a column of `adata.obs`; got {label_key!r}, and there is {there}."
        )
    labels = adata.obs[label_key].astype(object)
    labels = labels.where(labels.notna(), unlabeled).astype(str).to_numpy(dtype=str)
    if not np.any(labels == unlabeled):
        raise TableRequestError(
            f"some cells must have no label, or nothing can be new; all {len(labels):,} have one "
            f"in {label_key!r}. Say by `unlabeled` what marks the others, or add their cells."
        )
    return labels
