"""KernelEulacClassifier: the contract, scikit-learn's own checks, and what it says of itself."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from contract import (
    HELD_OUT,
    outputs,
    parametrize_with_contract,
    parametrize_with_scikit_learn_checks,
)
from easy_mixture import easy_masked, easy_split
from eulac import AUGMENTED, BestBinProportion, KernelEulacClassifier
from eulac.exceptions import EulacWarning, ManyRowsWarning

QUICK = KernelEulacClassifier(0.6, bandwidth=0.5, penalty=1e-3, random_state=0)


@parametrize_with_contract(
    [
        QUICK,
        KernelEulacClassifier(
            BestBinProportion(n_resamples=20, random_state=0),
            bandwidth=[0.3, 0.6],
            penalty=[1e-3, 1e-2],
            random_state=0,
        ),
        KernelEulacClassifier(0.6, kernel="linear", scale="standard", random_state=0),
        KernelEulacClassifier(0.6, loss="logistic", bandwidth=0.5, penalty=1e-3, random_state=0),
    ],
    *HELD_OUT,
)
def test_contract(classifier, check):
    check(classifier)


@parametrize_with_scikit_learn_checks(
    [KernelEulacClassifier()],
    check_sample_weight_equivalence_on_dense_data="a row twice falls into other folds",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_risk_is_close_to_the_true_error_and_its_interval_covers_it(digits, digits_model):
    true_error = np.mean(digits_model.predict(digits.X_test) != digits.y_test)
    assert true_error < 0.12
    assert abs(digits_model.risk_.value - true_error) < 0.06
    low, high = digits_model.risk_.interval
    assert low <= true_error <= high
    assert digits_model.risk_.accuracy == pytest.approx(1 - digits_model.risk_.value)


def test_the_risk_comes_with_the_bounds_of_the_paper(digits_model):
    diagnostics = digits_model.risk_.diagnostics
    assert diagnostics["estimation_error_bound"] > diagnostics["generalization_bound"] > 0
    assert np.isfinite(diagnostics["surrogate_risk"])


def test_the_proportion_of_digits_is_found(digits, digits_model):
    estimate = digits_model.proportion_
    assert abs(estimate.total - digits.known_proportion) < 0.1
    low, high = estimate.interval
    assert low <= digits.known_proportion <= high
    share = np.mean(digits_model.predict(digits.X_test) == AUGMENTED)
    assert abs(share - estimate.augmented_proportion) < 0.06


def test_probabilities_are_calibrated_on_rows_never_seen(digits, digits_model):
    probabilities = digits_model.predict_proba(digits.X_test)
    assert probabilities.shape == (len(digits.X_test), 6)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.all(probabilities >= 0)
    answers = digits_model.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(answers, digits_model.predict(digits.X_test))
    is_right = answers == digits.y_test
    assert expected_calibration_error(probabilities.max(axis=1), is_right) < 0.1


def expected_calibration_error(confidence, is_right, n_bins=10):
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, confidence - is_right, minlength=n_bins)
    return np.abs(gaps).sum() / len(confidence)


def test_decision_values_scores_and_answers_agree(digits, digits_model):
    decision = digits_model.decision_function(digits.X_test)
    predicted = digits_model.predict(digits.X_test)
    np.testing.assert_array_equal(digits_model.classes_[decision.argmax(axis=1)], predicted)
    score = digits_model.augmented_score(digits.X_test)
    np.testing.assert_array_equal(score > 0, predicted == AUGMENTED)
    np.testing.assert_allclose(score, decision[:, -1] - decision[:, :-1].max(axis=1))


def test_every_candidate_is_in_the_results_and_the_chosen_one_among_them(digits_model):
    results = digits_model.cv_results_
    assert set(results) == {
        "bandwidth",
        "penalty",
        "zero_one_risk",
        "zero_one_standard_error",
        "surrogate_risk",
    }
    assert all(column.shape == (49,) for column in results.values())
    chosen = results["bandwidth"] == digits_model.model_.expansion.kernel.bandwidth
    chosen &= results["penalty"] == digits_model.model_.penalty
    assert chosen.sum() == 1
    # Neighbors have a say in the choice, so the smallest risk need not win; a large one must not.
    risk = results["zero_one_risk"]
    assert risk[chosen][0] <= risk.min() + 2 * results["zero_one_standard_error"][chosen][0]


def test_what_is_given_is_all_that_is_searched():
    _, X, y = easy_masked()
    several = clone(QUICK).set_params(bandwidth=[0.2, 0.5], penalty=(1e-4, 1e-2, 1.0)).fit(X, y)
    np.testing.assert_array_equal(several.cv_results_["bandwidth"], np.repeat([0.2, 0.5], 3))
    np.testing.assert_array_equal(several.cv_results_["penalty"], np.tile([1e-4, 1e-2, 1.0], 2))
    linear = clone(QUICK).set_params(kernel="linear", penalty=None).fit(X, y)
    assert len(linear.cv_results_["penalty"]) == 7
    assert np.all(np.isnan(linear.cv_results_["bandwidth"]))


def test_the_settings_of_the_paper_work(digits):
    settings = {"grid": "paper", "selection": "surrogate", "decision": "largest"}
    model = KernelEulacClassifier(0.5, random_state=0, **settings).fit(*digits.sample.as_masked())
    assert len(model.cv_results_["penalty"]) == 4 * 5
    best = model.cv_results_["surrogate_risk"].argmin()
    assert model.model_.penalty == model.cv_results_["penalty"][best]
    assert model.model_.rule.shift == 0
    assert model.model_.evidence.outlier_pull == 0
    scores = model.model_.expansion.scores(model.scaler_.transform(digits.X_test))
    largest = model.classes_[scores.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(digits.X_test), largest)
    assert np.mean(model.predict(digits.X_test) == digits.y_test) > 0.75


@pytest.mark.parametrize("loss", ["logistic", "double_hinge"])
@pytest.mark.parametrize("decision", ["matched", "largest"])
def test_other_losses_agree_with_the_square_loss_on_easy_rows(loss, decision):
    split, X, y = easy_masked()
    square = clone(QUICK).set_params(decision=decision).fit(X, y)
    other = clone(square).set_params(loss=loss).fit(X, y)
    assert np.mean(other.predict(split.X_test) == split.y_test) > 0.95
    assert np.mean(other.predict(split.X_test) == square.predict(split.X_test)) > 0.95
    np.testing.assert_allclose(other.predict_proba(split.X_test).sum(axis=1), 1)


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_the_number_of_workers_does_not_change_a_bit(loss):
    split, X, y = easy_masked()
    options = {"loss": loss, "bandwidth": [0.3, 0.6], "penalty": [1e-3, 1e-2, 1e-1]}
    one = clone(QUICK).set_params(n_jobs=1, **options).fit(X, y)
    two = clone(QUICK).set_params(n_jobs=2, **options).fit(X, y)
    for first, second in zip(outputs(one, split.X_test), outputs(two, split.X_test), strict=True):
        np.testing.assert_array_equal(first, second)
    for name, column in one.cv_results_.items():
        np.testing.assert_array_equal(column, two.cv_results_[name])


def test_progress_counts_the_kernels_tried():
    _, X, y = easy_masked()
    calls = []
    clone(QUICK).set_params(bandwidth=[0.2, 0.5, 1.0]).fit(
        X, y, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_an_offset_calls_far_rows_augmented_without_a_matched_decision():
    split, X, y = easy_masked()
    model = clone(QUICK).set_params(offset=0.5, decision="largest").fit(X, y)
    assert model.predict(np.full((1, 4), 1e6)) == [AUGMENTED]
    assert np.mean(model.predict(split.X_test) == split.y_test) > 0.9


def test_another_seed_is_another_model_and_none_draws_one():
    split, X, y = easy_masked()

    def score(seed):
        model = clone(QUICK).set_params(random_state=seed).fit(X, y)
        return model.augmented_score(split.X_test)

    assert np.any(score(0) != score(1))
    assert np.any(score(None) != score(None))
    np.testing.assert_array_equal(score(3), score(np.random.RandomState(3)))


@pytest.mark.parametrize("pool", [True, False], ids=["open", "closed"])
def test_held_out_probabilities_are_in_the_order_of_the_rows(pool):
    split = easy_split(90, 123)  # not a multiple of the folds
    X, y = split.sample.as_masked()
    keep = np.random.default_rng(0).permutation(len(y))
    X, y = X[keep], y[keep]
    more = split.X_test if pool else None
    if not pool:
        X, y = X[y >= 0], y[y >= 0]
    clf = KernelEulacClassifier(0.6, bandwidth=1.0, penalty=1e-3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        clf.fit(X, y, X_unlabeled=more)
    held_out = clf.held_out_probabilities_
    rows = X if more is None else np.vstack([X, more])
    assert held_out.shape == (len(rows), len(clf.classes_))
    own, seen = held_out.argmax(axis=1), clf.predict_proba(rows).argmax(axis=1)
    assert np.mean(own == seen) > 0.9
    # Held out: rows are less sure of their own label than when they were learned from.
    known = y >= 0
    codes = clf.codec_.encode(y[known])
    learned = clf.predict_proba(X[known])[np.arange(known.sum()), codes]
    assert held_out[: len(y)][known][np.arange(known.sum()), codes].mean() < learned.mean()


def test_held_out_probabilities_need_a_fit():
    assert not hasattr(KernelEulacClassifier(), "held_out_probabilities_")


def test_very_many_rows_are_told_what_to_use_instead(monkeypatch):
    _, X, y = easy_masked()
    monkeypatch.setattr("eulac.kernel.kernel_classifier.MANY_ROWS", len(X) - 1)
    with pytest.warns(ManyRowsWarning, match=f"{len(X):,} rows.*LandmarkEulacClassifier"):
        clone(QUICK).fit(X, y)


def test_a_fit_beyond_memory_is_refused_before_it_begins():
    X = np.arange(150_000.0).reshape(-1, 1)
    y = np.where(X.ravel() < 100, X.ravel() % 2, -1)
    with pytest.raises(MemoryError, match=r"fit of 150,000 rows needs about 540.0 GB .* Landmark"):
        KernelEulacClassifier(0.6, random_state=0).fit(X, y)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.NoUnlabeledRowsWarning")
def test_without_a_pool_the_kernel_is_wide_enough_for_fresh_rows():
    X, y = load_iris(return_X_y=True)
    rows, rest = np.split(np.random.default_rng(0).permutation(len(y)), [90])
    model = KernelEulacClassifier(random_state=0).fit(X[rows], y[rows])
    assert np.mean(model.held_out_labels_ == y[rows]) > 0.9
    assert np.mean(model.predict(X[rest]) == y[rest]) > 0.9
    assert model.risk_.value < 0.1
