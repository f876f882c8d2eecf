import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV

from eulac import KernelEulacClassifier
from eulac.data.splits import draw_split
from eulac.evaluation.scoring import LabelFreeScorer


@pytest.fixture(scope="module")
def split():
    X, y = load_digits(return_X_y=True)
    return draw_split(X, y, n_labeled=200, n_unlabeled=400, n_test=400, random_state=0)


def test_scorer_is_close_to_the_true_accuracy(split):
    X, y = split.sample.as_masked()
    classifier = KernelEulacClassifier(split.known_proportion, random_state=0).fit(X, y)
    truth = np.concatenate([y[: split.sample.n_labeled], split.y_test])
    masked = np.where(np.arange(len(truth)) < split.sample.n_labeled, truth, -1)
    rows = np.vstack([split.sample.X_labeled, split.X_test])
    estimated = LabelFreeScorer(split.known_proportion)(classifier, rows, masked)
    # Labeled rows were trained on, so the estimate may be a little too good.
    assert estimated == pytest.approx(classifier.score(split.X_test, split.y_test), abs=0.12)


def test_grid_search_prefers_the_better_bandwidth(split):
    X, y = split.sample.as_masked()
    search = GridSearchCV(
        KernelEulacClassifier(split.known_proportion, penalty=1e-3, random_state=0),
        {"bandwidth": [0.1, 1.0]},
        scoring=LabelFreeScorer(split.known_proportion),
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"bandwidth": 1.0}


def test_calling_everything_known_scores_the_known_proportion_at_best():
    X, y = np.zeros((6, 1)), np.array([0, 0, 0, -1, -1, -1])
    always = DummyClassifier(strategy="constant", constant=0).fit(X, y)
    assert LabelFreeScorer(0.3)(always, X, y) == pytest.approx(0.3)
