"""Fits of the contenders against kernel EULAC's, and of EVM against its textbook loop version.

All with their default settings, searches and thresholds included, on the same rows.
"""

import sys
from importlib import import_module
from pathlib import Path

from eulac import KernelEulacClassifier
from eulac.contenders.evm import EvmClassifier
from timing import THREADS, best_seconds, quietly, report, ten_classes

N_LABELED, N_UNLABELED, N_FEATURES = 500, 1000, 256
CONTENDERS = {
    "ovr_svm": "OvrSvmClassifier",
    "w_svm": "WSvmClassifier",
    "osnn": "OsnnClassifier",
    "evm": "EvmClassifier",
    "lacu_svm": "LacuSvmClassifier",
    "pac_iforest": "PacIForestClassifier",
    "novelty": "NoveltyClassifier",
    "ovr_shift": "OvrShiftClassifier",
}


def fit_seconds(classifier, X, y) -> float:
    return best_seconds(quietly(lambda: classifier.fit(X, y)), repeats=2)


def contenders_against_eulac(sample) -> None:
    X, y = sample.as_masked()
    sizes = f"{N_LABELED}+{N_UNLABELED} rows x {N_FEATURES} features"
    eulac = fit_seconds(KernelEulacClassifier(random_state=0), X, y)
    for module, name in CONTENDERS.items():
        contender = getattr(import_module(f"eulac.contenders.{module}"), name)
        seconds = fit_seconds(contender(random_state=0), X, y)
        report(
            f"{module}_fit_vs_eulac",
            ratio=seconds / eulac,
            fit_seconds=seconds,
            eulac_seconds=eulac,
            sizes=sizes,
            threads=THREADS,
        )


def evm_against_textbook(sample) -> None:
    """Weibull fits and set cover of all rows; no search for delta on either side."""
    # The oracle of the tests, which also checks that both give the same machine.
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "contenders"))
    textbook = import_module("oracles_evm")
    X, y = sample.X_labeled, sample.y_labeled
    classifier = EvmClassifier(delta=0.5, scale=None, random_state=0)
    fast = best_seconds(lambda: classifier.fit(X, y), repeats=5)
    slow = best_seconds(lambda: textbook.fit(X, y), repeats=1)
    report(
        "evm_fit_speedup_vs_textbook_loops",
        ratio=slow / fast,
        limit=10,
        fit_seconds=fast,
        textbook_seconds=slow,
        sizes=f"{N_LABELED} rows x {N_FEATURES} features, tail of 50",
        threads=THREADS,
    )


def main() -> None:
    sample = ten_classes(N_LABELED, N_UNLABELED, N_FEATURES)
    evm_against_textbook(sample)
    contenders_against_eulac(sample)


if __name__ == "__main__":
    main()
