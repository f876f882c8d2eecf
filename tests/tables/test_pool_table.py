import numpy as np
import pandas as pd

from eulac.tables.pool_table import read_pool_table


def test_rows_come_as_they_stand_and_as_the_model_takes_them(fit, files):
    pool = read_pool_table(fit.model, files / "pool.csv")
    pd.testing.assert_frame_equal(pool.features, pd.read_csv(files / "pool.csv"))
    np.testing.assert_array_equal(pool.X, fit.model.matrix(pool.features))
    assert pool.row_shape is None


def test_a_column_of_labels_is_not_looked_at(fit, files):
    frame = pd.read_csv(files / "test.csv", dtype=str)  # cells as they were written
    frame.assign(kind="zebra").to_csv(files / "zebras.csv", index=False)
    one, two = (read_pool_table(fit.model, files / name).X for name in ("test.csv", "zebras.csv"))
    np.testing.assert_array_equal(one, two)
    shown = read_pool_table(fit.model, files / "zebras.csv").features
    assert shown.columns.tolist() == pd.read_csv(files / "pool.csv").columns.tolist()
