"""Awkward rows: a clear error, or a documented path and a warning; never a silent wrong answer."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED, BestBinProportion, KernelEulacClassifier
from eulac.exceptions import (
    DriftWarning,
    EulacWarning,
    NoUnlabeledRowsWarning,
    ProportionAtBoundWarning,
    SmallClassWarning,
    TrivialPredictorWarning,
)

QUICK = KernelEulacClassifier(0.6, bandwidth=0.5, penalty=1e-3, random_state=0)
AUTO = clone(QUICK).set_params(known_proportion="auto")
BEST_BIN = clone(QUICK).set_params(known_proportion=BestBinProportion(random_state=0))


def fitted_quietly(classifier, X, y):
    """Return a fitted clone and the kinds of warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(classifier).fit(X, y)
    assert all(issubclass(warning.category, EulacWarning) for warning in caught)
    return model, {warning.category for warning in caught}


def test_warnings_point_at_the_call_of_fit():
    split = easy_split()
    with pytest.warns(NoUnlabeledRowsWarning, match="known classes only") as caught:
        clone(QUICK).fit(split.sample.X_labeled, split.sample.y_labeled)
    assert caught[0].filename == __file__


def test_a_closed_set_model_knows_what_it_does_not_know():
    split = easy_split()
    with pytest.warns(NoUnlabeledRowsWarning):
        model = clone(QUICK).fit(split.sample.X_labeled, split.sample.y_labeled)
    assert model.predict_proba(split.X_test).shape == (150, 3)
    assert model.proportion_.total == 1
    is_new = split.y_test == AUGMENTED
    score = model.augmented_score(split.X_test)
    assert np.mean(score[is_new]) > np.mean(score[~is_new])


@pytest.mark.parametrize("known_proportion", [0.5, "auto"])
def test_one_known_class_is_enough(known_proportion):
    split, X, y = easy_masked(n_known=1, cycle=(0, 1))
    model = clone(QUICK).set_params(known_proportion=known_proportion).fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, AUGMENTED])
    assert model.score(split.X_test, split.y_test) > 0.9
    decision = model.decision_function(split.X_test)
    assert decision.shape == (150,)
    np.testing.assert_array_equal(decision > 0, model.predict(split.X_test) == AUGMENTED)


def test_a_class_of_two_rows_is_warned_of_by_name_and_count():
    split, X, y = easy_masked()
    names = np.array(["ant", "bee", "rare", "-1"])[y]
    rare = np.flatnonzero(names == "rare")
    kept = np.delete(np.arange(len(y)), rare[2:])
    with pytest.warns(SmallClassWarning, match=r"5 folds: 'rare' \(2\)\. What is estimated"):
        model = clone(QUICK).fit(X[kept], names[kept])
    assert set(model.predict(split.X_test)) <= {"ant", "bee", "rare", "augmented"}
    assert np.mean(model.predict(split.X_test[split.y_test == 0]) == "ant") > 0.8


def test_a_class_of_one_row_is_kept():
    _, X, y = easy_masked()
    kept = np.delete(np.arange(len(y)), np.flatnonzero(y == 2)[1:])
    with pytest.warns(SmallClassWarning, match=r"5 folds: 2 \(1\)\."):
        model = clone(QUICK).fit(X[kept], y[kept])
    np.testing.assert_array_equal(model.classes_, [0, 1, 2, AUGMENTED])


@pytest.mark.parametrize("random_state", range(2))
def test_nothing_new_gives_few_augmented_rows_or_a_warning(random_state):
    split, X, y = easy_masked(cycle=(0, 1, 2), random_state=random_state)
    model, categories = fitted_quietly(AUTO, X, y)
    called_new = np.mean(model.predict(split.X_test) == AUGMENTED)
    assert ProportionAtBoundWarning in categories or called_new < 0.25


def test_a_known_proportion_of_one_finds_nothing_new():
    split, X, y = easy_masked(cycle=(0, 1, 2))
    model = clone(QUICK).set_params(known_proportion=1).fit(X, y)
    assert model.score(split.X_test, split.y_test) > 0.95
    assert AUGMENTED not in model.predict(split.X_test)


@pytest.mark.parametrize("loss", ["square", "logistic", "double_hinge"])
def test_a_proportion_a_little_too_large_costs_little(loss):
    split, X, y = easy_masked(random_state=2)
    model = clone(QUICK).set_params(loss=loss, known_proportion=0.65).fit(X, y)
    assert model.score(split.X_test, split.y_test) > 0.9


def test_nothing_but_new_rows_is_said_so():
    split, X, y = easy_masked(cycle=(3,))
    model, categories = fitted_quietly(clone(AUTO).set_params(drift=False), X, y)
    assert {ProportionAtBoundWarning, TrivialPredictorWarning} <= categories
    assert np.mean(model.predict(split.X_test) == AUGMENTED) > 0.95
    either, categories = fitted_quietly(AUTO, X, y)  # or are known classes elsewhere now?
    assert categories == {DriftWarning}
    assert either.proportion_.interval[0] == 0.0


def test_the_warning_on_a_trivial_answer_names_it():
    _, X, y = easy_masked()
    with pytest.warns(TrivialPredictorWarning, match=r"100\.0% .* are called -2\. Check"):
        clone(QUICK).set_params(known_proportion=0).fit(X, y)


