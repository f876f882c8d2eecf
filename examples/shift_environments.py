"""Section 5.3 of the paper: new classes and moved priors at once, over shift intensities.

Every second class is known with equal priors in the labels; in deployment their priors are scaled
by 1 - a .. 1 + a and half of the rows are of the other classes. Accuracy in percent.

    python examples/shift_environments.py mnist --draws 5
"""

import argparse

import numpy as np

from eulac import KernelEulacClassifier, LacuSvmClassifier, OvrShiftClassifier
from eulac.data.datasets import load_dataset
from eulac.data.splits import draw_shift_environment, min_max_scale

METHODS = {
    "base": lambda seed: KernelEulacClassifier(shift=False, random_state=seed),
    "base++": lambda seed: KernelEulacClassifier(shift="base++", random_state=seed),
    "shift": lambda seed: KernelEulacClassifier(shift=True, random_state=seed),
    "auto": lambda seed: KernelEulacClassifier(shift="auto", random_state=seed),
    "OVR-shift": lambda seed: OvrShiftClassifier(scale=None, random_state=seed),
    "LACU-SVM": lambda seed: LacuSvmClassifier(scale=None, random_state=seed),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="?", default="mnist")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--intensities", type=float, nargs="+", default=[0, 0.3, 0.5, 0.7])
    options = parser.parse_args()
    dataset = load_dataset(options.dataset)
    X = min_max_scale(dataset.X)
    print(
        f"{'intensity':>9}"
        + "".join(f"{name:>15}" for name in options.methods)
        + f"{'prior error':>13}"
    )
    for intensity in options.intensities:
        accuracy = {name: [] for name in options.methods}
        prior_error = []
        for seed in range(options.draws):
            split = draw_shift_environment(
                X, dataset.y, shift_intensity=intensity, random_state=seed
            )
            X_masked, y_masked = split.sample.as_masked()
            for name in options.methods:
                classifier = METHODS[name](seed).fit(X_masked, y_masked)
                accuracy[name].append(100 * classifier.score(split.X_test, split.y_test))
                if name == "shift":
                    error = np.abs(classifier.proportion_.per_class - split.per_class)
                    prior_error.append(error.mean())
        cells = "".join(f"{np.mean(a):9.2f} ±{np.std(a):4.2f}" for a in accuracy.values())
        error = f"{np.mean(prior_error):13.4f}" if prior_error else ""
        print(f"{intensity:9.1f}{cells}{error}", flush=True)


if __name__ == "__main__":
    main()
