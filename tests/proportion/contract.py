"""What every proportion estimator must do, whatever it is made of.

Written like the contract of the classifiers: a test module names its instances, each with how far
from the truth it may be on an easy mixture, and every check runs on each of them.

    @parametrize_with_contract([(MyProportion(random_state=0), 0.05)])
    def test_contract(estimator, tolerance, check):
        check(estimator, tolerance)
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

CHECKS = []


def parametrize_with_contract(cases):
    """Decorate ``test(estimator, tolerance, check)`` to run every check on every estimator."""
    return pytest.mark.parametrize(
        ("estimator", "tolerance", "check"),
        [
            pytest.param(
                estimator, tolerance, check, id=f"{type(estimator).__name__}{i}-{check.__name__}"
            )
            for i, (estimator, tolerance) in enumerate(cases)
            for check in CHECKS
        ],
    )


def promise(check):
    """Add a check to the contract."""
    CHECKS.append(check)
    return check


def easy_mixture(known_proportion, n_labeled=160, n_unlabeled=240, *, seed=0):
    """Return features and masked labels of two known classes, and new rows, 8 sigma apart.

    Class counts are exact; the known classes have shares 0.75 and 0.25 in both samples.
    """
    rng = np.random.default_rng(seed)
    n_known = round(known_proportion * n_unlabeled)
    labels = np.resize([0, 0, 0, 1], n_labeled)
    hidden = np.append(np.resize([0, 0, 0, 1], n_known), np.full(n_unlabeled - n_known, 2))
    X = rng.normal(8 * np.eye(3)[np.append(labels, hidden)])
    return X, np.append(labels, np.full(n_unlabeled, -1))


def estimate_of(estimator, *data, **options):
    return clone(estimator).fit(*data, **options).estimate_


def estimate_or_refusal(estimator, *data):
    """Return the estimate and no message, or no estimate and why."""
    try:
        return estimate_of(estimator, *data), ""
    except ValueError as error:
        return None, str(error)


def assert_same_estimate(one, two):
    assert (one.total, one.interval, one.standard_error) == (
        two.total,
        two.interval,
        two.standard_error,
    )
    np.testing.assert_array_equal(one.per_class, two.per_class)


@promise
def check_the_estimate_is_whole(estimator, tolerance):
    X, y = easy_mixture(0.5)
    fitted = clone(estimator)
    assert fitted.fit(X, y) is fitted
    estimate = fitted.estimate_
    low, high = estimate.interval
    assert 0 <= low <= estimate.total <= high <= 1
    assert estimate.standard_error >= 0
    assert (estimate.n_labeled, estimate.n_unlabeled) == (160, 240)
    np.testing.assert_allclose(estimate.per_class, estimate.total * np.array([0.75, 0.25]))
    assert estimate.method == estimate.method.lower()
    assert estimate.diagnostics["at_bound"] in (True, False)


@promise
def check_easy_proportions_are_found(estimator, tolerance):
    for known_proportion in (0.2, 0.5, 0.8):
        values = [
            estimate_of(estimator, *easy_mixture(known_proportion, seed=seed)).total
            for seed in range(2)
        ]
        assert abs(np.mean(values) - known_proportion) <= tolerance, known_proportion


@promise
def check_all_new_and_nothing_new_are_found_or_flagged(estimator, tolerance):
    for known_proportion in (0.0, 1.0):
        estimate = estimate_of(estimator, *easy_mixture(known_proportion))
        assert 0 <= estimate.total <= 1
        near = abs(estimate.total - known_proportion) <= tolerance
        assert near or estimate.diagnostics["at_bound"], estimate


@promise
def check_the_order_of_rows_does_not_matter(estimator, tolerance):
    X, y = easy_mixture(0.5)
    order = np.random.default_rng(1).permutation(len(y))
    assert_same_estimate(estimate_of(estimator, X, y), estimate_of(estimator, X[order], y[order]))


@promise
def check_names_of_labels_do_not_matter(estimator, tolerance):
    X, y = easy_mixture(0.5)
    plain = estimate_of(estimator, X, y)
    names = {-1: "-1", 0: "zebra", 1: "ant"}
    renamed = estimate_of(estimator, X, [names[label] for label in y.tolist()])
    assert (renamed.total, renamed.interval) == (plain.total, plain.interval)
    np.testing.assert_array_equal(renamed.per_class, plain.per_class[::-1])


@promise
def check_masked_and_separate_rows_give_the_same_estimate(estimator, tolerance):
    X, y = easy_mixture(0.5)
    separate = estimate_of(estimator, X[y >= 0], y[y >= 0], X_unlabeled=X[y < 0])
    assert_same_estimate(estimate_of(estimator, X, y), separate)


@promise
def check_the_seed_alone_decides(estimator, tolerance):
    X, y = easy_mixture(0.5)
    np.random.seed(0)  # noqa: NPY002
    fitted = clone(estimator).fit(X, y)
    one = fitted.estimate_
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert_same_estimate(one, fitted.fit(X, y).estimate_)  # nothing is left of an earlier fit
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@promise
def check_tiny_samples_work_or_are_refused_in_a_sentence(estimator, tolerance):
    for sizes in ((5, 5), (2, 2), (5, 1), (1, 5)):
        estimate, refusal = estimate_or_refusal(estimator, *easy_mixture(0.5, *sizes))
        if estimate is None:
            assert refusal.endswith("."), refusal
            assert len(refusal.split()) > 5, refusal
        else:
            assert 0 <= estimate.interval[0] <= estimate.total <= estimate.interval[1] <= 1


@promise
def check_features_without_information_do_no_harm(estimator, tolerance):
    X, y = easy_mixture(0.5)
    X = np.column_stack([X, np.zeros(len(X)), X[:, 0]])
    assert abs(estimate_of(estimator, X, y).total - 0.5) <= 2 * tolerance


@promise
def check_parameters_clone_and_pickle(estimator, tolerance):
    X, y = easy_mixture(0.5)
    fitted = clone(estimator).fit(X, y)
    again = type(estimator)(**fitted.get_params(deep=False))
    assert repr(again) == repr(estimator)
    assert_same_estimate(fitted.estimate_, clone(again).fit(X, y).estimate_)
    assert_same_estimate(fitted.estimate_, pickle.loads(pickle.dumps(fitted)).estimate_)


@promise
def check_inputs_are_left_alone(estimator, tolerance):
    X, y = easy_mixture(0.5)
    copies = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    estimate_of(estimator, X, y)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])


@promise
def check_without_unlabeled_rows_there_is_nothing_to_estimate(estimator, tolerance):
    X, y = easy_mixture(0.5)
    with pytest.raises(ValueError, match=r"no unlabeled rows.*Mark them with -1, or pass"):
        estimate_of(estimator, X[y >= 0], y[y >= 0])


@promise
def check_columns_of_another_name_or_order_are_refused(estimator, tolerance):
    X, y = easy_mixture(0.5)
    frame, names = pd.DataFrame(X, columns=["a", "b", "c"]), ["c", "a", "b"]
    rows, pool = frame[y >= 0], frame[y < 0]
    assert_same_estimate(
        estimate_of(estimator, rows, y[y >= 0], pool), estimate_of(estimator, X, y)
    )
    with pytest.raises(ValueError, match="in the same order; it has them in another order"):
        clone(estimator).fit(rows, y[y >= 0], pool[names])
    with pytest.raises(ValueError, match=r"it has no \['a'\] and also \['d'\]"):
        clone(estimator).fit(rows, y[y >= 0], pool.rename(columns={"a": "d"}))


@promise
def check_the_order_of_columns_changes_no_bit(estimator, tolerance):
    X, y = easy_mixture(0.5)
    frame, names = pd.DataFrame(X, columns=["a", "b", "c"]), ["c", "a", "b"]
    one, two = clone(estimator).fit(frame, y), clone(estimator).fit(frame[names], y)
    assert_same_estimate(one.estimate_, two.estimate_)
    np.testing.assert_array_equal(two.feature_names_in_, names)
