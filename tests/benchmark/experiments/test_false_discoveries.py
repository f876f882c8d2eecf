"""The experiment of rows selected as new."""

import numpy as np
import pytest

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments.false_discoveries import (
    EXPERIMENT,
    METHODS,
    ada_detect,
    quick_proportion,
    select_new,
)
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial

SETTING = {"known_proportion": 0.5, "shift_intensity": 0.7}
SIZES = {"n_labeled": 200, "n_unlabeled": 300, "n_test": 100}


def test_trials_are_six_settings_of_two_methods():
    trials = EXPERIMENT.list_trials(Scope(["digits"], draws=1, samples=2)).trials
    assert len(trials) == 2 * 6 * len(METHODS)
    settings = {(t.draw.condition("known_proportion"), t.draw.condition("shift_intensity"))
                for t in trials}  # fmt: skip
    assert settings == {(share, moved) for share in (0.9, 0.7, 0.5) for moved in (0.0, 0.7)}


def test_draws_have_the_share_and_the_priors_asked_for():
    one, other = (OpenDraw(Draw("digits", i, 0, {**SETTING, **SIZES})).split for i in (0, 1))
    assert one.known_proportion == 0.5
    assert one.per_class.max() > 4 * one.per_class.min()
    assert one.sample.labeled_frequency.max() < 1.2 * one.sample.labeled_frequency.min()
    assert one.known_classes.tolist() != other.known_classes.tolist()


def test_both_methods_find_new_rows_and_few_known_ones():
    opened = OpenDraw(Draw("digits", 0, 0, {**SETTING, **SIZES}))
    ours, theirs = select_new(opened), ada_detect(opened)
    assert ours["pool_power"] > 0.5
    assert ours["pool_false_share"] < 0.3
    assert ours["fresh_power"] > 0.5
    assert ours["upper_end"] >= ours["known_share"]
    assert 0 <= theirs["false_share"] < 0.4
    assert theirs["storey_power"] >= theirs["power"]


def test_the_quick_proportion_is_near_the_truth():
    sample, seed = OpenDraw(Draw("digits", 0, 0, {**SETTING, **SIZES})).canonical_sample
    estimate = quick_proportion(sample, seed)
    assert estimate.total == pytest.approx(0.5, abs=0.2)
    assert np.isfinite(estimate.standard_error)


def record(method, draw, **metrics):
    trial = Trial("selection", Draw("digits", draw, conditions=SETTING), method)
    return Record(trial, metrics=metrics)


def test_the_table_says_where_the_level_holds():
    names = ("pool_false_share", "pool_power", "fresh_false_share", "fresh_power")
    records = [
        record("select_new", i, **dict(zip(names, (wrong, 0.8, 0.3, 0.5), strict=True)))
        for i, wrong in enumerate((0.05, 0.07))
    ]
    records += [
        record("ada_detect", 0, false_share=0.1, power=0.6, storey_false_share=0.2, storey_power=1)
    ]
    [table, note] = EXPERIMENT.part(Section("selection", "", "selection", records)).paragraphs
    assert table.splitlines()[2] == (
        "| 50% | moved | 6.0 ± 1.0 | 80.0 | 30.0 ± 0.0 | 50.0 | 10.0 ± 0.0 | 60.0 "
        "| 20.0 ± 0.0 | 100.0 | 2 |"
    )
    assert "in 1 of 2 cases" in note
