"""Columns in another order, or of other names: refused by every way in that takes rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import eulac
from eulac.evaluation.metrics import evaluate
from report.conftest import draw_rows

NAMES = ["a", "b", "c"]
X, Y = draw_rows(np.repeat([0, 1], 40), seed=0)
POOL, TRUTH = draw_rows(np.repeat([0, 1, 2], [30, 30, 40]), seed=1)
FRAME, POOL_FRAME = pd.DataFrame(X, columns=NAMES), pd.DataFrame(POOL, columns=NAMES)
BY_CLASS = eulac.Decisions.from_names(POOL_FRAME, {"cow": np.flatnonzero(TRUTH == "cow")})
REFUSED = "same order|feature names|another order|must have the columns|must have every|lacks"

KERNEL = eulac.KernelEulacClassifier(0.6, bandwidth=1.0, penalty=0.1, random_state=0)
LANDMARK = eulac.LandmarkEulacClassifier(
    0.6, n_landmarks=10, bandwidth=1.0, penalty=0.1, random_state=0
)
STREAM = eulac.StreamEulacClassifier(clone(LANDMARK), window=60, random_state=0)
TWO_STAGES = eulac.TwoStageEulacClassifier(
    LogisticRegression(), known_proportion=0.6, n_folds=3, random_state=0
)

CHANGES = {
    "turned": lambda frame: frame[["c", "a", "b"]],
    "renamed": lambda frame: frame.rename(columns={"a": "z"}),
    "named_as_another": lambda frame: frame.set_axis(["b", "a", "c"], axis=1),
}


def selected(labeled, pool):
    eulac.select_classifier({"one": TWO_STAGES}, labeled, Y, pool, known_proportion=0.6, n_folds=3)


def chunks(labeled, pool):
    return clone(LANDMARK).fit_chunks([(labeled, Y), (pool, None)])


def reported(write):
    def way(change, clf, folder):
        write(clf, POOL_FRAME, folder / "page.html", X_labeled=change(FRAME), y_labeled=Y)

    return way


ON_NEW_ROWS = {
    "fit": lambda change: clone(KERNEL).fit(FRAME, Y, change(POOL_FRAME)),
    "fit_predict": lambda change: clone(TWO_STAGES).fit_predict(FRAME, Y, change(POOL_FRAME)),
    "proportion": lambda change: eulac.GivenProportion(0.6).fit(FRAME, Y, change(POOL_FRAME)),
    "prepare": lambda change: clone(LANDMARK).prepare(FRAME, Y, change(POOL_FRAME)),
    "stream": lambda change: clone(STREAM).fit(FRAME, Y, change(POOL_FRAME)),
    "select_classifier": lambda change: selected(FRAME, change(POOL_FRAME)),
    "fit_chunks": lambda change: chunks(FRAME, change(POOL_FRAME)),
    "partial_fit": lambda change: (
        clone(LANDMARK).prepare(FRAME, Y, POOL_FRAME).partial_fit(change(FRAME), Y)
    ),
    "partial_fit of a pool": lambda change: (
        clone(LANDMARK).prepare(FRAME, Y, POOL_FRAME).partial_fit(change(POOL_FRAME), None)
    ),
}
"""Ways in that fit."""

ON_A_FIT = {
    "predict": lambda change, clf, folder: clf.predict(change(POOL_FRAME)),
    "predict_proba": lambda change, clf, folder: clf.predict_proba(change(POOL_FRAME)),
    "augmented_score": lambda change, clf, folder: clf.augmented_score(change(POOL_FRAME)),
    "score": lambda change, clf, folder: clf.score(change(FRAME), Y),
    "evaluate": lambda change, clf, folder: evaluate(clf, change(FRAME), Y),
    "estimate_batch": lambda change, clf, folder: eulac.estimate_batch(clf, change(POOL_FRAME)),
    "find_new_classes": lambda change, clf, folder: eulac.find_new_classes(clf, change(POOL_FRAME)),
    "find_new_classes, labeled": lambda change, clf, folder: eulac.find_new_classes(
        clf, POOL_FRAME, change(FRAME), Y
    ),
    "write_report": reported(eulac.write_report),
    "write_review": reported(eulac.write_review),
    "write_report of a pool": lambda change, clf, folder: eulac.write_report(
        clf, change(POOL_FRAME), folder / "page.html"
    ),
    "promote": lambda change, clf, folder: eulac.promote(
        clf, change(FRAME), Y, POOL_FRAME, BY_CLASS
    ),
    "promote in a pool": lambda change, clf, folder: eulac.promote(
        clf, FRAME, Y, change(POOL_FRAME), BY_CLASS
    ),
}
"""Ways in that ask a fitted classifier."""


@pytest.fixture(scope="module")
def fitted():
    return clone(KERNEL).fit(FRAME, Y, POOL_FRAME)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", ON_NEW_ROWS)
def test_what_learns_refuses_columns_that_are_not_those_of_the_others(way, change):
    with pytest.raises(ValueError, match=REFUSED):
        ON_NEW_ROWS[way](CHANGES[change])


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", ON_A_FIT)
def test_what_asks_a_fit_refuses_columns_that_are_not_its_own(way, change, fitted, tmp_path):
    with pytest.raises(ValueError, match=REFUSED):
        ON_A_FIT[way](CHANGES[change], fitted, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("change", CHANGES)
def test_a_stream_refuses_rows_and_named_ones_of_other_columns(change):
    stream = clone(STREAM).fit(FRAME, Y, POOL_FRAME)
    for ask in (stream.update, stream.predict, lambda rows: stream.add_class("cow", rows)):
        with pytest.raises(ValueError, match=REFUSED):
            ask(CHANGES[change](POOL_FRAME))
    assert stream.n_seen_ == 0
    assert stream.known_classes_.tolist() == ["ant", "bee"]


@pytest.mark.parametrize("way", ON_NEW_ROWS)
def test_the_same_columns_are_taken(way):
    ON_NEW_ROWS[way](lambda frame: frame)
