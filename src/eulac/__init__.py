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
    from eulac.estimators.augmented import AugmentedClassifier
    from eulac.estimators.auto import AutoEulacClassifier, select_classifier
    from eulac.estimators.boosted import BoostedEulacClassifier
    from eulac.estimators.kernel import EulacClassifier
    from eulac.estimators.landmark import EulacLandmarkClassifier
    from eulac.estimators.linear import LinearEulacClassifier
    from eulac.estimators.stream import EulacStreamClassifier
    from eulac.evaluation.scoring import LabelFreeScorer
    from eulac.persistence.files import load, save
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
    from eulac.report.decisions import Decisions, read_decisions
    from eulac.report.groups import find_groups
    from eulac.report.page import write_report, write_review
    from eulac.report.promote import promote
    from eulac.risk.zero_one import RiskEstimate
    from eulac.solvers.moments import LacMoments

__all__ = [
    "AUGMENTED",
    "AUGMENTED_NAME",
    "UNLABELED",
    "AugmentedClassifier",
    "AutoEulacClassifier",
    "BestBinProportion",
    "BoostedEulacClassifier",
    "ConsensusProportion",
    "CounterfactualClassifier",
    "Decisions",
    "DedpulProportion",
    "DeepEulacClassifier",
    "ElkanNotoProportion",
    "EulacClassifier",
    "EulacLandmarkClassifier",
    "EulacStreamClassifier",
    "EvmClassifier",
    "GenerativeOpenMaxClassifier",
    "GivenProportion",
    "KernelMeanProportion",
    "LabelFreeScorer",
    "LacLoss",
    "LacMoments",
    "LacSample",
    "LacuSvmClassifier",
    "LinearEulacClassifier",
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
    "select_classifier",
    "find_groups",
    "promote",
    "read_decisions",
    "write_report",
    "write_review",
    "load",
    "save",
]

# Names are imported when they are first used: the command line answers `--help` without waiting
# for scikit-learn.
_HOMES = {
    "AUGMENTED": "eulac.data.labels",
    "AUGMENTED_NAME": "eulac.data.labels",
    "UNLABELED": "eulac.data.labels",
    "AugmentedClassifier": "eulac.estimators.augmented",
    "AutoEulacClassifier": "eulac.estimators.auto",
    "BestBinProportion": "eulac.proportion.best_bin",
    "BoostedEulacClassifier": "eulac.estimators.boosted",
    "ConsensusProportion": "eulac.proportion.consensus",
    "CounterfactualClassifier": "eulac.deep.counterfactual",
    "Decisions": "eulac.report.decisions",
    "DedpulProportion": "eulac.proportion.dedpul",
    "DeepEulacClassifier": "eulac.deep.classifier",
    "ElkanNotoProportion": "eulac.proportion.elkan_noto",
    "EulacClassifier": "eulac.estimators.kernel",
    "EulacLandmarkClassifier": "eulac.estimators.landmark",
    "EulacStreamClassifier": "eulac.estimators.stream",
    "EvmClassifier": "eulac.contenders.evm",
    "GenerativeOpenMaxClassifier": "eulac.deep.generative_openmax",
    "GivenProportion": "eulac.proportion.given",
    "KernelMeanProportion": "eulac.proportion.kernel_mean",
    "LabelFreeScorer": "eulac.evaluation.scoring",
    "LacLoss": "eulac.deep.losses",
    "LacMoments": "eulac.solvers.moments",
    "LacSample": "eulac.data.lac_sample",
    "LacuSvmClassifier": "eulac.contenders.lacu_svm",
    "LinearEulacClassifier": "eulac.estimators.linear",
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
    "select_classifier": "eulac.estimators.auto",
    "find_groups": "eulac.report.groups",
    "promote": "eulac.report.promote",
    "read_decisions": "eulac.report.decisions",
    "write_report": "eulac.report.page",
    "write_review": "eulac.report.page",
    "load": "eulac.persistence.files",
    "save": "eulac.persistence.files",
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
