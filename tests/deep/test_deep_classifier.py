"""DeepEulacClassifier on small rows: answers, resuming bit for bit, interrupts, layouts."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from easy_mixture import easy_masked  # noqa: E402
from eulac.data.labels import AUGMENTED  # noqa: E402
from eulac.deep.deep_classifier import DeepEulacClassifier  # noqa: E402
from eulac.deep.networks import mlp  # noqa: E402
from eulac.exceptions import (  # noqa: E402
    EulacWarning,
    InterruptedFitWarning,
    NoUnlabeledRowsWarning,
    TrivialPredictorWarning,
)
from eulac.proportion.best_bin import BestBinProportion  # noqa: E402

SIZES = {"n_labeled": 150, "n_unlabeled": 300}
QUICK = DeepEulacClassifier(known_proportion=0.6, max_epochs=6, learning_rate=0.005, random_state=0)


@pytest.fixture(scope="module")
def task():
    return easy_masked(**SIZES)


@pytest.fixture(scope="module")
def fitted(task):
    return clone(QUICK).fit(*task[1:])


def weights_of(classifier):
    return [value.numpy() for value in classifier.network_.state_dict().values()]


def assert_same_weights(one, two):
    for first, second in zip(weights_of(one), weights_of(two), strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("objective", ["paper", "generalized", "selected", "pulse"])
def test_easy_classes_are_told_apart_and_new_rows_found(task, objective):
    split, X, y = task
    classifier = clone(QUICK).set_params(objective=objective, max_epochs=10).fit(X, y)
    assert classifier.score(split.X_test, split.y_test) > 0.9
    new = split.y_test == AUGMENTED
    assert roc_auc_score(new, classifier.augmented_score(split.X_test)) > 0.95
    np.testing.assert_array_equal(classifier.classes_, [0, 1, 2, AUGMENTED])


def test_the_proportion_is_estimated_on_held_out_outputs(task):
    _, X, y = task
    classifier = clone(QUICK).set_params(known_proportion="auto", max_epochs=10).fit(X, y)
    assert classifier.proportion_.method == "held_out_outputs"
    assert abs(classifier.proportion_.total - 0.6) < 0.1
    assert classifier.risk_.raw < 0.2


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_an_estimator_reads_the_proportion_off_images_as_off_tables():
    X, y = images()
    masked = np.where((y == 2) | (np.arange(len(y)) % 2 == 0), -1, y)
    asked = BestBinProportion(n_resamples=5, random_state=0)
    classifier = DeepEulacClassifier(known_proportion=asked, max_epochs=1, random_state=0)
    estimate = classifier.fit(X, masked).proportion_
    assert estimate.method == "best_bin"
    assert abs(estimate.total - 0.5) < 0.2


def test_probabilities_follow_the_classes_and_agree_with_the_answers(task, fitted):
    X_test = task[0].X_test
    probabilities = fitted.predict_proba(X_test)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    answers = fitted.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(answers, fitted.predict(X_test))
    np.testing.assert_array_equal(
        fitted.decision_function(X_test).argmax(axis=1), probabilities.argmax(axis=1)
    )


def test_the_score_is_label_free_on_masked_labels(task, fitted):
    _, X, y = task
    assert abs(fitted.score(X, y) - 1.0) < 0.15


def test_the_same_seed_gives_the_same_weights_in_any_order_of_rows(task, fitted):
    _, X, y = task
    order = np.random.default_rng(1).permutation(len(y))
    assert_same_weights(fitted, clone(QUICK).fit(X[order], y[order]))


def test_global_randomness_is_neither_used_nor_changed(task, fitted):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    again = clone(QUICK).fit(*task[1:])
    assert torch.equal(torch.get_rng_state(), before)
    assert_same_weights(fitted, again)


class StopAfter:
    """Interrupts, as from the keyboard, after some epochs."""

    def __init__(self, n_epochs):
        self.left = n_epochs

    def __call__(self, n_done, n_epochs):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def whole(task):
    """Return a fit that nothing interrupted. Dropout: its generator's state must be kept too."""
    options = {"network": with_dropout, "known_proportion": "auto"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        return clone(QUICK).set_params(**options).fit(*task[1:])


@pytest.mark.filterwarnings(
    "ignore::eulac.exceptions.ProportionAtBoundWarning",
    "ignore::eulac.exceptions.TrivialPredictorWarning",
)
@pytest.mark.parametrize("n_epochs", [1, 3, 5])
def test_a_resumed_fit_is_that_of_an_uninterrupted_one_bit_for_bit(task, whole, tmp_path, n_epochs):
    _, X, y = task
    cut = clone(whole).set_params(checkpoint=tmp_path / "run.pt")
    with pytest.warns(InterruptedFitWarning, match=f"after {n_epochs} epochs"):
        cut.fit(X, y, progress=StopAfter(n_epochs))
    resumed = clone(cut).fit(X, y)
    assert_same_weights(whole, resumed)
    assert [r["objective"] for r in whole.history_] == [r["objective"] for r in resumed.history_]
    assert resumed.proportion_.total == whole.proportion_.total


def with_dropout(shape, n_outputs):
    return torch.nn.Sequential(torch.nn.Dropout(0.1), mlp(shape, n_outputs, width=16))


@pytest.mark.filterwarnings("ignore::eulac.exceptions.TrivialPredictorWarning")
@pytest.mark.parametrize("known_proportion", [0.6, "auto"])
def test_an_interrupted_fit_leaves_a_usable_model(task, known_proportion):
    split, X, y = task
    classifier = clone(QUICK).set_params(known_proportion=known_proportion)
    with pytest.warns(InterruptedFitWarning, match="after 1 epochs"):
        classifier.fit(X, y, progress=StopAfter(1))
    assert classifier.interrupted_
    assert len(classifier.history_) == 1
    assert classifier.predict(split.X_test).shape == split.y_test.shape
    assert 0 <= classifier.proportion_.total <= 1


def test_a_checkpoint_of_another_fit_is_refused(task, tmp_path):
    _, X, y = task
    path = tmp_path / "run.pt"
    clone(QUICK).set_params(checkpoint=path, max_epochs=3).fit(X, y)
    for options in ({"max_epochs": 4}, {"learning_rate": 0.1}, {"known_proportion": 0.5}):
        other = clone(QUICK).set_params(**{"checkpoint": path, "max_epochs": 3, **options})
        with pytest.raises(ValueError, match=r"run\.pt' is of another fit"):
            other.fit(X, y)
    with pytest.raises(ValueError, match=r"other rows, labels, seed or settings"):
        clone(QUICK).set_params(checkpoint=path, max_epochs=3).fit(X, np.where(y == 1, 2, y))
    assert not list(tmp_path.glob("*.part"))


def test_a_checkpoint_that_cannot_be_used_is_said_before_any_work(task, tmp_path):
    garbage = tmp_path / "garbage.pt"
    garbage.write_bytes(b"not a checkpoint")
    for options, words in (
        ({"checkpoint": garbage}, r"garbage\.pt' cannot be read as a checkpoint"),
        ({"checkpoint": tmp_path / "no" / "run.pt"}, "a folder that exists; got"),
        ({"checkpoint": tmp_path}, "a folder that exists; got"),
        ({"checkpoint": tmp_path / "run.pt", "random_state": None}, "needs a `random_state`"),
    ):
        with pytest.raises(ValueError, match=words):
            clone(QUICK).set_params(**options).fit(*task[1:])


def test_a_module_may_be_given_and_is_left_alone(task):
    split, X, y = task
    module = mlp((4,), 4, width=16)
    before = [value.clone() for value in module.state_dict().values()]
    classifier = clone(QUICK).set_params(network=module, max_epochs=10).fit(X, y)
    assert classifier.score(split.X_test, split.y_test) > 0.8
    for old, new in zip(before, module.state_dict().values(), strict=True):
        assert torch.equal(old, new)
    with pytest.raises(ValueError, match=r"must have 4 outputs.* gave \(2, 3\)"):
        clone(QUICK).set_params(network=mlp((4,), 3)).fit(X, y)


def test_rows_of_another_shape_are_refused(fitted):
    with pytest.raises(ValueError, match=r"shape \(4,\) they had in `fit`.*got \(1, 4, 5\)"):
        fitted.predict(np.zeros((3, 4, 5)))


def test_records_say_risk_proportion_error_and_phase(fitted):
    phases = [record["phase"] for record in fitted.history_]
    assert phases == ["warm_up"] + 5 * ["selected"]
    for record in fitted.history_[1:]:
        assert {"risk", "objective", "estimated_error", "known_proportion"} <= set(record)


def test_patience_ends_training_early(task):
    _, X, y = task
    classifier = clone(QUICK).set_params(max_epochs=30, patience=1).fit(X, y)
    assert len(classifier.history_) < 30


@pytest.mark.filterwarnings("ignore::eulac.exceptions.ProportionAtBoundWarning")
def test_a_collapsed_training_run_is_noticed(task):
    _, X, y = task
    collapsed = clone(QUICK).set_params(
        network=constant_network, decision="largest", learning_rate=1e-9
    )
    with pytest.warns(TrivialPredictorWarning, match=r"100\.0% of the held-out .* called 1"):
        collapsed.fit(X, y)


def constant_network(shape, n_outputs):
    """Says the second class, whatever the row."""
    layer = torch.nn.Linear(shape[0], n_outputs)
    torch.nn.init.zeros_(layer.weight)
    with torch.no_grad():
        layer.bias.copy_(torch.eye(n_outputs)[1])
    return layer


def test_without_unlabeled_rows_it_warns_and_knows_no_new_class(task):
    split = task[0]
    with pytest.warns(NoUnlabeledRowsWarning, match="no unlabeled rows"):
        closed = clone(QUICK).fit(split.sample.X_labeled, split.sample.y_labeled)
    known = split.y_test != AUGMENTED
    assert set(closed.predict(split.X_test)) <= {0, 1, 2}
    assert np.mean(closed.predict(split.X_test[known]) == split.y_test[known]) > 0.9


def images(n=40, seed=0):
    """Stripes across, stripes down, and, never labeled, checks."""
    rng = np.random.default_rng(seed)
    across, down = np.indices((8, 8)) % 2
    patterns = np.stack([across, down, (across + down) % 2]).astype(float)
    y = np.resize([0, 1, 2], 3 * n)
    return patterns[y] + rng.normal(0, 0.3, (3 * n, 8, 8)), y


@pytest.mark.parametrize(
    "layout", [lambda X: X, lambda X: X[:, None], lambda X: X[..., None]], ids=["hw", "chw", "hwc"]
)
def test_images_may_have_channels_first_last_or_none(layout):
    X, y = images()
    masked = np.where((y == 2) | (np.arange(len(y)) % 2 == 0), -1, y)
    classifier = DeepEulacClassifier(
        known_proportion=0.5, max_epochs=4, batch_size=16, random_state=0
    ).fit(layout(X), masked)
    X_test, y_test = images(seed=1)
    answers = classifier.predict(layout(X_test))
    assert np.mean(answers == np.where(y_test == 2, AUGMENTED, y_test)) > 0.8


def test_estimated_priors_enter_the_weights(task):
    _, X, y = task
    classifier = clone(QUICK).set_params(known_proportion="auto", shift=True, max_epochs=10)
    classifier.fit(X, y)
    assert classifier.proportion_.diagnostics["priors_moved"] is True
    np.testing.assert_allclose(classifier.proportion_.per_class, 0.2, atol=0.1)


def test_a_pickle_keeps_every_bit(task, fitted):
    X_test = task[0].X_test
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(X_test), fitted.decision_function(X_test))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"objective": "best"}, r"`objective` must be one of .* got 'best'"),
        ({"network": "resnet"}, r"`network` must be one of .* got 'resnet'"),
        ({"network": "paper_cnn"}, r"needs images .* got rows of shape \(4,\)"),
        ({"patience": 0}, r"`patience` must be .* at least 1; got 0"),
        ({"learning_rate": -1}, r"`learning_rate` must be .* positive .* got -1"),
        ({"max_epochs": 0}, r"`max_epochs` must be .* at least 1; got 0"),
        ({"time_budget": 0}, r"`time_budget` must be a positive .* got 0"),
        ({"loss": "hinge"}, "unknown loss 'hinge'"),
        ({"known_proportion": 1.5}, r"`known_proportion` must lie in \[0, 1\]; got 1\.5"),
    ],
)
def test_bad_parameters_are_quoted(task, options, words):
    with pytest.raises(ValueError, match=words):
        clone(QUICK).set_params(**options).fit(*task[1:])


