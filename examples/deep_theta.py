"""Training loss and AUC of deep EULAC at given proportions: the paper's rule for networks.

The paper takes the proportion with the smallest training loss. Prints both for each proportion,
what the rule takes, and what the estimate on held-out outputs gives instead. Needs the datasets
(`eulac data list`); records are kept and resumed as in deep_table.py.

    python examples/deep_theta.py mnist --splits 5 --epochs 12
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from deep_table import NEW_CLASSES, SIZES, build, draw, read_records

from eulac.deep.smallest_loss import fit_by_smallest_loss
from eulac.evaluation.metrics import evaluate
from eulac.exceptions import EulacWarning

PROPORTIONS = (0.6, 0.7, 0.8, 0.9)
# Training loss and AUC in percent, Table 8 of the paper's appendix.
PAPER = {
    "mnist": {0.6: (82.9, 98.9), 0.7: (79.9, 98.8), 0.8: (76.4, 99.1), 0.9: (55.2, 98.6)},
    "cifar10": {0.6: (95.7, 55.5), 0.7: (91.8, 82.3), 0.8: (81.2, 82.7), 0.9: (66.2, 84.9)},
    "svhn": {0.6: (78.4, 78.0), 0.7: (73.0, 80.4), 0.8: (69.2, 81.7), 0.9: (45.4, 90.2)},
}


def run(name, split, n_epochs):
    """Return a record per proportion."""
    new = NEW_CLASSES[split]
    (X, y), (U, _), (X_test, y_test) = draw(name, new, split)
    truth = np.where(np.isin(y_test, new), -2, y_test)
    augmentation = "flips" if name == "cifar10" else "auto"
    classifier = build("deep_eulac", n_epochs, augmentation=augmentation, random_state=split)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        fits = fit_by_smallest_loss(classifier, X, y, U, known_proportions=PROPORTIONS)
    minutes = (time.process_time() - start) / 60 / len(fits)
    records = []
    for rank, fit in enumerate(fits):
        metrics = evaluate(fit.classifier, X_test, truth)
        records.append(
            {
                "dataset": name,
                "split": split,
                "epochs": n_epochs,
                "given_proportion": fit.known_proportion,
                "training_loss": round(100 * fit.training_loss, 2),
                "auc": round(100 * metrics.auc, 2),
                "accuracy": round(100 * metrics.accuracy, 2),
                "chosen": rank == 0,
                "minutes": round(minutes, 2),
            }
        )
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", choices=list(SIZES))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--records", type=Path, default=Path("deep_theta.jsonl"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    records = read_records(options.records)
    done = {(r["dataset"], r["split"], r["epochs"]) for r in records}
    for split in range(options.splits):
        if (options.dataset, split, options.epochs) in done:
            continue
        fresh = run(options.dataset, split, options.epochs)
        records += fresh
        with options.records.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in fresh)
    asked = (options.dataset, options.epochs)
    records = [r for r in records if (r["dataset"], r["epochs"]) == asked]
    print("given    loss  paper     AUC  paper  accuracy  taken")
    for proportion in PROPORTIONS:
        rows = [r for r in records if r["given_proportion"] == proportion]
        loss, auc, accuracy = (
            np.mean([r[k] for r in rows]) for k in ("training_loss", "auc", "accuracy")
        )
        paper_loss, paper_auc = PAPER[options.dataset][proportion]
        taken = f"{sum(r['chosen'] for r in rows)}/{len(rows)}"
        print(
            f"{proportion:5.2f} {loss:7.2f} {paper_loss:6.1f} {auc:7.2f} {paper_auc:6.1f} "
            f"{accuracy:9.2f} {taken:>6}"
        )


if __name__ == "__main__":
    main()
