import numpy as np
import pytest

from discovery.conftest import clouds
from eulac.discovery.new_classes import new_classes_of
from eulac.discovery.spaces import KnownRows
from eulac.discovery.ways import WAYS
from eulac.report.group_steps import group_steps


@pytest.fixture(scope="module")
def found():
    known = KnownRows(*clouds([[0, -9], [7, -9], [14, -9]], [30, 30, 30], seed=5))
    X, _ = clouds([[0, 0], [5, 0], [0, 5], [9, 9]], [30, 25, 20, 35])
    return new_classes_of(known, X, np.arange(len(X)), ways=WAYS[:1], n_classes=4)


def test_under_every_number_the_groups_shown_hold_every_row_once(found):
    steps = group_steps(found)
    rows = [*found.typical_rows, *(other.rows for other in steps.others)]
    assert len(rows) == len(steps.levels)
    assert {low for low, _, _ in steps.levels} == {3, 4, 5}
    for number in (3, 4, 5):
        shown = [
            group
            for group, (low, high, _) in zip(rows, steps.levels, strict=True)
            if low <= number <= high
        ]
        assert len(shown) == number
        together = np.concatenate(shown)
        assert sorted(together.tolist()) == np.flatnonzero(found.assignment >= 0).tolist()


def test_titles_say_what_was_merged_and_what_parted(found):
    titles = [other.title for other in group_steps(found).others]
    merged = [title for title in titles if "+" in title]
    assert len(merged) == 1
    parts = sorted(title for title in titles if "+" not in title)
    assert [part[-1] for part in parts] == ["a", "b"]
    assert len({part[:-1] for part in parts}) == 1


def test_where_nothing_is_new_there_are_no_steps():
    known = KnownRows(*clouds([[0, 0], [5, 0]], [20, 20]))
    nothing = new_classes_of(known, known.X, np.empty(0, dtype=np.intp))
    assert group_steps(nothing).levels == []
