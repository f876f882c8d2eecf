"""Default candidates: what they are made of, and that they take rows and weights as they should."""

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from eulac.data.synthetic import make_gaussian_task
from eulac.estimators.families import kernel_logistic, nearest_neighbors
from eulac.estimators.rows import scaled_numbers
from eulac.estimators.weighted_base import fit_weighted
from eulac.maths.kernels import median_distance

N_ROWS = 240
BASES = {
    "kernel_logistic": lambda scaled: kernel_logistic(MinMaxScaler(), scaled),
    "neighbors": lambda scaled: nearest_neighbors(MinMaxScaler()),
}
each_base = pytest.mark.parametrize("build", BASES.values(), ids=BASES)


@pytest.fixture(scope="module")
def rows():
    task = make_gaussian_task(n_known_classes=2, n_features=3, separation=2.0, random_state=0)
    sample = task.draw(N_ROWS, 10, random_state=0).sample
    return sample.X_labeled, sample.y_labeled


def fitted(build, X, y, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    base = build(scaled_numbers(X))
    return fit_weighted(base, X, y, weights, n_codes=2, seed=0)


def test_the_kernel_is_as_wide_as_the_rows_say(rows):
    scaled = scaled_numbers(rows[0])
    feature_map = kernel_logistic(MinMaxScaler(), scaled).named_steps["nystroem"]
    width = np.sqrt(0.5 / feature_map.gamma)
    assert width == pytest.approx(0.4 * median_distance(scaled))
    assert feature_map.n_components == N_ROWS // 3


@each_base
def test_units_of_features_do_not_matter(build, rows):
    X, y = rows
    other = X * np.array([1024.0, 1.0, 2.0**-20])
    np.testing.assert_allclose(
        fitted(build, other, y).probabilities(other),
        fitted(build, X, y).probabilities(X),
        atol=1e-6,
    )


@each_base
def test_heavier_rows_draw_answers_to_their_class(build, rows):
    X, y = rows
    light, heavy = (
        fitted(build, X, y, np.where(y == 0, 1.0, weight)).probabilities(X)[:, 1].mean()
        for weight in (0.2, 5.0)
    )
    assert heavy > light + 0.05


def test_rows_that_all_coincide_are_no_error():
    X, y = np.ones((30, 2)), np.arange(30) % 2
    for build in BASES.values():
        assert np.all(np.isfinite(fitted(build, X, y).probabilities(X)))
