import numpy as np
import pytest

from eulac.contenders.osnn import OsnnClassifier
from eulac.discovery.labeled_rows import LabeledRows, labeled_rows
from eulac.exceptions import SmallClassWarning
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.report.held_out_answers import held_out_answers, settled


@pytest.fixture(scope="module")
def held_out(fitted, mixture):
    X, y, pool, _ = mixture
    return held_out_answers(fitted, labeled_rows(fitted, X, y), pool)


def test_settled_clones_keep_what_the_search_found(fitted):
    clone = settled(fitted)
    assert clone.bandwidth == fitted.model_.expansion.kernel.bandwidth
    assert clone.penalty == fitted.model_.penalty
    np.testing.assert_array_equal(clone.known_proportion, fitted.proportion_.per_class)
    assert not hasattr(clone, "model_")


def test_every_row_is_answered_by_a_model_that_did_not_see_it(held_out, mixture):
    assert len(held_out.y) == len(mixture[0])
    assert np.mean(held_out.labeled_answer == held_out.y) > 0.85
    assert len(held_out.unlabeled_answer) == len(mixture[2])
    np.testing.assert_array_equal(held_out.unlabeled_answer == 2, held_out.unlabeled_score > 0)


def test_its_risk_is_near_that_of_the_fit(held_out, fitted):
    risk = held_out.risk(fitted.proportion_.standard_error)
    assert abs(risk.value - fitted.risk_.value) < 0.1


def test_the_order_of_rows_does_not_matter(fitted, mixture, held_out):
    X, y, pool, _ = mixture
    turned = LabeledRows(X[::-1], fitted.codec_.encode(y)[::-1])
    other = held_out_answers(fitted, turned, pool[::-1])
    np.testing.assert_array_equal(other.labeled_score, held_out.labeled_score)
    np.testing.assert_array_equal(other.unlabeled_answer, held_out.unlabeled_answer)


def test_a_class_of_one_row_takes_its_share_with_it_when_it_is_held_out(mixture):
    X, y, pool, _ = mixture
    X, y = X[:61], y[:61]
    assert (y == "bee").sum() == 1
    classifier = KernelEulacClassifier(
        [0.4, 0.1], bandwidth=1.0, penalty=0.01, n_folds=2, random_state=0
    )
    with pytest.warns(SmallClassWarning):
        classifier.fit(X, y, X_unlabeled=pool)
    held_out = held_out_answers(classifier, labeled_rows(classifier, X, y), pool)
    assert held_out.labeled_answer[held_out.y == 1][0] != 1


def test_classifiers_without_a_decision_function_are_answered_too(mixture):
    X, y, pool, _ = mixture
    classifier = OsnnClassifier(ratio=0.5, known_proportion=0.5).fit(X, y, X_unlabeled=pool)
    held_out = held_out_answers(classifier, labeled_rows(classifier, X, y), pool)
    assert np.mean(held_out.labeled_answer == held_out.y) > 0.7


def test_nothing_is_refitted_where_the_fit_has_held_out_rows(fitted, mixture, monkeypatch):
    X, y, pool, _ = mixture
    monkeypatch.setattr(type(fitted), "fit", lambda *args, **options: pytest.fail("refitted"))
    held_out = held_out_answers(fitted, labeled_rows(fitted, X, y), pool)
    assert len(held_out.unlabeled_answer) == len(pool)


def test_other_pools_are_answered_by_refits(fitted, mixture, held_out):
    X, y, pool, _ = mixture
    other = held_out_answers(fitted, labeled_rows(fitted, X, y), pool[: len(pool) // 2])
    assert len(other.unlabeled_answer) == len(pool) // 2
    np.testing.assert_array_equal(other.unlabeled_answer == 2, other.unlabeled_score > 0)
