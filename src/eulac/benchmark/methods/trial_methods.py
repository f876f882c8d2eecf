"""The methods a trial may name, with their settings and what they take from the draw.

To add a method, add an entry to `TRIAL_METHODS`; a new kind of method is a class like those of
`method_kinds.py`.
"""

from collections.abc import Iterable, Mapping

from eulac.benchmark.methods.family_methods import (
    CandidateOfMixture,
    MixtureOfFamilies,
    RefinedClassifier,
)
from eulac.benchmark.methods.judged_fits import JudgedFit
from eulac.benchmark.methods.method_kinds import (
    EstimateOnly,
    FittedClassifier,
    Measurement,
    TrialMethod,
)
from eulac.benchmark.methods.network_methods import HeadMethod, NetworkMethod
from eulac.data.table_formats import did_you_mean
from eulac.proportion.methods import PROPORTIONS

__all__ = [
    "CONTENDERS",
    "DEEP_METHODS",
    "FAMILY_METHODS",
    "TRIAL_METHODS",
    "find_method",
    "require_methods",
]

_KERNEL = "eulac.kernel.kernel_classifier:KernelEulacClassifier"
_CONTENDERS = "eulac.contenders"
_FAMILIES = "eulac.benchmark.methods.family_methods"
_LINEAR = "eulac.direct_risk.linear_classifier:LinearEulacClassifier"
_BOOSTED = "eulac.direct_risk.boosted_classifier:BoostedEulacClassifier"
_UNSCALED = {"scale": None}
_PAPER = {"grid": "paper", "selection": "surrogate", "decision": "largest"} | _UNSCALED
_BASE = {"shift": False}

CONTENDERS: Mapping[str, TrialMethod] = {
    "ovr_svm": FittedClassifier(
        "OVR-SVM", f"{_CONTENDERS}.ovr_svm:OvrSvmClassifier", paper_name="ovr_svm"
    ),
    "w_svm": FittedClassifier("W-SVM", f"{_CONTENDERS}.w_svm:WSvmClassifier", paper_name="w_svm"),
    "osnn": FittedClassifier("OSNN", f"{_CONTENDERS}.osnn:OsnnClassifier", paper_name="osnn"),
    "evm": FittedClassifier("EVM", f"{_CONTENDERS}.evm:EvmClassifier", paper_name="evm"),
    "lacu_svm": FittedClassifier(
        *("LACU-SVM", f"{_CONTENDERS}.lacu_svm:LacuSvmClassifier"),
        shares="consensus",
        paper_name="lacu_svm",
    ),
    "pac_iforest": FittedClassifier(
        *("PAC-iForest", f"{_CONTENDERS}.pac_iforest:PacIForestClassifier"),
        shares="consensus",
        paper_name="pac_iforest",
    ),
}
"""What Table 1 compares with."""

_KERNEL_METHODS: Mapping[str, TrialMethod] = {
    # Grid, selection, decision and proportion of the paper: what it would print with our rows.
    "kernel_paper": FittedClassifier(
        "EULAC, paper's settings", _KERNEL, _PAPER, shares="kme_base", paper_name="eulac"
    ),
    "kernel_paper_grid": FittedClassifier(
        *("EULAC, paper's grid", _KERNEL, {"grid": "paper"} | _UNSCALED),
        shares="consensus",
        paper_name="eulac",
    ),
    # One reading of the share, as in the paper: a fit without a draw's estimate reads twice.
    "kernel": FittedClassifier("EULAC, kernel", _KERNEL, shares="consensus", paper_name="eulac"),
    # Section 5.3. An estimate is taken as it is, so the priors it was made with are the variant.
    "kernel_base": FittedClassifier("EULAC-base", _KERNEL, shares="consensus_base"),
    "kernel_base_plus": FittedClassifier(
        *("EULAC-base++", _KERNEL, {"shift": "base++"} | _UNSCALED),
        shares="consensus_shift",
        takes="per_class",
    ),
    "kernel_shift": FittedClassifier("EULAC-shift", _KERNEL, shares="consensus_shift"),
    "kernel_shift_auto": FittedClassifier("EULAC-auto", _KERNEL, shares="consensus"),
    "ovr_shift": FittedClassifier(
        *("OVR-shift", f"{_CONTENDERS}.ovr_shift:OvrShiftClassifier"),
        shares="consensus_shift",
        takes="per_class",
    ),
    "kernel_given": FittedClassifier("EULAC, given proportion", _KERNEL),
}

