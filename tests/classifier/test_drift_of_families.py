"""Every family that estimates the known share from rows of numbers reads it twice."""

import numpy as np
import pytest
from sklearn.base import clone

from eulac import (
    BoostedEulacClassifier,
    EulacClassifier,
    KernelEulacClassifier,
    LandmarkEulacClassifier,
    LinearEulacClassifier,
    TwoStageEulacClassifier,
)
from eulac.exceptions import DriftWarning, EulacWarning, SeparatingColumnWarning

pytestmark = pytest.mark.usefixtures("small_class_view")
FAMILIES = [
    KernelEulacClassifier(bandwidth=0.3, penalty=1e-3),
    LandmarkEulacClassifier(bandwidth=0.3, n_landmarks=60),
    LinearEulacClassifier(),
    BoostedEulacClassifier(n_trees=20),
    TwoStageEulacClassifier(),
    EulacClassifier(time_budget=0.1),
]


@pytest.fixture(scope="module")
def drifted():
    """Return labeled rows of three classes, and unlabeled ones with two columns that are larger.

    Half of the unlabeled rows are of a class that nobody labeled.
    """
    rng = np.random.default_rng(0)
    centers = 6.0 * np.eye(4)[:, :4]
    y = np.arange(240) % 3
    codes = np.append(np.arange(200) % 3, np.full(200, 3))
    X, pool = (rng.normal(np.hstack([centers[c], np.full((len(c), 2), 3.0)])) for c in (y, codes))
    pool[:, 4:] += 1.1
    return X, np.array(["ant", "bee", "cat"])[y], pool, codes


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
def test_known_classes_that_moved_are_not_all_called_new(family, drifted):
    X, y, pool, codes = drifted
    with pytest.warns(DriftWarning, match="known classes seem to look in deployment other"):
        model = clone(family).set_params(random_state=0).fit(X, y, pool)
    estimate = model.proportion_
    assert estimate.assumes_drift
    assert estimate.total == pytest.approx(0.5, abs=0.15)
    low, high = estimate.interval
    readings = [one["known_proportion"] for one in estimate.diagnostics["readings"].values()]
    assert low <= min(readings) < max(readings) <= high  # the interval spans both
    assert {"as_labeled", "disagreement"} <= model.risk_.diagnostics.keys()
    called_new = model.held_out_labels_[len(X) :] == "augmented"
    error = np.mean(called_new != (codes == 3))
    assert model.risk_.interval[0] - 0.02 <= error <= model.risk_.interval[1] + 0.02
    assert {one["known_class"] for one in estimate.diagnostics["drift"]["moved"]} <= set(y)


def test_the_default_leaves_out_a_single_column_that_moved(drifted):
    X, y, pool, codes = drifted
    pool = pool.copy()
    pool[:, 4] -= 1.1
    with pytest.warns(SeparatingColumnWarning, match="column 5 moved within most known classes"):
        model = clone(FAMILIES[-1]).set_params(random_state=0).fit(X, y, pool)
    assert model.left_out_columns_.tolist() == [5]
    assert not model.proportion_.assumes_drift
    assert model.proportion_.total == pytest.approx(0.5, abs=0.06)
    answers = model.held_out_labels_[len(X) :] == "augmented"
    assert np.mean(answers != (codes == 3)) < 0.05


@pytest.mark.parametrize("family", FAMILIES[::5], ids=lambda family: type(family).__name__)
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_drift_can_be_ruled_out(family, drifted):
    X, y, pool, _ = drifted
    model = clone(family).set_params(random_state=0, drift=False).fit(X, y, pool)
    assert not model.proportion_.assumes_drift
    assert model.proportion_.total < 0.35
    assert "disagreement" not in model.risk_.diagnostics


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
def test_other_words_are_refused(family, drifted):
    X, y, pool, _ = drifted
    with pytest.raises(ValueError, match=r"`drift` must be .*got 'maybe'"):
        clone(family).set_params(drift="maybe").fit(X, y, pool)


def test_a_clean_table_warns_of_nothing(drifted, recwarn):
    X, y, pool, _ = drifted
    clean = pool.copy()
    clean[:, 5] -= 1.5
    KernelEulacClassifier(bandwidth=0.3, penalty=1e-3, random_state=0).fit(X, y, clean)
    assert not [one for one in recwarn if issubclass(one.category, EulacWarning)]
