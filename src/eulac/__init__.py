"""Learning with augmented classes: K known classes or *new*, from unlabeled deployment data.

>>> from eulac import AUGMENTED, EulacClassifier
>>> EulacClassifier(known_proportion=0.8)
EulacClassifier(known_proportion=0.8)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eulac.contenders.evm import EvmClassifier
    from eulac.contenders.lacu_svm import LacuSvmClassifier
    from eulac.contenders.novelty import NoveltyClassifier
    from eulac.contenders.osnn import OsnnClassifier
    from eulac.contenders.ovr_shift import OvrShiftClassifier
    from eulac.contenders.ovr_svm import OvrSvmClassifier
    from eulac.contenders.pac_iforest import PacIForestClassifier
    from eulac.contenders.w_svm import WSvmClassifier
    from eulac.data.labels import AUGMENTED, AUGMENTED_NAME, UNLABELED
    from eulac.data.lac_sample import LacSample
    from eulac.deep.classifier import DeepEulacClassifier
    from eulac.deep.counterfactual import CounterfactualClassifier
    from eulac.deep.generative_openmax import GenerativeOpenMaxClassifier
    from eulac.deep.losses import LacLoss, MulticlassLacLoss
    from eulac.deep.openmax import OpenMaxClassifier
    from eulac.deep.softmax import SoftmaxThresholdClassifier
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
    "CounterfactualClassifier",
    "DedpulProportion",
    "DeepEulacClassifier",
    "ElkanNotoProportion",
    "EulacClassifier",
    "EvmClassifier",
    "GenerativeOpenMaxClassifier",
    "GivenProportion",
    "KernelMeanProportion",
    "LabelFreeScorer",
    "LacLoss",
    "LacSample",
    "LacuSvmClassifier",
    "MulticlassLacLoss",
    "NoveltyClassifier",
    "OpenMaxClassifier",
    "OsnnClassifier",
    "OvrShiftClassifier",
    "OvrSvmClassifier",
    "PacIForestClassifier",
    "ProportionEstimate",
    "PulseProportion",
    "RegroupedProportion",
    "RiskEstimate",
    "ShiftedProportion",
    "SoftmaxThresholdClassifier",
    "TiceProportion",
    "WSvmClassifier",
]

# Names are imported when they are first used: the command line answers `--help` without waiting
# for scikit-learn.
_HOMES = {
    "AUGMENTED": "eulac.data.labels",
    "AUGMENTED_NAME": "eulac.data.labels",
    "UNLABELED": "eulac.data.labels",
    "BestBinProportion": "eulac.proportion.best_bin",
    "ConsensusProportion": "eulac.proportion.consensus",
    "CounterfactualClassifier": "eulac.deep.counterfactual",
    "DedpulProportion": "eulac.proportion.dedpul",
    "DeepEulacClassifier": "eulac.deep.classifier",
    "ElkanNotoProportion": "eulac.proportion.elkan_noto",
    "EulacClassifier": "eulac.estimators.kernel",
    "EvmClassifier": "eulac.contenders.evm",
    "GenerativeOpenMaxClassifier": "eulac.deep.generative_openmax",
    "GivenProportion": "eulac.proportion.given",
    "KernelMeanProportion": "eulac.proportion.kernel_mean",
    "LabelFreeScorer": "eulac.evaluation.scoring",
    "LacLoss": "eulac.deep.losses",
    "LacSample": "eulac.data.lac_sample",
    "LacuSvmClassifier": "eulac.contenders.lacu_svm",
    "MulticlassLacLoss": "eulac.deep.losses",
    "NoveltyClassifier": "eulac.contenders.novelty",
    "OpenMaxClassifier": "eulac.deep.openmax",
    "OsnnClassifier": "eulac.contenders.osnn",
    "OvrShiftClassifier": "eulac.contenders.ovr_shift",
    "OvrSvmClassifier": "eulac.contenders.ovr_svm",
    "PacIForestClassifier": "eulac.contenders.pac_iforest",
    "ProportionEstimate": "eulac.proportion.estimate",
    "PulseProportion": "eulac.proportion.pulse",
    "RegroupedProportion": "eulac.proportion.regrouping",
    "RiskEstimate": "eulac.risk.zero_one",
    "ShiftedProportion": "eulac.proportion.shifted",
    "SoftmaxThresholdClassifier": "eulac.deep.softmax",
    "TiceProportion": "eulac.proportion.tice",
    "WSvmClassifier": "eulac.contenders.w_svm",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        try:
            value = getattr(import_module(_HOMES[name]), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ImportError(
                f"eulac.{name} needs PyTorch, which is not installed. Install it with: "
                "pip install 'eulac[deep]'."
            ) from error
        globals()[name] = value
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("eulac")
    raise AttributeError(f"module 'eulac' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
