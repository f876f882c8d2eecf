"""What contenders share: markers, the sign of the score, the risk of a chosen threshold."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

from easy_mixture import easy_masked
from eulac import load, save
from eulac.contenders.evm import EvmClassifier
from eulac.contenders.lacu_svm import LacuSvmClassifier
from eulac.contenders.novelty import NoveltyClassifier
from eulac.contenders.osnn import OsnnClassifier
from eulac.contenders.ovr_shift import OvrShiftClassifier
from eulac.contenders.ovr_svm import OvrSvmClassifier
from eulac.contenders.pac_iforest import PacIForestClassifier
from eulac.contenders.w_svm import WSvmClassifier
from eulac.exceptions import NoUnlabeledRowsWarning
from eulac.risk.zero_one import RiskEstimate

SVM = {"bandwidth": 0.5, "cost": 1.0}
CLASSIFIERS = [
    OvrSvmClassifier(**SVM),
    WSvmClassifier(**SVM),
    LacuSvmClassifier(**SVM),
    OsnnClassifier(ratio=0.7),
    EvmClassifier(delta=0.5),
    NoveltyClassifier(),
    PacIForestClassifier(0.6, n_estimators=20, **SVM),
]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_markers_are_those_the_user_names(classifier):
    split, X, y = easy_masked()
    names = {-1: "?", 0: "ant", 1: "bee", 2: "cow"}
    text = [names[label] for label in y.tolist()]
    marked = clone(classifier).set_params(
        unlabeled_label="?", augmented_label="other", random_state=0
    )
    plain = clone(classifier).set_params(random_state=0).fit(X, y)
    marked.fit(X, text)
    assert marked.classes_.tolist() == ["ant", "bee", "cow", "other"]
    codes = plain.codec_.encode(plain.predict(split.X_test))
    np.testing.assert_array_equal(marked.predict(split.X_test), marked.classes_[codes])


@pytest.mark.parametrize("classifier", CLASSIFIERS[:4], ids=lambda c: type(c).__name__)
def test_the_risk_of_a_chosen_threshold_has_an_interval_and_can_be_stored(classifier, tmp_path):
    split, X, y = easy_masked()
    chosen = clone(classifier).set_params(
        threshold="label_free", known_proportion=0.6, random_state=0
    )
    chosen.fit(X, y)
    error = np.mean(chosen.predict(split.X_test) != split.y_test)
    assert isinstance(chosen.risk_, RiskEstimate)
    assert chosen.risk_.interval[0] <= chosen.risk_.value <= chosen.risk_.interval[1]
    assert abs(chosen.risk_.raw - error) < 0.15
    save(chosen, tmp_path / "chosen.eulac")
    assert load(tmp_path / "chosen.eulac").risk_ == chosen.risk_
    assert clone(classifier).set_params(random_state=0).fit(X, y).risk_ is None


@pytest.mark.parametrize(
    ("classifier", "is_new"),
    [
        (EvmClassifier(delta=1.0), True),
        (EvmClassifier(delta=0.0), False),
        (WSvmClassifier(**SVM, rejection=0.0), False),
        (PacIForestClassifier(1.0, n_estimators=20, **SVM), False),
    ],
    ids=str,
)
def test_an_infinite_threshold_leaves_signs_and_order(classifier, is_new):
    split, X, y = easy_masked()
    fitted = clone(classifier).set_params(random_state=0).fit(X, y)
    score = fitted.augmented_score(split.X_test)
    assert np.isinf(fitted.threshold_)
    np.testing.assert_array_equal(score > 0, fitted.predict(split.X_test) == -2)
    assert np.all((score > 0) == is_new)
    evidence = fitted._evidence(split.X_test).augmented
    orders = (np.argsort(values, kind="stable") for values in (score, evidence))
    np.testing.assert_array_equal(*orders)


def test_without_unlabeled_rows_the_score_is_minus_the_evidence_for_the_likeliest_class():
    split = easy_masked()[0]
    classifier = NoveltyClassifier(threshold="label_free", random_state=0)
    with pytest.warns(NoUnlabeledRowsWarning):
        classifier.fit(split.sample.X_labeled, split.sample.y_labeled)
    known, augmented = classifier._evidence(split.X_test)
    score = classifier.augmented_score(split.X_test)
    np.testing.assert_array_equal(score, -known.max(axis=1))
    np.testing.assert_array_equal(score, augmented)


def test_rows_may_weigh_differently_in_the_accuracy():
    split, X, y = easy_masked()
    fitted = OvrSvmClassifier(**SVM).fit(X, y)
    is_right = fitted.predict(split.X_test) == split.y_test
    weights = np.random.default_rng(0).uniform(size=len(is_right))
    score = fitted.score(split.X_test, split.y_test, sample_weight=weights)
    assert score == pytest.approx(np.average(is_right, weights=weights))
    with pytest.raises(ValueError, match="OvrSvmClassifier was fitted without"):
        fitted.score(X, y)


def test_parameters_of_the_base_are_parameters_of_all():
    shared = {"scale", "threshold", "known_proportion", "random_state"}
    for classifier in CLASSIFIERS:
        names = set(classifier.get_params())
        assert shared | {"unlabeled_label", "augmented_label"} <= names
        with pytest.raises(TypeError, match="unexpected keyword argument 'classifier'"):
            type(classifier)(classifier=None)


SQUARES = [OvrSvmClassifier, WSvmClassifier, EvmClassifier, PacIForestClassifier, LacuSvmClassifier]


@pytest.mark.parametrize("kind", [*SQUARES, OvrShiftClassifier])
def test_a_fit_beyond_memory_is_refused_before_it_begins(kind):
    X, y = np.arange(200_000.0).reshape(-1, 1), np.resize([0, 1], 200_000)
    said = rf"a {kind.__name__} of 200,000 labeled and 2 unlabeled rows needs about .* Landmark"
    with pytest.raises(MemoryError, match=said):
        kind(0.6, random_state=0).fit(X, y, X_unlabeled=X[:2])


@pytest.mark.parametrize("kind", [kind for kind in SQUARES if kind is not PacIForestClassifier])
def test_a_fit_needs_the_memory_it_says_and_not_much_less(kind):
    rng, y = np.random.default_rng(0), np.resize([0, 1], 600)
    X = rng.normal(4.0 * y[:, None], 1.0, (600, 3))
    fit = kind(0.6, random_state=0, **({} if kind is EvmClassifier else SVM))
    tracemalloc.start()
    try:
        fit.fit(X, y, X_unlabeled=rng.normal(2.0, 3.0, (150, 3)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    said = 8 * (fit.labeled_matrices * 600**2 + fit.pooled_matrices * 750**2)
    assert 0.6 * said < peak < 1.1 * said


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_many_rows_are_answered_in_pieces(classifier, monkeypatch):
    split, X, y = easy_masked()
    fitted = clone(classifier).set_params(random_state=0).fit(X, y)
    at_once, labels = fitted.augmented_score(split.X_test), fitted.predict(split.X_test)
    sizes, evidence = [], type(fitted.model_).evidence

    def noted(model, rows):
        sizes.append(len(rows))
        return evidence(model, rows)

    monkeypatch.setattr("eulac.contenders.open_set_classifier.ROWS_AT_ONCE", 50)
    monkeypatch.setattr(type(fitted.model_), "evidence", noted)
    np.testing.assert_allclose(fitted.augmented_score(split.X_test), at_once, atol=1e-12)
    assert max(sizes) == 50
    assert sum(sizes) == len(split.X_test)
    np.testing.assert_array_equal(fitted.predict(split.X_test), labels)
