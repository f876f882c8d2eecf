import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.data.labels import LabelCodec  # noqa: E402
from eulac.data.lac_sample import LacSample  # noqa: E402
from eulac.deep.deep_fit import split_off_fold  # noqa: E402


def sample_of(counts, n_unlabeled=20):
    y = np.repeat(np.arange(len(counts)), counts)
    rows = np.arange(len(y) + n_unlabeled, dtype=np.float32)[:, None]
    codec = LabelCodec.from_labels(np.arange(len(counts)))
    return LacSample(rows[: len(y)], y, rows[len(y) :], codec)


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_split_without_loss_or_overlap(seed):
    sample = sample_of([20, 10, 5])
    parts = split_off_fold(sample, seed)
    for name in ("X_labeled", "X_unlabeled"):
        together = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(np.sort(together, axis=0), getattr(sample, name))
    assert parts[1].n_labeled == 7
    assert parts[1].n_unlabeled == 4


@pytest.mark.parametrize("seed", range(10))
def test_no_class_is_missing_from_the_rows_to_train_on(seed):
    rows, held_out = split_off_fold(sample_of([20, 1, 1, 2]), seed)
    assert set(rows.y_labeled) == {0, 1, 2, 3}
    assert set(held_out.y_labeled) <= {0, 3}
