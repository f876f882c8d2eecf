"""Simulate label-free estimates where the truth is known; print tables of docs/reliability.md.

python tools/statistics_table.py risk          # means of every loss against the truth
python tools/statistics_table.py error         # how often the interval of the error holds it
python tools/statistics_table.py proportion    # the same of the known share; false alarms
python tools/statistics_table.py broken        # the default classifier where the condition fails
"""

import argparse
import sys
import warnings
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from eulac import EulacClassifier, TwoReadingsProportion
from eulac.data.synthetic import GaussianMixtureTask
from eulac.risk.zero_one import zero_one_risk
from statistical.test_unbiasedness import (
    ESTIMATES,
    N_KNOWN,
    TASKS,
    estimates_of,
    row_weights,
    scores_of,
    standard_scores,
    truths_of,
)

SIZES = ((40, 60), (100, 200), (400, 800))
DISTANCES = {"apart": 8.0, "near": 4.0}
SHARES = (0.5, 0.8, 1.0)
LEVEL = 0.05

N_CLASSES, DISTANCE = 4, 5.0
EVEN = np.full(N_CLASSES, 1.0 / N_CLASSES)
"""Known classes of the table of broken conditions, so many deviations from each other; the new one
lies as far from the first, and 7 from the others."""

BROKEN = {
    "holds": {},
    "holds, priors moved 8 to 1": {"priors": np.array([8.0, 4.0, 2.0, 1.0]) / 15.0},
    "known classes moved by a half": {"step": 0.5},
    "known classes moved by one": {"step": 1.0},
    "known classes moved by two": {"step": 2.0},
    "one class moved by two": {"step": 2.0, "moved": [0]},
    "known classes spread out by a half": {"spread": 1.5},
    "new class one deviation from a known one": {"apart": 1.0},
    "new class on top of a known one": {"apart": 0.0},
}
"""In deviations, along a direction in which classes do not differ; the known share is 0.6."""


def risk_table(n_simulations, seed):
    """Print the mean of each estimate, its truth, and how many standard errors lie between."""
    print("| priors | estimate | mean | truth | standard errors apart |\n|---|---|---|---|---|")
    far = []
    for name, task in TASKS.items():
        rng, rows = np.random.default_rng(seed), []
        for _ in range(n_simulations):
            sample = task.draw(n_labeled=40, n_unlabeled=60, random_state=rng).sample
            rows.append(estimates_of(sample, row_weights(name, sample.y_labeled)))
        found = np.array(rows)
        scores = standard_scores(name, found)
        far.extend(np.abs(scores) > 2)
        for line in zip(ESTIMATES, found.mean(axis=0), truths_of(name), scores, strict=True):
            print("| {} | {} | {:.4f} | {:.4f} | {:+.2f} |".format(name, *line))
    print(f"\n{n_simulations} simulations; {sum(far)} of {len(far)} means beyond 2 standard errors")


def error_table(n_simulations, seed):
    """Print how often the 95 % interval of the label-free error holds the error."""
    print("| priors | labeled + unlabeled rows | interval holds the error |\n|---|---|---|")
    for (name, task), size in product(TASKS.items(), SIZES):
        rng, truth, held = np.random.default_rng(seed), truths_of(name)[-1], 0
        for _ in range(n_simulations):
            sample = task.draw(n_labeled=size[0], n_unlabeled=size[1], random_state=rng).sample
            labeled, unlabeled = (
                scores_of(rows[:, 0]).argmax(axis=1)
                for rows in (sample.X_labeled, sample.X_unlabeled)
            )
            weights = row_weights(name, sample.y_labeled)
            answers = (labeled, sample.y_labeled, weights, unlabeled)
            low, high = zero_one_risk(*answers, augmented=N_KNOWN).interval
            held += low <= truth <= high
        print(f"| {name} | {size[0]} + {size[1]} | {held / n_simulations:.1%} |", flush=True)


