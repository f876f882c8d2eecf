"""How often the interval of the default proportion covers the truth, on simulated mixtures.

Gaussian classes a few standard deviations apart, so that the proportion is identifiable. Then two
kinds of mixtures where it is not, or hardly: part of the new rows look exactly like known ones,
or all new classes lie close to known ones; there the upper end of the interval must still bound
the truth. Also how often "nothing new" is rejected at 5 % when nothing is new, when priors of
known classes moved besides, and when a tenth is new.

    python examples/coverage.py --simulations 300 --jobs 2
"""

import argparse

import numpy as np
from joblib import Parallel, delayed

from eulac import ConsensusProportion
from eulac.data.folds import in_canonical_order
from eulac.data.synthetic import make_gaussian_task

SIZES = [(200, 400), (300, 600), (500, 1000)]


def simulate(seed, known_proportion=None, *, separation=(4, 7), alike=0.0, shift_intensity=0.0):
    """Return truth, estimate, interval and p-value of one mixture.

    A share `alike` of the new rows is drawn like known ones, which no method could tell.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(0.1, 0.95)
    truth = drawn if known_proportion is None else known_proportion
    task = make_gaussian_task(
        n_known_classes=int(rng.integers(1, 5)),
        n_augmented_classes=int(rng.integers(1, 4)),
        n_features=int(rng.integers(2, 11)),
        separation=rng.uniform(*separation),
        known_proportion=truth + alike * (1 - truth),
        shift_intensity=shift_intensity,
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
    fewer = max(options.simulations // 3, 1)

    def run(n, known_proportion=None, **kind):
        jobs = (delayed(simulate)(seed, known_proportion, **kind) for seed in range(n))
        return np.array(Parallel(options.jobs)(jobs)).T

    truth, value, low, high, _ = run(options.simulations)
    print(f"simulations          {len(truth)}")
    print(f"covered              {np.mean((low <= truth) & (truth <= high)):.1%}")
    print(f"truth above interval {np.mean(truth > high):.1%}")
    print(f"truth below interval {np.mean(truth < low):.1%}")
    print(f"mean width           {np.mean(high - low):.3f}")
    print(f"bias, MAE            {np.mean(value - truth):+.3f}, {np.mean(abs(value - truth)):.3f}")
    for name, kind in {
        "a third of new rows like known ones": {"alike": 1 / 3},
        "new classes 1-2.5 deviations away": {"separation": (1, 2.5)},
    }.items():
        truth, value, _, high, _ = run(fewer, **kind)
        print(
            f"{name}: {np.mean(high >= truth):.1%} of {fewer} intervals bound the truth from "
            f"above, bias {np.mean(value - truth):+.3f}"
        )
    for name, known, kind in (
        ("nothing new", 1.0, {}),
        ("nothing new, moved priors", 1.0, {"shift_intensity": 0.7}),
        ("a tenth new", 0.9, {}),
    ):
        *_, p_values = run(fewer, known, **kind)
        print(
            f"alarms at 5 % with {name}: {np.mean(p_values < 0.05):.1%} of {fewer}, "
            f"at 1 %: {np.mean(p_values < 0.01):.1%}"
        )


if __name__ == "__main__":
    main()
