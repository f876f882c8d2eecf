"""The model behind the classifier: expansion, held-out risk, weights."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

from eulac.data.folds import in_canonical_order
from eulac.data.synthetic import make_gaussian_task
from eulac.exceptions import NoUnlabeledRowsWarning
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.kernel.kernel_model import KernelExpansion, fit_kernel_model
from eulac.maths.kernels import CHUNK_ROWS, GaussianKernel, LinearKernel
from eulac.proportion.given import GivenProportion
from eulac.solvers.search import SearchSettings, choose_solver

RULE = {"matched": True, "closed_set": False}
KERNEL = GaussianKernel(1.0)


@pytest.fixture(scope="module")
def split():
    return make_gaussian_task(separation=5.0).draw(90, 150, n_test=200, random_state=0)


def fitted(split, kernels=(KERNEL,), penalties=(1e-3,), **options):
    sample = in_canonical_order(split.sample, 0)
    settings = SearchSettings(kernels, penalties, choose_solver(options.pop("loss", "square")))
    estimate = GivenProportion(0.6).estimate(sample)
    options = {"n_folds": 5, "rule_options": RULE, "random_state": 0, **options}
    return fit_kernel_model(sample, estimate, settings, **options)


@pytest.mark.parametrize("kernel", [GaussianKernel(0.8), LinearKernel()])
def test_scores_are_the_expansion_whatever_the_number_of_chunks(kernel):
    rng = np.random.default_rng(0)
    rows, coefficients = rng.normal(size=(30, 3)), rng.normal(size=(30, 4))
    expansion = KernelExpansion(kernel, rows, coefficients, np.arange(4.0))
    X = rng.normal(size=(2 * CHUNK_ROWS + 7, 3))
    expected = kernel.block(X, rows) @ coefficients + np.arange(4.0)
    np.testing.assert_allclose(expansion.scores(X), expected, atol=1e-12)
    assert expansion.scores(X[:0]).shape == (0, 4)


@pytest.mark.parametrize("penalty", [1e-8, 1e-3, 1.0], ids=["wild", "usual", "tame"])
@pytest.mark.parametrize("kernel", [GaussianKernel(0.3), GaussianKernel(3.0), LinearKernel()])
def test_single_precision_never_changes_an_answer(split, kernel, penalty):
    model = fitted(split, [kernel], [penalty])
    # Rows along lines between rows, so that some lie on the borders between answers.
    steps = np.linspace(0.0, 1.0, 50)[:, None, None]
    X = (steps * split.X_test[:40] + (1 - steps) * split.X_test[40:80]).reshape(-1, 2)
    quick, precise = model.decide_in_single_precision(X), model.decide(X)
    np.testing.assert_array_equal(quick.argmax(axis=1), precise.argmax(axis=1))
    np.testing.assert_allclose(quick, precise, atol=1e-3)


@pytest.mark.parametrize("loss", ["logistic", "double_hinge"])
def test_other_losses_stay_in_double_precision(split, loss):
    model = fitted(split, [GaussianKernel(3.0)], [1e-5], loss=loss)
    X = np.tile(split.X_test, (3, 1))
    np.testing.assert_array_equal(model.decide_in_single_precision(X), model.decide(X))


@pytest.mark.parametrize("far", [1e10, 1e25, 1e60])
def test_rows_beyond_single_precision_are_answered_as_in_double(split, far):
    model = fitted(split)
    X = np.vstack([np.tile(split.X_test, (3, 1)), far * split.X_test])
    quick = model.decide_in_single_precision(X)
    assert np.isfinite(quick).all()
    np.testing.assert_array_equal(quick.argmax(axis=1), model.decide(X).argmax(axis=1))


def test_large_coefficients_are_not_trusted_to_single_precision(split):
    model = fitted(split, [GaussianKernel(8.0)], [1e-8])
    X = np.tile(split.X_test, (3, 1))
    rough = np.abs(model._single(X)[0] - model.decide(X)).max()
    assert rough > 1e-3  # or this test shows nothing
    np.testing.assert_allclose(model.decide_in_single_precision(X), model.decide(X), atol=1e-12)


def test_rows_in_doubt_are_decided_in_double_precision(split):
    model = fitted(split)
    steps = np.linspace(0.0, 1.0, 300)[:, None]
    X = steps * split.X_test[0] + (1 - steps) * split.X_test[1]
    scores = model.expansion.scores(X)
    # Push the shift until two answers of one row tie but for rounding.
    tied = replace(model, evidence=replace(model.evidence, outlier_pull=0.0))
    shares = tied.rule.decide(tied.evidence.of(scores))
    gap = shares[150, :-1].max() - shares[150, -1]
    tied = replace(tied, rule=replace(tied.rule, shift=tied.rule.shift + gap + 1e-12))
    quick = tied.decide_in_single_precision(X)
    np.testing.assert_array_equal(quick.argmax(axis=1), tied.decide(X).argmax(axis=1))
    np.testing.assert_allclose(quick[150], tied.decide(X)[150], atol=1e-13)


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_the_risk_is_that_of_rows_held_out(split, loss):
    model = fitted(split, loss=loss)
    codes = split.sample.codec.encode(split.y_test)
    true_error = np.mean(model.decide(split.X_test).argmax(axis=1) != codes)
    low, high = model.risk.interval
    assert low <= true_error <= high
    assert abs(model.risk.value - true_error) < 0.15
    bounds = {"generalization_bound", "estimation_error_bound"}
    assert {"macro_f1", "surrogate_risk"} | bounds <= set(model.risk.diagnostics)
    assert 0 <= model.risk.diagnostics["macro_f1"] <= 1


def test_a_memorizing_kernel_is_found_out_by_held_out_rows(split):
    """In sample its error is zero; the risk must not be."""
    model = fitted(split, kernels=(GaussianKernel(1e-3),), penalties=(1e-6,))
    in_sample = model.expansion.scores(split.sample.X_labeled).argmax(axis=1)
    assert np.mean(in_sample == split.sample.y_labeled) == 1
    assert model.risk.value > 0.3


def test_the_matched_rule_calls_as_many_held_out_rows_augmented_as_there_are(split):
    model = fitted(split)
    assert model.answer_shares.sum() == pytest.approx(1)
    assert model.answer_shares[-1] == pytest.approx(0.4, abs=0.01)


def test_a_closed_set_has_no_augmented_column(split):
    model = fitted(split, rule_options={"matched": True, "closed_set": True})
    assert model.decide(split.X_test).shape == (200, 3)
    assert model.answer_shares[-1] == 0
    assert model.rule.shift == 0


def test_the_chosen_candidate_is_solved_on_all_rows(split):
    model = fitted(split, kernels=(GaussianKernel(1e-3), KERNEL), penalties=(1e-3,))
    assert model.expansion.kernel == KERNEL
    assert model.penalty == 1e-3
    assert len(model.expansion.rows) == len(model.expansion.coefficients) == 240
    alone = fitted(split)
    np.testing.assert_allclose(model.expansion.coefficients, alone.expansion.coefficients)


def test_each_kernel_is_reported_when_done(split):
    done = []
    kernels = GaussianKernel(0.5), GaussianKernel(1.0)
    fitted(split, kernels=kernels, progress=lambda *steps: done.append(steps))
    assert done == [(1, 2), (2, 2)]


def test_closed_set_fits_are_not_spoiled_by_the_rows_that_stand_in_for_deployment():
    # Every labeled row is an unlabeled one too: held out apart, narrow kernels seem bad and a
    # classifier of the known classes only gets 18 of 100 of these digits wrong instead of 7.
    X, y = load_digits(return_X_y=True)
    with pytest.warns(NoUnlabeledRowsWarning):
        classifier = KernelEulacClassifier(random_state=0).fit(X[:500], y[:500])
    assert classifier.score(X[500:900], y[500:900]) > 0.9
