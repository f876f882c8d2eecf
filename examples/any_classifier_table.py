"""Every family of classifiers, and their label-free mixture, on the configurations of Table 1.

500 labeled, 1000 unlabeled and 1000 test rows, half of the classes never labeled, features scaled
to [0, 1]: the draws of `eulac benchmark run table1`. The proportion is estimated: the consensus,
refined by the forest's held-out scores, once per draw and for all; `auto` decides by what all its
candidates say of it.

`auto` is EulacClassifier. It fits candidates (forest, kernel logistic regression, nearest
neighbors and, up to a hundred features, boosting), and each of them is a row as well; `select` is
the candidate with the smallest label-free risk, and `oracle` the one with the most right answers on
the test rows, which nobody without test labels can choose. Other rows: the paper's kernel machine,
TwoStageEulacClassifier around further scikit-learn classifiers, and models of the unbiased risk
itself (linear, boosted_risk; of the log loss instead of the Brier: linear_log, boosted_log).
Records, one JSON object a line, are appended draw by draw; what is there is not run again. Needs
the datasets (`eulac data list`).

    python examples/any_classifier_table.py segment --draws 2 --samples 1 --records any.jsonl
"""

import argparse
import gzip
import json
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from eulac import (
    BoostedEulacClassifier,
    EulacClassifier,
    KernelEulacClassifier,
    LinearEulacClassifier,
    TwoStageEulacClassifier,
)
from eulac.any_classifier.default_candidates import small_boosting
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.paper_results import PAPER_METHODS, paper_result
from eulac.benchmark.trial import Draw
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import ReadyProportion

DATASETS = ("usps", "segment", "satimage", "optdigits", "pendigits", "mnist", "shuttle")
METRICS = ("macro_f1", "accuracy", "auc")
CANDIDATES = ("extra_trees", "kernel_logistic", "boosting", "neighbors")
SHARED_KEYS = (
    *("dataset", "class_draw", "sample_draw", "true_proportion", "consensus", "by_score"),
    *("proportion", "proportion_low", "proportion_high", "proportion_error", "proportion_seconds"),
    *("voted", "voted_low", "voted_high"),
)
OTHERS = {
    "kernel": KernelEulacClassifier,
    "random_forest": lambda **told: TwoStageEulacClassifier(RandomForestClassifier(100), **told),
    "logistic": lambda **told: TwoStageEulacClassifier(
        LogisticRegression(C=10.0, max_iter=1000), **told
    ),
    "linear": LinearEulacClassifier,
    "boosted_risk": BoostedEulacClassifier,
    "linear_log": lambda **told: LinearEulacClassifier(loss="log", **told),
    "boosted_log": lambda **told: BoostedEulacClassifier(loss="log", **told),
    "boosting": lambda **told: TwoStageEulacClassifier(small_boosting(), **told),
}
"""Boosting where it is no candidate: with many features it takes minutes."""


def measured(classifier, X, y, risk, seconds):
    """Return what test labels say of a classifier, and what it said of itself."""
    metrics = evaluate(classifier, X, y)
    low, high = risk.interval
    return {
        **{name: round(100 * getattr(metrics, name), 3) for name in METRICS},
        "estimated_error": round(100 * risk.raw, 3),
        "standard_error": round(100 * risk.standard_error, 3),
        "covered": bool(low <= 1 - metrics.accuracy <= high),
        "seconds": round(seconds, 2),
    }


def auto_results(split, estimate, seed):
    """Return the fitted mixture, and the records of it and of every candidate."""
    start = time.process_time()
    auto = EulacClassifier(
        known_proportion=ReadyProportion(estimate),
        refine_proportion=True,
        shift=False,
        random_state=seed,
    ).fit(*split.sample.as_masked())
    seconds = time.process_time() - start
    selection = auto.selection_
    results = {"auto": measured(auto, split.X_test, split.y_test, auto.risk_, seconds)}
    results["auto"]["weights"] = np.round(selection.weights, 3).tolist()
    codes = auto.codec_.encode(split.y_test)  # candidates speak in codes
    codes = np.where(codes == len(auto.known_classes_), -2, codes)
    for name, risk, took in zip(selection.names, selection.risks, selection.seconds, strict=True):
        results[name] = measured(auto.candidates_[name], split.X_test, codes, risk, took)
    chosen = selection.names[int(np.argmin([risk.raw for risk in selection.risks]))]
    results["select"] = {**results[chosen], "chosen": chosen}
    best = max(selection.names, key=lambda name: results[name]["accuracy"])
    results["oracle"] = {**results[best], "chosen": best}
    return auto, results


