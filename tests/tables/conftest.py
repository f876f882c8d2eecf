"""Three tables of three kinds, one of them new, and a model of them."""

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.tables.fit_tables import fit_tables

CENTERS = 6 * np.eye(3)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for name, codes in {
        "train": [0, 1] * 40,
        "pool": [0, 1, 2] * 40,
        "test": [0, 1, 2] * 20,
    }.items():
        frame = pd.DataFrame(rng.normal(CENTERS[codes], 0.5), columns=["a", "b", "c"])
        if name != "pool":
            frame["kind"] = np.array(["ant", "bee", "cow"])[codes]
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def fit(files):
    classifier = eulac.OsnnClassifier(ratio=0.5, known_proportion=2 / 3)
    return fit_tables(classifier, files / "train.csv", files / "pool.csv", "kind")
