import warnings

import numpy as np
import pytest

from contenders import oracles_lacu_svm as textbook
from contract import (
    check_augmented_score_is_positive_exactly_where_the_answer_is_new,
    check_easy_classes_are_told_apart_and_new_rows_found,
    check_names_in_another_order_change_no_prediction,
    check_the_order_of_rows_does_not_matter,
    check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED
from eulac.contenders.lacu_svm import LacuSvmClassifier
from eulac.contenders.ovr_svm import OvrSvmClassifier
from eulac.exceptions import EulacWarning, NoUnlabeledRowsWarning

QUICK = {"bandwidth": 0.3, "cost": 3.0, "random_state": 0}


@parametrize_with_contract(
    [LacuSvmClassifier(**QUICK)], check_without_unlabeled_rows_it_warns_and_knows_no_new_class
)
def test_contract(classifier, check):
    check(classifier)


# Five more fits each: those parts of the contract that a threshold could break.
@pytest.mark.parametrize(
    "check",
    [
        check_augmented_score_is_positive_exactly_where_the_answer_is_new,
        check_easy_classes_are_told_apart_and_new_rows_found,
        check_names_in_another_order_change_no_prediction,
        check_the_order_of_rows_does_not_matter,
        check_without_unlabeled_rows_it_warns_and_knows_no_new_class,
    ],
)
def test_contract_with_a_label_free_threshold(check):
    check(LacuSvmClassifier(threshold="label_free", known_proportion=0.6, **QUICK))


@pytest.mark.slow
@parametrize_with_scikit_learn_checks([LacuSvmClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def hard_task(random_state=0):
    """Return a split whose classes overlap."""
    split = easy_split(random_state=random_state)
    rng = np.random.default_rng(random_state)
    sample = split.sample
    noisy = [X + rng.normal(0, 2, X.shape) for X in (sample.X_labeled, sample.X_unlabeled)]
    return noisy[0], sample.y_labeled, noisy[1], split


def test_decision_follows_the_textbook_from_the_machines_reported():
    X, y, U, _ = hard_task()
    fitted = LacuSvmClassifier(scale=None, bandwidth=4.0, cost=2.0).fit(X, y, X_unlabeled=U)
    evidence = fitted.model_.evidence(U)
    rows = fitted.model_.rows
    for i in range(0, len(U), 10):
        near = [np.exp(-np.sum((row - U[i]) ** 2) / 32.0) for row in rows]
        for k, machine in enumerate(fitted.model_.machines):
            value = machine.intercept + sum(
                a * b for a, b in zip(machine.coefficients, near, strict=True)
            )
            if value > 0:
                start = machine.labeled_only
                pairs = zip(start.coefficients, near, strict=False)
                value = start.intercept + sum(a * b for a, b in pairs)
            assert evidence.known[i, k] == pytest.approx(value, abs=1e-9)
        assert evidence.augmented[i] == -max(evidence.known[i])


def test_each_machine_has_the_objective_of_the_textbook_at_its_end():
    X, y, U, _ = hard_task(1)
    fitted = LacuSvmClassifier(scale=None, bandwidth=4.0, cost=2.0).fit(X, y, X_unlabeled=U[:30])
    model = fitted.model_
    K = model.kernel.block(model.rows, model.rows)
    labels = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in model.rows[: len(X)]]
    for k, machine in enumerate(model.machines):
        expected = textbook.objective(
            K, machine.coefficients, machine.intercept, y[labels] == k, 2.0
        )
        assert machine.objectives[-1] == pytest.approx(expected)
        assert np.all(np.diff(machine.objectives) <= 1e-6 * 2.0 * len(X))
        assert not machine.is_relaxed


def test_what_it_accepts_the_plain_machines_accept_as_that_class():
    X, y, U, split = hard_task(2)
    settings = {"bandwidth": 0.4, "cost": 3.0}
    lacu = LacuSvmClassifier(**settings).fit(X, y, X_unlabeled=U)
    plain = OvrSvmClassifier(**settings).fit(X, y)
    # The plain machines come from another solver, with a tolerance of 0.001.
    clear = np.abs(plain.augmented_score(split.X_test)) > 1e-2
    accepted = (lacu.predict(split.X_test) != AUGMENTED) & clear
    assert 0 < accepted.sum() < clear.sum()
    assert np.all(plain.predict(split.X_test)[accepted] != AUGMENTED)


def test_new_rows_that_the_plain_machines_take_for_known_are_found():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0], [0.0, 3.2]])
    y, y_unlabeled = np.repeat(np.arange(4), 20), np.resize([0, 1, 2, 3, 4, 4], 120)
    X, U = rng.normal(centers[y], 0.5), rng.normal(centers[y_unlabeled], 0.5)
    new = rng.normal(centers[np.full(100, 4)], 0.5)
    settings = {"scale": None, "bandwidth": 2.0, "cost": 1.0}
    lacu = LacuSvmClassifier(**settings).fit(X, y, X_unlabeled=U)
    plain = OvrSvmClassifier(**settings).fit(X, y)
    assert np.mean(plain.predict(new) == AUGMENTED) < 0.7
    assert np.mean(lacu.predict(new) == AUGMENTED) > 0.9
    assert np.mean(lacu.predict(X) == y) > 0.9


