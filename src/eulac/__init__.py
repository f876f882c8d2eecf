"""Learning with augmented classes: K known classes or *new*, from unlabeled deployment data.

>>> from eulac import AUGMENTED, EulacClassifier
>>> EulacClassifier(known_proportion=0.8)
EulacClassifier(known_proportion=0.8)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eulac.contenders.ovr_shift import OvrShiftClassifier
    from eulac.data.labels import AUGMENTED, AUGMENTED_NAME, UNLABELED
    from eulac.data.lac_sample import LacSample
    from eulac.estimators.kernel import EulacClassifier
    from eulac.evaluation.scoring import LabelFreeScorer
    from eulac.proportion.best_bin import BestBinProportion
    from eulac.proportion.consensus import ConsensusProportion
    from eulac.proportion.dedpul import DedpulProportion
    from eulac.proportion.elkan_noto import ElkanNotoProportion
    from eulac.proportion.estimate import ProportionEstimate
    from eulac.proportion.given import GivenProportion
    from eulac.proportion.kernel_mean import KernelMeanProportion
    from eulac.proportion.pulse import PulseProportion
    from eulac.proportion.regrouping import RegroupedProportion
    from eulac.proportion.shifted import ShiftedProportion
    from eulac.proportion.tice import TiceProportion
    from eulac.risk.zero_one import RiskEstimate

__all__ = [
    "AUGMENTED",
    "AUGMENTED_NAME",
    "UNLABELED",
    "BestBinProportion",
    "ConsensusProportion",
    "DedpulProportion",
    "ElkanNotoProportion",
    "EulacClassifier",
    "GivenProportion",
    "KernelMeanProportion",
    "LabelFreeScorer",
    "LacSample",
    "ProportionEstimate",
    "OvrShiftClassifier",
    "PulseProportion",
    "RegroupedProportion",
    "RiskEstimate",
    "ShiftedProportion",
    "TiceProportion",
]

# Names are imported when they are first used: the command line answers `--help` without waiting
# for scikit-learn.
_HOMES = {
    "AUGMENTED": "eulac.data.labels",
    "AUGMENTED_NAME": "eulac.data.labels",
    "UNLABELED": "eulac.data.labels",
    "BestBinProportion": "eulac.proportion.best_bin",
    "ConsensusProportion": "eulac.proportion.consensus",
    "DedpulProportion": "eulac.proportion.dedpul",
    "ElkanNotoProportion": "eulac.proportion.elkan_noto",
    "EulacClassifier": "eulac.estimators.kernel",
    "GivenProportion": "eulac.proportion.given",
    "KernelMeanProportion": "eulac.proportion.kernel_mean",
    "LabelFreeScorer": "eulac.evaluation.scoring",
    "LacSample": "eulac.data.lac_sample",
    "ProportionEstimate": "eulac.proportion.estimate",
    "PulseProportion": "eulac.proportion.pulse",
    "OvrShiftClassifier": "eulac.contenders.ovr_shift",
    "RegroupedProportion": "eulac.proportion.regrouping",
    "RiskEstimate": "eulac.risk.zero_one",
    "ShiftedProportion": "eulac.proportion.shifted",
    "TiceProportion": "eulac.proportion.tice",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("eulac")
    raise AttributeError(f"module 'eulac' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
