"""The landmark classifier on all of mnist as landmarks grow, and the full kernel on a part of it.

Six digits are known: 30,000 labeled rows of them, 30,000 unlabeled rows of all ten, 10,000 test
rows. Minutes are processor minutes of one thread, all estimates included.

    python examples/landmarks_mnist.py --landmarks 250 500 1000 2000 4000 --figure landmarks
    python examples/landmarks_mnist.py --choices --labeled 3000 --unlabeled 3000 --landmarks 250
    python examples/landmarks_mnist.py --pilots 600 1500 6000 --labeled 5000 --unlabeled 10000
"""

import argparse
import time
import warnings
from pathlib import Path

from eulac import KernelEulacClassifier, LacSample, LandmarkEulacClassifier
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_split
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning


def measured(classifier, sample, split):
    start = time.process_time()
    classifier.fit(*sample.as_masked())
    minutes = (time.process_time() - start) / 60
    metrics = evaluate(classifier, split.X_test, split.y_test)
    return {
        "macro-F1": 100 * metrics.macro_f1,
        "accuracy": 100 * metrics.accuracy,
        "AUC": 100 * metrics.auc,
        "estimated error": 100 * classifier.risk_.value,
        "known share": classifier.proportion_.total,
        "minutes": minutes,
    }


def show(name, row):
    cells = (
        f"{value:>15.3f}" if key == "known share" else f"{value:>15.2f}"
        for key, value in row.items()
    )
    print(f"{name:<28}" + "".join(cells), flush=True)


def part(sample, n_labeled, n_unlabeled):
    """Return the first rows of a sample, which is in random order."""
    return LacSample(
        sample.X_labeled[:n_labeled],
        sample.y_labeled[:n_labeled],
        sample.X_unlabeled[:n_unlabeled],
        sample.codec,
    )


def compare_pilots(sizes, sample, seed):
    """Print the known share as estimated from samples of several sizes, and from all rows."""
    X, y = sample.as_masked()
    for n_rows in (*sizes, 3 * len(y)):
        classifier = LandmarkEulacClassifier(
            n_landmarks=10, pilot_rows=n_rows, bandwidth=1.0, random_state=seed
        )
        start = time.process_time()
        estimate = classifier.prepare(X, y).estimate_
        name = "all rows" if n_rows > len(y) else f"{n_rows} rows"
        low, high = estimate.interval
        seconds = time.process_time() - start
        print(f"{name:<12} {estimate.total:.3f} ({low:.3f} to {high:.3f}), {seconds:.0f} seconds")
    classifier = LandmarkEulacClassifier("moments", random_state=seed).fit(X, y)
    low, high = classifier.proportion_.interval
    print(f"{'moments':<12} {classifier.proportion_.total:.3f} ({low:.3f} to {high:.3f})")


def draw_figure(rows, full, path):
    from eulac.benchmark.figure_style import LOOKS, new_figure, save_figure, styled

    landmarks = list(rows)
    looks = {"AUC": "kme_shift", "accuracy": "eulac", "macro-F1": "w_svm"}
    with styled():
        figure, (quality, cost) = new_figure(2, width=3.6, height=3.0)
        for name, look in looks.items():
            color, marker, _ = LOOKS[look]
            values = [row[name] for row in rows.values()]
            quality.plot(landmarks, values, color=color, marker=marker, label=name)
            if full:
                quality.axhline(full[name], color=color, ls=":", lw=1)
        quality.set_ylabel("percent")
        quality.margins(y=0.1)
        quality.legend(loc="upper right", bbox_to_anchor=(1.0, 0.46), title="dotted: full kernel")
        minutes = [row["minutes"] for row in rows.values()]
        cost.plot(landmarks, minutes, color=LOOKS["eulac"][0], marker="o")
        cost.set_ylabel("processor minutes")
        cost.set_ylim(bottom=0)
        for axes in (quality, cost):
            axes.set_xscale("log")
            axes.set_xticks(landmarks, [f"{n:,}" for n in landmarks])
            axes.minorticks_off()
            axes.set_xlabel("landmarks")
        save_figure(figure, Path(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--landmarks", type=int, nargs="+", default=[250, 500, 1000])
    parser.add_argument("--labeled", type=int, default=30_000)
    parser.add_argument("--unlabeled", type=int, default=30_000)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument(
        "--subsample", type=int, default=1000, help="rows of the full kernel; 0: none"
    )
    parser.add_argument("--choices", action="store_true", help="compare choices of landmarks")
    parser.add_argument("--pilots", type=int, nargs="+", help="compare estimated known shares only")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figure", metavar="STEM", help="writes STEM.png and STEM.svg")
    options = parser.parse_args()
    warnings.simplefilter("ignore", EulacWarning)
    dataset = load_dataset("mnist")
    sizes = {"n_labeled": options.labeled, "n_unlabeled": options.unlabeled, "n_test": options.test}
    split = draw_split(
        dataset.X, dataset.y, known_classes=range(6), random_state=options.seed, **sizes
    )
    print(f"true known share {split.known_proportion:.3f}")
    if options.pilots:
        compare_pilots(options.pilots, split.sample, options.seed)
        return
    header = ("macro-F1", "accuracy", "AUC", "estimated error", "known share", "minutes")
    print(" " * 28 + "".join(f"{name:>15}" for name in header), flush=True)
    choices = ("uniform", "kmeans++", "leverage") if options.choices else ("kmeans++",)
    rows, full = {}, None
    for n_landmarks in options.landmarks:
        for choice in choices:
            classifier = LandmarkEulacClassifier(
                n_landmarks=n_landmarks,
                landmarks=choice,
                dtype=options.dtype,
                random_state=options.seed,
            )
            rows[n_landmarks] = measured(classifier, split.sample, split)
            show(f"{n_landmarks} landmarks ({choice})", rows[n_landmarks])
    if options.choices:
        classifier = LandmarkEulacClassifier(
            n_landmarks=options.landmarks[-1], feature_map="fourier", random_state=options.seed
        )
        show(f"{options.landmarks[-1]} Fourier features", measured(classifier, split.sample, split))
    if options.subsample:
        few = part(split.sample, options.subsample, 2 * options.subsample)
        full = measured(KernelEulacClassifier(random_state=options.seed), few, split)
        show(f"kernel, {options.subsample}+{2 * options.subsample} rows", full)
    if options.figure:
        draw_figure(rows, full, options.figure)


if __name__ == "__main__":
    main()