def test_without_unlabeled_rows_it_is_the_plain_machines():
    sample = easy_split().sample
    with pytest.warns(NoUnlabeledRowsWarning):
        closed = LacuSvmClassifier(**QUICK).fit(sample.X_labeled, sample.y_labeled)
    plain = OvrSvmClassifier(**QUICK).fit(sample.X_labeled, sample.y_labeled)
    np.testing.assert_array_equal(
        closed.augmented_score(sample.X_labeled), plain.augmented_score(sample.X_labeled)
    )


def test_one_known_class_is_refused():
    _, X, y = easy_masked()
    with pytest.raises(ValueError, match=r"needs labeled rows of 2 or more known classes.* got 1"):
        LacuSvmClassifier().fit(X, np.where(y > 0, 0, y))


@pytest.mark.parametrize("n_first", [10, 20, 30])
def test_two_classes_are_told_apart_whichever_has_more_rows(n_first):
    split = easy_split(60, n_known=2, cycle=(0, 1, 2))
    y = split.sample.y_labeled
    kept = np.append(np.flatnonzero(y == 0)[:n_first], np.flatnonzero(y == 1)[: 40 - n_first])
    fitted = LacuSvmClassifier(**QUICK)
    fitted.fit(split.sample.X_labeled[kept], y[kept], X_unlabeled=split.sample.X_unlabeled)
    # Limits of the mean near zero leave little room for new rows.
    known = split.y_test != AUGMENTED
    assert np.mean(fitted.predict(split.X_test[known]) == split.y_test[known]) > 0.9
    for machine in fitted.model_.machines:
        assert not machine.is_relaxed
        assert machine.mean_limits[0] <= machine.mean_limits[1]


def test_more_than_twenty_classes_have_limits_in_order():
    rng = np.random.default_rng(0)
    centers = 10.0 * rng.normal(size=(25, 4))
    y, y_unlabeled = np.resize(np.arange(24), 72), np.resize(np.arange(25), 100)
    X, U = rng.normal(centers[y], 0.5), rng.normal(centers[y_unlabeled], 0.5)
    fitted = LacuSvmClassifier(bandwidth=0.1, cost=1.0).fit(X, y, X_unlabeled=U)
    for machine in fitted.model_.machines:
        assert machine.mean_limits[0] == machine.mean_limits[1] == pytest.approx(-11 / 12)
        assert not machine.is_relaxed
    assert np.mean(fitted.predict(U[y_unlabeled < 24]) == y_unlabeled[y_unlabeled < 24]) > 0.9


def test_unlabeled_rows_that_are_all_of_one_class_leave_no_room_for_the_others():
    sample = easy_split().sample
    first = sample.X_labeled[sample.y_labeled == 0]
    classifier = LacuSvmClassifier(**QUICK)
    with pytest.warns(EulacWarning) as caught:
        classifier.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=first)
    messages = [str(warning.message) for warning in caught]
    for k, machine in enumerate(classifier.model_.machines):
        said = any(f"constraints of class {np.int64(k)!r}" in text for text in messages)
        assert said == machine.is_relaxed
        assert not said or any(f"{machine.violation:.2g}" in text for text in messages)
    assert any(machine.is_relaxed for machine in classifier.model_.machines)
    assert np.all(np.isfinite(classifier.augmented_score(sample.X_labeled)))


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize("cost", [0.1, 100.0])
def test_small_classes_copies_and_constant_features_are_no_problem(cost):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(0, 1, (30, 3)))
    X[:, 2] = 5.0
    y = np.append([0, 1, 1], rng.integers(2, 4, 27))
    U = np.vstack([X, X[::-1], X[:4] + 3.0])
    fitted = LacuSvmClassifier(bandwidth=0.3, cost=cost).fit(X, y, X_unlabeled=U)
    assert np.all(np.isfinite(fitted.augmented_score(U)))
    assert set(fitted.predict(U)) <= {0, 1, 2, 3, AUGMENTED}
    X[:] = 1.0
    fitted = LacuSvmClassifier(bandwidth=0.3, cost=cost).fit(X, y, X_unlabeled=X)
    assert len(set(fitted.predict(X))) == 1


def test_the_proportion_is_estimated_only_where_it_is_needed():
    _, X, y = easy_masked()
    fitted = LacuSvmClassifier(**QUICK).fit(X, y)
    assert fitted.proportion_ is None
    with pytest.raises(ValueError, match="needs the known proportion"):
        fitted.score(X, y)
    given = LacuSvmClassifier(known_proportion=0.6, **QUICK).fit(X, y)
    assert given.proportion_.total == 0.6
    assert given.score(X, y) > 0.9


def test_bandwidth_and_cost_are_searched_as_for_the_plain_machines():
    _, X, y = easy_masked()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        fitted = LacuSvmClassifier(cost=None, random_state=3).fit(X, y)
    plain = OvrSvmClassifier(random_state=3).fit(X, y)
    assert fitted.model_.kernel == plain.model_.machines.kernel
    with pytest.raises(ValueError, match=r"`cost` must be one or more positive numbers.*got -1"):
        LacuSvmClassifier(cost=-1).fit(X, y)