def proportion_table(n_simulations, seed):
    """Print error and coverage of the default known share, and how often something seems new."""
    print("| rows | new class | known share | mean error | interval holds it | 'something new' |")
    print("|---|---|---|---|---|---|")
    for size, (place, distance), share in product(SIZES[1:], DISTANCES.items(), SHARES):
        means = distance / np.sqrt(2) * np.eye(3)
        task = GaussianMixtureTask(
            means=means, scale=1.0, labeled_priors=[0.5, 0.5], per_class=[share / 2, share / 2]
        )
        errors, held, alarms = [], 0, 0
        for index in range(n_simulations):
            drawn = task.draw(n_labeled=size[0], n_unlabeled=size[1], random_state=seed + index)
            truth = float(np.sum(drawn.per_class))  # of these rows
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = TwoReadingsProportion(random_state=index).estimate(drawn.sample)
            errors.append(abs(found.total - truth))
            held += found.interval[0] <= truth <= found.interval[1]
            alarms += found.diagnostics["nothing_new_p_value"] < LEVEL
        print(
            f"| {size[0]} + {size[1]} | {place} | {share} | {np.mean(errors):.3f} | "
            f"{held} of {n_simulations} | {alarms} of {n_simulations} |",
            flush=True,
        )


def broken_rows(rng, sizes, *, priors=EVEN, step=0.0, moved=(), spread=1.0, apart=DISTANCE):
    """Return labeled rows, their labels, unlabeled rows and what these are: -2 is new."""
    means = np.vstack([DISTANCE / np.sqrt(2) * np.eye(N_CLASSES, N_CLASSES + 2)])
    y = rng.choice(N_CLASSES, sizes[0], p=EVEN)
    truth = np.where(rng.random(sizes[1]) < 0.6, rng.choice(N_CLASSES, sizes[1], p=priors), -2)
    X = means[y] + rng.normal(size=(sizes[0], means.shape[1]))
    new = means[0] + apart * np.eye(N_CLASSES + 2)[-2]
    spreads = np.where(truth == -2, 1.0, spread)[:, None]
    pool = np.where(truth[:, None] == -2, new, means[truth]) + spreads * rng.normal(
        size=(sizes[1], means.shape[1])
    )
    pool[np.isin(truth, moved if len(moved) else np.arange(N_CLASSES)), -1] += step
    return X, y, pool, truth


def broken_table(n_simulations, seed):
    """Print what the default classifier says where known classes or new ones are not as assumed."""
    print(
        "| the condition | accuracy | share off by | leans | its interval holds | width | "
        "error claimed | true | its interval holds | moved classes suspected |\n"
        + "|---" * 10
        + "|"
    )
    for name, how in BROKEN.items():
        rows = []
        for index in range(n_simulations):
            X, y, pool, truth = broken_rows(np.random.default_rng(seed + index), (200, 400), **how)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clf = EulacClassifier(random_state=index)
                wrong = float(np.mean(clf.fit_predict(X, y, X_unlabeled=pool) != truth))
            share, known = clf.proportion_, float(np.mean(truth != -2))
            in_share = share.interval[0] <= known <= share.interval[1]
            in_error = clf.risk_.interval[0] <= wrong <= clf.risk_.interval[1]
            off, width = share.total - known, np.ptp(share.interval)
            numbers = off, in_share, width, clf.risk_.raw, wrong, in_error, share.doubts_condition
            rows.append(numbers)
        found = np.array(rows, dtype=float)
        off, in_share, width, claimed, wrong, in_error, drift = found.mean(axis=0)
        print(
            f"| {name} | {1 - wrong:.1%} | {np.abs(found[:, 0]).mean():.3f} | {off:+.3f} | "
            f"{in_share:.0%} | {width:.2f} | {claimed:.1%} | {wrong:.1%} | {in_error:.0%} | "
            f"{drift:.0%} |",
            flush=True,
        )


TABLES = {
    "risk": risk_table,
    "error": error_table,
    "proportion": proportion_table,
    "broken": broken_table,
}
NUMBERS = {"risk": 2000, "error": 2000, "proportion": 20, "broken": 20}


def main():
    """Print the table asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--simulations", type=int)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    TABLES[options.table](options.simulations or NUMBERS[options.table], options.seed)


if __name__ == "__main__":
    main()
