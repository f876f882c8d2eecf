"""Trials small enough for tests: a few dozen bundled digits."""

from eulac.benchmark.trial import Draw, Trial

SIZES = {"n_labeled": 60, "n_unlabeled": 90, "n_test": 80}


def tiny_trials(*methods, draws=1, samples=1, dataset="digits", experiment="table1", **conditions):
    return [
        Trial(experiment, Draw(dataset, i, j, {**SIZES, **conditions}), method)
        for j in range(samples)
        for i in range(draws)
        for method in methods
    ]


def without_seconds(record):
    """Return what must not depend on when and where a trial ran."""
    other = ("seconds", "versions")
    return {name: value for name, value in vars(record).items() if name not in other}
