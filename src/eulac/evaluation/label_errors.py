"""Labels that are probably wrong: rows that models without them find in another known class."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

__all__ = ["suspected_label_errors", "suspected_rows"]

CLEARLY = 9.0
"""If a tenth of the labels were wrong, one is likelier wrong than right only beyond this ratio."""


def suspected_rows(probabilities: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return, for each labeled row, the class it looks like: its own unless another is likelier.

    Another class must be as likely as it is for three quarters of the rows that carry its label,
    and `CLEARLY` likelier than the given one; so classes that overlap do not take in each other.

    Parameters
    ----------
    probabilities : array of shape (n_rows, n_known_classes)
        By models that have not seen the row.
    codes : int array of shape (n_rows,)
        Given class.

    Examples
    --------
    >>> p = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.05, 0.95]])
    >>> suspected_rows(p, np.array([0, 0, 1, 1, 0]))
    array([0, 0, 1, 1, 1])
    """
    shares = probabilities / np.maximum(probabilities.sum(axis=1, keepdims=True), 1e-300)
    rows = np.arange(len(codes))
    own = shares[rows, codes]
    usual = [_lower_quartile(own[codes == code]) for code in range(shares.shape[1])]
    likely = (shares >= usual) & (shares > CLEARLY * own[:, None])
    other = np.where(likely, shares, -1.0).argmax(axis=1)
    return np.where(likely.any(axis=1), other, codes)


def _lower_quartile(values: NDArray[np.float64]) -> float:
    return float(np.quantile(values, 0.25)) if len(values) else 2.0  # a class nobody is taken for


def suspected_label_errors(classifier: Any, y: Any) -> pd.DataFrame:
    """Return labeled rows of the fit that look like another known class, the surest first.

    Costs nothing: the fit has held out every row. Rows that look new are not listed; a label says
    that they are known.

    Parameters
    ----------
    classifier : fitted classifier with `held_out_probabilities_`
    y : array
        As it was passed to `fit`.

    Returns
    -------
    pandas.DataFrame
        Columns `row` (place in `y`, from 0), `label`, `looks_like`, `p_label` and `p_looks_like`.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from eulac import TwoStageEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(np.repeat([0.0, 6.0, 3.0], 40)[:, None], 0.5, (120, 2))
    >>> y = np.repeat([0, 1, -1], 40)
    >>> y[7] = 1
    >>> clf = TwoStageEulacClassifier(GaussianNB(), known_proportion=0.1, random_state=0).fit(X, y)
    >>> suspected_label_errors(clf, y)[["row", "label", "looks_like"]]
       row  label  looks_like
    0    7      1           0
    """
    check_is_fitted(classifier)
    codec = classifier.codec_
    codes = codec.encode(y)
    labeled = np.flatnonzero((codes >= 0) & (codes < codec.n_known_classes))
    p, given = classifier.held_out_probabilities_[labeled, : codec.n_known_classes], codes[labeled]
    other = suspected_rows(p, given)
    rows = np.arange(len(given))
    found = pd.DataFrame(
        {
            "row": labeled,
            "label": codec.known[given],
            "looks_like": codec.known[other],
            "p_label": p[rows, given],
            "p_looks_like": p[rows, other],
        }
    )[other != given]
    surest = np.argsort(found["p_label"] - found["p_looks_like"], kind="stable")
    return found.iloc[surest].reset_index(drop=True)
