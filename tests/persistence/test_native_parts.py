import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
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
