"""One BLAS thread for each test process, and the digits bundled with scikit-learn for all."""

import pytest
from hypothesis import settings
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from easy_mixture import easy_masked
from eulac import KernelEulacClassifier
from eulac.data.splits import draw_split

# Tests run side by side: with more threads they would wait for one another.
threadpool_limits(limits=1, user_api="blas")
# Nor do tests fail by the clock, which says more of the machine than of what is tested.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")


@pytest.fixture(scope="session")
def digits():
    """Return a split in which the digits 0 to 4 are known."""
    X, y = load_digits(return_X_y=True)
    sizes = {"n_labeled": 320, "n_unlabeled": 560, "n_test": 560}
    return draw_split(X, y, known_classes=range(5), random_state=0, **sizes)


@pytest.fixture(scope="module")
def rows():
    """Return the easy mixture with 300 labeled and 500 unlabeled rows."""
    return easy_masked(n_labeled=300, n_unlabeled=500)


@pytest.fixture(scope="session")
def digits_model(digits):
    """Return the default classifier fitted on the digits."""
    return KernelEulacClassifier(random_state=0).fit(*digits.sample.as_masked())


@pytest.fixture
def small_class_view(monkeypatch):
    """Let small forests stand behind the second reading of the share: no claim on their size."""
    monkeypatch.setattr("eulac.drift.class_view.N_TREES", 30)


@pytest.fixture
def small_forest(monkeypatch):
    """Let a default fit of the mixture grow a tenth of its trees, once."""
    for module in ("two_stage_classifier", "default_candidates"):
        monkeypatch.setattr(f"eulac.any_classifier.{module}.N_TREES", 30)
        monkeypatch.setattr(f"eulac.any_classifier.{module}.FOREST_REPEATS", 1)
