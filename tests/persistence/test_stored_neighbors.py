"""Neighbors come back from files with trees grown from their rows, or are refused."""

import numpy as np
import pytest
from sklearn.neighbors import (
    BallTree,
    KDTree,
    KNeighborsClassifier,
    LocalOutlierFactor,
    NearestNeighbors,
)

import eulac
from eulac.exceptions import ModelFileError
from eulac.persistence.files import load, save
from eulac.persistence.model_parts import parts_of
from eulac.persistence.native_parts import check_native_parts
from eulac.persistence.stored_neighbors import (
    are_neighbors,
    neighbors_are_sound,
    with_trees,
    without_trees,
)
from persistence.forging import forged, states

X = np.random.default_rng(0).normal(size=(60, 3))
QUESTIONS = np.random.default_rng(1).normal(size=(20, 3))
WIDTHS, INVERSE = np.array([1.0, 2.0, 0.5]), np.diag([1.0, 2.0, 3.0])
NEIGHBORS = [
    {"algorithm": "kd_tree", "metric": "euclidean"},
    {"algorithm": "kd_tree", "metric": "minkowski", "p": 3},
    {"algorithm": "kd_tree", "metric": "manhattan", "leaf_size": 5},
    {"algorithm": "ball_tree", "metric": "euclidean"},
    {"algorithm": "ball_tree", "metric": "minkowski", "p": 3, "metric_params": {"w": WIDTHS}},
    {"algorithm": "ball_tree", "metric": "mahalanobis", "metric_params": {"VI": INVERSE}},
]


@pytest.mark.parametrize("settings", NEIGHBORS, ids=str)
def test_the_tree_that_is_grown_again_finds_the_same_neighbors(settings):
    near = NearestNeighbors(**settings).fit(X)
    same = without_trees(near)
    with_trees(same, "memory")
    for one, other in zip(near.kneighbors(QUESTIONS), same.kneighbors(QUESTIONS), strict=True):
        np.testing.assert_array_equal(one, other)
    assert type(same._tree.grown) is type(near._tree)
    within = [model.radius_neighbors(QUESTIONS, 1.0)[1] for model in (near, same)]
    for one, other in zip(*within, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_model_keeps_its_own_trees_when_it_is_stored():
    near = NearestNeighbors(algorithm="kd_tree").fit(X)
    assert not isinstance(without_trees([near])[0]._tree, KDTree | BallTree)
    assert isinstance(near._tree, KDTree)
    flat = NearestNeighbors(algorithm="brute").fit(X)
    assert without_trees(flat) is flat


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_y", np.full(60, 2)),
        ("_y", np.full(60, -1)),
        ("_y", np.zeros(59, dtype=int)),
        ("_y", np.zeros(60)),
        ("_fit_X", X[:, :2]),
        ("_fit_X", X[:50]),
        ("_fit_X", X[0]),
        ("_fit_X", X.tolist()),
        ("_fit_X", X.astype(object)),
        ("n_samples_fit_", 10**9),
        ("n_features_in_", 4),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_neighbors_that_would_read_outside_their_arrays_are_refused(name, value):
    near = KNeighborsClassifier(algorithm="brute", metric="manhattan").fit(X, np.arange(60) % 2)
    check_native_parts(near, "memory")
    setattr(near, name, value)
    assert not neighbors_are_sound(near)
    with pytest.raises(ModelFileError, match="a KNeighborsClassifier in it does not"):
        check_native_parts(near, "memory")


@pytest.mark.parametrize("metric", ["pyfunc", "no distance", 3])
def test_distances_that_are_not_known_by_name_grow_no_tree(metric):
    near = without_trees(NearestNeighbors(algorithm="ball_tree").fit(X))
    near.effective_metric_ = metric
    with pytest.raises(ModelFileError, match=f"one has the distance {str(metric)!r}"):
        with_trees(near, "memory")


def test_a_file_of_neighbors_holds_no_tree_and_a_forged_one_is_not_read(tmp_path):
    detector = LocalOutlierFactor(novelty=True, algorithm="kd_tree")
    clf = eulac.NoveltyClassifier(detector, random_state=0).fit(X, np.arange(60) % 2)
    path = save(clf, tmp_path / "model.eulac")
    same = load(path)
    trees = [part._tree for part in parts_of(same) if are_neighbors(part)]
    assert [tree.grown for tree in trees] == [None]  # loading takes no longer than reading
    np.testing.assert_array_equal(same.augmented_score(QUESTIONS), clf.augmented_score(QUESTIONS))
    assert save(same, tmp_path / "again.eulac").read_bytes() == path.read_bytes()

    def change(schema, parts):
        attributes = [
            s["content"]["content"] for s in states(schema) if "LocalOut" in s["__class__"]
        ]
        for one in attributes:
            if "n_samples_fit_" in one:
                one["n_samples_fit_"]["content"] = "1000000000"

    with pytest.raises(ModelFileError, match="must have rows that fit them"):
        load(forged(path, change))


def test_a_forged_file_whose_labels_are_beyond_the_classes_ends_in_a_sentence(tmp_path):
    near = KNeighborsClassifier(algorithm="brute", metric="manhattan")
    clf = eulac.TwoStageEulacClassifier(near, known_proportion=0.9, random_state=0)
    path = save(clf.fit(X, np.arange(60) % 2, X_unlabeled=X), tmp_path / "model.eulac")

    def change(schema, parts):
        for state in states(schema):
            if state["__class__"] == "KNeighborsClassifier" and "_y" in state["content"]["content"]:
                name = state["content"]["content"]["_y"]["file"]
                header = parts[name][: parts[name].index(b"\n") + 1]
                n_codes = (len(parts[name]) - len(header)) // 8
                parts[name] = header + np.full(n_codes, 10**9).tobytes()  # ended the process once

    with pytest.raises(ModelFileError, match="a KNeighborsClassifier in it does not"):
        load(forged(path, change))
