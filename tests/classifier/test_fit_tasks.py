"""Fits tell scikit-learn's callbacks what they are at, and give the same models with them."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from easy_mixture import easy_masked
from eulac import (
    EulacClassifier,
    KernelEulacClassifier,
    LandmarkEulacClassifier,
    LinearEulacClassifier,
    OsnnClassifier,
    TwoStageEulacClassifier,
    load,
    save,
)
from recorded_tasks import RecordedTasks

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 and later has it")

SMALL_KERNEL = KernelEulacClassifier(0.6, bandwidth=[0.3, 1.0], penalty=0.1, random_state=0)


def told_of(classifier, fit=None):
    """Return what a callback was told of a fit to easy rows."""
    recorder = RecordedTasks()
    _, X, y = easy_masked()
    watched = clone(classifier).set_callbacks(recorder)
    watched.fit(X, y) if fit is None else fit(watched, X, y)
    recorder.assert_whole(type(classifier).__name__)
    return recorder


@pytest.mark.parametrize(
    ("classifier", "n_steps"),
    [
        (SMALL_KERNEL, 2),
        (KernelEulacClassifier(0.6, kernel="linear", random_state=0), 1),
        (TwoStageEulacClassifier(GaussianNB(), n_repeats=2, random_state=0), 4),
        (LandmarkEulacClassifier(0.6, n_landmarks=20, random_state=0), 2),
        (LinearEulacClassifier(0.6, penalty=0.1, n_folds=3, random_state=0), 4),
        (OsnnClassifier(ratio=0.5), 0),
    ],
)
def test_steps_of_families(classifier, n_steps):
    assert len(told_of(classifier).ended()) == n_steps


def test_progress_is_told_beside_callbacks():
    calls = []
    told = told_of(
        SMALL_KERNEL, lambda clf, X, y: clf.fit(X, y, progress=lambda *call: calls.append(call))
    )
    assert calls == [(1, 2), (2, 2)]
    assert told.ended() == ["KernelEulacClassifier kernel 0", "KernelEulacClassifier kernel 1"]


def test_the_default_classifier_tells_the_steps_of_its_candidates():
    candidates = {"kernel": SMALL_KERNEL, "bayes": TwoStageEulacClassifier(GaussianNB())}
    told = told_of(EulacClassifier(candidates, random_state=0))
    assert told.ended() == [
        "EulacClassifier reading 0",
        "KernelEulacClassifier fit 1",
        "TwoStageEulacClassifier fit 2",
        "EulacClassifier answering 3",
    ]
    assert told.ended(depth=2) == [
        "KernelEulacClassifier kernel 0",
        "KernelEulacClassifier kernel 1",
        "TwoStageEulacClassifier stage 0",
        "TwoStageEulacClassifier stage 1",
    ]


def test_candidates_without_time_are_not_told():
    candidates = {"bayes": TwoStageEulacClassifier(GaussianNB()), "kernel": SMALL_KERNEL}
    told = told_of(EulacClassifier(candidates, time_budget=1e-9, random_state=0))
    assert "TwoStageEulacClassifier fit 1" in told.ended()
    assert told.ended()[-1] == "EulacClassifier answering 2"


@pytest.mark.parametrize("known", [True, False])
def test_chunks_are_steps_also_where_their_number_is_not_known(known):
    def fit(classifier, X, y):
        chunks = list(zip(np.array_split(X, 3), np.array_split(y, 3), strict=True))
        classifier.fit_chunks(chunks if known else lambda: iter(chunks))

    told = told_of(LandmarkEulacClassifier(0.6, n_landmarks=20, random_state=0), fit)
    assert len(told.ended()) - (not known) == 6  # the end comes when another chunk is waited for


def test_the_bar_of_scikit_learn_shows_the_fit(capsys):
    _, X, y = easy_masked()
    candidates = {"kernel": SMALL_KERNEL}
    EulacClassifier(candidates, random_state=0).set_callbacks(callback.ProgressBar()).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("EulacClassifier - fit")
    assert lines[-1].strip().startswith("EulacClassifier - kernel | KernelEulacClassifier")
    assert all("100%" in line for line in lines[-2:])


def test_a_bar_of_a_pipeline_or_a_search_reaches_the_classifier():
    _, X, y = easy_masked()
    recorder = RecordedTasks()
    make_pipeline(StandardScaler(), SMALL_KERNEL).set_callbacks(recorder).fit(X, y)
    assert "KernelEulacClassifier kernel 1" in recorder.ended(depth=2)
    recorder = RecordedTasks()
    search = GridSearchCV(SMALL_KERNEL, {"penalty": [0.1, 1.0]}, cv=2).set_callbacks(recorder)
    search.fit(X, y)
    kernels = [path for what, path in recorder.calls if what == "end" and "kernel" in path[-1]]
    assert len(kernels) == 2 * (2 * 2 + 1)  # in each fold with each penalty, and of the best


def test_callbacks_are_let_go_when_a_fit_fails():
    _, X, y = easy_masked()
    recorder = RecordedTasks()
    failing = EulacClassifier(
        {"bayes": TwoStageEulacClassifier(_Failing())}, random_state=0
    ).set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="on purpose"):
        failing.fit(X, y)
    assert recorder.calls[-1] == ("teardown", ())
    assert {name for name in vars(failing) if "callback" in name} == {"_skl_callbacks"}


def test_classes_and_other_things_are_no_callbacks():
    with pytest.raises(TypeError, match="FitCallback protocol"):
        EulacClassifier().set_callbacks(callback.ProgressBar)


def test_copies_keep_callbacks_and_files_do_not(tmp_path):
    split, X, y = easy_masked()
    bar = callback.ProgressBar()
    fitted = clone(SMALL_KERNEL).set_callbacks(bar).fit(X, y)
    assert clone(fitted)._skl_callbacks == [bar]  # as with scikit-learn's own
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(split.X_test), fitted.predict(split.X_test))
    plain = clone(SMALL_KERNEL).fit(X, y)
    files = [save(model, tmp_path / f"{i}.eulac") for i, model in enumerate((fitted, plain))]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not hasattr(load(files[0]), "_skl_callbacks")
    assert fitted._skl_callbacks == [bar]


def test_without_callbacks_in_scikit_learn_fits_go_on_as_before():
    code = """
import sys
import sklearn.callback, sklearn.ensemble, sklearn.model_selection  # which import it themselves
kept, sys.modules["sklearn.callback"] = sys.modules["sklearn.callback"], None
import eulac.classifier.fit_tasks
sys.modules["sklearn.callback"] = kept
from eulac import OsnnClassifier
classifier = OsnnClassifier(ratio=0.5).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
print(hasattr(classifier, "set_callbacks"), classifier.predict([[0.05], [2.6]]).tolist())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False [0, -2]"


class _Failing(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("on purpose")
