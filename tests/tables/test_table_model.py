import numpy as np
import pandas as pd
import pytest

import eulac
from eulac.tables.table_model import fit_table_model


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"size": rng.normal(size=40), "color": ["red", "blue"] * 20})


def fitted(frame, **options):
    y = np.array(["a", "b"] * 20)
    return fit_table_model(eulac.OsnnClassifier(ratio=0.8), {"train.csv": frame}, y, **options)


def test_columns_are_matched_by_name(frame):
    model = fitted(frame)
    turned = frame[frame.columns[::-1]].assign(more=1)
    np.testing.assert_array_equal(model.predict(turned), model.predict(frame))
    np.testing.assert_array_equal(model.augmented_score(turned), model.augmented_score(frame))


def test_columns_to_leave_out_are_not_asked_for(frame):
    model = fitted(frame, drop=("size",))
    assert model.columns.names == ["color"]
    assert set(model.predict(frame[["color"]])) <= {"a", "b", "augmented"}


def test_a_matrix_is_refused_in_a_sentence(frame):
    with pytest.raises(TypeError, match=r"takes data frames.*\(size, color, \.\.\.\); got ndarray"):
        fitted(frame).predict(np.zeros((2, 2)))


def test_what_the_method_does_not_have_the_model_does_not_have(frame):
    model = fitted(frame)
    assert not hasattr(model, "predict_proba")
    assert model.risk_ is None
    assert repr(model).startswith("TableModel(OsnnClassifier")


def test_images_have_the_shape_of_one_row():
    class Flat:
        classes_ = np.array([0, 1])

        def fit(self, X, y, X_unlabeled=None):
            self.shapes = X.shape, X_unlabeled.shape

        def predict(self, X):
            return np.zeros(X.shape)

    rows = pd.DataFrame(np.arange(48.0).reshape(12, 4), columns=list("abcd"))
    frames = {"train": rows, "pool": rows[:8]}
    model = fit_table_model(Flat(), frames, np.arange(12) % 2, row_shape=(2, 2))
    assert model.classifier.shapes == ((12, 2, 2), (8, 2, 2))
    assert model.predict(rows).shape == (12, 2, 2)
