import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

from eulac.direct_risk.boosted_model import StepTree
from eulac.persistence.onnx_parts.tree_nodes import (
    boosted_tables,
    in_single,
    step_tables,
    summed_trees,
    tree_table,
)
from persistence.onnx_answers import computed

pytest.importorskip("onnx", reason="needs the extra `onnx`")
rng = np.random.default_rng(0)
ROWS = rng.normal(size=(200, 3))


def test_trees_send_rows_and_gaps_where_scikit_learn_does():
    X = np.where(rng.random(ROWS.shape) < 0.2, np.nan, ROWS)
    targets = rng.normal(size=(200, 2)) + np.isnan(X[:, :2])
    trees = [DecisionTreeRegressor(max_leaf_nodes=n).fit(X, targets) for n in (4, 30)]
    tables = [tree_table(tree.tree_, tree.tree_.value[:, :, 0]) for tree in trees]
    found = computed(lambda graph, x: summed_trees(graph, in_single(graph, x), tables), X, 2)
    expected = sum(tree.predict(X) for tree in trees)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_rows_next_to_a_threshold_fall_to_the_same_side():
    tree = DecisionTreeRegressor().fit(ROWS, rng.normal(size=200))
    split = tree.tree_.threshold[tree.tree_.feature == 0]
    X = np.zeros((3 * len(split), 3))
    X[:, 0] = np.concatenate([split, np.nextafter(split, -np.inf), np.nextafter(split, np.inf)])
    tables = [tree_table(tree.tree_, tree.tree_.value[:, :, 0])]
    found = computed(lambda graph, x: summed_trees(graph, in_single(graph, x), tables), X, 1)
    np.testing.assert_allclose(found[:, 0], tree.predict(X), atol=1e-6)


def test_leaves_that_add_nothing_are_leaves_all_the_same():
    children = np.array([[1, 2], [1, 1], [2, 2]])
    steps = np.array([[9.0, 9.0], [0.0, 0.0], [0.0, 2.5]])
    tree = StepTree(children, np.zeros(3, int), np.array([0.5, 0.0, 0.0]), steps)
    X = np.array([[0.0], [0.5], [1.0]])
    found = computed(lambda graph, x: summed_trees(graph, x, step_tables([tree])), X, 2)
    np.testing.assert_array_equal(found, [[0, 0], [0, 0], [0, 2.5]])


def test_boosting_that_splits_categories_is_refused():
    X = np.column_stack([rng.integers(5, size=200), ROWS[:, 0]])
    y = X[:, 0] % 2 == 0
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=[0]).fit(X, y)
    with pytest.raises(ValueError, match="splits columns of categories by sets"):
        boosted_tables(model)
