"""A forest that splits by the augmented Gini impurity, beside two stages around an ordinary one.

The Gini impurity of K + 1 classes needs the mass of the augmented class in a node, which nobody
labeled: it is that of the unlabeled rows less that of the known ones, the known proportion times
the labeled rows. Trees of scikit-learn compute just that if every labeled row stands there twice,
once in its class and once with negative weight in the augmented one. No stages, no folds and no
pseudo-labels: one forest.

Draws of Table 1. Both are told the true proportion and call as many test rows new as there are;
the forest of one stage has as many trees as both stages fit together. Needs the datasets
(`eulac data list`).

    python examples/augmented_gini.py segment satimage usps --draws 5
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import f1_score, roc_auc_score

from eulac import TwoStageEulacClassifier
from eulac.any_classifier.two_stage_model import newest_rows
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.trial import Draw
from eulac.exceptions import EulacWarning

N_TREES = 3000
"""Three repeats of eleven fits of a hundred trees, most of them to some of the rows."""


class AugmentedGiniForest:
    """Extremely randomized trees of K + 1 classes, grown on the unbiased impurity."""

    def __init__(self, n_trees, smallest_leaf, seed):
        self.forest = ExtraTreesClassifier(
            n_trees, min_samples_leaf=smallest_leaf, random_state=seed
        )

    def fit(self, sample, known_proportion):
        known, unlabeled = sample.X_labeled, sample.X_unlabeled
        weight = known_proportion * len(unlabeled) / len(known)
        augmented = sample.n_known_classes
        target = np.repeat([augmented], 2 * len(known) + len(unlabeled))
        target[: len(known)] = sample.y_labeled
        weights = np.repeat([weight, -weight, 1.0], [len(known), len(known), len(unlabeled)])
        self.forest.fit(np.vstack([known, known, unlabeled]), target, sample_weight=weights)
        of_known = np.eye(augmented + 1)[sample.y_labeled] * weight
        of_known[:, -1] = -weight
        of_unlabeled = np.tile(np.eye(augmented + 1)[-1], (len(unlabeled), 1))
        self.masses = np.vstack([of_known, of_unlabeled])
        self.leaves = self.forest.apply(np.vstack([known, unlabeled]))
        return self

    def predict_proba(self, X):
        """Return the mean over trees of each leaf's shares; no mass is negative."""
        total = np.zeros((len(X), self.masses.shape[1]))
        for leaves, asked in zip(self.leaves.T, self.forest.apply(X).T, strict=True):
            size = max(leaves.max(), asked.max()) + 1
            mass = np.column_stack([np.bincount(leaves, m, size) for m in self.masses.T])
            mass = np.maximum(mass, 0.0)
            total += (mass / np.maximum(mass.sum(axis=1, keepdims=True), 1e-9))[asked]
        return total / len(self.leaves.T)


def measured(probabilities, truth):
    """Return macro-F1, accuracy and AUC in percent, as many rows called new as there are."""
    augmented = probabilities.shape[1] - 1
    is_new = truth == augmented
    logs = np.log(np.clip(probabilities, 1e-3, 1.0))
    novelty = logs[:, -1] - logs[:, :-1].max(axis=1)
    known = probabilities[:, :-1].argmax(axis=1)
    answers = np.where(newest_rows(novelty, is_new.mean()) > 0, augmented, known)
    return [
        100 * f1_score(truth, answers, average="macro"),
        100 * np.mean(answers == truth),
        100 * roc_auc_score(is_new, probabilities[:, -1]),
    ]


def one_draw(draw, n_trees, leaf_sizes):
    split = OpenDraw(draw).split
    sample, share, seed = split.sample, split.known_proportion, draw.fit_seed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        stages = TwoStageEulacClassifier(known_proportion=share, shift=False, random_state=seed)
        stages.fit(*sample.as_masked())
    known = stages.known_classes_
    place = np.minimum(np.searchsorted(known, split.y_test), len(known) - 1)
    truth = np.where(known[place] == split.y_test, place, len(known))
    found = {"two stages": measured(stages.predict_proba(split.X_test), truth)}
    for size in leaf_sizes:
        forest = AugmentedGiniForest(n_trees, size, seed).fit(sample, share)
        name = f"augmented Gini, {size} rows a leaf"
        found[name] = measured(forest.predict_proba(split.X_test), truth)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["segment", "satimage", "usps"])
    parser.add_argument("--draws", type=int, default=5, help="of known classes")
    parser.add_argument("--trees", type=int, default=N_TREES)
    parser.add_argument("--leaf-sizes", type=int, nargs="+", default=[2, 5])
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print("| dataset | method | n | macro-F1 | accuracy | AUC |\n|---|---|---|---|---|---|")
    for name in options.datasets:
        jobs = [
            delayed(one_draw)(Draw(name, draw), options.trees, options.leaf_sizes)
            for draw in range(options.draws)
        ]
        results = Parallel(options.jobs)(jobs)
        for method in results[0]:
            rows = np.array([found[method] for found in results])
            cells = " | ".join(f"{cell:.1f}" for cell in rows.mean(axis=0))
            print(f"| {name} | {method} | {len(rows)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