def test_the_warning_on_the_bound_names_the_number():
    _, X, y = easy_masked(cycle=(3,))
    with (
        pytest.warns(ProportionAtBoundWarning, match=r"0\.000, method 'best_bin'\): nothing in"),
        pytest.warns(TrivialPredictorWarning),
    ):
        clone(BEST_BIN).fit(X, y)


def test_a_single_unlabeled_row_is_refused():
    split = easy_split()
    with pytest.raises(ValueError, match="at least two unlabeled rows are needed"):
        clone(QUICK).fit(split.sample.X_labeled, split.sample.y_labeled, split.X_test[:1])


def test_a_single_labeled_row_is_refused():
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match="at least two labeled rows are needed"):
        clone(QUICK).fit(X[59:], y[59:])


@pytest.mark.parametrize("n_unlabeled", [2, 3, 7])
def test_a_few_unlabeled_rows_are_enough_to_run(n_unlabeled):
    split, X, y = easy_masked(n_unlabeled=n_unlabeled)
    for classifier in (QUICK, BEST_BIN):
        model, _ = fitted_quietly(classifier, X, y)
        assert np.all(np.isfinite(model.predict_proba(split.X_test)))
        assert 0 <= model.risk_.value <= 1


def test_constant_features_say_that_nothing_was_learned():
    _, X, y = easy_masked()
    model, categories = fitted_quietly(BEST_BIN, np.ones_like(X), y)
    assert TrivialPredictorWarning in categories
    assert np.all(np.isfinite(model.predict_proba(np.ones((3, 4)))))


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_a_constant_feature_among_others_changes_nothing(scale):
    split, X, y = easy_masked()
    one = clone(QUICK).set_params(scale=scale, bandwidth=None).fit(X, y)
    two = clone(one).fit(np.column_stack([X, np.full(len(X), 7.0)]), y)
    longer = np.column_stack([split.X_test, np.full(150, 7.0)])
    np.testing.assert_array_equal(one.predict(split.X_test), two.predict(longer))


def test_repeated_rows_are_rows_like_others():
    split, X, y = easy_masked()
    model = clone(QUICK).fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert model.score(split.X_test, split.y_test) > 0.9


def test_repeated_rows_do_not_fool_the_search():
    _, X, y = easy_masked()
    model = KernelEulacClassifier(0.6, random_state=0).fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert model.cv_results_["zero_one_risk"].min() > -0.1  # no classifier has a negative risk


@pytest.mark.parametrize("factor", [1e12, 1e-12, 1e60, 1e-60])
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_the_unit_of_the_features_does_not_matter(factor, scale):
    split, X, y = easy_masked()
    model = KernelEulacClassifier(0.6, penalty=1e-3, scale=scale, random_state=0)
    plain = clone(model).fit(X, y).predict(split.X_test)
    scaled = clone(model).fit(factor * X, y).predict(factor * split.X_test)
    assert np.mean(plain == scaled) > 0.95


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_features_beyond_what_can_be_squared_are_refused(scale):
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=r"within -1e\+70 and 1e\+70; got .*e\+201. Rescale"):
        clone(QUICK).set_params(scale=scale).fit(1e200 * X, y)
    with pytest.raises(ValueError, match=r"must differ by 1e-70 or more; got .*e-19\d at most"):
        clone(QUICK).set_params(scale=scale).fit(1e-200 * X, y)


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_rows_of_any_size_can_be_predicted(kernel, scale):
    _, X, y = easy_masked()
    model = clone(QUICK).set_params(kernel=kernel, scale=scale, bandwidth=None).fit(X, y)
    extreme = np.outer([1e300, -1e300, 1e160, 1e-300, 0.0], np.ones(4))
    assert np.all(np.isfinite(model.predict_proba(extreme)))
    assert np.all(np.isfinite(model.augmented_score(extreme)))


@pytest.mark.parametrize(
    ("loss", "n_known"),
    [("square", 1), ("square", 2), ("square", 3), ("logistic", 1), ("logistic", 3)],
)
def test_rows_far_from_all_data_are_called_augmented(loss, n_known):
    cycle = (*range(n_known), *range(n_known), n_known)
    split = easy_split(n_known=n_known, cycle=cycle)
    options = {"loss": loss, "known_proportion": 0.7}  # a little too much: the shift is negative
    model = clone(QUICK).set_params(**options).fit(*split.sample.as_masked())
    far = np.outer([50.0, 1e3, -1e8, 1e60, -1e200], np.ones(n_known + 1))
    np.testing.assert_array_equal(model.predict(far), AUGMENTED)


def test_features_may_be_whole_or_of_single_precision():
    split, X, y = easy_masked()
    X, rows = np.round(X), np.round(split.X_test)  # minus zeros among them
    plain = clone(QUICK).fit(X, y).predict(rows)
    for dtype in (np.float32, np.int64, np.int8, object):
        np.testing.assert_array_equal(
            clone(QUICK).fit(X.astype(dtype), y).predict(rows.astype(dtype)), plain
        )


def test_sparse_rows_and_tables_without_rows_are_refused():
    _, X, y = easy_masked()
    with pytest.raises(TypeError, match=r"dense for KernelEulacClassifier.*180 x 4\. Use EulacC"):
        clone(QUICK).fit(csr_array(X), y)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        clone(QUICK).fit(X, y, X_unlabeled=X[:0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        clone(QUICK).fit(X, y).predict(X[:0])
    with pytest.raises(ValueError, match=rf"each row of `X`, {len(y)} of them; got {len(y) - 1}\."):
        clone(QUICK).fit(X, y[:-1])
