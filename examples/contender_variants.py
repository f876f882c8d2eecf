"""Why our contenders differ from the paper's columns: each explanation tried, not guessed.

Each variant changes one thing about a contender; its figures stand beside the paper's as in
contenders_table.py, on the same draws, a star marking means further than two of the paper's
standard deviations away. Needs the datasets (`eulac data list`).

    python examples/contender_variants.py --variants ovr_answers lacu_release --draws 10
"""

import argparse
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
from contenders_table import METRICS, cell
from joblib import Parallel, delayed
from sklearn.metrics import recall_score, roc_auc_score

from eulac.contenders.evm import EvmClassifier
from eulac.contenders.lacu_problem import LacuProblem
from eulac.contenders.lacu_svm import LacuSvmClassifier
from eulac.contenders.ovr_svm import OvrSvmClassifier
from eulac.contenders.pac_iforest import PacIForestClassifier
from eulac.contenders.w_svm import WSvmClassifier
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning
from eulac.maths.kernels import median_distance


def of_bandwidth(build, factor):
    """Return a builder of classifiers with a bandwidth of so many median distances."""

    def built(X_labeled, **options):
        return build(bandwidth=factor * median_distance(X_labeled), **options)

    return built


class ReleasedLacuProblem(LacuProblem):
    """The public release predicts with the mean of the labeled rows, not the unlabeled ones."""

    def row_coefficients(self, machine):
        coefficients = machine.coefficients[:-1].copy()
        coefficients[: self.n_labeled] += machine.coefficients[-1] / self.n_labeled
        return coefficients


class ReleasedLacuSvmClassifier(LacuSvmClassifier):
    _problem = ReleasedLacuProblem


def released_lacu(X_labeled, **options):
    return ReleasedLacuSvmClassifier(bandwidth=np.sqrt(X_labeled.shape[1] / 2), **options)


class PlainProbabilityEvm(EvmClassifier):
    """Ranks rows by probabilities as floats, which tie where they vanish."""

    def augmented_score(self, X):
        return -self.model_.probabilities(X).max(axis=1)


def auc_of_answers(metrics, classifier, X, y):
    """Rank rows by the answers alone, new or not."""
    is_new = ~np.isin(y, classifier.known_classes_)
    called_new = classifier.predict(X) == classifier.classes_[-1]
    return replace(metrics, auc=roc_auc_score(is_new, called_new))


def accuracy_by_class(metrics, classifier, X, y):
    """Count every class alike, the augmented one too: the mean of their recalls."""
    codec = classifier.codec_
    recall = recall_score(codec.encode(y), codec.encode(classifier.predict(X)), average="macro")
    return replace(metrics, accuracy=recall)


class RememberingWSvm(WSvmClassifier):
    """Keeps what it was fitted on, to be fitted again with other settings."""

    def fit(self, X, y, X_unlabeled=None):
        self.rows_ = X, y
        return super().fit(X, y, X_unlabeled)


def chosen_by_test_labels(metrics, classifier, X, y):
    """Choose bandwidth, cost, filter and rejection by the accuracy on the test rows themselves."""
    yardstick, best = median_distance(X), metrics
    own = classifier.model_.machines.kernel.bandwidth
    widths = [own, *(factor * yardstick for factor in (0.35, 0.5, 0.7, 1.0, 2.0))]
    for bandwidth, nu, cost in product(widths, (0.1, 0.2, 0.5), (1.0, 10.0)):
        settings = {"bandwidth": bandwidth, "nu": nu, "cost": cost}
        other = WSvmClassifier(**{**classifier.get_params(), **settings}).fit(*classifier.rows_)
        for rejection in (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9):
            other.threshold_ = -rejection if rejection else np.inf
            found = evaluate(other, X, y)
            best = max(best, found, key=lambda measured: measured.accuracy)
    return best


def largest_macro_f1(accuracy, n_known=5):
    """Return a bound on macro-F1 at an accuracy, half of the rows new and known classes equal.

    Of all ways to be wrong, new rows taken for one and the same known class cost the least.
    """
    wrong, size = 1.0 - accuracy, 0.5 / n_known
    of_new = 2 * (0.5 - wrong) / (2 * 0.5 - wrong)
    of_one = 2 * size / (2 * size + wrong)
    return (n_known - 1 + of_new + of_one) / (n_known + 1)


