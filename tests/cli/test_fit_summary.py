"""What `eulac fit` says: the same facts as plain values and in sentences."""

import json

import numpy as np
import pytest

from eulac import OsnnClassifier, ProportionEstimate
from eulac.cli.fit_summary import overlap_aloud, print_summary, summarize
from eulac.tables.fit_tables import fit_tables

READINGS = {
    "as_labeled": {
        "assumption": "known classes look as in the labels",
        "known_proportion": 0.6,
        "interval": (0.5, 0.7),
    },
    "may_have_moved": {
        "assumption": "known classes may have moved",
        "known_proportion": 0.9,
        "interval": (0.8, 0.95),
    },
}


@pytest.fixture
def done(birds):
    return fit_tables(
        OsnnClassifier(random_state=0), birds / "train.csv", birds / "pool.csv", "species"
    )


@pytest.fixture
def result(done):
    return {"model": "birds.eulac", "warnings": [], **summarize(done, ["a note"])}


def test_the_summary_is_plain_values_of_the_model(done, result):
    assert json.loads(json.dumps(result)) == result
    assert result["estimator"] == "OsnnClassifier"
    assert (result["n_labeled"], result["n_unlabeled"]) == (done.n_labeled, done.n_unlabeled)
    assert result["classes"] == done.model.classes_.tolist()
    assert result["label_column"] == "species"
    assert result["n_features"] == len(done.model.columns.feature_names)


def test_what_a_method_does_not_estimate_is_none_and_not_spoken_of(result, capsys):
    assert result["known_proportion"] is None
    assert result["estimated_error"] is None
    assert "families" not in result
    assert "readings" not in result
    print_summary(result)
    said = " ".join(capsys.readouterr().out.split())
    assert "Estimated error" not in said
    assert "look like known classes" not in said
    assert "a note" in said
    assert "eulac predict birds.eulac TABLE" in said


def test_one_class_is_no_classes_and_thousands_are_parted(result, capsys):
    print_summary({**result, "classes": ["benign", "augmented"], "n_features": 2000})
    said = " ".join(capsys.readouterr().out.split())
    assert "labeled rows of 1 class in column" in said
    assert "become 2,000 features" in said


def test_shares_and_errors_are_said_with_their_intervals(result, capsys):
    numbers = {
        "known_proportion": 0.6,
        "known_proportion_interval": [0.5, 0.7],
        "estimated_error": 0.12,
        "estimated_error_interval": [0.08, 0.16],
    }
    print_summary({**result, **numbers, "warnings": ["look out"]})
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "60.0 % of the unlabeled rows look like known classes (50.0 % to 70.0 %); 40.0 % are new."
        in said
    )
    assert "Estimated error there: 12.0 % (8.0 % to 16.0 %)." in said
    assert "Warning: look out" in said


@pytest.mark.parametrize(("used", "name"), [(False, "as_labeled"), (True, "may_have_moved")])
def test_both_readings_are_told_where_known_classes_may_have_moved(done, used, name, capsys):
    drift = {"suspected": True, "used": used}
    done.model.classifier.proportion_ = ProportionEstimate(
        np.array([0.3, 0.3]),
        (0.5, 0.7),
        "two",
        9,
        9,
        diagnostics={"readings": READINGS, "drift": drift},
    )
    result = {"model": "m", "warnings": [], **summarize(done, [])}
    assert result["reading_used"] == name
    print_summary(result)
    said = " ".join(capsys.readouterr().out.split())
    assert "If known classes look as in the labels: 40.0 % new (30.0 % to 50.0 %)." in said
    assert "If known classes may have moved: 10.0 % new (5.0 % to 20.0 %)." in said


def test_families_are_listed_with_their_worth_and_those_left_out_named(result, capsys):
    family = {"name": "forest", "estimated_error": 0.1, "weight": 0.75, "seconds": 1.26}
    print_summary({**result, "families": [family], "families_skipped": ["kernel", "boosted"]})
    said = capsys.readouterr().out
    [line] = [line for line in said.splitlines() if line.lstrip().startswith("forest")]
    assert line.split() == ["forest", "10.0", "%", "75.0", "%", "1.3"]
    assert "No time was left for" in said
    assert "boosted" in said


def test_new_rows_that_pass_for_known_are_spoken_of(result, capsys):
    share = {"known_proportion": 0.6, "known_proportion_interval": [0.5, 0.7]}
    for part, said in ((0.0, False), (0.42, True)):
        print_summary({**result, **share, "new_taken_for_known": part})
        out = " ".join(capsys.readouterr().out.split())
        assert ("of known classes hidden on trial, about 42.0 % of the rows" in out) == said


@pytest.mark.parametrize(("low", "wide"), [(0.5, False), (0.0, True)])
def test_an_interval_that_hardly_tells_anything_is_called_so(result, capsys, low, wide):
    share = {"known_proportion": 0.6, "known_proportion_interval": [low, 0.7]}
    print_summary({**result, **share})
    said = " ".join(capsys.readouterr().out.split())
    assert ("From 0.0 % to 70.0 % hardly tells anything: label more rows." in said) == wide


@pytest.mark.parametrize(("part", "is_said"), [(0.3, True), (0.01, False)])
def test_what_nobody_could_try_is_said_where_scores_leave_it_open(part, is_said):
    told = overlap_aloud({"new_undecided": part, "new_taken_for_known": 0.0})
    assert bool(told) is is_said
    assert not told or told[0].endswith("so the interval allows for up to 30.0 % of them.")
