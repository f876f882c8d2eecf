from dataclasses import replace

import numpy as np
import pytest

from eulac.proportion.estimate import ProportionEstimate
from eulac.report.moved_classes import MovedClass
from eulac.report.pool_checks import PoolFacts, run_checks
from eulac.report.proportion_checks import LEVELS
from eulac.risk.zero_one import RiskEstimate

GOOD = {
    "by_score": {"kernel_logistic": 0.60, "forest": 0.62, "forest_by_class": 0.58},
    "at_bound": False,
    "nothing_new_p_value": 0.0001,
    "priors_moved": False,
    "priors_moved_p_value": 0.4,
}


def estimate(total=0.6, method="consensus", **diagnostics):
    return ProportionEstimate(
        np.array([total / 2, total / 2]),
        (max(total - 0.05, 0), min(total + 0.05, 1)),
        method,
        200,
        400,
        standard_error=0.025,
        diagnostics={**GOOD, **diagnostics},
    )


FACTS = PoolFacts(
    ["ant", "bee", "new"],
    estimate(),
    RiskEstimate(0.05, 0.01),
    np.array([0.3, 0.3, 0.4]),
    400,
    np.array([100, 100]),
    [MovedClass("ant", 90, 110, 0.52, 0.55, 0.8), MovedClass("bee", 90, 110, 0.5, 0.52, 0.7)],
    ["size", "weight"],
)


def found(level, **changes):
    """Titles of the checks of a level, after changes to good facts."""
    checks = run_checks(replace(FACTS, **changes))
    assert all(check.level in LEVELS and check.text.endswith(".") for check in checks)
    return [check.title for check in checks if check.level == level]


def test_good_facts_are_in_order():
    assert found("trouble") == []
    assert found("note") == []
    assert len(found("fine")) == 7


def test_the_worst_comes_first():
    checks = run_checks(replace(FACTS, proportion=estimate(1.0), n_rows=50))
    levels = [LEVELS.index(check.level) for check in checks]
    assert levels == sorted(levels)
    assert checks[0].level == "trouble"


@pytest.mark.parametrize(
    ("changes", "level", "title"),
    [
        ({"proportion": estimate(1.0)}, "trouble", "The known proportion is at its cap"),
        (
            {"proportion": estimate(0.9, at_bound=True)},
            "trouble",
            "The search for the known proportion stopped at its limit",
        ),
        (
            {"proportion": estimate(0.0, at_bound=True)},
            "trouble",
            "No known row was found in the pool",
        ),
        ({"proportion": estimate(0.0)}, "trouble", "No known row was found in the pool"),
        (
            {"proportion": estimate(by_score={"forest": 0.5, "kernel_logistic": 0.61})},
            "trouble",
            "Estimates of the known proportion disagree",
        ),
        (
            {"proportion": estimate(0.97, nothing_new_p_value=0.3)},
            "note",
            "There may be nothing new",
        ),
        (
            {"proportion": estimate(0.6, nothing_new_p_value=0.3)},
            "note",
            "The test of nothing new is not decided",
        ),
        (
            {"proportion": estimate(priors_moved_p_value=1e-5, priors_moved=True)},
            "note",
            "The mix of known classes has moved",
        ),
        (
            {"proportion": estimate(method="given")},
            "note",
            "The proportion was given, not estimated",
        ),
        ({"proportion": None}, "note", "The new share was not estimated"),
        (
            {"answer_shares": np.array([0.0, 0.0, 1.0])},
            "trouble",
            "Everything is called new",
        ),
        ({"answer_shares": np.array([1.0, 0.0, 0.0])}, "trouble", "One answer for all"),
        ({"answer_shares": np.array([0.5, 0.5, 0.0])}, "note", "Nothing is called new"),
        (
            {"answer_shares": np.array([0.1, 0.1, 0.8])},
            "trouble",
            "This pool is not like the one of the fit",
        ),
        ({"n_rows": 40}, "note", "Too few rows"),
        ({"class_counts": np.array([100, 3])}, "note", "Too few rows"),
        (
            {"moved": [MovedClass("ant", 90, 90, 0.9, 0.55, 0.0, True, 1, 2.5)]},
            "trouble",
            "Class 'ant' looks different here",
        ),
        ({"moved": [MovedClass("ant", 3, 90)]}, "note", "Known classes that could not be compared"),
        ({"risk": RiskEstimate(0.2, 0.1)}, "note", "The error is known only roughly"),
    ],
)
def test_trouble_is_named(changes, level, title):
    assert title in found(level, **changes)


def test_a_spread_of_one_tenth_is_no_disagreement_yet():
    just = estimate(by_score={"forest": 0.5, "kernel_logistic": 0.6 - 1e-9})
    assert "Estimates of the known proportion agree" in found("fine", proportion=just)


def test_what_moved_and_by_how_much_is_said():
    moved = [MovedClass("ant", 90, 90, 0.9, 0.55, 0.0, True, 1, 2.5)]
    [text] = [
        check.text
        for check in run_checks(replace(FACTS, moved=moved))
        if "looks different" in check.title
    ]
    assert "'weight' moved most, by +2.5 standard deviations" in text


