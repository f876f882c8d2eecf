from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

import eulac
from eulac.any_classifier.default_proportion import TableReading
from eulac.any_classifier.image_rows import (
    NETWORKS,
    beside_networks,
    clear_reading,
    image_shape,
    most_rows,
    pixels,
)
from eulac.any_classifier.large_tables import MOST_ROWS
from eulac.data.labels import AUGMENTED
from eulac.exceptions import DriftWarning
from eulac.persistence.files import load, save
from eulac.proportion.given import GivenProportion


def test_rows_with_two_or_three_axes_of_their_own_are_images():
    assert image_shape(np.zeros((4, 8, 9))) == (8, 9)
    assert image_shape(np.zeros((4, 8, 9, 3))) == (8, 9, 3)
    assert image_shape(np.zeros((4, 8))) is None
    assert image_shape(["a text", "another"]) is None


def test_more_labeled_images_are_learned_from_than_rows_of_a_table():
    """Networks go on to gain where families of tables have stopped."""
    assert most_rows(None) is None
    assert most_rows((28, 28))[0] > MOST_ROWS[0]
    assert most_rows((28, 28))[1] >= MOST_ROWS[1]


def test_pixels_stand_in_the_order_of_the_image():
    images = np.arange(12.0).reshape(2, 2, 3)
    np.testing.assert_array_equal(pixels(images, (2, 3)), np.arange(12.0).reshape(2, 6))
    rows = np.zeros((2, 6))
    assert pixels(rows, (2, 3)) is rows
    with pytest.raises(ValueError, match=r"in `fit`, \(3, 2\); got \(2, 3\)"):
        pixels(images, (3, 2))


def test_without_torch_images_are_refused_with_what_to_do(monkeypatch):
    monkeypatch.delattr(eulac, "EnsembleEulacClassifier", raising=False)
    monkeypatch.setitem(eulac._MISSING, "EnsembleEulacClassifier", ("PyTorch", "deep"))
    assert beside_networks({}, None, None, None) == {}
    with pytest.raises(ImportError, match=r"shape \(8, 8\) and no PyTorch. Install it with"):
        beside_networks({}, (8, 8), None, None)


def digit_task(order, n_labeled):
    X, y = load_digits(return_X_y=True)
    X, y = X[order].reshape(-1, 8, 8), y[order]
    labeled = np.flatnonzero(y < 3)[:n_labeled]
    pool = np.setdiff1d(np.flatnonzero(y < 5), labeled)
    return X[labeled], y[labeled], X[pool], np.where(y[pool] < 3, y[pool], AUGMENTED)


@pytest.fixture(scope="module")
def digits():
    return digit_task(np.random.default_rng(0).permutation(1797)[:700], 140)


@pytest.fixture(scope="module")
def fitted(digits):
    pytest.importorskip("torch", reason="needs the extra `deep`")
    from eulac.deep import network_classifier
    from eulac.deep.runs import run_plan

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network_classifier, "FEWEST_BATCHES", 10)
        patch.setattr(run_plan, "FEWEST_EPOCHS", 5)
        patch.setattr(run_plan, "IMAGE_STEPS", 50)
        X, y, pool, _ = digits
        clf = eulac.EulacClassifier(n_folds=2, random_state=0)
        return clf, clf.fit_predict(X, y, X_unlabeled=pool)


@pytest.mark.slow
def test_the_default_classifier_trains_networks_where_rows_are_images(digits, fitted):
    clf, labels = fitted
    assert clf.image_shape_ == (8, 8)
    assert NETWORKS in clf.selection_.names
    # Networks of so few steps are sure of nothing, and the share read off the pixels counts.
    assert clf.proportion_.method == "two_readings"
    assert clf.proportion_.standard_error < 0.1
    assert np.mean(labels == digits[3]) > 0.85
    assert len(clf.new_p_values()) == len(digits[2])
    few = digits[2][:30]
    np.testing.assert_array_equal(
        clf.predict_proba(few), clf.predict_proba(few.reshape(len(few), -1))
    )


@pytest.mark.parametrize(("share_used", "stands"), [(1.0, True), (0.6, False)])
def test_networks_are_left_out_only_where_readings_lie_clearly_apart(share_used, stands):
    estimate = GivenProportion(0.5).fit(np.eye(4), [0, 1, -1, -1]).estimate_
    estimate = replace(estimate, diagnostics={"drift": {"share_used": share_used}})
    found = clear_reading(TableReading(estimate, np.empty(0, dtype=int), np.array([0, 2])))
    assert (found.guesses is not None) is stands
    if stands:
        assert beside_networks({"trees": 1}, (8, 8), found, None) == {"trees": 1}


@pytest.mark.slow
def test_where_known_classes_have_moved_pixels_answer_without_networks():
    # The first writers of these digits are not those of the others.
    X, y, pool, truth = digit_task(np.arange(1000), 120)
    clf = eulac.EulacClassifier(n_folds=3, random_state=0)
    with pytest.warns(DriftWarning):
        labels = clf.fit_predict(X, y, X_unlabeled=pool)
    assert NETWORKS not in clf.selection_.names
    assert np.mean(labels == truth) > 0.75


@pytest.mark.slow
def test_the_default_classifier_of_images_comes_back_from_a_file(digits, fitted, tmp_path):
    clf, pool = fitted[0], digits[2]
    same = load(save(clf, tmp_path / "digits.eulac"))
    np.testing.assert_allclose(same.predict_proba(pool[:20]), clf.predict_proba(pool[:20]))
