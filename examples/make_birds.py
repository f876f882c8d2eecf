"""A made-up table of birds, for the tutorial: three labeled species, two that nobody labeled.

Writes train.csv (labeled), pool.csv (unlabeled, from the garden where the camera hangs now) and
checked.csv (rows somebody looked up later, herons and owls among them) into a folder.

    python make_birds.py folder
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

# Mean weight in g, wing in cm, song in kHz, and what share is seen at dusk.
SPECIES = {
    "robin": (18.0, 7.3, 4.5, 0.4),
    "finch": (24.0, 8.8, 3.2, 0.1),
    "wren": (9.5, 4.9, 6.0, 0.2),
    "heron": (1500.0, 45.0, 0.9, 0.3),
    "owl": (420.0, 27.0, 0.7, 0.9),
}
KNOWN = ("robin", "finch", "wren")


def make_birds(n_rows, species, seed):
    """Return a table of birds with numbers, a category, a truth value and gaps."""
    rng = np.random.default_rng(seed)
    names = rng.choice(species, n_rows)
    weight, wing, song, dusk = np.array([SPECIES[name] for name in names]).T
    table = pd.DataFrame(
        {
            "species": names,
            "weight": np.round(weight * np.exp(rng.normal(0, 0.12, n_rows)), 1),
            "wing": np.round(wing * np.exp(rng.normal(0, 0.08, n_rows)), 1),
            "song": np.round(song * np.exp(rng.normal(0, 0.2, n_rows)), 2),
            "seen": np.where(rng.random(n_rows) < dusk, "dusk", "day"),
            "ringed": rng.random(n_rows) < 0.2,
        }
    )
    table.loc[rng.random(n_rows) < 0.05, "song"] = np.nan
    return table


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    make_birds(300, KNOWN, seed=0).to_csv(folder / "train.csv", index=False)
    pool = make_birds(600, list(SPECIES), seed=1)
    pool.drop(columns="species").to_csv(folder / "pool.csv", index=False)
    make_birds(300, list(SPECIES), seed=2).to_csv(folder / "checked.csv", index=False)


if __name__ == "__main__":
    main()
