"""Tables as batches: one estimate each, and the file's name where something is wrong."""

import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.tables.batch_tables import estimate_tables
from eulac.tables.table_model import fit_table_model


@pytest.fixture
def model():
    rng = np.random.default_rng(0)

    def frame(codes):
        return pd.DataFrame(rng.normal(6.0 * np.eye(3)[codes], 1.0), columns=["a", "b", "c"])

    y, pool = np.arange(80) % 2, frame(np.arange(150) % 3)
    classifier = eulac.LinearEulacClassifier(2 / 3, random_state=0)
    return fit_table_model(classifier, {"train": frame(y), "pool": pool}, y), frame


def test_each_table_has_an_estimate_of_its_own(model, tmp_path):
    fitted, frame = model
    paths = [tmp_path / f"{n_new}.csv" for n_new in (20, 120)]
    for path, n_new in zip(paths, (20, 120), strict=True):
        frame(np.repeat([0, 1, 2], [90, 90, n_new])).to_csv(path, index=False)
    steps = []
    found = estimate_tables(fitted, paths, progress=lambda *step: steps.append(step))
    assert steps == [(1, 2), (2, 2)]
    assert [one.name for one in found] == [str(path) for path in paths]
    shares = [one.estimate.proportion.augmented_proportion for one in found]
    np.testing.assert_allclose(shares, [0.1, 0.4], atol=0.05)


def test_the_file_is_named_where_its_rows_do_not_do(model, tmp_path):
    fitted, frame = model
    frame(np.zeros(3, dtype=int)).to_csv(tmp_path / "short.csv", index=False)
    with pytest.raises(ValueError, match=r"short\.csv: a batch must have 20 rows .* got 3"):
        estimate_tables(fitted, [tmp_path / "short.csv"])