def recorded_proportion(record, sample):
    """Return the estimate that `auto` had found on a draw."""
    low, high = record["proportion_low"], record["proportion_high"]
    return ProportionEstimate(
        record["proportion"] * sample.labeled_frequency,
        (low, high),
        "refined",
        sample.n_labeled,
        sample.n_unlabeled,
        standard_error=record["proportion_error"],
    )


def one_draw(draw, others, record=None):
    """Return records of a draw: of `auto` and its candidates, unless it has one, and of others."""
    opened = OpenDraw(draw)
    split, seed, results = opened.split, draw.fit_seed, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        if record is None:
            shared = opened.shared("consensus")
            auto, results = auto_results(split, shared.estimate, seed)
            record = place_and_proportion(draw, split, shared, auto)
        estimate = recorded_proportion(record, split.sample)
        told = {"known_proportion": ReadyProportion(estimate), "shift": False}
        for name in (other for other in others if other not in results):
            start = time.process_time()
            classifier = OTHERS[name](random_state=seed, **told).fit(*split.sample.as_masked())
            seconds = time.process_time() - start
            results[name] = measured(
                classifier, split.X_test, split.y_test, classifier.risk_, seconds
            )
    return [{**record, "method": name, **result} for name, result in results.items()]


def place_and_proportion(draw, split, shared, auto):
    """Return what all records of a draw begin with."""
    refined, voted = auto.candidates_["extra_trees"].proportion_, auto.proportion_
    return {
        "dataset": draw.dataset,
        "class_draw": draw.class_draw,
        "sample_draw": draw.sample_draw,
        "true_proportion": round(split.known_proportion, 4),
        "consensus": round(shared.estimate.total, 4),
        "by_score": {k: round(v, 4) for k, v in refined.diagnostics["by_score"].items()},
        "proportion": round(refined.total, 4),
        "proportion_low": round(refined.interval[0], 4),
        "proportion_high": round(refined.interval[1], 4),
        "proportion_error": round(refined.standard_error, 4),
        "proportion_seconds": round(shared.seconds, 2),
        "voted": round(voted.total, 4),
        "voted_low": round(voted.interval[0], 4),
        "voted_high": round(voted.interval[1], 4),
    }


def read_records(path):
    if not path.exists():
        return []
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return [json.loads(line) for line in text.splitlines()]


def run_missing(path, options):
    """Run draws without `auto`, and other methods on the first samples."""
    records = read_records(path)
    done = {(r["dataset"], r["class_draw"], r["sample_draw"], r["method"]) for r in records}
    autos = {
        (r["dataset"], r["class_draw"], r["sample_draw"]): {key: r[key] for key in SHARED_KEYS}
        for r in records
        if r["method"] == "auto"
    }
    jobs = []
    for sample_draw in range(options.samples):
        for class_draw in range(options.draws):
            for name in options.datasets:
                place = name, class_draw, sample_draw
                wanted = options.others if sample_draw < options.samples_of_others else ()
                others = [other for other in wanted if (*place, other) not in done]
                if others or place not in autos:
                    jobs.append(delayed(one_draw)(Draw(*place), others, autos.get(place)))
    runs = Parallel(options.jobs, return_as="generator_unordered")(jobs)
    for number, found in enumerate(runs, start=1):
        with path.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in found)
        print(f"\r{number} of {len(jobs)} draws", end="", flush=True)
    print()


def best_in_paper(metric, dataset):
    reported = [paper_result(metric, dataset, method) for method in PAPER_METHODS]
    return max((pair[0] for pair in reported if pair is not None), default=float("nan"))


def mean_and_error(values):
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return np.mean(values), error


