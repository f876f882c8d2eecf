"""One easy mixture for all tests of the page: two known classes, two new ones, in three columns."""

import warnings

import numpy as np
import pandas as pd
import pytest

from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.report.findings import Settings, examine

CENTERS = np.array([[0, 0, 0], [5, 0, 0], [0, 5, 0], [5, 5, 3]])
NAMES = np.array(["ant", "bee", "cow", "dog"])
COLUMNS = ["size", "weight", "speed"]


def draw_rows(classes, seed):
    rng = np.random.default_rng(seed)
    classes = np.asarray(classes)
    return rng.normal(CENTERS[classes], 0.6), NAMES[classes]


@pytest.fixture(scope="session")
def mixture():
    """Labeled rows of ants and bees, and a pool in which half of the rows are cows and dogs."""
    X, y = draw_rows(np.repeat([0, 1], 60), seed=0)
    pool, truth = draw_rows(np.repeat([0, 1, 2, 3], [40, 40, 50, 30]), seed=1)
    return X, y, pool, truth


@pytest.fixture(scope="session")
def fitted(mixture):
    X, y, pool, _ = mixture
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KernelEulacClassifier(random_state=0).fit(X, y, X_unlabeled=pool)


@pytest.fixture(scope="session")
def pool_frame(mixture):
    return pd.DataFrame(mixture[2], columns=COLUMNS)


@pytest.fixture(scope="session")
def examined(fitted, mixture):
    """Return the findings about the pool of the fit."""
    settings = Settings(map="pca", n_folds=3)
    return examine(fitted, mixture[2], settings=settings, feature_names=COLUMNS)
