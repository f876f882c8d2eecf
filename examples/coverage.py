"""How often the interval of the default proportion covers the truth, on simulated mixtures.

Gaussian classes a few standard deviations apart, so that the proportion is identifiable. Also how
often "nothing new" is rejected at 5 % when nothing is new, and when a tenth is.

    python examples/coverage.py --simulations 300 --jobs 2
"""

import argparse

import numpy as np
from joblib import Parallel, delayed

from eulac import ConsensusProportion
from eulac.data.folds import in_canonical_order
from eulac.data.synthetic import make_gaussian_task

SIZES = [(200, 400), (300, 600), (500, 1000)]


def simulate(seed, known_proportion=None):
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(0.1, 0.95)
    truth = drawn if known_proportion is None else known_proportion
    task = make_gaussian_task(
        n_known_classes=int(rng.integers(1, 5)),
        n_augmented_classes=int(rng.integers(1, 4)),
        n_features=int(rng.integers(2, 11)),
        separation=rng.uniform(4, 7),
        known_proportion=truth,
        random_state=seed,
    )
    n_labeled, n_unlabeled = SIZES[seed % len(SIZES)]
    sample = in_canonical_order(task.draw(n_labeled, n_unlabeled, random_state=seed).sample, seed)
    estimate = ConsensusProportion(random_state=seed).estimate(sample)
    low, high = estimate.interval
    p_value = estimate.diagnostics["nothing_new_p_value"]
    return truth, estimate.total, low, high, p_value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    def run(known_proportion, n):
        jobs = (delayed(simulate)(seed, known_proportion) for seed in range(n))
        return np.array(Parallel(options.jobs)(jobs)).T

    truth, value, low, high, _ = run(None, options.simulations)
    print(f"simulations          {len(truth)}")
    print(f"covered              {np.mean((low <= truth) & (truth <= high)):.1%}")
    print(f"truth above interval {np.mean(truth > high):.1%}")
    print(f"truth below interval {np.mean(truth < low):.1%}")
    print(f"mean width           {np.mean(high - low):.3f}")
    print(f"bias, MAE            {np.mean(value - truth):+.3f}, {np.mean(abs(value - truth)):.3f}")
    fewer = max(options.simulations // 6, 1)
    *_, p_values = run(1.0, fewer)
    print(f"false alarms at 5 %  {np.mean(p_values < 0.05):.1%} of {fewer} with nothing new")
    *_, p_values = run(0.9, fewer)
    print(f"alarms at 5 %        {np.mean(p_values < 0.05):.1%} of {fewer} with a tenth new")


if __name__ == "__main__":
    main()
