import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree._tree import Tree

from eulac.persistence.model_parts import children, parts_of


def test_every_tree_of_a_forest_is_found_once_in_whatever_holds_it():
    forest = RandomForestClassifier(3, random_state=0).fit(np.eye(4), [0, 1, 0, 1])
    held = np.empty(1, dtype=object)
    held[0] = {"forests": [forest, forest]}
    assert sum(isinstance(part, Tree) for part in parts_of((held, {forest}))) == 3


def test_numbers_and_texts_have_no_parts():
    assert list(parts_of([1, 2.0, "text", b"bytes", None, np.zeros(3)])) == []
    assert children(np.zeros(3)) == []
