"""Pretrained networks as candidates, with stand-ins of the interface TabPFN and TabICL have."""

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import eulac
from eulac.any_classifier.pretrained_candidates import pretrained_candidates


class StandIn(ClassifierMixin, BaseEstimator):
    """`fit` keeps the rows, `predict_proba` does the work; no sample weights, as in both."""

    def __init__(self, n_estimators=8, random_state=None):
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y):
        self.rows_, self.classes_ = (np.asarray(X), np.asarray(y)), np.unique(y)
        return self

    def predict_proba(self, X):
        return GaussianNB().fit(*self.rows_).predict_proba(X)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture
def installed(monkeypatch):
    for module, name in (("tabpfn", "TabPFNClassifier"), ("tabicl", "TabICLClassifier")):
        stand_in = ModuleType(module)
        stand_in.__spec__ = __spec__
        setattr(stand_in, name, StandIn)
        monkeypatch.setitem(sys.modules, module, stand_in)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(60) % 2, np.full(90, -1))
    true = np.append(y[:60], np.arange(90) % 3)
    return rng.normal(6.0 * np.eye(3)[true], 1.0), y, true


def test_networks_join_the_families_of_the_default(installed, rows):
    X, y, true = rows
    candidates = pretrained_candidates(X, 2)
    assert [*candidates] == ["tabpfn", "tabicl"]
    assert candidates["tabpfn"].estimator.n_estimators == 4
    clf = eulac.EulacClassifier(candidates, known_proportion=2 / 3, random_state=0).fit(X, y)
    assert clf.selection_.names == ("tabpfn", "tabicl")
    new = clf.held_out_labels_[60:] == eulac.AUGMENTED
    assert np.mean(new == (true[60:] == 2)) > 0.9


def test_a_network_that_would_take_too_long_is_left_out(installed, rows):
    X = rows[0]
    assert pretrained_candidates(X, 2, time_budget=1e-12) == {}
    assert [*pretrained_candidates(X, 2, time_budget=1e12)] == ["tabpfn", "tabicl"]


def test_a_network_of_ten_classes_is_not_asked_for_eleven(installed, rows):
    assert [*pretrained_candidates(rows[0], 9)] == ["tabpfn", "tabicl"]
    assert [*pretrained_candidates(rows[0], 10)] == ["tabicl"]


def test_none_is_imported_unasked():
    code = (
        "import sys, eulac; eulac.EulacClassifier; import eulac.any_classifier."
        "pretrained_candidates; assert not {'tabpfn', 'tabicl', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
