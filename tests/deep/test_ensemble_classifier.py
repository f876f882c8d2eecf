import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from easy_mixture import easy_masked  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep.deep_classifier import DeepEulacClassifier  # noqa: E402
from eulac.deep.ensemble_classifier import EnsembleEulacClassifier  # noqa: E402
from eulac.exceptions import NoUnlabeledRowsWarning  # noqa: E402

NETWORK = DeepEulacClassifier(max_epochs=8)


@pytest.fixture(scope="module")
def task():
    return easy_masked(n_labeled=150, n_unlabeled=300)


@pytest.fixture(scope="module")
def networks(task):
    return EnsembleEulacClassifier(NETWORK, random_state=0).fit(*task[1:])


def test_networks_together_answer_rows_they_have_not_seen(task, networks):
    split = task[0]
    assert len(networks.networks_) == 3
    assert networks.score(split.X_test, split.y_test) > 0.9
    is_new = networks.predict(split.X_test) == AUGMENTED
    np.testing.assert_array_equal(networks.augmented_score(split.X_test) > 0, is_new)
    np.testing.assert_allclose(networks.predict_proba(split.X_test).sum(axis=1), 1.0)


def test_every_row_is_held_out_by_one_network(task, networks):
    _, X, y = task
    assert networks.held_out_probabilities_.shape == (len(X), 4)
    pooled = y == -1
    error = networks.risk_
    called = np.mean(networks.held_out_labels_[pooled] == AUGMENTED)
    assert abs(called - (1.0 - networks.proportion_.total)) < 0.05
    known = networks.held_out_labels_[~pooled] == y[~pooled]
    assert known.mean() > 0.85
    assert error.raw < 0.2


def test_held_out_answers_are_those_of_the_network_that_has_not_seen_the_row(task, networks):
    X = task[1]
    decision = [networks._said(number, X[:40].astype(float)) for number in range(3)]
    by_each = [networks._calibrated(networks.rule_.decide(one)) for one in decision]
    own = networks.held_out_probabilities_[:40]
    nearest = np.min([np.abs(own - one).max(axis=1) for one in by_each], axis=0)
    np.testing.assert_allclose(nearest, 0.0, atol=1e-5)


def test_the_order_of_rows_changes_nothing():
    _, X, y = easy_masked(n_labeled=60, n_unlabeled=90)
    one = EnsembleEulacClassifier(DeepEulacClassifier(max_epochs=2), n_folds=2, random_state=0)
    backwards = np.arange(len(X))[::-1]
    first = one.fit(X, y).held_out_probabilities_
    second = one.fit(X[backwards], y[backwards]).held_out_probabilities_
    np.testing.assert_allclose(second[backwards], first)


class MadeAnArray:
    """What NumPy can make an array of, and can do nothing else with."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    def __array_function__(self, function, types, args, kwargs):
        raise TypeError(f"no {function.__name__} for this")


@pytest.mark.parametrize("image", [(2,), (3, 4)])
def test_rows_may_be_whatever_numpy_makes_an_array_of(image):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, -1], 20)
    X = rng.normal(2.0 * y.reshape(-1, *(1 for _ in image)), 1.0, (60, *image))
    network = DeepEulacClassifier(max_epochs=1)
    one = EnsembleEulacClassifier(network, known_proportion=0.5, n_folds=2, random_state=0)
    expected = one.fit(X, y).predict_proba(X)
    rows = MadeAnArray(X)
    np.testing.assert_array_equal(one.fit(rows, y).predict_proba(rows), expected)


def test_images_may_come_as_rows_of_a_table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, -1], 20)
    X = rng.normal(y[:, None, None] * 2.0, 1.0, (60, 8, 8))
    network = DeepEulacClassifier(max_epochs=1)
    options = {"known_proportion": 0.5, "n_folds": 2, "random_state": 0}
    images = EnsembleEulacClassifier(network, **options).fit(X, y)
    flat = EnsembleEulacClassifier(network, row_shape=(8, 8), **options).fit(X.reshape(60, -1), y)
    np.testing.assert_array_equal(images.predict_proba(X), flat.predict_proba(X.reshape(60, -1)))
    assert images.networks_[0].network_(torch.zeros(1, 1, 8, 8)).shape == (1, 3)
    assert images.proportion_.method == "given"


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_a_class_of_one_row_is_not_held_out_and_no_pool_means_no_new_class():
    _, X, y = easy_masked(n_labeled=60, n_unlabeled=90)
    known, extra = y >= 0, np.append(y[y >= 0], 9)
    clf = EnsembleEulacClassifier(DeepEulacClassifier(max_epochs=1), n_folds=2, random_state=0)
    clf.fit(np.vstack([X[known], X[:1] + 9.0]), extra, X_unlabeled=X[~known])
    assert clf.held_out_probabilities_.shape[1] == len(np.unique(extra)) + 1
    with pytest.warns(NoUnlabeledRowsWarning):
        clf.fit(X[known], y[known])
    assert AUGMENTED not in clf.predict(X)


def test_other_classifiers_are_refused():
    with pytest.raises(ValueError, match=r"must be a DeepEulacClassifier.*got 'mlp'"):
        EnsembleEulacClassifier("mlp").fit(np.eye(4), [0, 1, -1, -1])


def test_uneven_rows_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"same number of features; got rows of \[1, 2\]"):
        EnsembleEulacClassifier(NETWORK).fit([[1.0], [2.0, 3.0]], [0, 1])
