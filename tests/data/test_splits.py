"""Draws: disjoint parts with the sizes and class shares asked for, or a sentence on why not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from eulac.data.labels import AUGMENTED
from eulac.data.splits import (
    draw_known_classes,
    draw_parts_split,
    draw_shift_environment,
    draw_split,
    min_max_scale,
    shift_priors,
)

class_sizes = st.lists(st.integers(5, 60), min_size=2, max_size=6)
sizes = st.tuples(st.integers(6, 80), st.integers(1, 90), st.integers(0, 90))
seeds = st.integers(0, 999)
proportions = st.none() | st.floats(0.1, 0.9)


def table(class_sizes):
    """Return rows whose first feature is their number, and their labels."""
    y = np.repeat(np.arange(len(class_sizes)), class_sizes)
    return np.column_stack([np.arange(len(y)), y]).astype(float), y


def drawn(X, y, sizes, **options):
    n_labeled, n_unlabeled, n_test = sizes
    return draw_split(X, y, n_labeled=n_labeled, n_unlabeled=n_unlabeled, n_test=n_test, **options)


def parts(split):
    """Return the row numbers of the labeled, unlabeled and test rows."""
    matrices = [split.sample.X_labeled, split.sample.X_unlabeled, split.X_test]
    return [X[:, 0].astype(int) for X in matrices]


def used(split):
    return tuple(len(rows) for rows in parts(split))


def known_counts(labels, known):
    return np.array([np.sum(labels == label) for label in known])


@settings(deadline=None)
@given(class_sizes=class_sizes, sizes=sizes, proportion=proportions, seed=seeds)
def test_parts_are_disjoint_and_every_row_keeps_its_label(class_sizes, sizes, proportion, seed):
    X, y = table(class_sizes)
    split = drawn(X, y, sizes, known_proportion=proportion, random_state=seed)
    labeled, unlabeled, test = parts(split)
    together = np.concatenate([labeled, unlabeled, test])
    assert len(set(together)) == len(together)
    known = split.known_classes
    truth = np.where(np.isin(y, known), y, AUGMENTED)
    np.testing.assert_array_equal(split.sample.codec.decode(split.sample.y_labeled), y[labeled])
    np.testing.assert_array_equal(split.y_unlabeled, truth[unlabeled])
    np.testing.assert_array_equal(split.y_test, truth[test])
    assert set(y[labeled]) == set(known)


@settings(deadline=None)
@given(class_sizes=class_sizes, sizes=sizes, proportion=proportions, seed=seeds)
def test_known_shares_are_those_asked_for_up_to_a_row(class_sizes, sizes, proportion, seed):
    X, y = table(class_sizes)
    split = drawn(X, y, sizes, known_proportion=proportion, random_state=seed)
    share = np.isin(y, split.known_classes).mean() if proportion is None else proportion
    for labels in (split.y_unlabeled, split.y_test):
        assert abs(np.sum(labels != AUGMENTED) - share * len(labels)) <= 0.5 + 1e-9
    assert split.known_proportion == pytest.approx(np.mean(split.y_unlabeled != AUGMENTED))
    assert split.per_class.sum() == pytest.approx(split.known_proportion)
    counts = known_counts(split.y_unlabeled, split.known_classes)
    np.testing.assert_allclose(split.per_class, counts / len(split.y_unlabeled))


@pytest.mark.parametrize(
    ("class_sizes", "options", "needed", "there"),
    [
        ([900, 10], {"known_proportion": 0.5}, "1000 rows of the augmented classes", 10),
        ([30, 900], {}, "564 rows of the known classes", 30),
        ([40, 900, 900], {"known_priors": [1, 1]}, "513 rows of class 0", 40),
    ],
)
def test_the_sentence_names_the_scarcest_rows(class_sizes, options, needed, there):
    X, y = table(class_sizes)
    known = range(len(class_sizes) - 1)
    split = draw_split(X, y, known_classes=known, random_state=0, **options)
    assert split.message.startswith("sizes scaled down from 500 labeled, 1000 unlabeled and 1000")
    assert split.message.endswith(f"because {needed} were needed and there are {there}.")
    assert repr(split).endswith(", scaled down)")


def test_a_big_table_gives_what_was_asked_for():
    split = draw_split(*table([700] * 6), random_state=0)
    assert used(split) == (500, 1000, 1000)
    assert split.message is None
    assert split.known_proportion == 0.5
    assert repr(split) == (
        "LacSplit(500 labeled rows of 3 known classes, 1000 unlabeled rows (50.0% known), "
        "1000 test rows)"
    )


def test_the_same_seed_gives_the_same_draw_and_another_seed_another():
    X, y = table([80] * 4)

    def rows(seed):
        return np.concatenate(parts(drawn(X, y, (20, 40, 40), random_state=seed)))

    np.testing.assert_array_equal(rows(3), rows(3))
    np.testing.assert_array_equal(rows(3), rows(np.random.default_rng(3)))
    assert np.any(rows(3) != rows(4))
    assert np.any(rows(None) != rows(None))


@pytest.mark.parametrize(
    "write",
    [
        lambda y: np.array(["ant", "bee", "cow", "dog"])[y],
        lambda y: np.array(["ant", "bee", "cow", "dog"], dtype=object)[y],
        lambda y: pd.Series(np.array(["ant", "bee", "cow", "dog"])[y], dtype="category"),
        lambda y: y / 1.0,
    ],
    ids=["strings", "objects", "categorical", "floats"],
)
def test_the_draw_does_not_depend_on_how_labels_are_written(write):
    X, y = table([50] * 4)
    plain, other = (drawn(X, labels, (20, 30, 30), random_state=1) for labels in (y, write(y)))
    for one, two in zip(parts(plain), parts(other), strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(plain.y_test == AUGMENTED, ~np.isin(other.y_test, write(y)))


def test_extreme_shares_and_an_empty_test_part_are_allowed():
    X, y = table([50] * 4)
    all_new = drawn(X, y, (20, 30, 0), known_proportion=0, random_state=0)
    assert all_new.known_proportion == 0
    assert np.all(all_new.per_class == 0)
    assert all_new.X_test.shape == (0, 2)
    closed = drawn(X, y, (20, 30, 30), known_classes=[0, 1, 2, 3], random_state=0)
    assert closed.known_proportion == 1


def test_rows_may_be_images():
    X = np.arange(80 * 12).reshape(80, 2, 2, 3)
    split = drawn(X, np.arange(80) % 4, (10, 20, 20), random_state=0)
    assert split.X_test.shape == (20, 2, 2, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"known_classes": [0, 9]},
            r"must be classes of `y`.* got \[0, 9\]. Classes of `y`: \[0,",
        ),
        ({"known_classes": ["0"]}, r"got \['0'\]"),
        ({"known_classes": []}, r"at least one; got \[\]"),
        ({"known_proportion": 1.2}, r"must lie in \[0, 1\]; got 1.2"),
        ({"known_classes": range(4), "known_proportion": 0.5}, "known classes only; got 0.5"),
        ({"known_priors": [1, 2, 3]}, r"`known_priors` must be 2 numbers.* got \[1.0, 2.0, 3.0\]"),
        ({"labeled_priors": [0, 0]}, r"`labeled_priors` must be .* got \[0.0, 0.0\]"),
        ({"n_labeled": 1}, "`n_labeled` must be at least 2, a row for every known class; got 1"),
        ({"n_unlabeled": 0}, "`n_unlabeled` must be at least 1 .* got 0 and 1000"),
    ],
)
def test_wrong_settings_are_refused_with_the_value(options, message):
    with pytest.raises(ValueError, match=message):
        draw_split(*table([20] * 4), **options)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.eye(3), [0, 1], r"got shape \(3, 3\) for 2 labels"),
        (np.ones(2), [0, 1], r"got shape \(2,\) for 2 labels"),
        (np.eye(4), [0, 1, -1, -1], "`y` has 2 rows marked -1 or missing, unlabeled"),
        (np.eye(4), [0, 1, np.nan, 1], "`y` has 1 rows marked -1 or missing"),
        (np.eye(2), [0, 1], r"they have \[1\] rows. Drop classes as small as this"),
    ],
)
def test_tables_that_cannot_be_drawn_from_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        draw_split(X, y, random_state=0)


@given(n_classes=st.integers(1, 12), seed=seeds)
def test_half_of_the_classes_are_augmented_by_default(n_classes, seed):
    known = draw_known_classes(np.tile(np.arange(n_classes), 30), random_state=seed)
    assert len(known) == n_classes - n_classes // 2
    assert np.all(np.diff(known) > 0)


def test_every_class_is_drawn_as_often_as_any_other():
    y = np.tile(np.arange(6), 5)
    draws = [draw_known_classes(y, n_augmented=2, random_state=seed) for seed in range(600)]
    counts = np.bincount(np.concatenate(draws))
    assert np.all(np.abs(counts - 400) < 4 * np.sqrt(600 * (2 / 3) * (1 / 3)))


@pytest.mark.parametrize("n_augmented", [-1, 3])
def test_at_least_one_class_stays_known(n_augmented):
    with pytest.raises(ValueError, match=rf"must lie in \[0, 2\].* got {n_augmented}\."):
        draw_known_classes([0, 1, 2, 0, 1, 2], n_augmented=n_augmented)


@given(n_known_classes=st.integers(1, 20), shift_intensity=st.floats(0, 1, exclude_max=True))
def test_shifted_priors_are_shares_that_rise_evenly(n_known_classes, shift_intensity):
    priors = shift_priors(n_known_classes, shift_intensity)
    assert priors.sum() == pytest.approx(1)
    assert np.all(priors > 0)
    np.testing.assert_allclose(np.diff(priors, n=2), 0, atol=1e-12)
    if n_known_classes > 1:
        ratio = (1 + shift_intensity) / (1 - shift_intensity)
        assert priors[-1] / priors[0] == pytest.approx(ratio)


def test_shifted_priors_are_those_of_the_paper():
    alpha = 0.7
    paper = np.array([1 - alpha, 1 - alpha / 2, 1, 1 + alpha / 2, 1 + alpha]) * 0.2
    np.testing.assert_allclose(shift_priors(5, alpha), paper)


@pytest.mark.parametrize("shift_intensity", [-0.1, 1.0, float("nan")])
def test_a_shift_outside_its_range_is_refused(shift_intensity):
    with pytest.raises(ValueError, match=rf"must lie in \[0, 1\).* got {shift_intensity}\."):
        shift_priors(5, shift_intensity)
    with pytest.raises(ValueError, match=r"`n_known_classes` must be at least 1; got 0"):
        shift_priors(0, 0.5)


def test_the_shift_environment_is_that_of_the_paper():
    X, y = table([600] * 10)
    split = draw_shift_environment(X, y, shift_intensity=0.5, random_state=0)
    assert split.known_classes.tolist() == [1, 3, 5, 7, 9]
    assert split.known_proportion == 0.5
    np.testing.assert_allclose(split.sample.labeled_frequency, 0.2)
    np.testing.assert_allclose(split.per_class, 0.5 * shift_priors(5, 0.5))
    assert split.message is None
    np.testing.assert_array_equal(
        known_counts(split.y_test, [1, 3, 5, 7, 9]), [50, 75, 100, 125, 150]
    )


def test_the_shift_environment_takes_other_known_classes():
    X, y = table([300] * 4)
    options = {"known_classes": [2, 0, 2], "known_proportion": 0.25, "n_labeled": 10}
    split = draw_shift_environment(X, y, shift_intensity=0.6, n_unlabeled=80, n_test=8, **options)
    assert split.known_classes.tolist() == [0, 2]
    np.testing.assert_allclose(split.per_class, [0.05, 0.2])
    with pytest.raises(ValueError, match=r"at least one; got \[\]"):
        draw_shift_environment(np.eye(3), [5, 5, 5], shift_intensity=0.6)


@given(
    X=arrays(
        float,
        array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(-1e300, 1e300),
    )
)
def test_scaled_features_span_the_unit_interval_or_are_zero(X):
    before = X.copy()
    scaled = min_max_scale(X)
    constant = np.ptp(X, axis=0) == 0
    assert np.all(scaled.min(axis=0) == 0)
    np.testing.assert_array_equal(scaled.max(axis=0), np.where(constant, 0, 1))
    np.testing.assert_array_equal(X, before)


def test_scaling_keeps_single_precision_and_makes_bytes_single():
    assert min_max_scale(np.eye(2, dtype=np.float32)).dtype == np.float32
    assert min_max_scale(np.array([[0], [51], [255]], dtype=np.uint8)).tolist() == [
        [0.0],
        [pytest.approx(0.2)],
        [1.0],
    ]


def test_parts_are_never_mixed_and_small_ones_are_divided():
    X, y = np.arange(200.0)[:, None], np.arange(200) % 4
    split = draw_parts_split(X, y, 150, known_classes=[0, 1], n_labeled=20, random_state=0)
    assert split.sample.X_labeled.max() < 150
    assert min(split.sample.X_unlabeled.min(), split.X_test.min()) >= 150
    assert (split.sample.n_unlabeled, len(split.X_test)) == (25, 25)
    rows = np.concatenate([split.sample.X_unlabeled, split.X_test]).ravel()
    assert len(np.unique(rows)) == 50
