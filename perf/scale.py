"""Sums over many rows: the landmark classifier in chunks against the bare matrix products.

Seconds are processor seconds of one thread, so that a busy machine does not count. Full size:

    python perf/scale.py --rows 1000000 --memory-rows 100000 1000000 10000000
"""

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy.linalg import blas
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier

from eulac import LandmarkEulacClassifier
from timing import THREADS, processor_seconds, report

N_FEATURES, N_KNOWN, CHUNK_ROWS = 50, 10, 20_000
LABELED_SHARE = 0.1
CENTERS = np.random.default_rng(0).normal(0, 1.2, (2 * N_KNOWN, N_FEATURES))


def chunk(index: int, n_rows: int):
    """Return rows of twice as many classes as are known, a tenth of the known ones labeled."""
    rng = np.random.default_rng([1, index])
    kind = rng.integers(0, 2 * N_KNOWN, n_rows)
    X = CENTERS[kind] + rng.standard_normal((n_rows, N_FEATURES))
    labeled = (kind < N_KNOWN) & (rng.random(n_rows) < 2 * LABELED_SHARE)
    return X, np.where(labeled, kind, -1)


def chunks(n_rows: int):
    for index, start in enumerate(range(0, n_rows, CHUNK_ROWS)):
        yield chunk(index, min(CHUNK_ROWS, n_rows - start))


def classifier(n_landmarks: int, dtype: str = "float64"):
    """Return the classifier with all that is frozen from the sample given but the landmarks."""
    return LandmarkEulacClassifier(
        0.5,
        shift=False,
        n_landmarks=n_landmarks,
        bandwidth=0.4,
        pilot_rows=3000,
        dtype=dtype,
        random_state=0,
    )


def bare_products(feature_map, scaler, n_rows: int) -> None:
    """Distances, exponentials, triangular solve, and a rank-k update for all rows: the floor."""
    m = feature_map.n_features
    total = np.zeros((m, m), order="F")
    for X, _ in chunks(n_rows):
        for start in range(0, len(X), 4096):
            features = feature_map.transform(scaler.transform(X[start : start + 4096]))
            total = blas.dsyrk(1.0, features.T, beta=1.0, c=total, lower=1, overwrite_c=1)


def against_floor(n_rows: int, n_landmarks: int) -> None:
    model = classifier(n_landmarks)
    fit = processor_seconds(lambda: model.fit_chunks(partial(chunks, n_rows)))
    encoder = model.plan_.encoder
    floor = processor_seconds(lambda: bare_products(encoder.feature_map, encoder.scaler, n_rows))
    single = classifier(n_landmarks, "float32")
    single_fit = processor_seconds(lambda: single.fit_chunks(partial(chunks, n_rows)))
    X, _ = chunk(10**6, 5000)
    agree = float(np.mean(single.predict(X) == model.predict(X)))
    sizes = f"{n_rows} rows x {N_FEATURES} features, {n_landmarks} landmarks, K = {N_KNOWN}"
    report(
        "landmark_fit",
        ratio_to_gemm_floor=fit / floor,
        limit=1.5,
        fit_seconds=fit,
        floor_seconds=floor,
        float32_seconds=single_fit,
        float32_same_answers=agree,
        sizes=sizes,
        threads=THREADS,
    )


def growth(n_rows: int, n_landmarks: int) -> None:
    sizes = [n_rows // 4, n_rows // 2, n_rows]
    seconds = [
        processor_seconds(lambda n=n: classifier(n_landmarks).fit_chunks(partial(chunks, n)))
        for n in sizes
    ]
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    report("landmark_fit_growth", exponent=exponent, limit=1.05, rows=sizes, fit_seconds=seconds)


def against_scikit_learn(n_rows: int, n_landmarks: int) -> None:
    """Nystroem features and ridge regression in memory, with the same landmarks."""
    X, y = map(np.concatenate, zip(*chunks(n_rows), strict=True))
    model = classifier(n_landmarks)
    ours = processor_seconds(lambda: model.fit(X, y))
    feature_map = model.plan_.encoder.feature_map
    scaled = model.plan_.encoder.scaled(X)

    def theirs() -> None:
        m = feature_map.n_features
        gamma = 0.5 / feature_map.bandwidth**2
        nystroem = Nystroem(gamma=gamma, n_components=m, random_state=0).fit(feature_map.landmarks)
        RidgeClassifier(alpha=1.0).fit(nystroem.transform(scaled), y)

    seconds = processor_seconds(theirs)
    report(
        "landmark_fit_vs_scikit_learn",
        ratio=ours / seconds,
        fit_seconds=ours,
        scikit_learn_seconds=seconds,
        sizes=f"{n_rows} rows x {N_FEATURES} features, {n_landmarks} landmarks",
        threads=THREADS,
        note="scikit-learn fits one penalty, without cross validation, in memory",
    )


def pilot(n_landmarks: int) -> None:
    """Report what is paid once, however many rows: proportion, bandwidth, landmarks."""
    X, y = chunk(0, CHUNK_ROWS)
    model = LandmarkEulacClassifier(n_landmarks=n_landmarks, pilot_rows=3000, random_state=0)
    report(
        "landmark_pilot",
        seconds=processor_seconds(lambda: model.prepare(X, y)),
        known_proportion=model.estimate_.total,
        true_known_proportion=float(0.5 * (1 - 2 * LABELED_SHARE) / (1 - LABELED_SHARE)),
        sizes=f"3000 rows x {N_FEATURES} features, {n_landmarks} landmarks",
    )


def memory(rows: list[int], n_landmarks: int) -> None:
    """Peak memory of fits in chunks, each in a process of its own."""
    peaks = []
    for n_rows in rows:
        options = ["--only-memory", str(n_rows), "--memory-landmarks", str(n_landmarks)]
        run = subprocess.run(
            [sys.executable, __file__, *options], capture_output=True, text=True, check=True
        )
        peaks.append(json.loads(run.stdout)["megabytes"])
    report(
        "landmark_fit_peak_memory",
        largest_over_smallest=max(peaks) / min(peaks),
        limit=1.1,
        rows=rows,
        megabytes=peaks,
        n_landmarks=n_landmarks,
    )


def one_fit(n_rows: int, n_landmarks: int) -> None:
    classifier(n_landmarks).fit_chunks(partial(chunks, n_rows))
    # Not `getrusage`: its peak is inherited from the process that started this one.
    status = Path("/proc/self/status").read_text().splitlines()
    [line] = [line for line in status if line.startswith("VmHWM")]
    print(json.dumps({"megabytes": int(line.split()[1]) / 1024}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--memory-rows", type=int, nargs="+", default=[100_000, 500_000])
    parser.add_argument("--memory-landmarks", type=int, default=50)
    parser.add_argument("--only-memory", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_memory:
        one_fit(options.only_memory, options.memory_landmarks)
        return
    against_floor(options.rows, options.landmarks)
    against_scikit_learn(min(options.rows, 100_000), options.landmarks)
    growth(max(options.memory_rows), options.memory_landmarks)
    memory(options.memory_rows, options.memory_landmarks)
    pilot(options.landmarks)


if __name__ == "__main__":
    main()