def test_rows_of_a_strange_shape_are_refused(task):
    with pytest.raises(ValueError, match=r"1, 3 or 4 channels; got the shape .*2, 8, 8\)"):
        DeepEulacClassifier().fit(np.zeros((5, 2, 8, 8)), [0, 0, 1, -1, -1])


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize("max_epochs", [1, 2, 3, 4])
def test_any_small_number_of_steps_can_be_trained(max_epochs):
    _, X, y = easy_masked(n_labeled=30, n_unlabeled=60)
    classifier = clone(QUICK).set_params(max_epochs=max_epochs, batch_size=16).fit(X, y)
    assert len(classifier.history_) == max_epochs


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_epochs_follow_from_the_rows_and_the_time_there_is(task, tmp_path):
    _, X, y = task
    planned = clone(QUICK).set_params(max_epochs="auto").fit(X, y)
    assert len(planned.history_) == 60  # 600 steps of 10 batches
    path = tmp_path / "run.pt"
    hasty = clone(QUICK).set_params(max_epochs="auto", time_budget=1e-3, checkpoint=path)
    assert len(hasty.fit(X, y).history_) == 1
    assert len(clone(hasty).fit(X, y).history_) == 1  # as many as the checkpoint says


def loaders(sample, *, shuffle=True, noise=0.0):
    """Return loaders of a sample's labeled and unlabeled rows; noise changes rows on each pass."""
    from torch.utils.data import DataLoader, TensorDataset

    labels = torch.from_numpy(sample.y_labeled)
    labeled = TensorDataset(torch.from_numpy(sample.X_labeled), labels)
    unlabeled = TensorDataset(torch.from_numpy(sample.X_unlabeled))
    options = {"batch_size": 40, "shuffle": shuffle, "generator": torch.Generator().manual_seed(0)}
    pair = DataLoader(labeled, **options), DataLoader(unlabeled, **options)
    return pair if not noise else (Noisy(pair[0], noise), pair[1])


