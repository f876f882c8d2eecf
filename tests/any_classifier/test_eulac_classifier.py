"""EulacClassifier: the contract, what it tries, and what it says of its choice."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from contract import (
    HELD_OUT,
    Tolerance,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked
from eulac import (
    BestBinProportion,
    EulacClassifier,
    KernelEulacClassifier,
    OsnnClassifier,
    TwoStageEulacClassifier,
)
from eulac.any_classifier.default_candidates import default_candidates
from eulac.exceptions import OwnPoolWarning

pytestmark = pytest.mark.usefixtures("small_class_view")
QUICK = {"n_folds": 3}
BAYES = TwoStageEulacClassifier(GaussianNB(), **QUICK)
CONSTANT = TwoStageEulacClassifier(DummyClassifier(strategy="prior"), **QUICK)
KERNEL = KernelEulacClassifier(bandwidth=0.5, penalty=1e-3, n_folds=2)
GIVEN = {"known_proportion": 0.6, "n_folds": 2, "random_state": 0}


@parametrize_with_contract(
    [EulacClassifier({"kernel": KERNEL, "bayes": BAYES}, **GIVEN)],
    *HELD_OUT,
    tolerance=Tolerance(places=True),
)
def test_contract(classifier, check):
    check(classifier)


@pytest.mark.slow
@parametrize_with_scikit_learn_checks(
    [EulacClassifier([TwoStageEulacClassifier(ExtraTreesClassifier(5), **QUICK)], n_folds=2)],
    check_sample_weight_equivalence_on_dense_data="a row twice falls into other folds",
    check_sample_weight_equivalence_on_sparse_data="a row twice falls into other folds",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_better_candidate_is_selected_and_all_are_judged_on_one_proportion():
    _, X, y = easy_masked()
    candidates = {"constant": CONSTANT, "bayes": BAYES}
    auto = EulacClassifier(candidates, choose="select", **GIVEN).fit(X, y)
    assert auto.selection_.best == "bayes"
    np.testing.assert_array_equal(auto.selection_.weights, [0, 1])
    assert list(auto.candidates_) == ["constant", "bayes"]
    assert auto.candidates_["bayes"].proportion_.total == auto.proportion_.total
    risks = [risk.raw for risk in auto.selection_.risks]
    assert risks[1] < risks[0]
    assert auto.risk_.raw <= risks[0]


def test_a_stack_leans_on_the_better_candidate():
    split, X, y = easy_masked()
    auto = EulacClassifier({"constant": CONSTANT, "bayes": BAYES}, **GIVEN).fit(X, y)
    assert auto.selection_.weights[1] > 0.5
    assert auto.score(split.X_test, split.y_test) > 0.95


def test_contenders_and_unnamed_classifiers_can_be_candidates():
    split, X, y = easy_masked()
    auto = EulacClassifier([OsnnClassifier(), BAYES], **GIVEN).fit(X, y)
    assert auto.selection_.names == ("OsnnClassifier_0", "TwoStageEulacClassifier_1")
    assert auto.score(split.X_test, split.y_test) > 0.9


@pytest.fixture(scope="module")
def refined():
    """Return two candidates who refined and voted."""
    _, X, y = easy_masked()
    candidates = {"kernel": KERNEL, "bayes": BAYES}
    auto = EulacClassifier(candidates, refine_proportion=True, n_folds=2, random_state=0)
    return auto.fit(X, y)


def test_the_proportion_is_refined_once_and_put_to_the_vote(refined):
    auto = refined
    assert auto.selection_.names == ("kernel", "bayes")
    assert auto.proportion_.method == "refined"
    shared = auto.candidates_["bayes"].proportion_
    assert auto.candidates_["kernel"].proportion_.total == shared.total
    assert list(auto.proportion_.diagnostics["by_candidate"]) == ["kernel"]
    assert auto.proportion_.diagnostics["by_score"] == shared.diagnostics["by_score"]


def test_candidates_are_judged_by_the_proportion_they_voted_for(refined, monkeypatch):
    """Whatever they vote for: here, for half of what the first one found."""
    _, X, y = easy_masked()

    def half(estimate, held_out, *, seed):
        total = estimate.total / 2
        return replace(estimate, per_class=estimate.per_class / 2, interval=(total, total))

    monkeypatch.setattr("eulac.any_classifier.tried_candidates.voted_proportion", half)
    before, after = refined, clone(refined).fit(X, y)
    assert after.proportion_.total == pytest.approx(
        after.candidates_["kernel"].proportion_.total / 2
    )
    with pytest.warns(OwnPoolWarning):  # what the final model says is what is compared here
        called_new = [np.mean(one.predict(X[y == -1]) == -2) for one in (before, after)]
    # Most rows are certain, and rows that are equally certain are not torn apart.
    assert called_new[1] > called_new[0] + 0.03
    assert after.mixture_.rule.shift > before.mixture_.rule.shift
    for one, other in zip(before.selection_.risks, after.selection_.risks, strict=True):
        assert one.raw != other.raw


def test_a_pipeline_is_a_candidate_like_others_but_finds_no_proportion():
    split, X, y = easy_masked()
    pipeline = make_pipeline(StandardScaler(), clone(BAYES))
    auto = EulacClassifier([pipeline], n_folds=2, random_state=0).fit(X, y)
    assert auto.proportion_.method == "two_readings"
    assert auto.score(split.X_test, split.y_test) > 0.95
    with pytest.raises(ValueError, match="needs a candidate with scores of its own"):
        EulacClassifier([pipeline], refine_proportion=True, n_folds=2).fit(X, y)


def test_candidates_do_not_refine_on_their_own():
    _, X, y = easy_masked()
    own = clone(BAYES).set_params(refine_proportion=True)
    auto = EulacClassifier({"own": own, "bayes": BAYES}, **GIVEN).fit(X, y)
    assert auto.candidates_["own"].proportion_.total == pytest.approx(0.6)
    unwilling = clone(BAYES).set_params(refine_proportion=False)
    estimated = {**GIVEN, "known_proportion": "auto"}
    auto = EulacClassifier([unwilling], **estimated).fit(X, y)
    assert auto.proportion_.method == "two_readings"


@pytest.mark.parametrize(
    ("settings", "method"),
    [
        ({"refine_proportion": True}, "refined"),
        ({}, "two_readings"),
        ({"known_proportion": 0.5, "shift": True}, "given"),
        ({"known_proportion": 0.5}, "given"),
    ],
)
def test_strings_leave_the_proportion_to_a_candidate(settings, method):
    X = pd.DataFrame({"voice": pd.Categorical(np.resize(["meow", "bark", "howl"], 120))})
    y = np.where(np.arange(120) < 60, np.resize(["cat", "dog", "-1"], 120), "-1")
    boosting = default_candidates(X)["boosting"].set_params(**QUICK)
    boosting.estimator[-1].set_params(max_iter=5, learning_rate=0.3, min_samples_leaf=5)
    auto = EulacClassifier([boosting], n_folds=2, random_state=0, **settings).fit(X, y)
    assert auto.proportion_.method == method


class Silent(DummyClassifier):
    """A candidate somebody wrote, without scores of its own."""


def test_an_estimator_that_reads_numbers_is_refused_where_there_are_none():
    X = pd.DataFrame({"voice": pd.Categorical(np.resize(["meow", "bark"], 40))})
    y = np.where(np.arange(40) < 20, np.resize(["cat", "dog"], 40), "-1")
    with pytest.raises(ValueError, match=r"must be 'auto' or a number; got BestBinProportion\(\)"):
        EulacClassifier([Silent()], known_proportion=BestBinProportion(), n_folds=2).fit(X, y)


def test_the_first_candidate_is_tried_whatever_the_budget():
    _, X, y = easy_masked()
    candidates = {"bayes": BAYES, "kernel": KERNEL}
    seen = []
    auto = EulacClassifier(candidates, time_budget=1e-9, **GIVEN)
    auto.fit(X, y, progress=lambda *step: seen.append(step))
    done, total = seen[-1]
    assert seen[-2][0] < done == total  # a family was left out at the end
    assert auto.selection_.skipped == tuple(candidates)[1:]
    assert auto.selection_.names == ("bayes",)


def test_a_table_with_strings_and_gaps_needs_no_preparation():
    rng = np.random.default_rng(0)
    kinds = np.append(np.resize(["cat", "dog"], 60), np.resize(["cat", "dog", "wolf"], 90))
    voice = pd.Series(kinds).map({"cat": "meow", "dog": "bark", "wolf": "howl"})
    weight = np.where(rng.random(150) < 0.1, np.nan, rng.normal(10, 1, 150))
    X = pd.DataFrame({"voice": voice, "weight": weight})
    y = np.where(np.arange(150) < 60, kinds, "-1")
    boosting = default_candidates(X)["boosting"].set_params(**QUICK)
    boosting.estimator[-1].set_params(max_iter=8, learning_rate=0.3, min_samples_leaf=5)
    auto = EulacClassifier({"boosting": boosting}, n_folds=2, random_state=0).fit(X, y)
    assert auto.proportion_.method == "two_readings"
    fresh = X[60:63].assign(weight=10.0)
    np.testing.assert_array_equal(auto.predict(fresh), ["cat", "dog", "augmented"])


def test_defaults_follow_the_kind_of_rows():
    numbers = np.zeros((4, 2))
    gaps = np.array([[1.0, np.nan]])
    quick = ["extra_trees", "kernel_logistic"]
    assert list(default_candidates(numbers)) == [*quick, "boosting", "neighbors"]
    assert list(default_candidates(np.zeros((30_000, 2)))) == [*quick, "boosting"]
    assert list(default_candidates(np.zeros((4, 200)))) == [*quick, "neighbors"]
    mixed = ["boosting", "extra_trees"]
    assert list(default_candidates(gaps)) == mixed
    strings = pd.DataFrame({"color": ["red", None]})
    assert list(default_candidates(strings)) == [*mixed, "logistic"]
    assert list(default_candidates(np.array(["a text", "another"]))) == ["logistic"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eulac.exceptions.OwnPoolWarning")
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pd.DataFrame.to_numpy])
def test_strings_and_gaps_come_in_any_kind_of_table(kind):
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, 240)
    weight = np.where(rng.random(240) < 0.1, np.nan, 8.0 * kinds + rng.normal(size=240))
    frame = pd.DataFrame({"voice": np.array(["meow", "bark", "howl"])[kinds], "weight": weight})
    y = np.where((np.arange(240) < 100) & (kinds < 2), kinds, -1)
    X = kind(frame)
    known = float(np.mean(kinds[y == -1] < 2))
    auto = EulacClassifier(known_proportion=known, random_state=0).fit(X, y)
    assert np.mean(auto.predict(X) == np.where(kinds < 2, kinds, -2)) > 0.97


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"choose": "best"}, "'best'"),
        ({"candidates": "all"}, "'auto', a list of classifiers, or a dict.*'all'"),
        ({"candidates": BAYES}, "a list of classifiers"),
        ({"candidates": None}, "got None"),
        ({"time_budget": 0}, "seconds greater than 0, or None.*got 0"),
        ({"time_budget": "fast"}, "got 'fast'"),
        ({"candidates": []}, "one classifier or more; got none"),
        ({"time_budget": -1.0}, "got -1.0"),
        ({"n_folds": 1}, "got 1"),
        ({"shift": "some"}, "'some'"),
    ],
)
def test_wrong_parameters_are_named(parameters, words):
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=words):
        EulacClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    "candidates", [["extra_trees"], [("forest", BAYES)], [TwoStageEulacClassifier]]
)
def test_what_is_no_classifier_is_no_candidate(candidates):
    _, X, y = easy_masked()
    with pytest.raises(TypeError, match=r"candidates must be classifiers; got .*Write a list"):
        EulacClassifier(candidates).fit(X, y)


def test_answers_of_the_default_candidates_vote_on_the_known_share_unless_told_not_to():
    _, X, y = easy_masked()
    voted, rows, own = (
        EulacClassifier(n_folds=2, random_state=0, **settings).fit(X, y)
        for settings in ({}, {"refine_proportion": False}, {"candidates": [BAYES]})
    )
    told = voted.proportion_.diagnostics
    assert set(told["by_answers"]) == {"tilt", "best_bin"}
    assert told["by_rows"] == rows.proportion_.total == own.proportion_.total
    median = np.median([told["by_rows"], *told["by_answers"].values()])
    assert voted.proportion_.total == pytest.approx(median)
    assert np.mean(voted.held_out_labels_[y == -1] == -2) == pytest.approx(1 - median, abs=0.02)
    for one in (rows, own):
        assert "by_answers" not in one.proportion_.diagnostics
