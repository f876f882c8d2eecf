import numpy as np
import pytest

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments.named_groups import (
    EXPERIMENT,
    LEARNED,
    METHODS,
    SPENT,
    ask_for_names,
    name_the_groups,
)
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial

SIZES = {"n_labeled": 100, "n_unlabeled": 240, "known_proportion": 0.5, "n_test": 150}


@pytest.fixture(scope="module")
def opened():
    return OpenDraw(Draw("digits", conditions=SIZES))


# With a hundred labeled rows two estimates of the share differ; a trial keeps such warnings.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eulac.exceptions.ProportionDisagreementWarning")
def test_naming_groups_is_worth_more_than_as_many_labels_and_less_than_all(opened):
    found = name_the_groups(opened)
    assert found["before"] < 0.6
    assert found["before"] < found["as_many_labels"] < found["named"] < found["full"]
    assert found["named"] <= found["grouped"]
    assert found["labels_20"] < found["asked_20"]
    assert 3 <= found["n_names"] <= 9


@pytest.mark.slow
def test_answers_name_more_rows_with_groups_than_without_and_more_by_order_than_by_chance(opened):
    found = ask_for_names(opened)
    assert found["next_10"] > found["random_10"]
    assert found["random_10"] > found["nearest_10"]
    assert found["next_80"] > found["next_5"]


def test_the_tables_show_what_is_closed_and_what_answers_are_worth():
    draw = Draw("usps")
    told = {"before": 0.5, "as_many_labels": 0.6, "named": 0.8, "grouped": 0.86, "full": 0.9}
    told |= {"n_names": 5.0}
    told |= {f"{kind}_{n}": 0.7 for kind in ("asked", "labels") for n in LEARNED}
    curve = {f"{kind}_{n}": 0.5 for kind in ("next", "random", "nearest") for n in SPENT}
    records = [
        Record(Trial("loop", draw, "named_groups"), metrics=told),
        Record(Trial("loop", draw, "next_rows"), metrics=curve),
    ]
    shown, files = EXPERIMENT.part(Section("loop", "Naming", "d", records))
    named, _, learned, _, asked, _ = shown
    line = "| usps | 50.0 | 60.0 | 80.0 | 86.0 | 90.0 | 0.75 | 0.90 | 5.0 | 1 |"
    assert named.splitlines()[2] == line
    assert learned.splitlines()[2] == "| usps | 70.0 | 70.0 | 70.0 | 70.0 | 0.50 | 0.50 | 1 |"
    assert asked.splitlines()[2].startswith("| usps | asked by `next_row` | 50.0 |")
    for table in (named, learned, asked):
        assert len({line.count("|") for line in table.splitlines()}) == 1
    assert sorted(files) == ["d.csv", "d_asked.csv", "d_learned.csv"]


def test_the_plan_lists_every_method_on_every_draw():
    trials = EXPERIMENT.plan(Scope(datasets=["digits"], draws=2)).trials
    assert [trial.method for trial in trials] == [*METHODS] * 2
    assert np.all([trial.draw.condition("known_proportion") == 0.5 for trial in trials])
