"""Which of several classifiers suits the rows, as one call."""

from typing import Any

from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.any_classifier.tried_candidates import Selection

__all__ = ["select_classifier"]


def select_classifier(
    candidates: Any, X: Any, y: Any, X_unlabeled: Any = None, **options: Any
) -> Selection:
    """Return what each candidate is worth on these rows, judged by label-free risk.

    Parameters
    ----------
    candidates : "auto", mapping of names to classifiers, or sequence of classifiers
    X, y, X_unlabeled
        As in `EulacClassifier.fit`.
    **options
        Further parameters of `EulacClassifier`.

    Returns
    -------
    selection : Selection
        Names, label-free errors, weights and seconds of the candidates.
    """
    return EulacClassifier(candidates, choose="select", **options).fit(X, y, X_unlabeled).selection_
