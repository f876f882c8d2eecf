"""Rows selected as new by a classifier: of its own pool, of fresh rows, and by whom."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import eulac
from easy_mixture import easy_split
from eulac.classifier.own_rows import without_pool
from eulac.exceptions import EulacWarning, SelectionWarning
from eulac.risk.new_selection import new_log_odds

KERNEL = eulac.KernelEulacClassifier(0.6, bandwidth=1.0, penalty=0.01, random_state=0)
CLASSIFIERS = [
    KERNEL,
    eulac.LinearEulacClassifier(0.6, penalty=0.01, random_state=0),
    eulac.BoostedEulacClassifier(0.6, n_trees=10, random_state=0),
    eulac.TwoStageEulacClassifier(LogisticRegression(), known_proportion=0.6, random_state=0),
    eulac.EulacClassifier([KERNEL], known_proportion=0.6, random_state=0),
]


def fitted(classifier=KERNEL):
    sample = easy_split().sample
    return classifier.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_every_classifier_that_holds_out_rows_selects(classifier):
    split, clf = easy_split(), fitted(classifier)
    selected = clf.select_new(split.X_test, alpha=0.2)
    new = split.y_test == eulac.AUGMENTED
    assert selected[new].mean() > 0.8
    assert np.mean(~new[selected]) < 0.3
    pool = clf.select_new(alpha=0.2)
    assert pool.shape == (len(split.sample.X_unlabeled),)
    assert pool[split.y_unlabeled == eulac.AUGMENTED].mean() > 0.8


def test_rows_of_the_pool_are_scored_held_out_wherever_they_stand():
    clf, split = fitted(), easy_split()
    pool = clf.new_p_values()
    rows = np.vstack([split.X_test[:5], split.sample.X_unlabeled[::-1]])
    np.testing.assert_array_equal(clf.new_p_values(rows)[5:], pool[::-1])
    seen = clf._known_calibration().p_values(
        new_log_odds(clf.predict_proba(split.sample.X_unlabeled))
    )
    assert np.any(seen != pool)


def test_a_larger_share_of_known_rows_selects_fewer():
    clf, split = fitted(), easy_split()
    few, many = (clf.select_new(split.X_test, 0.05, known_proportion=share) for share in (1.0, 0.2))
    assert few.sum() < many.sum()
    assert np.all(many[few])


WEIGHTED = {
    "two_stage": eulac.TwoStageEulacClassifier(LogisticRegression()),
    "default": eulac.EulacClassifier([eulac.TwoStageEulacClassifier(LogisticRegression())]),
    "kernel": eulac.KernelEulacClassifier(bandwidth=1.0, penalty=0.01),
    "linear": eulac.LinearEulacClassifier(),
    "landmark": eulac.LandmarkEulacClassifier(bandwidth=1.0, penalty=0.01),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_rows_that_weigh_nothing_have_no_part_in_the_calibration(name):
    split = easy_split()
    X, y, pool = split.sample.X_labeled, split.sample.y_labeled, split.sample.X_unlabeled
    kept = np.where(np.arange(len(y)) % 2 == 0, 2.0, 0.0)
    clf = clone(WEIGHTED[name]).set_params(known_proportion=0.6, shift=False, random_state=0)
    masked = np.append(y, np.full(len(pool), -1))
    clf.fit(np.vstack([X, pool]), masked, sample_weight=np.append(kept, np.ones(len(pool))))
    np.testing.assert_array_equal(clf._known_calibration().weights == 0, kept == 0)
    assert clf.held_out_.weights.mean() == pytest.approx(0.6)
    np.testing.assert_array_equal(without_pool(clf).held_out_.weights, clf.held_out_.weights)


def test_suspected_drift_is_said():
    clf = fitted()
    drift = {"drift": {"suspected": True}}
    clf.proportion_ = replace(clf.proportion_, diagnostics=drift)
    with pytest.warns(SelectionWarning, match="is not controlled"):
        clf.select_new()


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_without_unlabeled_rows_there_is_nothing_to_select():
    sample = easy_split().sample
    clf = KERNEL.fit(sample.X_labeled, sample.y_labeled)
    with pytest.raises(ValueError, match="this one saw none"):
        clf.select_new(sample.X_labeled)


def test_a_saved_model_selects_the_same_rows(tmp_path):
    clf, split = fitted(), easy_split()
    eulac.save(clf, tmp_path / "model.eulac")
    again = eulac.load(tmp_path / "model.eulac")
    np.testing.assert_array_equal(again.new_p_values(), clf.new_p_values())
    np.testing.assert_array_equal(again.select_new(split.X_test), clf.select_new(split.X_test))
    assert issubclass(SelectionWarning, EulacWarning)


def test_answers_by_equal_costs_are_the_predictions():
    clf, split = fitted(), easy_split()
    by_cost = clf.choose_answers(split.X_test, cost=1 - np.eye(4))
    np.testing.assert_array_equal(by_cost, clf.predict(split.X_test))


def test_answers_by_precision_call_new_what_is_selected():
    clf, split = fitted(), easy_split()
    answers = clf.choose_answers(split.X_test, precision=0.8)
    selected = clf.select_new(split.X_test, alpha=0.2)
    np.testing.assert_array_equal(answers == eulac.AUGMENTED, selected)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_metrics_of_held_out_rows_agree_with_the_risk(classifier):
    clf = fitted(classifier)
    held_out = clf.held_out_
    table = eulac.contingency_table(*held_out.answered(), augmented=held_out.augmented)
    assert table.true_shares[-1] == pytest.approx(0.4)
    called = np.mean(clf.held_out_labels_[clf.held_out_codes_ < 0] == eulac.AUGMENTED)
    assert table.called_shares[-1] == pytest.approx(called)
    # Mixtures are judged by nested folds, and pools of other sizes than folds leave rows over.
    assert table.error == pytest.approx(clf.risk_.raw, abs=0.05)


def test_at_most_as_many_rows_are_taken_for_known_as_the_interval_ends_at():
    clf, split = fitted(), easy_split()
    clf.proportion_ = replace(clf.proportion_, interval=(0.2, 1.0))
    selected = clf.select_new(split.X_test, 0.05)
    wide, narrow = (clf.select_new(split.X_test, 0.05, known_proportion=p) for p in (1.0, 0.2))
    np.testing.assert_array_equal(selected, wide)
    assert selected.sum() < narrow.sum()
    answers = clf.choose_answers(split.X_test, precision=0.95)
    np.testing.assert_array_equal(answers == eulac.AUGMENTED, selected)


def test_a_tenth_of_the_selected_may_be_wrong_unless_told_otherwise():
    clf = fitted()
    np.testing.assert_array_equal(clf.select_new(), clf.select_new(alpha=0.1))


def test_only_answers_by_precision_need_known_classes_that_look_as_in_the_labels():
    clf = fitted()
    clf.proportion_ = replace(clf.proportion_, diagnostics={"reach": 0.5})
    clf.choose_answers(cost=1 - np.eye(4))  # warnings are errors here
    for ask in (lambda: clf.new_p_values(), lambda: clf.choose_answers(precision=0.8)):
        with pytest.warns(SelectionWarning) as caught:
            ask()
        assert caught[0].filename == __file__


def test_held_out_rows_bring_codes_weights_and_the_interval_of_the_share():
    clf, sample = fitted(), easy_split().sample
    held_out = clf.held_out_
    np.testing.assert_array_equal(np.bincount(held_out.y_labeled), np.bincount(sample.y_labeled))
    assert len(held_out.unlabeled) == sample.n_unlabeled
    assert held_out.weights.mean() == pytest.approx(0.6)
    assert held_out.interval == clf.proportion_.interval
