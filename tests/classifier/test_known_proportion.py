"""From what a user passes to an estimator object."""

import numpy as np
import pytest

from eulac.classifier.known_proportion import choose_proportion, said_of_moved_classes
from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.estimate import ProportionEstimator
from eulac.proportion.given import GivenProportion
from eulac.proportion.shifted import ShiftedProportion


@pytest.mark.parametrize("given", [0.3, 1, np.float32(0.5), [0.2, 0.3], np.array([0.1]), (0.5,)])
def test_numbers_are_taken_as_given(given):
    chosen = choose_proportion(given)
    assert isinstance(chosen, GivenProportion)
    assert chosen.known_proportion is given


def test_auto_is_an_estimator_with_the_seed_and_cores_it_was_handed():
    chosen = choose_proportion("auto", random_state=7, n_jobs=2)
    assert isinstance(chosen, ProportionEstimator)
    assert not isinstance(chosen, GivenProportion)
    assert chosen.random_state == 7
    assert chosen.n_jobs == 2


def test_an_estimator_is_itself():
    estimator = BestBinProportion(random_state=1)
    assert choose_proportion(estimator, random_state=2) is estimator
    assert estimator.random_state == 1


def test_anything_with_an_estimate_method_will_do():
    class Mine:
        def estimate(self, sample):
            return None

    mine = Mine()
    assert choose_proportion(mine) is mine


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("half", ValueError),
        ("", ValueError),
        (None, TypeError),
        (1j, TypeError),
        (BestBinProportion, TypeError),  # the class, not an object
    ],
)
def test_other_things_are_refused_with_what_they_are(given, error):
    message = r"`known_proportion` must be 'auto', a number in \[0, 1\], one number per known"
    with pytest.raises(error, match=message) as caught:
        choose_proportion(given)
    assert str(caught.value).endswith(f"got {given!r}.")


def test_one_number_is_divided_by_estimated_priors_where_they_shift_and_many_are_not():
    total = choose_proportion(0.6, True, random_state=3)
    assert isinstance(total, ShiftedProportion)
    assert (total.estimator.known_proportion, total.random_state) == (0.6, 3)
    assert isinstance(choose_proportion([0.3, 0.3], True), GivenProportion)
    assert isinstance(choose_proportion(0.6, False), GivenProportion)


def test_classes_that_moved_as_a_whole_are_named():
    assert said_of_moved_classes({}) == ""
    assert said_of_moved_classes({"moved_classes": ["cow"]}).startswith("Class 'cow' has moved")
    several = said_of_moved_classes({"moved_classes": ["ant", "cow"]})
    assert several.startswith("Classes 'ant', 'cow' have moved as a whole")
    many = said_of_moved_classes({"moved_classes": ["ant", "bee", "cow", "dog", "emu"]})
    assert many.startswith("Classes 'ant', 'bee', 'cow' and 2 more have moved as a whole")


def test_of_many_classes_that_moved_three_are_named_and_the_others_counted():
    four = said_of_moved_classes({"moved_classes": np.array(["a", "b", "c", "d"], dtype=object)})
    assert four.startswith("Classes 'a', 'b', 'c' and 1 more have moved")
    assert said_of_moved_classes({"moved_classes": np.array([])}) == ""


@pytest.mark.parametrize("shift", ["auto", True, False])
def test_auto_is_told_whether_priors_and_classes_may_have_moved(shift):
    chosen = choose_proportion("auto", shift, False)
    assert (chosen.shift, chosen.drift) == (shift, False)
    assert choose_proportion("auto").drift == "auto"


def test_an_estimator_is_wrapped_only_where_priors_shift():
    estimator = BestBinProportion(random_state=1)
    wrapped = choose_proportion(estimator, True, random_state=2, n_jobs=3)
    assert isinstance(wrapped, ShiftedProportion)
    assert (wrapped.estimator, wrapped.shift, wrapped.n_jobs) == (estimator, True, 3)
