"""What deep classifiers share: which network and augmentation, on which scale."""

import numpy as np
import pytest
import torch
from torch import nn

from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.deep import network_classifier
from eulac.deep.batches import flips, no_augmentation, shifts
from eulac.deep.network_classifier import DeepClassifier
from eulac.deep.softmax import SoftmaxThresholdClassifier

TABLE, IMAGE = (5,), (1, 8, 8)


def sample(n_labeled=20, n_unlabeled=30, shape=TABLE, shift=0.0):
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(n, *shape)).astype(np.float32) for n in (n_labeled, n_unlabeled)]
    codec = LabelCodec.from_labels(np.arange(2))
    return LacSample(rows[0], np.arange(n_labeled) % 2, rows[1] + shift, codec)


@pytest.mark.parametrize(("shape", "name"), [(TABLE, "mlp"), (IMAGE, "compact_resnet")])
def test_the_network_follows_the_shape_of_rows_unless_it_is_named(shape, name):
    assert DeepClassifier()._network_name(shape) == name
    assert DeepClassifier("paper_cnn")._network_name(shape) == "paper_cnn"


@pytest.mark.parametrize(
    ("asked", "shape", "done"),
    [
        ("auto", IMAGE, shifts),
        ("flips", IMAGE, flips),
        (None, IMAGE, no_augmentation),
        ("flips", TABLE, no_augmentation),
    ],
)
def test_only_images_are_augmented(asked, shape, done):
    rows = np.zeros((20, *shape), dtype=np.float32)
    assert DeepClassifier(augmentation=asked)._augmentation(rows, seed=0) is done


def test_images_are_mirrored_only_where_mirrored_ones_look_the_same():
    noise = np.random.default_rng(0).normal(size=(300, *IMAGE)).astype(np.float32)
    assert DeepClassifier()._augmentation(noise, seed=0) is flips
    slanted = noise + np.eye(8, dtype=np.float32)
    assert DeepClassifier()._augmentation(slanted, seed=0) is shifts


def test_the_learning_rate_follows_the_network_unless_it_is_given():
    normalized, plain = (
        DeepClassifier(network, device="cpu")._training(sample(), n_outputs=3, seed=0)
        for network in ("mlp", nn.Linear(*TABLE, 3))
    )
    assert normalized.learning_rate > plain.learning_rate
    given = DeepClassifier(learning_rate=0.1)._training(sample(), n_outputs=3, seed=0)
    assert given.learning_rate == 0.1


@pytest.mark.parametrize(
    ("shape", "network", "asked", "device", "halved"),
    [
        ((3, 8, 8), "auto", "auto", "cpu", True),
        ((1, 8, 8), "auto", "auto", "cpu", True),
        ((5,), "auto", "auto", "cpu", False),
        ((3, 8, 8), nn.Flatten(), "auto", "cpu", False),  # may not bear it
        ((3, 8, 8), "auto", "auto", "cuda", False),  # not measured there
        ((3, 8, 8), "auto", False, "cpu", False),
        ((1, 8, 8), nn.Flatten(), True, "cuda", True),
    ],
)
def test_networks_of_ours_on_images_train_in_half_precision(shape, network, asked, device, halved):
    classifier = DeepClassifier(network, mixed_precision=asked)
    assert classifier._in_half(shape, torch.device(device)) is halved


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mixed_precision": "always"}, "'auto', True, False; got 'always'"),
        ({"augmentation": "turns"}, "got 'turns'"),
        ({"max_epochs": 0}, "at least 1; got 0"),
        ({"batch_size": 1}, "at least 2; got 1"),
        ({"learning_rate": -1.0}, "got -1.0"),
    ],
)
def test_parameters_out_of_range_are_refused_by_their_value(options, message):
    with pytest.raises(ValueError, match=message):
        DeepClassifier(**options)._check_parameters()


def test_the_scale_is_that_of_the_rows_a_method_sees():
    rows = sample(shift=100.0)
    alone, both = DeepClassifier(), DeepClassifier()
    own = alone._with_scaled_rows(rows, uses_unlabeled=False)
    np.testing.assert_allclose(own.X_labeled.mean(axis=0), 0.0, atol=1e-5)
    shared = both._with_scaled_rows(rows, uses_unlabeled=True)
    everyone = np.concatenate([shared.X_labeled, shared.X_unlabeled])
    np.testing.assert_allclose(everyone.mean(axis=0), 0.0, atol=1e-4)
    assert own.X_unlabeled.mean() > 10 * shared.X_unlabeled.mean()


def test_a_training_has_a_fresh_network_and_batches_no_larger_than_the_sample():
    rows = sample(n_labeled=10, n_unlabeled=40)
    one = DeepClassifier(batch_size=16, device="cpu")._training(rows, n_outputs=3, seed=0)
    X, y, U = next(iter(one.batches))
    assert (len(X), len(y), len(U)) == (10, 10, 16)
    assert len(one.batches) == network_classifier.FEWEST_BATCHES
    assert one.logits(torch.from_numpy(rows.X_labeled)).shape == (10, 3)


def test_a_module_of_the_user_is_copied_before_training():
    own = nn.Linear(*TABLE, 3)
    one = DeepClassifier(own, device="cpu")._training(sample(), n_outputs=3, seed=0)
    assert one.network is not own
    torch.testing.assert_close(one.network.weight, own.weight)


def test_rows_of_another_shape_are_refused_by_their_shape(task):
    X, y, *_ = task
    images = np.zeros((len(X), 8, 8), dtype=np.float32)
    images[:, 0, :2] = X
    fitted = SoftmaxThresholdClassifier(max_epochs=1, random_state=0).fit(images, y)
    with pytest.raises(ValueError, match=r"shape \(1, 8, 8\).*got \(1, 8, 4\)"):
        fitted.predict(np.zeros((2, 8, 4), dtype=np.float32))
