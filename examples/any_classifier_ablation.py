"""What the parts of AugmentedClassifier are worth, each taken away in turn.

The paper's draws; metrics on test rows with true labels, which no variant has seen. Variants:
default (hard, one round, estimated proportion, cross-fitted); soft posteriors; one to five
rounds without the stopping rule; the true proportion; and the first stage without cross-fitting,
every row scored by a model that has seen it. One JSON object per draw and variant goes to the
records, and what is there is not run again.

    python examples/any_classifier_ablation.py segment satimage --draws 3 --records ablation.jsonl
"""

import argparse
import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from eulac import AugmentedClassifier, ConsensusProportion
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_known_classes, draw_split, min_max_scale
from eulac.estimators import two_stage
from eulac.estimators.base_proportion import SharedProportion
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning

VARIANTS = (
    "default",
    "soft",
    "true_proportion",
    "in_sample",
    *(f"rounds_{n}" for n in range(1, 6)),
)


class Endless(AugmentedClassifier):
    """All rounds are run and the last one is kept, whatever the risk says."""

    def _fit_stages(self, table, stages, on_stage):
        first = two_stage.membership_probabilities(table, stages)
        self.proportion_ = self.known_proportion.estimate(None)
        model = None
        for _ in range(self.rounds):
            once = replace(stages, rounds=1)
            model = two_stage.fit_two_stage(table, self.proportion_, first, once)
            first = _as_first(model.held_out.labeled), _as_first(model.held_out.unlabeled)
        return model


def _as_first(probabilities):
    """Return the odds of the augmented class against the likeliest known one, as two columns."""
    odds = probabilities[:, -1] / np.maximum(probabilities[:, :-1].max(axis=1), 1e-3)
    return np.column_stack([1 / (1 + odds), odds / (1 + odds)])


class InSample(AugmentedClassifier):
    """The first stage scores the rows it was trained on."""

    def _fit_stages(self, table, stages, on_stage):
        self.proportion_ = self.known_proportion.estimate(None)
        is_unlabeled = np.arange(table.n_labeled + table.n_unlabeled) >= table.n_labeled
        model = two_stage.fit_weighted(
            stages.base,
            table.X,
            is_unlabeled.astype(int),
            np.ones(len(is_unlabeled)),
            n_codes=2,
            seed=stages.seed,
        )
        first = np.split(model.probabilities(table.X), [table.n_labeled])
        return two_stage.fit_two_stage(table, self.proportion_, first, stages)


def build(variant, estimate, truth, n_trees, seed):
    options = {"known_proportion": SharedProportion(estimate), "shift": False, "random_state": seed}
    base = ExtraTreesClassifier(n_trees)
    if variant == "soft":
        return AugmentedClassifier(base, posteriors="soft", **options)
    if variant == "true_proportion":
        return AugmentedClassifier(base, **{**options, "known_proportion": truth})
    if variant == "in_sample":
        return InSample(base, **options)
    if variant.startswith("rounds_"):
        return Endless(base, rounds=int(variant.split("_")[1]), **options)
    return AugmentedClassifier(base, **options)


def one_draw(X, y, variants, n_trees, seed):
    split = draw_split(
        X, y, known_classes=draw_known_classes(y, random_state=seed), random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        estimate = ConsensusProportion(random_state=seed).estimate(split.sample)
        for variant in variants:
            classifier = build(variant, estimate, split.known_proportion, n_trees, seed)
            classifier.fit(*split.sample.as_masked())
            metrics = evaluate(classifier, split.X_test, split.y_test)
            yield {
                "variant": variant,
                "macro_f1": 100 * metrics.macro_f1,
                "accuracy": 100 * metrics.accuracy,
                "auc": 100 * metrics.auc,
                "estimated_error": 100 * classifier.risk_.raw,
            }


def read_records(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["segment", "satimage"])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--records", type=Path, default=Path("any_classifier_ablation.jsonl"))
    options = parser.parse_args()
    done = {(r["dataset"], r["draw"], r["variant"]) for r in read_records(options.records)}
    for name in options.datasets:
        dataset = load_dataset(name)
        X = min_max_scale(dataset.X)
        for seed in range(options.draws):
            missing = [v for v in options.variants if (name, seed, v) not in done]
            for record in one_draw(X, dataset.y, missing, options.trees, seed) if missing else ():
                with options.records.open("a") as file:
                    file.write(json.dumps({"dataset": name, "draw": seed, **record}) + "\n")
    columns = ("macro_f1", "accuracy", "auc", "estimated_error")
    print(f"{'variant':<16} {'n':>3} " + " ".join(f"{name:>15}" for name in columns))
    records = [r for r in read_records(options.records) if r["dataset"] in options.datasets]
    for variant in options.variants:
        rows = [r for r in records if r["variant"] == variant and r["draw"] < options.draws]
        if rows:
            means = " ".join(f"{np.mean([r[name] for r in rows]):15.2f}" for name in columns)
            print(f"{variant:<16} {len(rows):3d} {means}", flush=True)


if __name__ == "__main__":
    main()
