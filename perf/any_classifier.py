"""Cost of TwoStageEulacClassifier, as a multiple of fitting its base once to all rows.

The base alone is fitted to labeled and unlabeled rows with K + 1 targets, which is what it would
cost to use it at all. With defaults: proportion estimated, one round, four folds; the default
forest, three repeats of 100 trees, is compared with one of 300. The second line doubles the rows:
costs that were quadratic in them would double the multiple. A forest that is passed is not
repeated: the third line.
"""

import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from eulac import TwoStageEulacClassifier
from eulac.data.synthetic import make_gaussian_task
from eulac.exceptions import EulacWarning
from timing import THREADS, report

LIMIT = 12
SIZES = ((500, 1000), (1000, 2000))
N_FEATURES = 64


def draw(n_labeled, n_unlabeled):
    task = make_gaussian_task(
        n_known_classes=5,
        n_augmented_classes=5,
        n_features=N_FEATURES,
        separation=6.0,
        known_proportion=0.5,
        random_state=0,
    )
    return task.draw(n_labeled, n_unlabeled, random_state=0).sample


def processor_seconds(work):
    """Return the processor time of one run: machines may be busy, and fits run for seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def cost(name, base, sample, classifier=None):
    X, y = sample.as_masked()
    targets = np.where(y == -1, sample.n_known_classes, y)
    base = clone(base).set_params(random_state=0)
    # Timed before and after: a busy machine slows processors down, and not evenly.
    before = processor_seconds(lambda: clone(base).fit(X, targets))
    classifier = clone(classifier or TwoStageEulacClassifier(base)).set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        whole = processor_seconds(lambda: classifier.fit(X, y))
    after = processor_seconds(lambda: clone(base).fit(X, targets))
    alone = 0.5 * (before + after)
    report(
        f"augmented_{name}_fit_vs_base_fit",
        ratio=whole / alone,
        limit=LIMIT,
        fit_seconds=whole,
        base_seconds=alone,
        sizes=f"{sample.n_labeled}+{sample.n_unlabeled} rows x {N_FEATURES} features",
        threads=THREADS,
    )


def main() -> None:
    forest = ExtraTreesClassifier(300)
    for sizes in SIZES:
        cost("default", forest, draw(*sizes), TwoStageEulacClassifier())
    cost("extra_trees", forest, draw(*SIZES[0]))
    cost("boosting", HistGradientBoostingClassifier(max_iter=30), draw(*SIZES[0]))


if __name__ == "__main__":
    main()
