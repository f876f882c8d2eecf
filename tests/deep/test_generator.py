"""The encoder and generator: shapes, what training achieves, and the sample it extends."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.data.lac_sample import LacSample  # noqa: E402
from eulac.deep import generator as module  # noqa: E402
from eulac.deep.generator import (  # noqa: E402
    GeneratingClassifier,
    build_generator,
    train_generator,
    with_generated_class,
)

CENTERS = torch.tensor([[-1.0, -1.0], [1.0, 1.0]])


def two_blobs(n_rows=200, seed=0):
    """Return rows around either center, in turn."""
    noise = torch.randn(n_rows, 2, generator=torch.Generator().manual_seed(seed))
    return CENTERS.repeat(n_rows // 2, 1) + 0.1 * noise


def bars(n_rows=128, seed=0):
    """Return 8 x 8 images with one bright row or column each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(scale=0.1, size=(n_rows, 1, 8, 8)).astype(np.float32)
    for image, place in zip(X[:, 0], rng.integers(16, size=n_rows), strict=True):
        (image if place < 8 else image.T)[place % 8] += 2.0
    return torch.from_numpy(X - X.mean())


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    return train_generator(two_blobs(), n_latent=4)


@pytest.mark.parametrize(
    "shape",
    [(2,), (60,), (1, 8, 8), (1, 16, 16), (3, 32, 32), (1, 28, 28), (3, 64, 64), (1, 5, 21)],
)
def test_rows_come_back_in_their_own_shape(shape):
    generator = build_generator(shape, n_latent=6).eval()
    encodings = generator.encode(torch.randn(3, *shape))
    assert encodings.shape == (3, 6)
    assert generator.decode(encodings).shape == (3, *shape)


@pytest.mark.parametrize(("side", "n_convolutions"), [(8, 1), (16, 1), (28, 2), (32, 2), (64, 3)])
def test_images_are_halved_until_eight_pixels_are_left(side, n_convolutions):
    layers = list(build_generator((1, side, side)).encoder.modules())
    assert sum(isinstance(layer, torch.nn.Conv2d) for layer in layers) == n_convolutions


def test_outputs_are_not_bounded(trained):
    assert float(trained.decode(100.0 * torch.eye(4)).abs().max()) > 10.0


def test_encodings_are_standardized(trained):
    encodings = trained.encode(two_blobs(seed=1))
    np.testing.assert_allclose(encodings.mean(dim=0), 0.0, atol=0.2)
    np.testing.assert_allclose(encodings.std(dim=0), 1.0, atol=0.2)


def test_table_rows_are_given_back(trained):
    X = two_blobs(seed=1)
    assert float((trained.decode(trained.encode(X)) - X).abs().mean()) < 0.15


def test_images_are_given_back_better_than_by_their_mean():
    torch.manual_seed(0)
    X, X_new = bars(), bars(seed=1)
    generator = train_generator(X, n_latent=16, batch_size=32, n_epochs=80)
    error = float((generator.decode(generator.encode(X_new)) - X_new).abs().mean())
    assert error < 0.75 * float((X.mean(dim=0) - X_new).abs().mean())


def test_between_two_encodings_lie_rows_between_the_two(trained):
    first, second = trained.encode(CENTERS)
    shares = torch.linspace(0, 1, 21)[:, None]
    path = trained.decode((1 - shares) * first + shares * second)
    assert float(path.min()) > -1.4
    assert float(path.max()) < 1.4
    middle = (path.abs() < 0.7).all(dim=1)
    assert middle.any()
    assert not middle[[0, -1]].any()


def test_encoding_and_decoding_leave_no_graph_but_forward_does(trained):
    encodings = torch.zeros(2, 4, requires_grad=True)
    assert not trained.training
    assert not trained.encode(CENTERS).requires_grad
    assert not trained.decode(encodings).requires_grad
    (gradient,) = torch.autograd.grad(trained(encodings).sum(), encodings)
    assert bool((gradient != 0).any())


def test_the_same_seeds_give_the_same_generator(monkeypatch):
    monkeypatch.setattr(module, "FEWEST_STEPS", 5)
    rows = []
    for seed in (0, 0, 1):
        torch.manual_seed(0)
        generator = train_generator(two_blobs(), n_latent=3, n_epochs=1, seed=seed)
        rows.append(generator.decode(torch.eye(3)))
    assert torch.equal(rows[0], rows[1])
    assert not torch.equal(rows[0], rows[2])


@pytest.mark.parametrize(("n_rows", "n_steps"), [(2, 30), (64, 30), (640, 50)])
def test_few_rows_are_passed_more_often(monkeypatch, n_rows, n_steps):
    counted = []
    step = torch.optim.Adam.step
    monkeypatch.setattr(module, "FEWEST_STEPS", 30)
    monkeypatch.setattr(torch.optim.Adam, "step", lambda adam: counted.append(step(adam)))
    train_generator(two_blobs(n_rows), n_latent=2, n_epochs=5)
    assert len(counted) == n_steps


def test_generated_rows_become_the_class_after_the_known_ones():
    rows = LacSample.from_masked(np.eye(4, dtype=np.float32), [3, 8, 3, -1])
    longer = with_generated_class(rows, np.full((2, 4), 7.0, np.float32))
    np.testing.assert_array_equal(longer.y_labeled, [0, 1, 0, 2, 2])
    np.testing.assert_array_equal(longer.X_labeled[3:], 7.0)
    assert longer.X_labeled.dtype == np.float32
    assert longer.n_known_classes == 2
    assert rows.n_labeled == 3


@pytest.mark.parametrize(
    ("n_generated", "counts", "n_wanted"),
    [(None, [40, 20], 30), (None, [1, 1], 2), (None, [5000, 4000], 1000), (7, [40, 20], 7)],
)
def test_by_default_the_extra_class_is_as_large_as_a_known_one(n_generated, counts, n_wanted):
    y = np.repeat(np.arange(len(counts)), counts)
    classifier = GeneratingClassifier(n_generated=n_generated)
    assert classifier._n_wanted(LacSample.from_masked(np.zeros((len(y), 1)), y)) == n_wanted
