import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.deep.row_scaling import RowScaling  # noqa: E402
from eulac.deep.runs import loader_batches  # noqa: E402
from eulac.deep.runs.loader_batches import LoaderSurvey, OpenedLoaders, scaling_of  # noqa: E402


def images(n=90, seed=0):
    return np.random.default_rng(seed).normal(3, 2, (n, 5, 5, 3)).astype(np.float32)


def pair(n_labeled=90, n_unlabeled=130):
    X, U = images(n_labeled), images(n_unlabeled, seed=1)
    y = np.resize(["b", "a"], n_labeled)
    return [(X[i : i + 20], y[i : i + 20]) for i in range(0, n_labeled, 20)], [[U[:50]], U[50:]]


def rows_of(batches, n_epochs):
    return [batch for _ in range(n_epochs) for batch in batches]


def opened_batches(opened, batch_size=16, fewest=1):
    generator = torch.Generator().manual_seed(0)
    return opened.batches(batch_size, fewest, generator, lambda rows, _: rows)


def test_held_out_rows_are_never_trained_on_and_all_others_are():
    opened = OpenedLoaders.of(*pair())
    assert opened.rows.n_labeled + opened.held_out.n_labeled == 90
    assert 5 < opened.held_out.n_labeled < 35
    trained = rows_of(opened_batches(opened), n_epochs=3)
    for place, held in ((0, opened.held_out.X_labeled), (2, opened.held_out.X_unlabeled)):
        seen = {row.numpy().tobytes() for batch in trained for row in batch[place]}
        assert seen.isdisjoint(row.tobytes() for row in held)
    assert len({row.numpy().tobytes() for b in trained for row in b[0]}) == opened.rows.n_labeled


def test_labels_become_codes_of_their_own_rows():
    labeled, unlabeled = pair()
    opened = OpenedLoaders.of(labeled, unlabeled)
    X, y = (np.concatenate(part) for part in zip(*labeled, strict=True))
    scaled = opened.scaling.scaled(np.moveaxis(X, 3, 1))
    codes = {row.tobytes(): int(label == "b") for row, label in zip(scaled, y, strict=True)}
    for rows, found, _ in opened_batches(opened):
        assert [codes[row.numpy().tobytes()] for row in rows] == found.tolist()


def test_an_epoch_passes_over_the_longer_loader():
    opened = OpenedLoaders.of(*pair())
    batches = opened_batches(opened)
    assert len(batches) == -(-opened.rows.n_unlabeled // 16)
    assert [tuple(map(len, batch)) for batch in batches] == len(batches) * [(16, 16, 16)]


def test_the_scale_is_that_of_all_rows_together():
    labeled, unlabeled = pair()
    surveys = LoaderSurvey.of(labeled, labeled=True), LoaderSurvey.of(unlabeled, labeled=False)
    rows = np.moveaxis(np.concatenate([images(90), images(130, seed=1)]), 3, 1)
    expected, found = RowScaling.of(rows), scaling_of(*surveys)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-5)
    np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-5)


def test_no_more_rows_are_kept_in_memory_than_said(monkeypatch):
    monkeypatch.setattr(loader_batches, "MOST_HELD_OUT", 4)
    opened = OpenedLoaders.of(*pair())
    assert (opened.held_out.n_labeled, opened.held_out.n_unlabeled) == (4, 4)
    assert opened.rows.n_labeled == 86


def test_a_class_is_never_held_out_as_a_whole():
    labeled, unlabeled = pair()
    survey = LoaderSurvey.of(labeled, labeled=True)
    X, y = (np.concatenate(part) for part in zip(*labeled, strict=True))
    y[survey.held_out[:1]] = "only"
    opened = OpenedLoaders.of([(X, y)], unlabeled)
    assert set(opened.rows.y_labeled) == {0, 1, 2}
    assert 2 not in opened.held_out.y_labeled


@pytest.mark.parametrize(
    ("labeled", "unlabeled", "words"),
    [
        ([images()], [images()], "must give pairs of rows and labels; got ndarray"),
        ([(images(), np.zeros(3))], [images()], "a label for each of 90 rows; got 3"),
        ([(images(), np.resize([0, -1], 90))], [images()], "also gives unlabeled rows"),
        ([], [images()], "a loader must give rows; got none"),
        ([(images(1), np.zeros(1))], [images()], "got 1 labeled and 90 unlabeled rows"),
    ],
)
def test_loaders_that_cannot_be_learned_from_are_refused(labeled, unlabeled, words):
    with pytest.raises(ValueError, match=words):
        OpenedLoaders.of(labeled, unlabeled)
