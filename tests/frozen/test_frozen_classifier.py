"""A frozen classifier: the contract on score tables, and simulated scores whose truth is known."""

import warnings

import numpy as np
import pytest
from scipy.special import softmax

import eulac
from contract import HELD_OUT, Tolerance, parametrize_with_contract
from eulac import AUGMENTED, FrozenEulacClassifier
from eulac.exceptions import WeakScoreWarning

# The easy mixture is a table of scores: an axis for each of three known classes, one of oddness.
QUICK = FrozenEulacClassifier("logits", oddness_column=-1, known_proportion=0.6, random_state=0)


@parametrize_with_contract([QUICK], *HELD_OUT, tolerance=Tolerance(places=True))
def test_contract(classifier, check):
    check(classifier)


N_KNOWN = 4


def scored(codes, rng, *, sure=4.0, odd=None, looks_known=False):
    """Logits of a classifier that is `sure` of known rows, and of new ones if they look known."""
    means = np.vstack([sure * np.eye(N_KNOWN), np.zeros(N_KNOWN)])
    looks = np.where(codes == 4, rng.integers(0, N_KNOWN, len(codes)), codes)
    logits = rng.normal(means[looks if looks_known else codes])
    return logits if odd is None else np.column_stack([logits, rng.normal(odd * (codes == 4))])


