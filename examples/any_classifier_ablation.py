"""What the parts of TwoStageEulacClassifier are worth, each taken away in turn.

The draws of Table 1; metrics on test rows with true labels, which no variant has seen, and how far
the label-free error is from the true one. Variants:

- default: consensus proportion refined, nested cross-fitting, once;
- consensus: the proportion is not refined;
- true_proportion: the proportion nobody knows;
- true_newness: that and which unlabeled rows are new, the most a first stage could find out;
- flat: the first stage is cross-fitted, but held-out rows have had a say in it;
- in_sample: the first stage scores the rows it was trained on;
- repeats_3: three forests of a third of the trees, each with its own folds in both stages.

One JSON object per draw and variant goes to the records, and what is there is not run again.

    python examples/any_classifier_ablation.py segment --draws 2 --records ablation.jsonl
"""

import argparse
import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import ExtraTreesClassifier

from eulac import TwoStageEulacClassifier
from eulac.any_classifier.stages import FirstStage, fit_first_stage, fit_on_all
from eulac.any_classifier.table_proportion import SharedProportion
from eulac.any_classifier.two_stage_model import fit_two_stage
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.trial import Draw
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning
from eulac.proportion.reduction import log_odds

VARIANTS = (
    *("default", "consensus", "true_proportion", "true_newness"),
    *("flat", "in_sample", "repeats_3"),
)


def flat(first):
    """Return the first stage with scores that know the fold they are used for."""
    odds = log_odds(1.0 - first.probabilities[:, -1])
    return replace(first, without=np.tile(odds, (len(first.without), 1)))


class Flat(TwoStageEulacClassifier):
    """Cross-fitted, but not nested."""

    def _fit_stages(self, table, stages, on_stage):
        estimate = self.known_proportion.estimate(None)
        first = flat(fit_first_stage(table, stages))
        model = fit_two_stage(table, estimate, first, stages, refine=True)
        self.proportion_ = model.estimate
        return model


class InSample(TwoStageEulacClassifier):
    """The first stage scores the rows it was trained on."""

    def _fit_stages(self, table, stages, on_stage):
        estimate = self.known_proportion.estimate(None)
        unlabeled = np.arange(table.n_labeled + table.n_unlabeled) >= table.n_labeled
        weights = np.ones(len(unlabeled))
        model = fit_on_all(table, unlabeled.astype(int), weights, stages, n_codes=2)
        seen = FirstStage(
            model.probabilities(table.X), np.zeros((stages.n_folds, 1)), table.n_labeled
        )
        model = fit_two_stage(table, estimate, flat(seen), stages, refine=True)
        self.proportion_ = model.estimate
        return model


class Told(TwoStageEulacClassifier):
    """The first stage is told which unlabeled rows are new."""

    def fit(self, X, y, X_unlabeled=None, *, is_new):
        self.is_new = is_new
        return super().fit(X, y, X_unlabeled)

    def _fit_stages(self, table, stages, on_stage):
        estimate = self.known_proportion.estimate(None)
        new = 0.9 * self.is_new[table.places] + 0.05
        told = FirstStage(
            np.column_stack([1 - new, new]), np.zeros((stages.n_folds, 1)), table.n_labeled
        )
        self.proportion_ = estimate
        return fit_two_stage(table, estimate, flat(told), stages)


def build(variant, estimate, truth, n_trees, seed):
    told = {"known_proportion": SharedProportion(estimate), "shift": False, "random_state": seed}
    base = ExtraTreesClassifier(n_trees)
    if variant == "consensus":
        return TwoStageEulacClassifier(base, **told)
    if variant == "true_proportion":
        return TwoStageEulacClassifier(base, **{**told, "known_proportion": truth})
    if variant == "true_newness":
        share = replace(estimate, per_class=estimate.per_class * (truth / estimate.total))
        return Told(base, **{**told, "known_proportion": SharedProportion(share)})
    told["refine_proportion"] = True
    if variant == "flat":
        return Flat(base, **told)
    if variant == "in_sample":
        return InSample(base, **told)
    if variant == "repeats_3":
        return TwoStageEulacClassifier(ExtraTreesClassifier(n_trees // 3), n_repeats=3, **told)
    return TwoStageEulacClassifier(base, **told)


def one_draw(draw, variants, n_trees):
    opened = OpenDraw(draw)
    split, records = opened.split, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        estimate = opened.shared("consensus").estimate
        for variant in variants:
            truth = split.known_proportion
            classifier = build(variant, estimate, truth, n_trees, draw.fit_seed)
            known = np.isin(split.y_unlabeled, split.known_classes)
            is_new = np.append(np.zeros(split.sample.n_labeled, bool), ~known)
            options = {"is_new": is_new} if variant == "true_newness" else {}
            classifier.fit(*split.sample.as_masked(), **options)
            metrics = evaluate(classifier, split.X_test, split.y_test)
            gap = classifier.risk_.raw - (1.0 - metrics.accuracy)
            records.append(
                {
                    "dataset": draw.dataset,
                    "draw": draw.class_draw,
                    "variant": variant,
                    "macro_f1": 100 * metrics.macro_f1,
                    "accuracy": 100 * metrics.accuracy,
                    "auc": 100 * metrics.auc,
                    "estimated_less_true_error": 100 * gap,
                    "proportion_less_truth": 100 * (classifier.proportion_.total - truth),
                }
            )
    return records


def read_records(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_missing(options):
    done = {(r["dataset"], r["draw"], r["variant"]) for r in read_records(options.records)}
    jobs = []
    for seed in range(options.draws):
        for name in options.datasets:
            missing = [v for v in options.variants if (name, seed, v) not in done]
            if missing:
                jobs.append(delayed(one_draw)(Draw(name, seed), missing, options.trees))
    for records in Parallel(options.jobs, return_as="generator_unordered")(jobs):
        with options.records.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)


def print_table(records, options):
    print(
        "| variant | n | macro-F1 | accuracy | AUC | error less true error | absolute "
        "| proportion less true one | absolute |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for variant in options.variants:
        rows = [r for r in records if r["variant"] == variant]
        if rows:
            error, share = (
                np.array([r[name] for r in rows])
                for name in ("estimated_less_true_error", "proportion_less_truth")
            )
            cells = [np.mean([r[name] for r in rows]) for name in ("macro_f1", "accuracy", "auc")]
            cells = [f"{cell:.1f}" for cell in cells]
            cells += [f"{part.mean():+.1f} | {np.abs(part).mean():.1f}" for part in (error, share)]
            print(f"| {variant} | {len(rows)} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["segment", "satimage", "usps"])
    parser.add_argument("--draws", type=int, default=10, help="of known classes")
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--records", type=Path, default=Path("any_classifier_ablation.jsonl"))
    options = parser.parse_args()
    run_missing(options)
    kept = [r for r in read_records(options.records) if r["dataset"] in options.datasets]
    print_table(kept, options)


if __name__ == "__main__":
    main()
