"""Learning with augmented classes: K known classes or *new*, from unlabeled deployment data.

>>> from eulac import AUGMENTED, EulacClassifier
>>> EulacClassifier(known_proportion=0.8)
EulacClassifier(known_proportion=0.8)
"""

from typing import Any

from eulac.data.labels import AUGMENTED, AUGMENTED_NAME, UNLABELED
from eulac.data.lac_sample import LacSample
from eulac.estimators.kernel import EulacClassifier
from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.consensus import ConsensusProportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import GivenProportion
from eulac.proportion.shifted import ShiftedProportion
from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "AUGMENTED",
    "AUGMENTED_NAME",
    "UNLABELED",
    "BestBinProportion",
    "ConsensusProportion",
    "EulacClassifier",
    "GivenProportion",
    "LacSample",
    "ProportionEstimate",
    "RiskEstimate",
    "ShiftedProportion",
]


def __getattr__(name: str) -> Any:
    # Reading the installed metadata takes longer than all our own modules: only when asked.
    if name == "__version__":
        from importlib.metadata import version

        return version("eulac")
    raise AttributeError(f"module 'eulac' has no attribute {name!r}")
