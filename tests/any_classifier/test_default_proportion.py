"""The proportion of the default classifier: read twice, without columns that moved alone."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB

from eulac import EulacClassifier, KernelMeanProportion, TwoStageEulacClassifier
from eulac.any_classifier import default_proportion
from eulac.any_classifier.default_proportion import default_estimate, read_table
from eulac.classifier.input_rows import open_table
from eulac.data.lac_table import LacTable, in_value_order
from eulac.exceptions import SeparatingColumnWarning
from eulac.proportion.estimate import ProportionEstimate

pytestmark = pytest.mark.usefixtures("small_class_view")
CENTERS = 6.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])


def table_with(extra, n_labeled=120, n_unlabeled=160, seed=0):
    """Three known classes and a new one, two columns of noise, and one more column."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_labeled) % 3
    kinds = rng.permutation(np.append(np.arange(n_unlabeled // 2) % 3, [3] * (n_unlabeled // 2)))
    rows = rng.normal(CENTERS[np.append(y, kinds)])
    noise = rng.normal(size=(len(rows), 2))
    frame = pd.DataFrame(np.hstack([rows, noise]), columns=["a", "b", "c", "d"])
    frame["e"] = extra(np.arange(len(rows)))
    return frame, np.append(y, np.full(n_unlabeled, -1))


def settings(**changes):
    classifier = EulacClassifier(**{"shift": False, **changes})
    classifier.closed_set_ = False
    return classifier


def test_a_running_number_is_left_out_by_name_and_the_share_is_found():
    X, y = table_with(np.positive)
    classifier = EulacClassifier(shift=False, random_state=0)
    classifier.image_shape_ = None
    rows = X[list("ecadb")], y, None  # columns are sorted by name at the door
    table, seed = open_table(classifier, *rows, inner=ExtraTreesClassifier(), by_name=True)
    with pytest.warns(SeparatingColumnWarning, match="column 'e' would make nearly all"):
        table, found = classifier._read(table, seed)
    assert list(table.X.columns) == list("abcd")
    assert classifier.left_out_columns_.tolist() == [0]  # where the user had it
    assert found.estimate.total == pytest.approx(0.5, abs=0.1)


def read_frame(X, y, **changes):
    classifier = settings(random_state=0, **changes)
    classifier.image_shape_ = None
    table, seed = open_table(classifier, X, y, None, inner=ExtraTreesClassifier(), by_name=True)
    return read_table(classifier, table, seed)


def half_a_sensor(rng, n_labeled=150, n_unlabeled=400):
    """Columns of noise, one of them off by a deviation in the pool, not for each new row."""
    X, y = table_with(np.sin, n_labeled, n_unlabeled)
    X["e"], X["f"], X["g"], X["h"] = rng.normal(size=(4, len(X)))
    known = (y >= 0) | (X[["a", "b"]].max(axis=1) < 9.0) | (X[["a", "b"]].min(axis=1) < 3.0)
    X.loc[(y < 0) & known, "e"] += 1.0
    return X, y


def test_a_column_that_moved_within_most_classes_is_left_out_if_nothing_else_moved():
    X, y = half_a_sensor(np.random.default_rng(1))
    with pytest.warns(SeparatingColumnWarning, match="column 'e' moved within most known classes"):
        found = read_frame(X, y)
    assert found.left_out.tolist() == [4]
    assert found.estimate.total == pytest.approx(0.5, abs=0.1)
    assert np.ptp(found.estimate.interval) < 0.4


def test_a_column_is_left_out_if_both_readings_come_together_without_it(monkeypatch):
    monkeypatch.setattr(default_proportion, "_moved_alike", lambda *_: np.empty(0, dtype=np.intp))
    X, y = half_a_sensor(np.random.default_rng(1))
    with pytest.warns(SeparatingColumnWarning, match="'e' would make many unlabeled rows new"):
        found = read_frame(X, y)
    assert found.left_out.tolist() == [4]
    assert found.estimate.total == pytest.approx(0.5, abs=0.1)
    # New rows may differ in this column alone: the interval reaches down to what it says.
    monkeypatch.setattr(default_proportion, "CLEAR_GAP", 1.0)
    with_it = read_frame(X, y)
    assert with_it.left_out.size == 0
    lowest = with_it.estimate.diagnostics["readings"]["as_labeled"]["interval"][0]
    assert found.estimate.interval[0] <= lowest < 0.35
    reach = found.estimate.total - found.estimate.interval[0]
    assert 1.96 * found.estimate.standard_error >= 0.999 * reach


@pytest.mark.filterwarnings("ignore::eulac.exceptions.DriftWarning")
def test_a_column_stays_if_the_rest_is_doubted_too(monkeypatch):
    monkeypatch.setattr(default_proportion, "_moved_alike", lambda *_: np.empty(0, dtype=np.intp))
    monkeypatch.setattr(ProportionEstimate, "doubts_condition", True)
    assert read_frame(*half_a_sensor(np.random.default_rng(1))).left_out.size == 0


MOVED = [0, 3, 5, 7, 8]


def half_of_the_columns_moved():
    """Ten columns that all tell kinds apart, five of them off by a deviation in the pool."""
    rng = np.random.default_rng(3)
    centers = rng.normal(0, 2.5, (4, 10))
    y, kinds = np.arange(150) % 3, np.append(np.arange(200) % 3, np.full(200, 3))
    X, pool = rng.normal(centers[y]), rng.normal(centers[kinds])
    pool[:, MOVED] += X.std(axis=0)[MOVED]
    return in_value_order(LacTable.from_masked(X, y, pool), 0)


def read_arrays(table):
    classifier = settings(random_state=0)
    classifier.image_shape_ = None
    return read_table(classifier, table, 0)


def test_half_of_the_columns_are_left_out_if_without_them_a_good_part_is_known():
    with pytest.warns(SeparatingColumnWarning, match="would make nearly all unlabeled rows new"):
        found = read_arrays(half_of_the_columns_moved())
    assert set(MOVED) >= set(found.left_out.tolist())  # the fewest that suffice
    assert len(found.left_out) >= 4
    assert found.estimate.total == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("seed", [6, 9, 14])
def test_where_a_column_moved_beside_one_that_tells_new_rows_the_interval_holds(seed):
    rng = np.random.default_rng(seed)
    means = 3.5 * np.eye(5, 6)
    y, truth = np.arange(200) % 4, np.where(rng.random(400) < 0.6, np.arange(400) % 4, 4)
    X, pool = rng.normal(means[y]), rng.normal(means[truth])
    pool[truth < 4, 5] += 2.0
    table = in_value_order(LacTable.from_masked(X, y, pool), 0)
    with pytest.warns(SeparatingColumnWarning):
        found = read_arrays(table)
    low, high = found.estimate.interval
    assert low <= np.mean(truth < 4) <= high
    assert 4 not in found.left_out or low < 0.1  # the interval says that it may have been wrong


@pytest.mark.parametrize("n_known", [1, 2, 3])
def test_another_unit_is_found_however_few_classes_are_known(n_known):
    rng = np.random.default_rng(0)
    centers = rng.normal(0, 3, (n_known + 2, 6))
    y = np.arange(200) % n_known
    kinds = np.append(np.arange(100) % n_known, n_known + np.arange(100) % 2)
    X, pool = rng.normal(centers[y]), rng.normal(centers[kinds])
    pool[:, 2] += 100.0
    table = in_value_order(LacTable.from_masked(X, y, pool), 0)
    with pytest.warns(SeparatingColumnWarning, match="column 2 would make nearly all"):
        found = read_arrays(table)
    assert found.left_out.tolist() == [2]
    assert found.estimate.total == pytest.approx(0.5, abs=0.1)


@pytest.mark.filterwarnings("ignore::eulac.exceptions.DriftWarning")
def test_candidates_of_the_user_see_all_columns_and_so_does_the_share():
    X, y = table_with(np.positive)
    bayes = TwoStageEulacClassifier(GaussianNB(), n_folds=3)
    classifier = EulacClassifier({"bayes": bayes}, shift=False, random_state=0)
    classifier.image_shape_ = None
    table, seed = open_table(classifier, X, y, None, inner=GaussianNB())
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeparatingColumnWarning)
        _, found = classifier._read(table, seed)
    assert classifier.left_out_columns_.size == 0
    assert np.ptp(found.estimate.interval) > 0.9  # what the column hides may be known


def test_directions_of_sparse_rows_are_not_taken_for_columns():
    estimate = SimpleNamespace(diagnostics={"drift": {"moved_within": {0: 3, 4: 2}}})
    dense, thin = np.eye(6), sparse.csr_array(np.eye(6))
    found = [
        default_proportion._classes_within(SimpleNamespace(X=X), estimate) for X in (dense, thin)
    ]
    assert found == [{0: 3, 4: 2}, {}]


def test_columns_whose_room_says_nothing_are_found_by_what_moved_within_the_classes(monkeypatch):
    rooms = np.ones(10)
    rooms[3] = 0.05  # the only one that stands out by itself
    monkeypatch.setattr(default_proportion, "column_rooms", lambda X, n_labeled: rooms)
    with pytest.warns(SeparatingColumnWarning):
        found = read_arrays(half_of_the_columns_moved())
    assert set(MOVED) >= set(found.left_out.tolist()) >= {3}
    assert len(found.left_out) >= 4
    assert found.estimate.total == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize(
    ("moved", "unevenness", "may"), [(0.2, 3.0, False), (0.4, 3.0, True), (0.2, 99.0, True)]
)
def test_columns_are_blamed_only_where_another_view_knows_a_good_part(moved, unevenness, may):
    readings = {"may_have_moved": {"known_proportion": moved}}
    drift = {"unevenness": unevenness}
    estimate = SimpleNamespace(diagnostics={"readings": readings, "drift": drift})
    assert default_proportion._may_be_hidden(estimate) is may


def test_a_warning_does_not_name_all_of_very_many_columns():
    table = SimpleNamespace(X=np.zeros((2, 30)))
    suspects = default_proportion._Suspects(np.arange(13), "seem odd", "the others do not")
    with pytest.warns(SeparatingColumnWarning, match=r"columns 0, 1, .*7, and 5 more seem odd"):
        default_proportion._warn(table, suspects)


@pytest.mark.slow
def test_a_column_that_moved_within_many_classes_is_left_out():
    rng, y = np.random.default_rng(1), np.repeat(np.arange(22), 25)
    centers = rng.normal(0, 4, (22, 8))
    X, pool = rng.normal(centers[y]), rng.normal(centers[y])
    pool[:, 2] += 1.5
    classifier = settings(random_state=0)
    classifier.image_shape_ = None
    table = in_value_order(LacTable.from_masked(X, y, pool), 0)
    with pytest.warns(SeparatingColumnWarning, match="column 2 moved within most known classes"):
        assert read_table(classifier, table, 0).left_out.tolist() == [2]


def test_columns_without_names_are_called_by_their_places_in_the_table_of_the_user():
    X = np.column_stack([np.arange(6.0), np.arange(6.0), [1.0, np.nan, 2.0, 3.0, 4.0, 5.0]])
    nothing, first = np.empty(0, dtype=np.intp), np.array([0])
    assert default_proportion._names_or_places(X, nothing) == [0, 1, 2, "2 missing"]
    assert default_proportion._names_or_places(X[:, 1:], first) == [1, 2, "2 missing"]
    assert (
        default_proportion._names_or_places(pd.DataFrame(X, columns=list("abc")), nothing)[0] == "a"
    )


@pytest.mark.filterwarnings("ignore::eulac.exceptions.DriftWarning")
def test_a_column_stays_where_more_than_it_has_moved():
    X, y = half_a_sensor(np.random.default_rng(1))
    X.loc[y < 0, ["c", "d", "f", "g"]] += 1.5  # too many to be left out
    assert read_frame(X, y).left_out.tolist() == []


@pytest.mark.usefixtures("small_forest")
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_the_order_of_columns_changes_no_bit_of_the_default():
    X, y = table_with(np.sin, n_labeled=40, n_unlabeled=50)
    found = []
    for names in (list("ecadb"), list("abcde")):
        classifier = EulacClassifier(known_proportion=0.5, shift=False, random_state=0).fit(
            X[names], y
        )
        assert classifier.feature_names_in_.tolist() == names
        assert classifier.fit_rows_.is_pool(X[names][y == -1])
        found.append(classifier.predict_proba(X[names] + 0.25))
    np.testing.assert_array_equal(*found)


def test_where_drift_is_ruled_out_every_column_counts():
    table = LacTable.from_masked(*table_with(np.positive))
    estimate, left_out, guesses = read_table(settings(drift=False), table, 0)
    assert guesses is None
    assert left_out.size == 0
    assert estimate.total < 0.1


def test_a_table_in_order_keeps_its_columns():
    noise = np.random.default_rng(1).normal(size=600)
    table = LacTable.from_masked(*table_with(lambda at: noise[at]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeparatingColumnWarning)
        estimate, left_out, _ = read_table(settings(), table, 0)
    assert left_out.size == 0
    assert estimate.total == pytest.approx(0.5, abs=0.1)


def test_an_estimator_that_reads_rows_is_refused_where_they_are_no_numbers():
    X, y = table_with(lambda at: ["red"] * len(at))
    table, classifier = (
        LacTable.from_masked(X, y),
        settings(known_proportion=KernelMeanProportion()),
    )
    with pytest.raises(ValueError, match="must be 'auto' or a number; got KernelMeanProportion"):
        default_estimate(classifier, table, 0)


def test_candidates_of_the_user_see_all_columns():
    X, y = table_with(np.positive)
    classifier = EulacClassifier([TwoStageEulacClassifier(GaussianNB())], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(X, y)
    assert classifier.left_out_columns_.size == 0