def drawn(known_share, seed=0, n_labeled=500, n_pool=800, shares=(0.25,) * N_KNOWN, **options):
    """Scores and labels of both samples; 4 is new, exactly the share asked for."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, N_KNOWN, n_labeled)
    n_known = round(known_share * n_pool)
    y_pool = np.append(rng.choice(N_KNOWN, n_known, p=shares), np.full(n_pool - n_known, 4))
    return scored(y, rng, **options), y, scored(y_pool, rng, **options), y_pool


def true_error(classifier, y_pool):
    answers = classifier.held_out_labels_[classifier.held_out_codes_ < 0]
    return np.mean(answers != np.where(y_pool == 4, AUGMENTED, y_pool))


@pytest.mark.parametrize("known_share", [0.3, 0.7, 0.9])
def test_share_and_error_are_found_from_scores_alone(known_share):
    X, y, pool, y_pool = drawn(known_share)
    classifier = FrozenEulacClassifier("logits", random_state=0).fit(X, y, pool)
    estimate, risk = classifier.proportion_, classifier.risk_
    assert estimate.total == pytest.approx(known_share, abs=0.05)
    assert estimate.interval[0] <= known_share <= estimate.interval[1]
    assert estimate.interval[1] - estimate.interval[0] < 0.2
    error = true_error(classifier, y_pool)
    assert error < 0.15
    assert risk.value == pytest.approx(error, abs=0.05)
    assert risk.interval[0] <= error <= risk.interval[1]


def test_probabilities_do_where_logits_are_not_kept():
    X, y, pool, y_pool = drawn(0.6)
    rows = softmax(X, axis=1), y, softmax(pool, axis=1)
    classifier = FrozenEulacClassifier(random_state=0).fit(*rows)
    assert classifier.proportion_.total == pytest.approx(0.6, abs=0.07)
    assert classifier.risk_.value == pytest.approx(true_error(classifier, y_pool), abs=0.06)


def test_shares_of_moved_classes_are_found():
    shares = (0.1, 0.2, 0.2, 0.5)
    X, y, pool, _ = drawn(0.7, n_pool=1500, shares=shares)
    estimate = FrozenEulacClassifier("logits", random_state=0).fit(X, y, pool).proportion_
    assert estimate.diagnostics["priors_moved"]
    np.testing.assert_allclose(estimate.per_class, 0.7 * np.array(shares), atol=0.05)


@pytest.mark.parametrize("known_share", [0.4, 1.0])
def test_a_useless_score_gives_a_wide_interval_and_a_warning(known_share):
    X, y, pool, y_pool = drawn(known_share, looks_known=True)
    with pytest.warns(WeakScoreWarning, match=r"hardly tell new rows .*label some rows"):
        classifier = FrozenEulacClassifier("logits", random_state=0).fit(X, y, pool)
    estimate, risk = classifier.proportion_, classifier.risk_
    assert estimate.diagnostics["weak_score"]
    assert estimate.interval == (0.0, 1.0)
    assert risk.interval[1] - risk.interval[0] > 0.4
    assert risk.interval[0] <= true_error(classifier, y_pool) <= risk.interval[1]


def test_oddness_tells_where_the_classifier_does_not():
    X, y, pool, y_pool = drawn(0.4, sure=0.5, odd=4.0)
    with pytest.warns(WeakScoreWarning):
        blind = FrozenEulacClassifier("logits", random_state=0).fit(X[:, :-1], y, pool[:, :-1])
    seeing = FrozenEulacClassifier("logits", oddness_column=-1, random_state=0).fit(X, y, pool)
    assert seeing.proportion_.total == pytest.approx(0.4, abs=0.05)
    assert seeing.proportion_.diagnostics["separation"] > 0.9
    assert true_error(seeing, y_pool) < true_error(blind, y_pool)


def test_any_monotone_scale_of_oddness_gives_the_same_answers():
    X, y, pool, _ = drawn(0.6, odd=4.0)
    plain = FrozenEulacClassifier("logits", oddness_column=-1, random_state=0).fit(X, y, pool)
    for rows in (X, pool):
        rows[:, -1] = np.exp(rows[:, -1])
    other = FrozenEulacClassifier("logits", oddness_column=-1, random_state=0).fit(X, y, pool)
    assert other.proportion_.total == pytest.approx(plain.proportion_.total, abs=0.02)
    assert np.mean(other.held_out_labels_ == plain.held_out_labels_) > 0.97


def test_the_order_of_columns_does_not_matter():
    X, y, pool, _ = drawn(0.6)
    order = np.array([2, 0, 3, 1])
    plain = FrozenEulacClassifier("logits", random_state=0).fit(X, y, pool)
    turned = FrozenEulacClassifier("logits", random_state=0).fit(X[:, order], y, pool[:, order])
    named = FrozenEulacClassifier("logits", column_labels=order, random_state=0)
    named.fit(X[:, order], y, pool[:, order])
    np.testing.assert_array_equal(turned.columns_, np.argsort(order))
    for other in (turned, named):
        # Rows are in another order, so that folds are.
        assert other.proportion_.total == pytest.approx(plain.proportion_.total, abs=0.03)
        assert np.mean(other.held_out_labels_ == plain.held_out_labels_) > 0.95


def test_a_given_share_is_used_and_nothing_is_warned_of():
    X, y, pool, _ = drawn(0.6, sure=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = FrozenEulacClassifier("logits", known_proportion=0.6, random_state=0)
        classifier.fit(X, y, pool)
    assert classifier.proportion_.interval == (0.6, 0.6)
    assert np.mean(classifier.fit_predict(X, y, pool) == AUGMENTED) == pytest.approx(0.4, abs=0.02)


def test_rows_selected_as_new_are_mostly_so():
    X, y, pool, y_pool = drawn(0.6, sure=6.0)
    classifier = FrozenEulacClassifier("logits", random_state=0).fit(X, y, pool)
    selected = classifier.select_new(alpha=0.1)
    assert selected.sum() > 150
    assert np.mean(y_pool[selected] != 4) < 0.15


def test_a_stored_model_answers_the_same(tmp_path):
    X, y, pool, _ = drawn(0.6, n_labeled=200, n_pool=200)
    classifier = FrozenEulacClassifier("logits", random_state=0).fit(X, y, pool)
    eulac.save(classifier, tmp_path / "frozen.eulac")
    again = eulac.load(tmp_path / "frozen.eulac")
    fresh = scored(np.arange(5), np.random.default_rng(9))
    np.testing.assert_array_equal(again.predict_proba(fresh), classifier.predict_proba(fresh))


@pytest.mark.parametrize(
    ("options", "columns", "words"),
    [
        ({}, 4, r"row 0 has a smallest one of -?[\d.]+ and sums to"),
        ({"scores": "logits"}, 3, r"each of the 4 labels in `y`, 4 in all; got 3"),
        ({"scores": "logits", "oddness_column": -1}, 4, r"and one of oddness, 5 in all; got 4"),
        ({"scores": "logits", "oddness_column": 7}, 4, r"one of the 4 columns of `X`; got 7"),
        ({"scores": "margins"}, 4, "margins"),
        ({"scores": "logits", "column_labels": [0, 1, 2, 2]}, 4, r"got \[0, 1, 2, 2\]"),
    ],
)
def test_tables_that_are_no_scores_are_refused(options, columns, words):
    X, y, pool, _ = drawn(0.6, n_labeled=40, n_pool=40)
    with pytest.raises(ValueError, match=words):
        FrozenEulacClassifier(**options).fit(X[:, :columns], y, pool[:, :columns])
