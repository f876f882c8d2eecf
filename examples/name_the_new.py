"""The whole loop on digits: detect, look, name, go on; what it closes of the gap to full labels.

Three digits are hidden. A classifier is fitted on labeled rows of the other seven and an unlabeled
pool; its new-looking pool rows are grouped; each group gets the name a reviewer would give it, the
true digit most of its rows have; named rows are promoted and the classifier is refitted. Accuracy
counts all ten digits on test rows nobody has seen, so that before the review rows of the hidden
digits cannot be right. The fully labeled model of the same kind has the true labels of all
training rows, pool included. Labels of pool rows name groups, and nothing else; those of test rows
only measure.

    python examples/name_the_new.py --seeds 5
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits

from eulac import KernelEulacClassifier, find_new_classes
from eulac.report.decisions import Decisions
from eulac.report.promotion import PROPORTIONS, promote

N_TEST, N_POOL, N_HIDDEN = 500, 700, 3


def draw(seed):
    """Return the hidden digits, and row numbers of labeled, pool and test rows."""
    y = load_digits().target
    rng = np.random.default_rng(seed)
    hidden = np.sort(rng.choice(10, N_HIDDEN, replace=False))
    test, pool, rest = np.split(rng.permutation(len(y)), [N_TEST, N_TEST + N_POOL])
    return hidden, rest[~np.isin(y[rest], hidden)], pool, test


def majority_names(classes, labels):
    """Name each group as most of its rows are, as a reviewer would."""
    return [str(np.bincount(labels[rows]).argmax()) for rows in classes.typical_rows]


def run(seed, proportion="reviewed"):
    """Return what the loop comes to with one draw, as numbers."""
    X, y = load_digits(return_X_y=True)
    hidden, labeled, pool, test = draw(seed)
    before = KernelEulacClassifier(random_state=seed)
    before.fit(X[labeled], y[labeled], X_unlabeled=X[pool])
    classes = find_new_classes(before, X[pool], tolerance=0.04, random_state=seed)
    names = majority_names(classes, y[pool])
    decisions = Decisions.from_classes(X[pool], classes, names)
    after = promote(before, X[labeled], y[labeled], X[pool], decisions, proportion=proportion)
    everything = np.concatenate([labeled, pool])
    full = KernelEulacClassifier(random_state=seed).fit(X[everything], y[everything])
    scores = [np.mean(model.predict(X[test]) == y[test]) for model in (before, after, full)]
    found = {int(name) for name in names} & set(hidden.tolist())
    named_right = [
        np.sum(y[pool][rows] == int(name))
        for rows, name in zip(classes.typical_rows, names, strict=True)
    ]
    return {
        "hidden": " ".join(map(str, hidden)),
        "new rows": len(classes.rows),
        "groups": classes.n_classes,
        "hidden digits found": len(found),
        "rows named right": sum(named_right) / max((classes.assignment >= 0).sum(), 1),
        "before": scores[0],
        "after": scores[1],
        "full labels": scores[2],
        "gap closed": (scores[1] - scores[0]) / (scores[2] - scores[0]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--proportion", choices=PROPORTIONS, default="reviewed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for seed in range(options.seeds):
        rows.append(run(seed, options.proportion))
        if seed == 0:
            print("  ".join(rows[0]))
        print("  ".join(_cell(name, value) for name, value in rows[-1].items()), flush=True)
    closed = [row["gap closed"] for row in rows]
    means = {
        name: np.mean([row[name] for row in rows]) for name in ("before", "after", "full labels")
    }
    listed = ", ".join(f"{name} {100 * value:.1f} %" for name, value in means.items())
    print(f"mean accuracy: {listed}; gap closed {np.mean(closed):.2f} (lowest {min(closed):.2f})")


def _cell(name, value):
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text.rjust(len(name))


if __name__ == "__main__":
    main()
