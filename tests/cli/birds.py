"""A folder as a user has it: tables of birds with numbers, flags, categories, dates and gaps."""

import numpy as np
import pandas as pd

NAMES = np.array(["hen", "owl", "tit", "swan"])
SIZES = np.array([[30.0, 1.5], [40.0, 0.9], [10.0, 0.02], [120.0, 9.0]])
COLORS = np.array([["brown", "white"], ["brown", "grey"], ["blue", "yellow"], ["white", "white"]])


def rows(codes, rng):
    """Return birds of some kinds, one value in twenty missing."""
    size, weight = SIZES[codes].T
    frame = pd.DataFrame(
        {
            "length": rng.normal(size, 3),
            "weight": rng.normal(weight, 0.1 * weight),
            "color": COLORS[codes, rng.integers(0, 2, len(codes))],
            "wild": codes > 0,
            "seen": "2026-05-01",
        }
    )
    for name in ("weight", "color"):
        frame[name] = frame[name].mask(rng.random(len(frame)) < 0.05)
    return frame.assign(species=NAMES[codes])


def write_birds(folder, n_labeled=120, n_pool=160):
    """Write train.csv, pool.csv (with swans, without labels), test.csv and one.csv (both)."""
    rng = np.random.default_rng(0)
    train = rows(np.arange(n_labeled) % 3, rng)
    test = rows(np.arange(n_pool) % 4, rng)
    train.to_csv(folder / "train.csv", index=False)
    test.drop(columns="species").to_csv(folder / "pool.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    both = pd.concat([train, test.assign(species=None)])
    both.to_csv(folder / "one.csv", index=False)
    return train, test