def test_silence_of_the_test_is_not_sold_as_proof():
    [text] = [check.text for check in run_checks(FACTS) if check.title.startswith("No known class")]
    assert "are not seen by this test" in text


READINGS = {
    "as_labeled": {"known_proportion": 0.2, "interval": [0.1, 0.3], "assumption": "known stay"},
    "may_have_moved": {"known_proportion": 0.6, "interval": [0.5, 0.7], "assumption": "known move"},
}
MOVED = {"known_class": "ant", "column": "size", "change": "larger", "p_value": 0.001}


def test_two_readings_that_differ_are_both_on_the_page_with_what_moved():
    drift = {"suspected": True, "used": True, "moved": [MOVED]}
    facts = replace(FACTS, proportion=estimate(readings=READINGS, drift=drift))
    [check] = [one for one in run_checks(facts) if one.title == "Known classes may have moved"]
    assert check.level == "trouble"
    assert "if known stay: 80.0% new (70.0% to 90.0%)" in check.text
    assert "if known move: 40.0% new (30.0% to 50.0%)" in check.text
    assert "size of 'ant' is larger" in check.text
    assert "the second is used" in check.text
    assert not any("Estimates of the known" in one.title for one in run_checks(facts))


def test_two_readings_that_agree_are_in_order_and_say_what_would_not_show():
    drift = {"suspected": False, "used": False, "moved": [], "gap": 0.02}
    facts = replace(FACTS, proportion=estimate(readings=READINGS, drift=drift))
    [check] = [one for one in run_checks(facts) if "seems to have moved" in one.title]
    assert check.level == "fine"
    assert "Mild drift would not show" in check.text


def test_readings_that_differ_without_a_sign_of_drift_are_shown_as_a_note():
    drift = {"suspected": False, "used": False, "moved": [], "gap": 0.5}
    facts = replace(FACTS, proportion=estimate(readings=READINGS, drift=drift))
    check = next(one for one in run_checks(facts) if "readings" in one.title)
    assert check.level == "note"
    assert "show no sign of drift, so the first is used" in check.text


def test_ways_to_read_one_score_are_not_called_scores():
    votes = {"tilt": 0.5, "best_bin": 0.51}
    of_scores = estimate(by_score={"forest": 0.5, "kernel_logistic": 0.51})
    drift = {"suspected": False, "used": False, "moved": [], "gap": 0.02}
    read = estimate(by_score=votes, readings=READINGS, drift=drift)
    said = {
        name: next(
            check.text
            for check in run_checks(replace(FACTS, proportion=one))
            if check.title == "Estimates of the known proportion agree"
        )
        for name, one in (("scores", of_scores), ("readings", read))
    }
    assert said["scores"] == "Scores of different making say forest 0.50, kernel logistic 0.51."
    assert said["readings"].startswith("Read off the scores of this estimate (methods of the same")
    assert said["readings"].endswith("tilt 0.50, best bin 0.51.")


def test_a_test_without_power_is_not_called_in_order():
    wide = replace(estimate(), interval=(0.1, 0.9))
    assert "The mix of known classes has not moved" in found("fine", proportion=estimate())
    titles = found("note", proportion=wide)
    assert "Whether the mix of known classes has moved cannot be told" in titles
    assert "The mix of known classes has not moved" not in found("fine", proportion=wide)
    doubted = found("note", proportion=estimate(reach=0.2))
    assert "No tested class looks other than in the labels" in doubted


def test_columns_that_moved_are_named_where_they_have_names():
    two = {"assumption": "x", "known_proportion": 0.5, "interval": (0.4, 0.6)}
    moved = [{"column": 1, "known_class": "ant", "change": "larger", "p_value": 0.0}]
    drift = {"suspected": True, "used": True, "gap": 0.3, "moved": moved, "moved_classes": []}
    read = estimate(readings={"as_labeled": two, "may_have_moved": two}, drift=drift)
    text = next(c.text for c in run_checks(replace(FACTS, proportion=read)) if "moved" in c.title)
    assert "weight of 'ant' is larger" in text


@pytest.mark.parametrize("total", [0.97, 0.6])
@pytest.mark.parametrize(("power", "is_told"), [(0.25, True), (0.9, False), (None, False)])
def test_silence_of_a_test_without_power_is_said_to_say_little(total, power, is_told):
    silent = estimate(total, nothing_new_p_value=0.3, nothing_new_power=power)
    texts = [check.text for check in run_checks(replace(FACTS, proportion=silent))]
    assert any("says little" in text and "25%" in text for text in texts) == is_told


def test_what_answers_say_of_the_share_is_listed_beside_the_scores():
    told = estimate(0.6, by_answers={"tilt": 0.59, "best_bin": 0.61})
    [text] = [
        check.text
        for check in run_checks(replace(FACTS, proportion=told))
        if check.title == "Estimates of the known proportion agree"
    ]
    assert "tilt of answers 0.59" in text
