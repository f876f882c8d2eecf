"""Cost of a default fit, as a multiple of one forest of 300 trees on the same rows.

The forest is fitted to labeled and unlabeled rows with K + 1 targets, which is what using it once
would cost; before and after, because a busy machine slows processors down, and not evenly. How the
time is divided among the families, and how much of it went into the known share, is printed too.
"""

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from eulac import EulacClassifier
from timing import THREADS, processor_seconds, quietly, report, ten_classes

SIZES = ((500, 1000, 16), (500, 1000, 64), (500, 1000, 256))


def cost(n_labeled: int, n_unlabeled: int, n_features: int) -> None:
    sample = ten_classes(n_labeled, n_unlabeled, n_features)
    X, y = sample.as_masked()
    targets = np.where(y == -1, sample.n_known_classes, y)

    def forest() -> object:
        return ExtraTreesClassifier(300, random_state=0).fit(X, targets)

    before = processor_seconds(forest)
    classifier = EulacClassifier(random_state=0)
    whole = processor_seconds(quietly(lambda: classifier.fit(X, y)))
    alone = 0.5 * (before + processor_seconds(forest))
    report(
        "default_fit_vs_forest",
        ratio=whole / alone,
        fit_seconds=whole,
        forest_seconds=alone,
        families=dict(zip(classifier.selection_.names, classifier.selection_.seconds, strict=True)),
        label_free_error=classifier.risk_.value,
        sizes=f"{n_labeled}+{n_unlabeled} rows x {n_features} features",
        threads=THREADS,
    )


def main() -> None:
    for size in SIZES:
        cost(*size)


if __name__ == "__main__":
    main()
