"""Time the kernel mean estimator of the mixture proportion against a textbook QP, and its growth.

Prints one JSON object a line. Both sides get one BLAS thread and are timed by the processor time
they take, so that other work on the machine does not count; the bandwidth is given to both.
"""

import json
import sys
import time
import tracemalloc
from functools import partial
from importlib.util import find_spec

import numpy as np
from threadpoolctl import threadpool_limits

from eulac.maths.kernels import GaussianKernel, median_distance
from eulac.maths.mean_embedding import kernel_mean_proportion

SIZES = (10_000, 30_000, 100_000)


def scores(n_h, n_f, known_proportion=0.5, seed=0):
    """Draw what a classifier of labeled against unlabeled rows gives out of fold."""
    rng = np.random.default_rng(seed)
    known = rng.random(n_f) < known_proportion
    F = np.where(known, rng.beta(5, 2, n_f), rng.beta(2, 8, n_f))
    return rng.beta(5, 2, (n_h, 1)), F[:, None]


def gaussians(n_h, n_f, distance, known_proportion=0.5, seed=0):
    """Draw unit Gaussians in ten dimensions, the new one at a distance from the known one."""
    rng = np.random.default_rng(seed)
    new = rng.random(n_f) >= known_proportion
    F = rng.normal(size=(n_f, 10)) + new[:, None] * distance / np.sqrt(10)
    return rng.normal(size=(n_h, 10)), F


CASES = {
    "scores_1d": scores,
    "gaussians_10d_4_apart": partial(gaussians, distance=4.0),
    "gaussians_10d_6_apart": partial(gaussians, distance=6.0),
}
# Compared only: how the time grows does not depend on the proportion.
MORE_CASES = {
    f"gaussians_10d_{distance}_apart_{known}_known": partial(
        gaussians, distance=distance, known_proportion=known
    )
    for known in (0.2, 0.9)
    for distance in (4, 6)
}


def textbook_proportion(H, F, bandwidth, *, threshold=0.25, step=0.02, upper=10.0):
    """Algorithm 1 with one QP over the weights of all points for every distance."""
    from cvxopt import matrix, solvers, spmatrix  # not a dependency

    X, n, n_h = np.concatenate([H, F]), len(H) + len(F), len(H)
    K = GaussianKernel(bandwidth).block(X, X)
    P, G, h = matrix(2.0 * K), spmatrix(-1.0, range(n), range(n)), matrix(0.0, (n, 1))
    A, b, options = matrix(1.0, (1, n)), matrix(1.0), {"show_progress": False}

    def distance(scale):
        u = np.where(np.arange(n) < n_h, (1.0 - scale) / n_h, scale / (n - n_h))
        solution = solvers.qp(P, matrix(-2.0 * (K @ u)), G, h, A, b, options=options)
        rest = u - np.array(solution["x"])[:, 0]
        return np.sqrt(max(rest @ K @ rest, 0.0))

    left, right = 1.0, upper
    while right - left > step:
        current = (left + right) / 2
        slope = (distance(current + step / 2) - distance(current - step / 2)) / step
        left, right = (left, current) if slope > threshold else (current, right)
    return 1.0 - 1.0 / current


def best_time(function, repeats):
    times = []
    with threadpool_limits(1):
        for _ in range(repeats):
            start = time.process_time()
            result = function()
            times.append(time.process_time() - start)
    return min(times), result


def compare(name, draw):
    import cvxopt  # noqa: F401  (before its BLAS threads are limited)

    H, F = draw(500, 1000)
    bandwidth = median_distance(np.concatenate([H, F]), random_state=0)
    slow, expected = best_time(partial(textbook_proportion, H, F, bandwidth), 2)
    quick, result = best_time(partial(kernel_mean_proportion, H, F, bandwidth=bandwidth), 15)
    return {
        "name": f"kme_against_cvxopt_{name}",
        "n_h": len(H),
        "n_f": len(F),
        "rank": result.rank,
        "max_duality_gap": result.max_duality_gap,
        "known_proportion": round(result.known_proportion, 6),
        "difference": round(abs(result.known_proportion - expected), 6),
        "seconds": round(quick, 4),
        "cvxopt_seconds": round(slow, 2),
        "speedup": round(slow / quick, 1),
    }


def peak_megabytes(function):
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def growth(name, draw):
    rows = []
    for n in SIZES:
        H, F = draw(n // 3, n - n // 3)
        estimate = partial(kernel_mean_proportion, H, F, random_state=0)
        seconds, result = best_time(estimate, 3)
        megabytes = peak_megabytes(estimate)
        rows.append((n, seconds, megabytes))
        yield {
            "name": f"kme_size_{name}",
            "n": n,
            "rank": result.rank,
            "known_proportion": round(result.known_proportion, 4),
            "seconds": round(seconds, 3),
            "peak_megabytes": round(megabytes, 1),
        }
    sizes, seconds, megabytes = np.log(np.array(rows)).T
    yield {
        "name": f"kme_growth_{name}",
        "time_exponent": round(np.polyfit(sizes, seconds, 1)[0], 2),
        "memory_exponent": round(np.polyfit(sizes, megabytes, 1)[0], 2),
    }


def main():
    has_cvxopt = find_spec("cvxopt") is not None
    if not has_cvxopt:
        print("The comparison is left out: it needs cvxopt (pip install cvxopt).", file=sys.stderr)
    for name, draw in (CASES | MORE_CASES).items():
        if has_cvxopt:
            print(json.dumps(compare(name, draw)), flush=True)
    for name, draw in CASES.items():
        for line in growth(name, draw):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
