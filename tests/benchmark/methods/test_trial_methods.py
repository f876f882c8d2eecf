import pytest

from eulac.benchmark.methods.method_kinds import FittedClassifier, Measurement, load
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS, find_method, require_methods

FITTED = {n: m for n, m in TRIAL_METHODS.items() if isinstance(m, FittedClassifier)}


@pytest.mark.parametrize("name", FITTED)
def test_every_classifier_can_be_built_and_does_not_scale_what_is_scaled(name):
    parameters = FITTED[name].build(random_state=0).get_params()
    assert parameters["random_state"] == 0
    # The default classifier leaves scaling to its candidates: it has no such parameter.
    if type(FITTED[name]) is FittedClassifier and not name.startswith("default"):
        assert parameters["scale"] is None


def test_every_measurement_is_a_function():
    for method in TRIAL_METHODS.values():
        if isinstance(method, Measurement):
            assert callable(load(method.home))


def test_unknown_names_are_refused_with_a_guess():
    with pytest.raises(ValueError, match="Did you mean 'osnn'"):
        find_method("osn")
    with pytest.raises(ValueError, match="unknown method 'softmax'"):
        require_methods(["softmax"], ["osnn"])