class Noisy:
    def __init__(self, loader, noise):
        self.loader, self.noise = loader, noise

    def __iter__(self):
        for X, y in self.loader:
            yield X + self.noise * torch.randn(X.shape, dtype=X.dtype), y


def test_loaders_teach_what_arrays_teach(task):
    split = task[0]
    classifier = clone(QUICK).set_params(known_proportion="auto")
    classifier.fit_loaders(*loaders(split.sample))
    assert classifier.score(split.X_test, split.y_test) > 0.9
    assert abs(classifier.proportion_.total - 0.6) < 0.15
    np.testing.assert_array_equal(classifier.classes_, [0, 1, 2, AUGMENTED])
    rows = np.concatenate([split.sample.X_labeled, split.sample.X_unlabeled])
    np.testing.assert_allclose(classifier.scaling_.mean[0], rows.mean(axis=0), rtol=1e-4)


def test_loaders_that_change_rows_are_refused(task):
    with pytest.raises(ValueError, match=r"the same rows on each pass.* 0 of \d+ came back"):
        clone(QUICK).fit_loaders(*loaders(task[0].sample, noise=0.1))


def test_features_enter_the_last_layer(task, fitted):
    X_test = task[0].X_test
    features = torch.from_numpy(fitted.features(X_test)).float()
    logits = fitted.network_[-1](features).detach().numpy()
    np.testing.assert_allclose(logits, fitted._logits(X_test), atol=1e-4)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_one_labeled_row_a_class_is_refused_in_a_sentence():
    _, X, y = easy_masked()
    rows = [int(np.flatnonzero(y == label)[0]) for label in (0, 1, 2)]
    with pytest.raises(ValueError, match=r"two or more of them; got 3 labeled rows of as many"):
        clone(QUICK).fit(X[rows], y[rows], X[y == -1])