_DEFAULT = "eulac.any_classifier.eulac_classifier:EulacClassifier"
_DEFAULT_METHODS: Mapping[str, TrialMethod] = {
    "default": FittedClassifier("EULAC", _DEFAULT, {}),
    "default_as_labeled": FittedClassifier("EULAC, drift ruled out", _DEFAULT, {"drift": False}),
    "judged_default": JudgedFit("EULAC", _DEFAULT),
    "judged_kernel": JudgedFit("EULAC, kernel", _KERNEL),
}

FAMILY_METHODS: Mapping[str, TrialMethod] = {
    "auto": MixtureOfFamilies("EULAC, auto"),
    "extra_trees": CandidateOfMixture("extra_trees", "extra_trees"),
    "kernel_logistic": CandidateOfMixture("kernel_logistic", "kernel_logistic"),
    # No candidate where there are many features: it takes minutes.
    "boosting": CandidateOfMixture(
        *("boosting", "boosting"),
        RefinedClassifier("boosting", f"{_FAMILIES}:two_stage_boosting", _BASE),
    ),
    "neighbors": CandidateOfMixture("neighbors", "neighbors"),
    "kernel_refined": RefinedClassifier("kernel", _KERNEL, _BASE),
    "random_forest": RefinedClassifier("random_forest", f"{_FAMILIES}:two_stage_forest", _BASE),
    "logistic": RefinedClassifier("logistic", f"{_FAMILIES}:two_stage_logistic", _BASE),
    "linear": RefinedClassifier("linear", _LINEAR, _BASE),
    "boosted_risk": RefinedClassifier("boosted_risk", _BOOSTED, _BASE),
    "linear_log": RefinedClassifier("linear_log", _LINEAR, {"loss": "log"} | _BASE),
    "boosted_log": RefinedClassifier("boosted_log", _BOOSTED, {"loss": "log"} | _BASE),
    "default": _DEFAULT_METHODS["default"],
}
"""The mixture of families, its candidates, and others that are given its forest's proportion."""

_ESTIMATES: Mapping[str, TrialMethod] = {
    **{name: EstimateOnly(name, name) for name in PROPORTIONS},
    "default_share": EstimateOnly("EULAC, known share", "of_default"),
    "kme_base": EstimateOnly("KME-base", "kme_base"),
    "kme_shift": EstimateOnly("KME-shift", "kme_shift"),
}

_THEOREMS = "eulac.benchmark.experiments.theorems"
_DISCOVERED = "eulac.benchmark.experiments.discovered"
_NAMED = "eulac.benchmark.experiments.named_groups"
_MOVED = "eulac.benchmark.experiments.moved_by_hand"
_ALARMS = "eulac.benchmark.experiments.drift_alarms"
_DISCOVERIES = "eulac.benchmark.experiments.false_discoveries"
_MEASUREMENTS: Mapping[str, TrialMethod] = {
    "new_classes": Measurement("find_new_classes", f"{_DISCOVERED}:find_in_true"),
    "new_classes_called": Measurement(
        "find_new_classes, rows called new", f"{_DISCOVERED}:find_in_called"
    ),
    "k_means_told": Measurement("k-means, number told", f"{_DISCOVERED}:k_means"),
    "hdbscan": Measurement("HDBSCAN", f"{_DISCOVERED}:hdbscan"),
    "named_groups": Measurement("groups named", f"{_NAMED}:name_the_groups"),
    "next_rows": Measurement("rows asked about", f"{_NAMED}:ask_for_names"),
    "unbiasedness": Measurement("risk estimates", f"{_THEOREMS}:unbiasedness"),
    "excess_risk": Measurement("EULAC", f"{_THEOREMS}:excess_risk"),
    "select_new": Measurement("select_new", f"{_DISCOVERIES}:select_new"),
    "ada_detect": Measurement("AdaDetect", f"{_DISCOVERIES}:ada_detect"),
    "forest_hindsight": Measurement(
        "forest, best cut in hindsight", f"{_MOVED}:forest_with_best_cut"
    ),
    "drift_test": Measurement("test for drift", f"{_ALARMS}:drift_found"),
}