def print_tables(records, datasets):
    """Print Markdown: a table per dataset, how good the estimates are, and regret."""
    by_method = {}
    for record in records:
        by_method.setdefault((record["dataset"], record["method"]), []).append(record)
    methods = dict.fromkeys(("auto", *CANDIDATES, "select", "oracle", *OTHERS))
    for name in datasets:
        print(f"\n## {name}\n\n| method | n | macro-F1 | accuracy | AUC | seconds |")
        print("|---|---|---|---|---|---|")
        paper = " | ".join(f"{best_in_paper(metric, name):.1f}" for metric in METRICS)
        print(f"| best of the paper's table | | {paper} | |")
        for method in methods:
            rows = by_method.get((name, method), [])
            if rows:
                cells = [mean_and_error([r[metric] for r in rows]) for metric in METRICS]
                cells = " | ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in cells)
                seconds = np.median([r["seconds"] for r in rows])
                print(f"| {method} | {len(rows)} | {cells} | {seconds:.1f} |")
    print_best_families(by_method, datasets)
    print("\n## Estimates\n")
    print("Mean absolute differences from the truth, in points, and coverage of 95 % intervals.\n")
    names = ("dataset", "consensus", "refined", "voted", "in interval", "error of auto")
    print(f"| {' | '.join(names)} | in interval | regret |")
    print("|---" * 8 + "|")
    lines = [estimates_line(name, by_method) for name in datasets if (name, "auto") in by_method]
    for name, cells in zip(datasets, lines, strict=False):
        print(f"| {name} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    print("| mean | " + " | ".join(f"{cell:.1f}" for cell in np.mean(lines, axis=0)) + " |")
    print(
        "\nProportion: of the consensus, refined by the forest, and as all candidates vote. Regret:"
    )
    print("accuracy of `oracle` less that of `select`, in points.")
    print_scores(
        {name: by_method[name, "auto"] for name in datasets if (name, "auto") in by_method}
    )


def print_best_families(by_method, datasets):
    """Print which family is best where, and how far `auto` is from it."""
    families = [name for name in (*CANDIDATES, *OTHERS) if not name.endswith("_log")]
    print("\n## `auto` and the best family\n")
    print(
        "Positive where `auto` is ahead; in points, and in standard errors of the family's mean.\n"
    )
    print("| dataset | macro-F1 | accuracy | AUC |\n|---|---|---|---|")
    for name in (name for name in datasets if (name, "auto") in by_method):
        cells = []
        for metric in METRICS:
            means = {
                family: mean_and_error([r[metric] for r in by_method[name, family]])
                for family in families
                if (name, family) in by_method
            }
            best = max(means, key=lambda family: means[family][0])
            lead = np.mean([r[metric] for r in by_method[name, "auto"]]) - means[best][0]
            cells.append(f"{best} {lead:+.2f} ({lead / means[best][1]:+.1f})")
        print(f"| {name} | {' | '.join(cells)} |")


def print_scores(autos):
    """Print what each score alone would have said of the proportion."""
    scores = list(next(iter(autos.values()))[0]["by_score"])
    print("\n## The proportion by score\n\nMean absolute difference from the truth, in points, and")
    print("in parentheses the mean difference.\n")
    print(f"| dataset | {' | '.join([*scores, 'consensus', 'refined', 'voted'])} |")
    print("|---" * (len(scores) + 4) + "|")
    total = []
    for name, rows in autos.items():
        truth = np.array([r["true_proportion"] for r in rows])
        found = [[r["by_score"][score] for r in rows] for score in scores]
        found += [[r[key] for r in rows] for key in ("consensus", "proportion", "voted")]
        gaps = 100 * (np.array(found) - truth)
        total.append([np.abs(gaps).mean(axis=1), gaps.mean(axis=1)])
        print(f"| {name} | {_gap_cells(*total[-1])} |")
    print(f"| mean | {_gap_cells(*np.mean(total, axis=0))} |")


def _gap_cells(sizes, means):
    pairs = zip(sizes, means, strict=True)
    return " | ".join(f"{size:.1f} ({mean:+.1f})" for size, mean in pairs)


def estimates_line(name, by_method):
    rows = by_method[name, "auto"]
    truth = np.array([r["true_proportion"] for r in rows])
    consensus, refined, voted, low, high = (
        np.array([r[key] for r in rows])
        for key in ("consensus", "proportion", "voted", "voted_low", "voted_high")
    )
    error_gap = [abs(r["estimated_error"] - (100 - r["accuracy"])) for r in rows]
    oracle, select = by_method[name, "oracle"], by_method[name, "select"]
    regret = [a["accuracy"] - b["accuracy"] for a, b in zip(oracle, select, strict=True)]
    return [
        100 * np.abs(consensus - truth).mean(),
        100 * np.abs(refined - truth).mean(),
        100 * np.abs(voted - truth).mean(),
        100 * np.mean((low <= truth) & (truth <= high)),
        np.mean(error_gap),
        100 * np.mean([r["covered"] for r in rows]),
        np.mean(regret),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=list(DATASETS))
    parser.add_argument("--draws", type=int, default=10, help="of known classes")
    parser.add_argument("--samples", type=int, default=3, help="of rows, for each")
    parser.add_argument("--others", nargs="*", choices=list(OTHERS), default=list(OTHERS))
    parser.add_argument(
        "--samples-of-others", type=int, default=3, help="of rows, for all but auto's candidates"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--records", type=Path, default=Path("any_classifier.jsonl"))
    parser.add_argument("--print-only", action="store_true", help="run nothing")
    options = parser.parse_args()
    if not options.print_only:
        run_missing(options.records, options)
    kept = [r for r in read_records(options.records) if r["dataset"] in options.datasets]
    print_tables(kept, options.datasets)


if __name__ == "__main__":
    main()
