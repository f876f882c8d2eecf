import numpy as np
import pytest

from eulac.data.row_sketch import hash_rows
from eulac.landmark.checkpoint import Checkpoint
from eulac.landmark.chunk_source import SurveyPlan
from eulac.solvers.moment_folds import FoldMoments

X = np.random.default_rng(0).normal(size=(40, 3))
CODES = np.repeat([0, 1, -1], [10, 10, 20])


@pytest.fixture
def survey():
    labels = np.array(["hen", "owl", "-1"])[CODES]
    return SurveyPlan(n_kept=12, floor=2, seed=5).survey(X, labels)


@pytest.fixture
def moments():
    return FoldMoments.of(lambda rows: rows, X, CODES, hash_rows(X), n_folds=3, n_known=2)


def test_what_is_written_comes_back(tmp_path, survey, moments):
    path = tmp_path / "sums.npz"
    state = Checkpoint.open(path, "settings").begun(survey, seed=5, n_chunks=4)
    state.write(moments, n_done=3)
    back = Checkpoint.open(path, "settings")
    assert (back.seed, back.n_done, back.n_chunks) == (5, 3, 4)
    assert back.survey.labels.tolist() == ["hen", "owl"]
    np.testing.assert_array_equal(back.survey.unlabeled.rows, survey.unlabeled.rows)
    for part, other in zip(back.moments.parts, moments.parts, strict=True):
        np.testing.assert_array_equal(part.second, other.second)
        assert part.n_unlabeled == other.n_unlabeled


def test_after_the_first_pass_there_are_no_sums_yet(tmp_path, survey):
    path = tmp_path / "sums.npz"
    Checkpoint.open(path, "settings").begun(survey, seed=5, n_chunks=4)
    back = Checkpoint.open(path, "settings")
    assert back.moments is None
    assert back.n_done == 0
    assert back.begun(survey, seed=6, n_chunks=9) is back  # the first pass is not done again


def test_a_file_of_other_parameters_is_refused(tmp_path, survey):
    path = tmp_path / "sums.npz"
    Checkpoint.open(path, "penalty=1").begun(survey, seed=5, n_chunks=4)
    with pytest.raises(ValueError, match="other parameters: penalty=1; these are penalty=2"):
        Checkpoint.open(path, "penalty=2")


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch, survey, moments):
    monkeypatch.chdir(tmp_path)
    state = Checkpoint.open(None, "settings").begun(survey, seed=5, n_chunks=1)
    state.write(moments, 1)
    state.remove()
    assert not list(tmp_path.iterdir())


def test_a_finished_fit_removes_its_file(tmp_path, survey):
    path = tmp_path / "sums.npz"
    state = Checkpoint.open(path, "settings").begun(survey, seed=5, n_chunks=1)
    assert path.exists()
    state.remove()
    state.remove()
    assert not path.exists()