_BY_LOG_ODDS = "eulac.risk.evidence:augmented_log_odds"
_BY_SOFTMAX = "eulac.deep.softmax:softmax_evidence"
_DEEP = "deep_classifier:DeepEulacClassifier"
_THRESHOLD = "softmax:SoftmaxThresholdClassifier"

DEEP_METHODS: Mapping[str, TrialMethod] = {
    "softmax": NetworkMethod("SoftMax", _THRESHOLD, _BY_SOFTMAX, paper_name="softmax"),
    "max_logit": NetworkMethod(
        *("largest logit", _THRESHOLD, "eulac.benchmark.methods.network_methods:largest_logit"),
        {"confidence": "logit"},
        built_upon="SoftMax",
    ),
    "openmax": NetworkMethod(
        *("OpenMax", "openmax:OpenMaxClassifier", _BY_SOFTMAX),
        built_upon="SoftMax",
        paper_name="openmax",
    ),
    "g_openmax": NetworkMethod(
        *("G-OpenMax", "generative_openmax:GenerativeOpenMaxClassifier", _BY_SOFTMAX),
        network_share=1 / 3,
        paper_name="g_openmax",
    ),
    "osrci": NetworkMethod(
        *("OSRCI", "counterfactual:CounterfactualClassifier", _BY_LOG_ODDS),
        network_share=1 / 3,
        paper_name="osrci",
    ),
    "deep_generalized": NetworkMethod(
        *("deep EULAC, generalized risk", _DEEP, _BY_LOG_ODDS, {"objective": "generalized"}),
        sees_unlabeled=True,
    ),
    "deep_selected": NetworkMethod(
        *("deep EULAC", _DEEP, _BY_LOG_ODDS, {"objective": "selected"}),
        sees_unlabeled=True,
    ),
    "deep_pulse": NetworkMethod(
        *("PULSE", _DEEP, _BY_LOG_ODDS, {"objective": "pulse"}), sees_unlabeled=True
    ),
    "pixels": HeadMethod("EULAC on pixels", sees="pixels"),
    "deep_head": HeadMethod("deep EULAC and head", sees="features"),
    "images": HeadMethod("EULAC on images", sees="images"),
    "deep_eulac": NetworkMethod(
        *("deep EULAC, paper's risk", _DEEP, _BY_LOG_ODDS, {"objective": "paper"}),
        sees_unlabeled=True,
        paper_name="deep_eulac",
    ),
}
"""Classifiers around networks, for images."""

TRIAL_METHODS: Mapping[str, TrialMethod] = {
    **CONTENDERS,
    **_KERNEL_METHODS,
    **_DEFAULT_METHODS,
    **FAMILY_METHODS,
    **_ESTIMATES,
    **_MEASUREMENTS,
    **DEEP_METHODS,
}
"""What a trial may name, in the order of table columns."""


def find_method(name: str) -> TrialMethod:
    """Return the method of that name.

    Examples
    --------
    >>> find_method("osmn")
    Traceback (most recent call last):
    ValueError: unknown method 'osmn'. Known: ovr_svm, w_svm, osnn, ... Did you mean 'osnn'?
    """
    require_methods([name], TRIAL_METHODS)
    return TRIAL_METHODS[name]


def require_methods(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that are not known, before anything runs."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ValueError(
                f"unknown method {name!r}. Known: {', '.join(known)}.{did_you_mean(name, known)}"
            )
