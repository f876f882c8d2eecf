"""The digits bundled with scikit-learn, half of them known: one draw and one model for all."""

import pytest
from sklearn.datasets import load_digits

from eulac import EulacClassifier
from eulac.data.splits import draw_split


@pytest.fixture(scope="session")
def digits():
    """Return a split in which the digits 0 to 4 are known."""
    X, y = load_digits(return_X_y=True)
    sizes = {"n_labeled": 320, "n_unlabeled": 560, "n_test": 560}
    return draw_split(X, y, known_classes=range(5), random_state=0, **sizes)


@pytest.fixture(scope="session")
def digits_model(digits):
    """Return the default classifier fitted on the digits."""
    return EulacClassifier(random_state=0).fit(*digits.sample.as_masked())
