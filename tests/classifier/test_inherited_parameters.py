"""Parameters passed on to a base are seen by scikit-learn, in any order of bases."""

import inspect

import pytest
from sklearn.base import BaseEstimator, clone

from eulac.classifier.inherited_parameters import InheritsParameters


class Base(InheritsParameters, BaseEstimator):
    def __init__(self, network="auto", *, epochs=3, seed=None):
        self.network, self.epochs, self.seed = network, epochs, seed


class Left(Base):
    def __init__(self, network="auto", *, left=1, epochs=9, **shared):
        super().__init__(network, epochs=epochs, **shared)
        self.left = left


class Right(Base):
    def __init__(self, network="auto", *, right=2, **shared):
        super().__init__(network, **shared)
        self.right = right


class Both(Left, Right):
    def __init__(self, network="auto", **shared):
        super().__init__(network, **shared)


def test_parameters_of_all_bases_are_found_and_the_nearest_default_counts():
    assert Left().get_params() == {"network": "auto", "left": 1, "epochs": 9, "seed": None}
    assert Both().get_params() == Left().get_params() | {"right": 2}
    assert str(inspect.signature(Right)) == "(network='auto', *, right=2, epochs=3, seed=None)"


def test_a_base_keeps_its_own_signature():
    assert list(inspect.signature(Base).parameters) == ["network", "epochs", "seed"]
    assert "right" not in inspect.signature(Left).parameters


def test_clones_and_changes_reach_every_parameter():
    changed = clone(Both("mlp", left=5, right=6)).set_params(seed=7, epochs=8)
    expected = {"network": "mlp", "left": 5, "right": 6, "seed": 7, "epochs": 8}
    assert changed.get_params() == expected
    with pytest.raises(TypeError, match="unexpected keyword argument 'wrong'"):
        Both(wrong=1)
