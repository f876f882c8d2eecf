"""Warnings of the package: a result that is usable but doubtful, each with its own class.

Errors are scikit-learn's and Python's own (`ValueError`, `TypeError`, `NotFittedError`), but for
files that cannot be trusted or read, and requests that leave open what is meant.
"""

import os
import sys
import warnings
from pathlib import Path

__all__ = [
    "DriftWarning",
    "EulacWarning",
    "InterruptedFitWarning",
    "ManyRowsWarning",
    "ModelFileError",
    "NoUnlabeledRowsWarning",
    "OwnPoolWarning",
    "ProportionAtBoundWarning",
    "ProportionDisagreementWarning",
    "ScoreAboveOneWarning",
    "SelectionWarning",
    "SentenceColumnWarning",
    "SeparatingColumnWarning",
    "SmallClassWarning",
    "TableRequestError",
    "TrivialPredictorWarning",
    "UnfamiliarValuesWarning",
    "WeakScoreWarning",
    "warn_caller",
]

PACKAGE = f"{Path(__file__).parent}{os.sep}"


class EulacWarning(UserWarning):
    """Base of every warning raised here: the result is usable but doubtful."""


class ModelFileError(ValueError):
    """A model file cannot be read, or a model cannot be stored safely."""


class TableRequestError(ValueError):
    """What was asked of tables leaves something open, or names a column that is not there."""


class InterruptedFitWarning(EulacWarning):
    """`fit` was interrupted; the model is what it had learned by then."""


class ManyRowsWarning(EulacWarning):
    """A fit whose time and memory grow faster than its rows was given many of them."""


class NoUnlabeledRowsWarning(EulacWarning):
    """`fit` saw no unlabeled rows, so nothing can be called augmented."""


class DriftWarning(EulacWarning):
    """Known classes seem to look in deployment other than in the labels."""


class OwnPoolWarning(EulacWarning):
    """`predict` was asked of the rows `fit` learned from, which held-out models answer better."""


class ProportionAtBoundWarning(EulacWarning):
    """The known proportion sits at 0, at 1, or on the search limit."""


class ProportionDisagreementWarning(EulacWarning):
    """Estimates of the known proportion from different scores lie far apart."""


class ScoreAboveOneWarning(EulacWarning):
    """A label-free accuracy exceeds 1 by more than chance: the rows are not what it assumes."""


class SelectionWarning(EulacWarning):
    """Rows were selected as new where the share of wrong ones among them is not controlled."""


class SentenceColumnWarning(EulacWarning):
    """A column of a frame holds sentences, of which categories are made."""


class SeparatingColumnWarning(EulacWarning):
    """Columns were left out that seem to have moved alone: an ID, a time stamp, another unit."""


class SmallClassWarning(EulacWarning):
    """A known class has fewer labeled rows than cross validation has folds."""


class TrivialPredictorWarning(EulacWarning):
    """The fitted classifier gives (almost) every unlabeled row the same answer."""


class UnfamiliarValuesWarning(EulacWarning):
    """Rows hold categories, or numbers far outside the range, that the fit has not seen."""


class WeakScoreWarning(EulacWarning):
    """Scores of a frozen classifier hardly tell new rows from known ones."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the first line above that is not of this package, however deep the doubt was found.

    Examples
    --------
    >>> import pytest
    >>> with pytest.warns(UserWarning, match="doubtful") as caught:
    ...     warn_caller("doubtful", UserWarning)
    >>> len(caught)
    1
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
