"""Models of a few rows for all engines, and the answers they must give."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import eulac
from easy_mixture import easy_masked
from eulac.tables.table_model import fit_table_model

COLORS = np.array(["red", "green", "blue", "white", "white"])


@pytest.fixture(scope="session")
def machine():
    """Return a fitted kernel machine, and 150 rows it has not seen."""
    split, X, y = easy_masked()
    clf = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
    return clf.fit(X, y), split.X_test


@pytest.fixture(scope="session")
def table(machine):
    """Return 5,000 rows as a table of Arrow, with a column that names each."""
    rng = np.random.default_rng(0)
    X = machine[1][rng.integers(0, 150, 5000)] + rng.normal(0, 0.1, (5000, 4))
    columns = {name: X[:, i] for i, name in enumerate("abcd")}
    return pa.table({"id": [f"row {i}" for i in range(5000)], **columns})


@pytest.fixture(scope="session")
def flowers(tmp_path_factory):
    """Return the file of a model of mixed columns, its model, and rows with gaps."""
    rng = np.random.default_rng(1)

    def rows(codes):
        frame = pd.DataFrame({"size": rng.normal(9.0 * codes, 1), "color": COLORS[codes]})
        frame["wild"], frame["code"] = codes > 0, rng.integers(1, 9, len(codes))
        gaps = rng.random(frame.shape) < 0.03
        return frame.astype({"code": "Int64"}).mask(gaps)

    labeled = np.arange(90) % 3
    clf = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
    frames = {"train": rows(labeled), "pool": rows(np.arange(120) % 5)}
    names = np.array(["ivy", "oak", "yew"])[labeled]
    model = fit_table_model(clf, frames, names, drop=("code",), id_column="code")
    path = tmp_path_factory.mktemp("flowers") / "flowers.eulac"
    eulac.save(model, path)
    return path, model, rows(np.arange(3000) % 5)
