import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from eulac.exceptions import ModelFileError
from eulac.persistence.native_parts import check_native_parts


def test_a_forest_behind_a_pipeline_has_trees_of_its_own_width():
    X, y = np.random.default_rng(0).normal(size=(40, 6)), np.arange(40) % 2
    forest = ExtraTreesClassifier(3, random_state=0).fit(X, y)
    narrow = ExtraTreesClassifier(3, random_state=0).fit(X[:, :2], y)
    pipeline = make_pipeline(PCA(2), narrow).fit(X, y)
    check_native_parts({"whole": forest, "piped": pipeline}, "memory")
    narrow = pipeline[-1]
    narrow.estimators_ = forest.estimators_  # would read four features past each row
    with pytest.raises(ModelFileError, match=r"must see the 2 features .* one sees 6"):
        check_native_parts({"whole": forest, "piped": pipeline}, "memory")


def test_a_forest_has_as_many_classes_as_it_says():
    forest = RandomForestClassifier(2, random_state=0).fit(np.eye(4), [0, 1, 0, 1])
    check_native_parts(forest, "memory")
    forest.n_classes_ = 10**9
    with pytest.raises(ModelFileError, match="a RandomForestClassifier in it does not"):
        check_native_parts(forest, "memory")


def test_the_order_of_columns_is_a_permutation_of_as_many():
    forest = RandomForestClassifier(2, random_state=0).fit(np.eye(4), [0, 1, 0, 1])
    forest.column_order_ = np.array([3, 0, 1, 2])
    check_native_parts(forest, "memory")
    for forged in (np.zeros(10**6, dtype=int), np.array([0, 1, 2, 4]), np.array([0, 0, 1, 2])):
        forest.column_order_ = forged
        with pytest.raises(ModelFileError, match="a RandomForestClassifier in it does not"):
            check_native_parts(forest, "memory")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("init", [None, "zero"])
def test_boosting_in_stages_has_as_many_trees_a_stage_as_numbers_a_row(n_classes, init):
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % n_classes
    boosting = GradientBoostingClassifier(n_estimators=2, init=init).fit(X, y)
    check_native_parts(boosting, "memory")
    boosting.estimators_ = np.repeat(boosting.estimators_, 9, axis=1)  # would write past each row
    with pytest.raises(ModelFileError, match="a GradientBoostingClassifier in it does not"):
        check_native_parts(boosting, "memory")


def test_boosting_in_stages_starts_from_what_does_not_look_at_rows():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    started = GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()).fit(X, y)
    with pytest.raises(ModelFileError, match="gradient boosting with `init=`"):
        check_native_parts(started, "memory")


def test_centers_are_as_wide_as_the_rows_they_are_compared_with():
    centers = KMeans(3, n_init=1).fit(np.random.default_rng(0).normal(size=(60, 4)))
    check_native_parts(centers, "memory")
    centers.cluster_centers_ = centers.cluster_centers_[:, :1]
    with pytest.raises(ModelFileError, match="a KMeans in it does not"):
        check_native_parts(centers, "memory")


def test_nothing_is_hidden_under_a_mask():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    staged = GradientBoostingClassifier(n_estimators=2).fit(X, y)
    binned = HistGradientBoostingClassifier(max_iter=2, early_stopping=False).fit(X, y)
    for boosting in (staged, binned):
        check_native_parts(boosting, "memory")
    staged.estimators_ = np.ma.masked_all_like(staged.estimators_)
    tree = binned._predictors[0][0]
    tree.nodes = np.ma.array(tree.nodes)
    for boosting in (staged, binned):
        with pytest.raises(ModelFileError, match="must fit each other"):
            check_native_parts(boosting, "memory")


def test_results_of_a_search_may_be_masked():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    grid = [{"C": [1.0]}, {"fit_intercept": [False]}]
    search = GridSearchCV(LogisticRegression(), grid, cv=2).fit(X, y)
    assert any(isinstance(one, np.ma.MaskedArray) for one in search.cv_results_.values())
    check_native_parts(search, "memory")
