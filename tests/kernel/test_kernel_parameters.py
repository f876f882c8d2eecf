"""Parameters of KernelEulacClassifier: what they may be, and the sentence when they may not."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED, BestBinProportion, GivenProportion, KernelEulacClassifier

QUICK = KernelEulacClassifier(0.6, bandwidth=0.5, penalty=1e-3, random_state=0)


def fitted(**parameters):
    _, X, y = easy_masked()
    return clone(QUICK).set_params(**parameters).fit(X, y)


@pytest.mark.parametrize(
    "given", [0.6, np.float32(0.6), [0.2, 0.2, 0.2], np.full(3, 0.2), GivenProportion(0.6)]
)
def test_a_given_proportion_is_taken_as_it_is(given):
    model = fitted(known_proportion=given)
    assert model.proportion_.method == "given"
    assert model.proportion_.total == pytest.approx(0.6)
    np.testing.assert_allclose(model.proportion_.per_class, 0.2, rtol=1e-6)
    low, high = model.proportion_.interval
    assert low == high == pytest.approx(0.6)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.ProportionDisagreementWarning")
def test_an_estimated_proportion_is_close_and_carries_its_origin():
    model = fitted(known_proportion="auto")
    assert abs(model.proportion_.total - 0.6) < 0.15
    assert (model.proportion_.n_labeled, model.proportion_.n_unlabeled) == (60, 120)
    assert model.proportion_.standard_error > 0
    assert model.risk_.standard_error > fitted(known_proportion=0.6).risk_.standard_error


def test_a_proportion_estimator_is_used_and_left_alone():
    estimator = BestBinProportion(LogisticRegression(), n_folds=3, random_state=7)
    before = dict(vars(estimator))
    model = fitted(known_proportion=estimator)
    assert vars(estimator) == before
    _, X, y = easy_masked()
    assert model.known_proportion is not None
    assert "known_proportion__n_folds" in model.get_params()
    again = clone(model).set_params(known_proportion__n_folds=3).fit(X, y)
    assert again.proportion_.total == model.proportion_.total


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_as_many_rows_are_called_augmented_as_the_proportion_says(share):
    split, X, y = easy_masked(n_labeled=90, n_unlabeled=200)
    options = {"known_proportion": share, "bandwidth": 0.5}
    if share == 0:
        with pytest.warns(UserWarning, match="are called -2"):
            model = clone(QUICK).set_params(**options).fit(X, y)
    else:
        model = clone(QUICK).set_params(**options).fit(X, y)
    called = np.mean(model.predict(split.X_test) == AUGMENTED)
    assert abs(called - (1 - share)) < 0.1


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (1.2, ValueError, r"`known_proportion` must lie in \[0, 1\]; got 1\.2\."),
        (-0.1, ValueError, r"must lie in \[0, 1\]; got -0\.1\."),
        (float("nan"), ValueError, r"must lie in \[0, 1\]; got nan\."),
        ([0.1, 0.2, float("nan")], ValueError, r"must lie in \[0, 1\]; got \[0\.1, 0\.2, nan\]\."),
        (["a", "b", "c"], ValueError, r"must lie in \[0, 1\]; got \['a', 'b', 'c'\]\."),
        ([0.1, 0.2], ValueError, r"one per known class \(3\); got 2 numbers"),
        ([], ValueError, r"one per known class \(3\); got 0 numbers"),
        ([0.4, 0.4, 0.4], ValueError, r"must sum to at most 1; got 1\.2\. Lower them"),
        ("half", ValueError, r"must be 'auto', a number in \[0, 1\], .* got 'half'\."),
        (None, TypeError, r"must be 'auto', a number in \[0, 1\], .* got None\."),
        (BestBinProportion, TypeError, r"or a proportion estimator; got <class .*BestBin"),
    ],
)
def test_a_bad_proportion_is_refused_with_its_value(given, error, message):
    with pytest.raises(error, match=message):
        fitted(known_proportion=given)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbf"}, r"`kernel` must be one of 'gaussian', 'linear'; got 'rbf'\."),
        ({"grid": "fine"}, r"`grid` must be one of 'half_decades', 'paper'; got 'fine'\."),
        ({"selection": "auc"}, r"`selection` must be one of 'zero_one', 'surrogate'; got 'auc'\."),
        ({"decision": "odds"}, r"`decision` must be one of 'matched', 'largest'; got 'odds'\."),
        ({"scale": "robust"}, r"`scale` must be one of 'minmax', 'standard', None; got 'robust'\."),
        ({"offset": 1.5}, r"`offset` must lie in \[0, 1\]; got 1\.5\."),
        ({"offset": "a"}, r"`offset` must lie in \[0, 1\]; got 'a'\."),
        ({"n_folds": 1}, r"`n_folds` must be a whole number of at least 2; got 1\."),
        ({"n_folds": 2.5}, r"`n_folds` must be a whole number of at least 2; got 2\.5\."),
        ({"penalty": 0}, r"`penalty` must be one or more positive numbers.* got 0\."),
        ({"penalty": "small"}, r"`penalty` must be one or more positive numbers.* got 'small'\."),
        ({"penalty": [1.0, -1.0]}, r"`penalty` must be .* got \[1\.0, -1\.0\]\."),
        ({"bandwidth": []}, r"`bandwidth` must be one or more positive numbers.* got \[\]\."),
        ({"bandwidth": np.inf}, r"`bandwidth` must be .* got inf\."),
        ({"bandwidth": 1e-200}, r"`bandwidth` must be .* within 1e-70 and 1e\+70; got 1e-200\."),
        ({"loss": "hinge"}, r"unknown loss 'hinge'\. Known: square, logistic, double_hinge"),
        (
            {"loss": "sigmoid"},
            r"loss 'sigmoid' does not satisfy loss\(z\) - loss\(-z\) = -z, so the convex risk does "
            r"not apply\. Use 'square', 'logistic' or 'double_hinge'",
        ),
    ],
)
def test_a_bad_parameter_is_refused_with_its_value(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(**parameters)


def test_parameters_are_checked_before_any_work(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("worked")

    monkeypatch.setattr("eulac.kernel.kernel_classifier.open_sample", refuse)
    for parameters in ({"penalty": -1}, {"bandwidth": "x", "kernel": "linear"}, {"loss": "x"}):
        with pytest.raises(ValueError, match=r"must be|unknown"):
            fitted(**parameters)


def test_parameters_are_stored_untouched():
    given, bandwidth = [0.2, 0.2, 0.2], (0.3, 0.5)
    model = KernelEulacClassifier(given, bandwidth=bandwidth, n_folds=4)
    assert model.known_proportion is given
    assert model.bandwidth is bandwidth
    _, X, y = easy_masked()
    model.fit(X, y)
    assert model.known_proportion is given
    assert model.bandwidth is bandwidth
    assert model.penalty is None


def test_the_labels_of_unlabeled_and_augmented_rows_can_be_chosen():
    split, X, y = easy_masked()
    plain = clone(QUICK).fit(X, y).predict(split.X_test)
    other = np.where(y == -1, 999, y)
    model = clone(QUICK).set_params(unlabeled_label=999, augmented_label=7).fit(X, other)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2, 7])
    np.testing.assert_array_equal(model.predict(split.X_test), np.where(plain == -2, 7, plain))
    text = np.array(["ant", "bee", "cow", "?"])[y]
    model = clone(QUICK).set_params(unlabeled_label="?", augmented_label="new").fit(X, text)
    np.testing.assert_array_equal(model.classes_, ["ant", "bee", "cow", "new"])
    assert model.score(X, text) > 0.9


def test_minus_one_can_be_a_class_where_another_marker_is_named():
    split, X, y = easy_masked()
    other = np.where(y == -1, 99, y - 1)
    model = clone(QUICK).set_params(unlabeled_label=99).fit(X, other)
    np.testing.assert_array_equal(model.classes_, [-1, 0, 1, AUGMENTED])
    truth = np.where(split.y_test == AUGMENTED, AUGMENTED, split.y_test - 1)
    assert model.score(split.X_test, truth) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"augmented_label": 1}, r"`augmented_label`=1 is also a known class in `y` \(\[0, 1, 2\]"),
        ({"augmented_label": -1}, r"`augmented_label` and `unlabeled_label` must differ; both are"),
        ({"augmented_label": "new"}, r"must be text where labels are text.* got 'new'"),
        ({"unlabeled_label": AUGMENTED}, "must differ; both are -2"),
    ],
)
def test_labels_that_clash_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(**parameters)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(60, -1), r"`y` has only unlabeled rows \(60 times -1, or missing\)"),
        (np.append(np.zeros(59), np.inf), "labels in `y` must be finite; got 1 times inf"),
        (np.linspace(0, 1, 60), "Unknown label type: continuous"),
        (None, "requires y to be passed, but the target y is None"),
    ],
)
def test_labels_that_are_none_are_refused(y, message):
    X = easy_split().sample.X_labeled
    with pytest.raises(ValueError, match=message):
        clone(QUICK).fit(X, y)
