"""The public names, each with its home. `__init__.py` reads this list: names stand here only."""

from eulac.any_classifier.eulac_classifier import (
    EulacClassifier as EulacClassifier,
)
from eulac.any_classifier.pretrained_candidates import (
    pretrained_candidates as pretrained_candidates,
)
from eulac.any_classifier.select_classifier import select_classifier as select_classifier
from eulac.any_classifier.two_stage_classifier import (
    TwoStageEulacClassifier as TwoStageEulacClassifier,
)
from eulac.contenders.evm import EvmClassifier as EvmClassifier
from eulac.contenders.lacu_svm import LacuSvmClassifier as LacuSvmClassifier
from eulac.contenders.novelty import NoveltyClassifier as NoveltyClassifier
from eulac.contenders.osnn import OsnnClassifier as OsnnClassifier
from eulac.contenders.ovr_shift import OvrShiftClassifier as OvrShiftClassifier
from eulac.contenders.ovr_svm import OvrSvmClassifier as OvrSvmClassifier
from eulac.contenders.pac_iforest import PacIForestClassifier as PacIForestClassifier
from eulac.contenders.w_svm import WSvmClassifier as WSvmClassifier
from eulac.data.labels import (
    AUGMENTED as AUGMENTED,
)
from eulac.data.labels import (
    AUGMENTED_NAME as AUGMENTED_NAME,
)
from eulac.data.labels import (
    UNLABELED as UNLABELED,
)
from eulac.data.lac_sample import LacSample as LacSample
from eulac.deep.counterfactual import CounterfactualClassifier as CounterfactualClassifier
from eulac.deep.deep_classifier import DeepEulacClassifier as DeepEulacClassifier
from eulac.deep.ensemble_classifier import EnsembleEulacClassifier as EnsembleEulacClassifier
from eulac.deep.generative_openmax import GenerativeOpenMaxClassifier as GenerativeOpenMaxClassifier
from eulac.deep.head_classifier import HeadEulacClassifier as HeadEulacClassifier
from eulac.deep.lac_losses import (
    LacLoss as LacLoss,
)
from eulac.deep.lac_losses import (
    MulticlassLacLoss as MulticlassLacLoss,
)
from eulac.deep.openmax import OpenMaxClassifier as OpenMaxClassifier
from eulac.deep.softmax import SoftmaxThresholdClassifier as SoftmaxThresholdClassifier
from eulac.direct_risk.boosted_classifier import BoostedEulacClassifier as BoostedEulacClassifier
from eulac.direct_risk.linear_classifier import LinearEulacClassifier as LinearEulacClassifier
from eulac.discovery.new_classes import (
    NewClasses as NewClasses,
)
from eulac.discovery.new_classes import (
    find_new_classes as find_new_classes,
)
from eulac.discovery.next_rows import (
    next_row as next_row,
)
from eulac.discovery.next_rows import (
    spread_names as spread_names,
)
from eulac.distributed.answer_batches import (
    answer_schema as answer_schema,
)
from eulac.distributed.answer_batches import (
    predict_batches as predict_batches,
)
from eulac.distributed.dask_answers import predict_dask as predict_dask
from eulac.distributed.dask_fit import fit_dask as fit_dask
from eulac.distributed.polars_answers import predict_polars as predict_polars
from eulac.distributed.ray_answers import predict_ray as predict_ray
from eulac.distributed.ray_fit import fit_ray as fit_ray
from eulac.distributed.spark_answers import predict_spark as predict_spark
from eulac.distributed.spark_fit import fit_spark as fit_spark
from eulac.drift.two_readings import TwoReadingsProportion as TwoReadingsProportion
from eulac.evaluation.batch_estimate import estimate_batch as estimate_batch
from eulac.evaluation.confidence_error import confidence_error as confidence_error
from eulac.evaluation.label_errors import suspected_label_errors as suspected_label_errors
from eulac.evaluation.scoring import LabelFreeScorer as LabelFreeScorer
from eulac.frozen.frozen_classifier import FrozenEulacClassifier as FrozenEulacClassifier
from eulac.kernel.kernel_classifier import KernelEulacClassifier as KernelEulacClassifier
from eulac.landmark.landmark_classifier import LandmarkEulacClassifier as LandmarkEulacClassifier
from eulac.landmark.one_row_stream import OneRowStream as OneRowStream
from eulac.landmark.stream_classifier import StreamEulacClassifier as StreamEulacClassifier
from eulac.landmark.stream_metrics import stream_metrics as stream_metrics
from eulac.persistence.files import (
    load as load,
)
from eulac.persistence.files import (
    save as save,
)
from eulac.persistence.mlflow_flavor import (
    log_mlflow as log_mlflow,
)
from eulac.persistence.mlflow_flavor import (
    save_mlflow as save_mlflow,
)
from eulac.proportion.best_bin import BestBinProportion as BestBinProportion
from eulac.proportion.consensus import ConsensusProportion as ConsensusProportion
from eulac.proportion.dedpul import DedpulProportion as DedpulProportion
from eulac.proportion.elkan_noto import ElkanNotoProportion as ElkanNotoProportion
from eulac.proportion.estimate import ProportionEstimate as ProportionEstimate
from eulac.proportion.given import GivenProportion as GivenProportion
from eulac.proportion.kernel_mean import KernelMeanProportion as KernelMeanProportion
from eulac.proportion.pulse import PulseProportion as PulseProportion
from eulac.proportion.shifted import ShiftedProportion as ShiftedProportion
from eulac.proportion.tice import TiceProportion as TiceProportion
from eulac.report.decision_files import (
    read_decisions as read_decisions,
)
from eulac.report.decisions import (
    Decisions as Decisions,
)
from eulac.report.page import (
    write_report as write_report,
)
from eulac.report.page import (
    write_review as write_review,
)
from eulac.report.promotion import promote as promote
from eulac.risk.chosen_answers import choose_answers as choose_answers
from eulac.risk.class_quality import quality_by_class as quality_by_class
from eulac.risk.contingency import contingency_table as contingency_table
from eulac.risk.operating_curve import operating_curve as operating_curve
from eulac.risk.reliability import reliability_curve as reliability_curve
from eulac.risk.zero_one import (
    RiskEstimate as RiskEstimate,
)
from eulac.risk.zero_one import (
    cost_risk as cost_risk,
)
from eulac.solvers.moments import LacMoments as LacMoments
from eulac.tables.anndata_answers import annotate_anndata as annotate_anndata

HOMES: dict[str, str]
__version__: str
