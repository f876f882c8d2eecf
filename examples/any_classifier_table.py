"""Every family of classifiers, and their label-free mixture, on the paper's draws.

500 labeled, 1000 unlabeled and 1000 test rows, half of the classes never labeled, features scaled
to [0, 1], the proportion estimated once per draw. `auto` fits its candidates (kernel, extra_trees)
anyway, and reports them, the one with the smallest label-free risk (select) and the mixture
(stack). Others are AugmentedClassifier around a scikit-learn classifier. One JSON object per draw
and method goes to the records, and what is there is not run again. Needs the datasets
(`eulac data list`).

    python examples/any_classifier_table.py segment satimage usps --draws 3 --records any.jsonl
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from eulac import AugmentedClassifier, AutoEulacClassifier
from eulac.benchmark.paper_results import PAPER_METHODS, paper_result
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.estimators.base_proportion import SharedProportion
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning
from eulac.proportion.consensus import ConsensusProportion

BASES = {
    "random_forest": lambda: RandomForestClassifier(300),
    "boosting": lambda: HistGradientBoostingClassifier(),
    "logistic": lambda: LogisticRegression(C=10.0, max_iter=1000),
    "neighbors": lambda: KNeighborsClassifier(5),
}
METRICS = ("macro_f1", "accuracy", "auc")


def measured(classifier, X, y, risk, seconds):
    """Return what test labels say of a classifier, and what it said of itself."""
    metrics = evaluate(classifier, X, y)
    low, high = risk.interval
    return {
        **{name: 100 * getattr(metrics, name) for name in METRICS},
        "true_error": 1 - metrics.accuracy,
        "estimated_error": risk.raw,
        "standard_error": risk.standard_error,
        "covered": bool(low <= 1 - metrics.accuracy <= high),
        "seconds": seconds,
    }


def auto_results(split, shared, seed):
    """Return the records of the mixture, of the choice, and of every candidate."""
    start = time.process_time()
    auto = AutoEulacClassifier(known_proportion=shared, shift=False, random_state=seed)
    auto.fit(*split.sample.as_masked())
    seconds = time.process_time() - start
    selection = auto.selection_
    results = {
        "stack": {
            **measured(auto, split.X_test, split.y_test, auto.risk_, seconds),
            "weights": dict(zip(selection.names, selection.weights.tolist(), strict=True)),
        }
    }
    codes = auto.codec_.encode(split.y_test)  # candidates speak in codes
    for i, name in enumerate(selection.names):
        if name in auto.candidates_:
            results[name] = measured(
                auto.candidates_[name],
                split.X_test,
                np.where(codes == len(auto.known_classes_), -2, codes),
                selection.risks[i],
                selection.seconds[i],
            )
    best = selection.names[int(np.argmin([risk.raw for risk in selection.risks]))]
    if best in results:
        results["select"] = {**results[best], "chosen": best}
    return results


def base_results(name, split, shared, seed):
    """Return the record of AugmentedClassifier around one scikit-learn classifier."""
    classifier = AugmentedClassifier(
        BASES[name](), known_proportion=shared, shift=False, random_state=seed
    )
    start = time.process_time()
    classifier.fit(*split.sample.as_masked())
    seconds = time.process_time() - start
    result = measured(classifier, split.X_test, split.y_test, classifier.risk_, seconds)
    return {name: {**result, "round_risks": classifier.model_.risks}}


def one_draw(X, y, method, seed):
    split = draw_split(
        X, y, known_classes=draw_known_classes(y, random_state=seed), random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        start = time.process_time()
        proportion = ConsensusProportion(random_state=seed).estimate(split.sample)
        common = {
            "proportion": proportion.total,
            "true_proportion": split.known_proportion,
            "proportion_seconds": time.process_time() - start,
        }
        shared = SharedProportion(proportion)
        run = auto_results if method == "auto" else lambda *args: base_results(method, *args)
        results = run(split, shared, seed)
    return {name: {**common, **result} for name, result in results.items()}


def read_records(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_record(path, record):
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


def run_missing(path, options):
    done = {(r["dataset"], r["draw"], r["method"]) for r in read_records(path)}
    for name in options.datasets:
        X = y = None
        for seed in range(options.draws):
            for method in options.methods:
                if (name, seed, "stack" if method == "auto" else method) in done:
                    continue
                if X is None:
                    dataset = load_dataset(name)
                    X, y = min_max_scale(dataset.X), dataset.y
                for label, result in one_draw(X, y, method, seed).items():
                    write_record(path, {"dataset": name, "draw": seed, "method": label, **result})


def best_in_paper(metric, dataset):
    reported = [paper_result(metric, dataset, method) for method in PAPER_METHODS]
    return max((pair[0] for pair in reported if pair is not None), default=float("nan"))


def print_table(records, options):
    print(
        f"{'dataset':<10} {'method':<13} {'n':>3} {'macro-F1':>14} {'accuracy':>14} {'AUC':>14} "
        f"{'|est - true error|':>18} {'covered':>8} {'sec':>6}"
    )
    for name in options.datasets:
        paper = "  ".join(f"{best_in_paper(metric, name):12.2f}" for metric in METRICS)
        print(f"{name:<10} {'paper best':<13}     {paper}")
        own = [r for r in records if r["dataset"] == name and r["draw"] < options.draws]
        for method in dict.fromkeys(r["method"] for r in own):
            rows = [r for r in own if r["method"] == method]
            cells = []
            for metric in METRICS:
                values = np.array([r[metric] for r in rows])
                error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
                cells.append(f"{values.mean():7.2f} ±{error:5.2f}")
            gap = np.mean([abs(r["estimated_error"] - r["true_error"]) for r in rows])
            covered = np.mean([r["covered"] for r in rows])
            seconds = np.mean([r["seconds"] for r in rows])
            print(
                f"{name:<10} {method:<13} {len(rows):3d} {' '.join(cells)} {gap:18.3f} "
                f"{covered:8.2f} {seconds:6.1f}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["segment", "satimage", "usps"])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--methods", nargs="+", choices=("auto", *BASES), default=["auto"])
    parser.add_argument("--records", type=Path, default=Path("any_classifier.jsonl"))
    options = parser.parse_args()
    run_missing(options.records, options)
    print_table(read_records(options.records), options)


if __name__ == "__main__":
    main()
