"""The experiment on power and false alarms of the test for drift."""

import numpy as np

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments.drift_alarms import EXPERIMENT, drift_found, moved_places
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial

SIZES = {"n_labeled": 100, "n_unlabeled": 150, "n_test": 0}


def opened(**conditions):
    return OpenDraw(Draw("digits", 0, 0, {**SIZES, **conditions}))


def test_clean_and_moved_draws_are_listed_with_nothing_and_with_half_new():
    trials = EXPERIMENT.list_trials(Scope(["digits"], draws=1)).trials
    found = {(t.draw.condition("moved"), t.draw.condition("known_proportion")) for t in trials}
    kinds = (None, "one class", "one column of a class")
    assert found == {(kind, share) for kind in kinds for share in (1.0, 0.5)}


def test_moved_places_are_one_class_and_the_columns_that_differ():
    assert moved_places(opened()) == set()
    [(code, column)] = moved_places(opened(moved="one column of a class"))
    places = moved_places(opened(moved="one class"))
    assert {one for one, _ in places} == {code}
    assert len(places) > 20
    sample = opened().split.sample
    assert sample.X_labeled[:, column].std() > 0


def test_the_test_says_whether_it_fired_and_what_it_named():
    found = drift_found(opened(known_proportion=1.0))
    assert set(found) == {"suspected", "named", "named_wrongly", "gap"}
    assert found["named"] == 0.0  # nothing moved, so nothing can be named rightly
    assert np.isfinite(found["gap"])


def test_the_table_has_rows_for_each_table_and_for_all():
    def record(dataset, suspected, named):
        conditions = {"moved": "one class", "known_proportion": 0.5}
        trial = Trial("alarms", Draw(dataset, 0, conditions=conditions), "drift_test")
        return Record(trial, metrics={"suspected": suspected, "named": named})

    records = [record("usps", 1.0, 0.0), record("segment", 1.0, 1.0)]
    part = EXPERIMENT.part(Section("alarms", "", "alarms", records))
    assert part.paragraphs[0].splitlines()[2:] == [
        "| one class | 50% | usps | 100.0 | 0.0 | 1 |",
        "| one class | 50% | segment | 100.0 | 100.0 | 1 |",
        "| one class | 50% | all | 100.0 | 50.0 | 2 |",
    ]
