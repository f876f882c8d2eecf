"""Rows per second of `predict` against an SVC with as many kernel columns."""

import numpy as np
from sklearn.svm import SVC

from eulac import KernelEulacClassifier
from timing import THREADS, best_seconds, report

N_LABELED, N_UNLABELED, N_FEATURES, N_NEW, N_CLASSES = 500, 1000, 256, 4000, 5


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((N_LABELED + N_UNLABELED, N_FEATURES))
    y = rng.integers(0, N_CLASSES, len(X))
    masked = np.where(np.arange(len(X)) < N_LABELED, y, -1)
    ours = KernelEulacClassifier(0.5, bandwidth=3.0, penalty=1e-3, random_state=0).fit(X, masked)
    # Random labels make every row a support vector: as many kernel columns as ours.
    svc = SVC(gamma=0.5 / 3.0**2).fit(X, rng.integers(0, N_CLASSES + 1, len(X)))
    new = rng.random((N_NEW, N_FEATURES))
    seconds = best_seconds(lambda: ours.predict(new), repeats=5)
    svc_seconds = best_seconds(lambda: svc.predict(new), repeats=3)
    report(
        "predict_rows_per_second_vs_svc",
        ratio=svc_seconds / seconds,
        limit=5,
        rows_per_second=N_NEW / seconds,
        kernel_columns=len(X),
        svc_kernel_columns=int(svc.n_support_.sum()),
        sizes=f"{N_NEW} rows x {N_FEATURES} features",
        threads=THREADS,
    )


if __name__ == "__main__":
    main()
