from dataclasses import replace

import numpy as np
import pytest

from easy_mixture import easy_masked
from eulac import KernelEulacClassifier
from eulac.classifier.known_proportion import warn_of_doubtful_proportion
from eulac.exceptions import (
    DriftWarning,
    ProportionAtBoundWarning,
    ProportionDisagreementWarning,
)
from eulac.proportion.estimate import ProportionEstimate, ProportionEstimator


def estimate_of(total, method="best_bin", n_unlabeled=100):
    return ProportionEstimate(np.array([total]), (total, total), method, 50, n_unlabeled)


def test_what_is_usual_gives_no_warning():
    for estimate in (
        estimate_of(0.98),
        estimate_of(0.02),
        estimate_of(1.0, method="given"),
        estimate_of(0.0, method="given"),
    ):
        warn_of_doubtful_proportion(estimate)  # warnings are errors here


def test_an_estimate_at_its_bound_says_which():
    with pytest.warns(ProportionAtBoundWarning, match=r"1\.000, .*nothing in .* rows is new"):
        warn_of_doubtful_proportion(estimate_of(0.9999))
    with pytest.warns(ProportionAtBoundWarning, match=r"0\.000, .* is of a known class"):
        warn_of_doubtful_proportion(estimate_of(0.0001))


def test_disagreeing_scores_are_named_with_their_values():
    estimate = ProportionEstimate(
        np.array([0.5]),
        (0.3, 0.7),
        "consensus",
        10,
        20,
        diagnostics={"by_score": {"one": 0.3, "two": 0.5, "three": 0.7}, "scores_agree": False},
    )
    with pytest.warns(ProportionDisagreementWarning, match=r"one 0\.30, two 0\.50, three 0\.70"):
        warn_of_doubtful_proportion(estimate)


def test_a_search_that_stopped_at_its_limit_is_said_so():
    estimate = ProportionEstimate(
        np.array([0.9]), (0.8, 1.0), "kernel_mean_gradient", 10, 20, diagnostics={"at_bound": True}
    )
    with pytest.warns(ProportionAtBoundWarning, match=r"0\.900.*stopped at its limit"):
        warn_of_doubtful_proportion(estimate)


def test_one_row_from_the_end_is_not_the_end():
    for total in (0.75, 0.25):
        warn_of_doubtful_proportion(estimate_of(total, n_unlabeled=4))
    for total in (0.76, 0.24):
        with pytest.warns(ProportionAtBoundWarning):
            warn_of_doubtful_proportion(estimate_of(total, n_unlabeled=4))


def told_of(total=0.5, **diagnostics):
    return replace(estimate_of(total), diagnostics=diagnostics)


DISAGREEING = {"by_score": {"one": 0.3}, "scores_agree": False}


def test_what_candidates_say_is_named_beside_the_scores():
    estimate = told_of(**DISAGREEING, by_candidate={"kernel": 0.4, "bayes": 0.6})
    named = r"\(one 0\.30, candidate kernel 0\.40, candidate bayes 0\.60\); 0\.50 is used"
    with pytest.warns(ProportionDisagreementWarning, match=named):
        warn_of_doubtful_proportion(estimate)


@pytest.mark.parametrize(("lost", "said"), [(0.0, False), (0.049, False), (0.05, True)])
def test_new_rows_that_look_known_are_spoken_of_from_five_percent_on(lost, said):
    with pytest.warns(ProportionDisagreementWarning) as caught:
        warn_of_doubtful_proportion(told_of(**DISAGREEING, new_taken_for_known=lost))
    assert ("trials with hidden classes say look known (5%)" in str(caught[0].message)) is said


def drifting(moved=(), **drift):
    """Return an estimate of 0.5, between 0.3 and 0.9, as drift leaves it."""
    readings = {"as_labeled": 0.3, "may_have_moved": 0.9}
    return told_of(
        **DISAGREEING,
        drift={"suspected": True, "moved": list(moved), **drift},
        readings={name: {"known_proportion": value} for name, value in readings.items()},
    )


def test_drift_is_told_with_what_either_reading_says_and_nothing_else_is():
    with pytest.warns(DriftWarning) as caught:
        warn_of_doubtful_proportion(drifting())
    [told] = caught
    assert str(told.message) == (
        "known classes seem to look in deployment other than in the labels. If they do not: 70% of "
        "the unlabeled rows are new; if they do: 10%. 50% is used, and intervals span both. Label "
        "some rows of deployment, or say which holds: `drift`, `known_proportion`."
    )


def test_where_nothing_looks_labeled_all_may_be_new():
    with pytest.warns(DriftWarning, match="next to no unlabeled row looks like a labeled one"):
        warn_of_doubtful_proportion(drifting(nothing_looks_labeled=True))


def test_of_columns_that_moved_the_first_three_with_names_are_named():
    columns = ["0", "age", "size", 12, "width", "depth"]
    moved = [{"column": one, "known_class": "ant", "change": "larger"} for one in columns]
    named = (
        r"Of the unlabeled rows, 'age' of those taken for 'ant' is larger, 'size' of those taken "
        r"for 'ant' is larger, 'width' of those taken for 'ant' is larger\. Label"
    )
    with pytest.warns(DriftWarning, match=named):
        warn_of_doubtful_proportion(drifting(moved))


class Always(ProportionEstimator):
    """Says of any rows what it was told to."""

    def __init__(self, said):
        self.said = said

    def estimate(self, sample):
        per_class = self.said.total * sample.labeled_frequency
        return replace(self.said, per_class=per_class)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (estimate_of(1.0), ProportionAtBoundWarning),
        (told_of(**DISAGREEING), ProportionDisagreementWarning),
        (drifting(), DriftWarning),
    ],
    ids=["bound", "disagreement", "drift"],
)
@pytest.mark.filterwarnings("ignore::eulac.exceptions.TrivialPredictorWarning")
def test_doubts_point_to_who_called_fit(said, kind):
    _, X, y = easy_masked()
    clf = KernelEulacClassifier(Always(said), bandwidth=0.5, penalty=0.1, random_state=0)
    with pytest.warns(kind) as caught:
        clf.fit(X, y)
    [told] = [one for one in caught if one.category is kind]
    assert told.filename == __file__
