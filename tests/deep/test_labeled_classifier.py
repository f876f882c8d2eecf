"""Networks of labeled rows alone: what is held out, what they share, what changes nothing."""

import math

import numpy as np
import pytest
from sklearn.base import clone

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from deep.blobs import blob_task  # noqa: E402
from eulac.data.labels import LabelCodec  # noqa: E402
from eulac.data.lac_sample import LacSample  # noqa: E402
from eulac.deep import generator as generator_module  # noqa: E402
from eulac.deep.counterfactual import CounterfactualClassifier  # noqa: E402
from eulac.deep.generative_openmax import GenerativeOpenMaxClassifier  # noqa: E402
from eulac.deep.labeled_classifier import ClosedSetLoss, hold_out_labeled  # noqa: E402
from eulac.deep.openmax import OpenMaxClassifier  # noqa: E402
from eulac.deep.softmax import SoftmaxThresholdClassifier  # noqa: E402

SHORT = {"max_epochs": 2, "batch_size": 32, "random_state": 0}
GENERATED = {"n_latent": 8, "generator_epochs": 1, **SHORT}
CLASSIFIERS = [
    SoftmaxThresholdClassifier(**SHORT),
    OpenMaxClassifier(**SHORT),
    GenerativeOpenMaxClassifier(**GENERATED),
    CounterfactualClassifier(**GENERATED, tuning_epochs=1, n_steps=3),
]
on_all = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)


@pytest.fixture(autouse=True)
def _short_generator(monkeypatch):
    monkeypatch.setattr(generator_module, "FEWEST_STEPS", 1)


def test_the_loss_is_the_mean_of_minus_log_probabilities_of_labeled_rows():
    rng = np.random.default_rng(0)
    logits, y = rng.normal(size=(7, 4)), rng.integers(4, size=7)
    expected = 0.0
    for row, k in zip(logits, y, strict=True):
        expected -= math.log(math.exp(row[k]) / sum(map(math.exp, row))) / 7
    value = ClosedSetLoss()(torch.tensor(logits), torch.tensor(y), torch.zeros(0, 4))
    assert float(value.objective) == pytest.approx(expected)
    assert float(value.risk) == float(value.bracket) == float(value.objective)
    assert not value.risk.requires_grad


def test_the_loss_does_not_look_at_unlabeled_rows():
    logits = torch.zeros(3, 2, requires_grad=True)
    value = ClosedSetLoss()(logits[:2], torch.tensor([0, 1]), logits[2:])
    value.objective.backward()
    assert float(logits.grad[2].abs().sum()) == 0.0
    assert float(logits.grad[:2].abs().sum()) > 0.0


def sample_of(y, n_unlabeled=0):
    X, U = np.arange(len(y), dtype=float)[:, None], np.zeros((n_unlabeled, 1))
    return LacSample(X, np.asarray(y), U, LabelCodec.from_labels(y))


@pytest.mark.parametrize("counts", [(50, 50), (2, 2), (1, 2), (3, 1, 1), (40, 7, 1)])
def test_held_out_rows_leave_every_class_a_row_to_train_on(counts):
    sample = sample_of(np.repeat(np.arange(len(counts)), counts))
    for seed in range(10):
        kept, held_out = hold_out_labeled(sample, seed)
        rows = np.concatenate([kept.X_labeled, held_out.X_labeled]).ravel()
        np.testing.assert_array_equal(np.sort(rows), sample.X_labeled.ravel())
        np.testing.assert_array_equal(np.unique(kept.y_labeled), np.arange(len(counts)))
        assert held_out.n_labeled >= 1
        assert kept.n_unlabeled == held_out.n_unlabeled == 0
        for part in (kept, held_out):
            own = sample.y_labeled[part.X_labeled.ravel().astype(int)]
            np.testing.assert_array_equal(part.y_labeled, own)


def test_a_fifth_is_held_out_however_many_unlabeled_rows_there_are():
    y = np.repeat([0, 1], 50)
    parts = [hold_out_labeled(sample_of(y, n), seed=0)[1] for n in (0, 1, 3, 1000)]
    for part in parts:
        np.testing.assert_array_equal(np.bincount(part.y_labeled), [10, 10])
        np.testing.assert_array_equal(part.X_labeled, parts[0].X_labeled)


@on_all
def test_unlabeled_rows_change_nothing_however_few(classifier):
    X, y, X_test, _ = blob_task()
    state = torch.get_rng_state()
    alone = clone(classifier).fit(X, y)
    far = X_test + 50.0
    masked = np.concatenate([far[:1], X]), np.append([-1], y)
    for other in (
        clone(classifier).fit(X, y, X_unlabeled=far[:200]),
        clone(classifier).fit(*masked),
    ):
        np.testing.assert_array_equal(other.augmented_score(X_test), alone.augmented_score(X_test))
    assert torch.equal(state, torch.get_rng_state())


@on_all
def test_epochs_are_counted_and_kept_while_they_pass(classifier):
    model, seen = clone(classifier), []
    model.fit(*blob_task()[:2], progress=lambda *n: seen.append((*n, model.history_[-1])))
    n_epochs = len(model.history_)
    assert [counts[:2] for counts in seen] == [(i + 1, n_epochs) for i in range(n_epochs)]
    assert [counts[2] for counts in seen] == model.history_
    assert n_epochs == model._n_epochs() >= 2


@on_all
def test_images_with_named_classes_can_be_learned(classifier):
    X = np.random.default_rng(0).normal(size=(40, 8, 8))
    y = np.repeat(["cat", "dog"], 20)
    fitted = clone(classifier).fit(X, y)
    assert set(fitted.predict(X)) <= {"cat", "dog", "augmented"}
    if hasattr(fitted, "generated_"):
        assert fitted.generated_.shape[1:] == (1, 8, 8)


@on_all
def test_markers_are_those_the_user_names(classifier):
    X, y, X_test, _ = blob_task()
    plain = clone(classifier).fit(X, y)
    marked = clone(classifier).set_params(unlabeled_label=0, augmented_label=99)
    marked.fit(np.concatenate([X, X_test[:5]]), np.append(y + 1, np.zeros(5, int)))
    np.testing.assert_array_equal(marked.classes_, [1, 2, 3, 99])
    codes = plain.codec_.encode(plain.predict(X_test))
    np.testing.assert_array_equal(marked.predict(X_test), marked.classes_[codes])


@on_all
def test_one_class_and_a_score_without_a_proportion_are_refused(classifier):
    X, y, X_test, y_test = blob_task()
    name = type(classifier).__name__
    with pytest.raises(ValueError, match=rf"{name} needs .* got 1 class"):
        clone(classifier).fit(X[y == 0], y[y == 0])
    fitted = clone(classifier).fit(X, y)
    with pytest.raises(ValueError, match=f"known proportion, which {name} was fitted without"):
        fitted.score(X_test, np.full(len(X_test), -1))
    weights = np.arange(len(y_test))
    is_right = fitted.predict(X_test) == y_test
    assert fitted.score(X_test, y_test, weights) == np.average(is_right, weights=weights)
