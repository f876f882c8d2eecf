"""The methods a trial may name: which class, with which settings, and what it takes from others.

To add a method, add an entry to `METHODS`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from eulac.data.table_formats import did_you_mean
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import ReadyProportion

__all__ = ["ALL_METHODS", "DEEP_METHODS", "METHODS", "Method", "find_method"]


@dataclass(frozen=True)
class Method:
    """A classifier, or a measurement, by name.

    Parameters
    ----------
    label : str
        What tables and figures call it.
    home : str
        Module and attribute: ``"eulac.contenders.osnn:OsnnClassifier"``. None for methods that
        only estimate the proportion, the one that `shares` names.
    settings : mapping, default={}
    shares : str or None, default=None
        Name of the proportion estimate it takes from the draw, a key of
        `eulac.benchmark.draws.SHARED`.
    takes : {"estimate", "per_class"}, default="estimate"
        The estimate itself, with its uncertainty, or its shares of the classes as given numbers.
    measures : bool, default=False
        Whether `home` is a function that measures on an open draw, rather than a classifier.
    paper_name : str or None, default=None
        Key in the paper's tables, where it has one.

    Examples
    --------
    >>> METHODS["osnn"].build(random_state=0)
    OsnnClassifier(random_state=0, scale=None)
    """

    label: str
    home: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    shares: str | None = None
    takes: str = "estimate"
    measures: bool = False
    paper_name: str | None = None

    def build(
        self,
        *,
        random_state: int,
        estimate: ProportionEstimate | None = None,
        **settings: Any,
    ) -> Any:
        """Return the unfitted classifier; rows come scaled, so it does not scale."""
        if self.home is None:
            raise ValueError(f"{self.label} is no classifier; it only estimates the proportion.")
        options = {"scale": None, **self.settings, **settings}
        if estimate is not None and "known_proportion" not in settings:
            options["known_proportion"] = (
                ReadyProportion(estimate) if self.takes == "estimate" else list(estimate.per_class)
            )
        return self.load()(random_state=random_state, **options)

    def load(self) -> Any:
        """Import and return what `home` names."""
        module, _, attribute = str(self.home).partition(":")
        return getattr(import_module(module), attribute)


_EULAC = "eulac.kernel.kernel_classifier:KernelEulacClassifier"
_PAPER = {"grid": "paper", "selection": "surrogate", "decision": "largest"}

METHODS: Mapping[str, Method] = {
    "ovr_svm": Method("OVR-SVM", "eulac.contenders.ovr_svm:OvrSvmClassifier", paper_name="ovr_svm"),
    "w_svm": Method("W-SVM", "eulac.contenders.w_svm:WSvmClassifier", paper_name="w_svm"),
    "osnn": Method("OSNN", "eulac.contenders.osnn:OsnnClassifier", paper_name="osnn"),
    "evm": Method("EVM", "eulac.contenders.evm:EvmClassifier", paper_name="evm"),
    "lacu_svm": Method(
        "LACU-SVM",
        "eulac.contenders.lacu_svm:LacuSvmClassifier",
        shares="consensus",
        paper_name="lacu_svm",
    ),
    "pac_iforest": Method(
        "PAC-iForest",
        "eulac.contenders.pac_iforest:PacIForestClassifier",
        shares="consensus",
        paper_name="pac_iforest",
    ),
    # Grid, selection, decision and proportion of the paper: what it would print with our rows.
    "eulac_paper": Method(
        "EULAC, paper's settings", _EULAC, _PAPER, shares="kme_base", paper_name="eulac"
    ),
    "eulac_paper_grid": Method(
        "EULAC, paper's grid", _EULAC, {"grid": "paper"}, shares="consensus", paper_name="eulac"
    ),
    "eulac": Method("EULAC", _EULAC, shares="consensus", paper_name="eulac"),
    # Section 5.3. An estimate is taken as it is, so the priors it was made with are the variant.
    "eulac_base": Method("EULAC-base", _EULAC, shares="consensus_base"),
    "eulac_base_plus": Method(
        "EULAC-base++", _EULAC, {"shift": "base++"}, shares="consensus_shift", takes="per_class"
    ),
    "eulac_shift": Method("EULAC-shift", _EULAC, shares="consensus_shift"),
    "eulac_auto": Method("EULAC-auto", _EULAC, shares="consensus"),
    "ovr_shift": Method(
        "OVR-shift",
        "eulac.contenders.ovr_shift:OvrShiftClassifier",
        shares="consensus_shift",
        takes="per_class",
    ),
    "eulac_given": Method("EULAC, given proportion", _EULAC),
    "kme_base": Method("KME-base", shares="kme_base"),
    "kme_shift": Method("KME-shift", shares="kme_shift"),
    "consensus": Method("consensus", shares="consensus"),
    "unbiasedness": Method("risk estimates", "eulac.benchmark.theory:unbiasedness", measures=True),
    "excess_risk": Method("EULAC", "eulac.benchmark.theory:excess_risk", measures=True),
}
"""What can be run, by name, in the order of table columns."""

DEEP_METHODS: Mapping[str, Method] = {
    "softmax": Method("SoftMax", paper_name="softmax"),
    "max_logit": Method("largest logit"),
    "openmax": Method("OpenMax", paper_name="openmax"),
    "g_openmax": Method("G-OpenMax", paper_name="g_openmax"),
    "osrci": Method("OSRCI", paper_name="osrci"),
    "deep_generalized": Method("deep EULAC, generalized risk"),
    "deep_selected": Method("deep EULAC, selected risk"),
    "deep_eulac": Method("deep EULAC", paper_name="deep_eulac"),
}
"""Names in the records of `examples/deep_table.py`, which runs them."""

ALL_METHODS: Mapping[str, Method] = {**METHODS, **DEEP_METHODS}


def find_method(name: str) -> Method:
    """Return the method of that name.

    Examples
    --------
    >>> find_method("osmn")
    Traceback (most recent call last):
    ValueError: unknown method 'osmn'. Known: ovr_svm, w_svm, osnn, ... Did you mean 'osnn'?
    """
    if name not in METHODS:
        raise ValueError(
            f"unknown method {name!r}. Known: {', '.join(METHODS)}.{did_you_mean(name, METHODS)}"
        )
    return METHODS[name]
