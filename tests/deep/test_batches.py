import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.deep.batches import PairedBatches, flips, shifts  # noqa: E402


def paired(n=10, m=25, size=4, seed=0):
    X, U = torch.arange(float(n))[:, None], 100 + torch.arange(float(m))[:, None]
    generator = torch.Generator().manual_seed(seed)
    return PairedBatches(X, torch.arange(n), U, size, size, generator)


def test_an_epoch_passes_over_the_longer_sample_and_repeats_the_shorter():
    batches = list(paired())
    assert len(batches) == 7
    unlabeled = torch.cat([U for _, _, U in batches])
    assert set(unlabeled[:25, 0].tolist()) == set(range(100, 125))
    labeled = torch.cat([y for _, y, _ in batches])
    assert labeled.bincount().min() >= 2


def test_labels_stay_with_their_rows():
    for X, y, _ in paired():
        assert torch.equal(X[:, 0], y.float())


def test_the_state_of_the_generator_is_all_there_is():
    one, two = paired(), paired()
    list(one)
    two.generator.set_state(one.generator.get_state())
    for first, second in zip(one, two, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_without_unlabeled_rows_batches_have_labeled_ones_only():
    X = torch.zeros(6, 2)
    batches = PairedBatches(X, torch.zeros(6, dtype=torch.long), X[:0], 3, 0, torch.Generator())
    assert [(len(a), len(b), len(c)) for a, b, c in batches] == [(3, 3, 0), (3, 3, 0)]


def test_shifted_images_are_windows_of_the_image_with_repeated_edges():
    image = torch.arange(16.0).reshape(1, 1, 4, 4)
    seen = set()
    generator = torch.Generator().manual_seed(0)
    padded = torch.nn.functional.pad(image, (2, 2, 2, 2), mode="replicate")
    windows = {
        tuple(padded[0, 0, i : i + 4, j : j + 4].flatten().tolist())
        for i in range(5)
        for j in range(5)
    }
    for _ in range(100):
        seen.add(tuple(shifts(image, generator, reach=2).flatten().tolist()))
    assert seen <= windows
    assert len(seen) > 10


def test_flips_mirror_about_every_other_image():
    images = torch.zeros(400, 1, 30, 30)
    images[:, :, :, :10] = 1.0
    moved = flips(images, torch.Generator().manual_seed(0))
    left = moved[:, :, :, :15].sum((1, 2, 3)) > moved[:, :, :, 15:].sum((1, 2, 3))
    assert 0.4 < left.float().mean() < 0.6


def test_small_samples_are_passed_over_several_times():
    batches = paired(n=4, m=6, size=3)
    batches.fewest = 10
    assert len(list(batches)) == 10


def test_tiny_images_are_not_moved():
    images = torch.rand(5, 1, 8, 8)
    assert torch.equal(shifts(images, torch.Generator().manual_seed(0)), images)


def test_no_rows_are_moved_to_no_rows():
    none = torch.zeros(0, 3, 28, 28)
    assert flips(none, torch.Generator().manual_seed(0)).shape == none.shape