# Method of the paper's column, builder, options, and what is measured otherwise.
VARIANTS = {
    "ovr_bandwidth_1": ("ovr_svm", of_bandwidth(OvrSvmClassifier, 1.0), {}, None),
    "ovr_bandwidth_0.5": ("ovr_svm", of_bandwidth(OvrSvmClassifier, 0.5), {}, None),
    "ovr_bandwidth_0.3": ("ovr_svm", of_bandwidth(OvrSvmClassifier, 0.3), {}, None),
    "ovr_bandwidth_0.2": ("ovr_svm", of_bandwidth(OvrSvmClassifier, 0.2), {}, None),
    "ovr_bandwidth_0.1": ("ovr_svm", of_bandwidth(OvrSvmClassifier, 0.1), {}, None),
    "ovr_answers": ("ovr_svm", OvrSvmClassifier, {}, auc_of_answers),
    "w_bandwidth_0.5": ("w_svm", of_bandwidth(WSvmClassifier, 0.5), {}, None),
    "w_bandwidth_0.3": ("w_svm", of_bandwidth(WSvmClassifier, 0.3), {}, None),
    "w_bandwidth_0.2": ("w_svm", of_bandwidth(WSvmClassifier, 0.2), {}, None),
    "w_filter": ("w_svm", WSvmClassifier, {"nu": 0.1, "rejection": 0.05}, None),
    "w_tight_filter": ("w_svm", WSvmClassifier, {"nu": 0.2}, None),
    "w_tight_filter_rejecting": ("w_svm", WSvmClassifier, {"nu": 0.2, "rejection": 0.05}, None),
    "w_cost_1": ("w_svm", of_bandwidth(WSvmClassifier, 0.5), {"cost": 1.0}, None),
    "w_hindsight": ("w_svm", RememberingWSvm, {}, chosen_by_test_labels),
    "evm_delta_0.1": ("evm", EvmClassifier, {"delta": 0.1}, None),
    "evm_delta_0.5": ("evm", EvmClassifier, {"delta": 0.5}, None),
    "evm_delta_0.9": ("evm", EvmClassifier, {"delta": 0.9}, None),
    "evm_hardly_rejects": ("evm", EvmClassifier, {"delta": 1e-300}, None),
    "evm_by_class": ("evm", EvmClassifier, {}, accuracy_by_class),
    "evm_floats": ("evm", PlainProbabilityEvm, {}, None),
    "evm_delta_0.9_answers": ("evm", EvmClassifier, {"delta": 0.9}, auc_of_answers),
    "lacu_release_bandwidth": (
        "lacu_svm",
        lambda X_labeled, **o: LacuSvmClassifier(bandwidth=np.sqrt(X_labeled.shape[1] / 2), **o),
        {},
        None,
    ),
    "lacu_release": ("lacu_svm", released_lacu, {}, None),
    "pac_missed_0.7": ("pac_iforest", PacIForestClassifier, {"missed_share": 0.7}, None),
    "pac_missed_0.8": ("pac_iforest", PacIForestClassifier, {"missed_share": 0.8}, None),
    "pac_missed_0.9": ("pac_iforest", PacIForestClassifier, {"missed_share": 0.9}, None),
    "pac_missed_0.7_answers": (
        *("pac_iforest", PacIForestClassifier, {"missed_share": 0.7}),
        auc_of_answers,
    ),
    "pac_pooled": ("pac_iforest", PacIForestClassifier, {"forests": "pooled"}, None),
}


def one_draw(X, y, variant, seed):
    _, build, options, adjust = VARIANTS[variant]
    known = draw_known_classes(y, random_state=seed)
    split = draw_split(X, y, known_classes=known, random_state=seed)
    options = {"scale": None, "random_state": seed, **options}
    if not isinstance(build, type):
        options["X_labeled"] = split.sample.X_labeled
    classifier = build(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        classifier.fit(*split.sample.as_masked())
    metrics = evaluate(classifier, split.X_test, split.y_test)
    if adjust is not None:
        metrics = adjust(metrics, classifier, split.X_test, split.y_test)
    return [100 * getattr(metrics, name) for name in METRICS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["usps", "satimage", "pendigits", "mnist"])
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--bound", type=float, metavar="ACCURACY", help=largest_macro_f1.__doc__)
    options = parser.parse_args()
    if options.bound is not None:
        print(f"macro-F1 at most {100 * largest_macro_f1(options.bound / 100):.1f}")
        return
    header = " ".join(f"{name + ' (paper)':<30}" for name in METRICS)
    print(f"{'dataset':<10} {'variant':<22} {header}", flush=True)
    for variant in options.variants:
        method = VARIANTS[variant][0]
        for name in options.datasets:
            dataset = load_dataset(name)
            X = min_max_scale(dataset.X)
            draws = (delayed(one_draw)(X, dataset.y, variant, s) for s in range(options.draws))
            rows = np.array(Parallel(options.jobs)(draws))
            cells = " ".join(cell(rows, metric, name, method) for metric in METRICS)
            print(f"{name:<10} {variant:<22} {cells}", flush=True)


if __name__ == "__main__":
    main()
