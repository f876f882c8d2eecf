"""Cost of TwoStageEulacClassifier, as a multiple of fitting its base once to all rows.

The base alone is fitted to labeled and unlabeled rows with K + 1 targets, which is what it would
cost to use it at all. With defaults: proportion estimated, one round, four folds; the default
forest, three repeats of 100 trees, is compared with one of 300. The second line doubles the rows:
costs that were quadratic in them would double the multiple. A forest that is passed is not
repeated: the third line.
"""

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from eulac import TwoStageEulacClassifier
from timing import THREADS, processor_seconds, quietly, report, ten_classes

LIMIT = 12
SIZES = ((500, 1000), (1000, 2000))
N_FEATURES = 64


def cost(name, base, sample, classifier=None):
    X, y = sample.as_masked()
    targets = np.where(y == -1, sample.n_known_classes, y)
    base = clone(base).set_params(random_state=0)
    # Timed before and after: a busy machine slows processors down, and not evenly.
    before = processor_seconds(lambda: clone(base).fit(X, targets))
    classifier = clone(classifier or TwoStageEulacClassifier(base)).set_params(random_state=0)
    whole = processor_seconds(quietly(lambda: classifier.fit(X, y)))
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
        cost("default", forest, ten_classes(*sizes, N_FEATURES), TwoStageEulacClassifier())
    cost("extra_trees", forest, ten_classes(*SIZES[0], N_FEATURES))
    cost(
        "boosting", HistGradientBoostingClassifier(max_iter=30), ten_classes(*SIZES[0], N_FEATURES)
    )


if __name__ == "__main__":
    main()
