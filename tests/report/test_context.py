"""What the template is given: rows to look at, groups to name, figures where there are numbers."""

import numpy as np
import pandas as pd
import pytest

from eulac.contenders.osnn import OsnnClassifier
from eulac.report.context import (
    EDGE,
    FIRST_ROWS,
    TYPICAL,
    PageTexts,
    findings_context,
    pool_context,
)
from eulac.report.decisions import pool_fingerprint
from eulac.report.findings import Settings, examine
from eulac.report.row_display import Gallery
from report.conftest import COLUMNS

TEXTS = PageTexts("Birds", "birds.eulac", "pool.csv")


@pytest.fixture(scope="module")
def gallery(mixture):
    return Gallery(pd.DataFrame(mixture[2], columns=COLUMNS))


@pytest.fixture(scope="module")
def shown(examined, gallery):
    return pool_context(examined.pool, gallery, TEXTS)


def test_groups_hold_every_new_row_once_with_typical_rows_and_the_edge(shown, examined):
    groups = shown["groups"]
    rows = [row for group in groups for row in group["rows"]]
    assert len(rows) == len(set(rows)) == len(examined.pool.new) - shown["n_alone"]
    assert [group["number"] for group in groups] == ["1", "2"]
    for group in groups:
        assert group["size"] == len(group["rows"])
        assert group["share"] == pytest.approx(group["size"] / len(examined.pool.X))
        assert [one["row"] for one in group["typical"]] == group["rows"][:TYPICAL]
        assert [one["row"] for one in group["edge"]] == group["rows"][-EDGE:]
        assert group["nearest"] in ("ant", "bee")
        assert 0.5 <= group["nearest_share"] <= 1.0


def test_the_review_names_the_pool_and_what_may_not_be_a_name(shown, mixture):
    review = shown["review"]
    assert review["fingerprint"] == pool_fingerprint(mixture[2])
    assert review["n_rows"] == len(mixture[2])
    assert review["groups"] == [group["rows"] for group in shown["groups"]]
    assert review["reserved"] == ["augmented", "-1"]
    assert review["numbers"] is False
    assert shown["known_labels"] == ["ant", "bee"]


def test_the_newest_rows_score_highest_and_the_hardest_lie_at_the_cut(fitted, examined, gallery):
    context = findings_context(fitted, examined, gallery)
    scores = examined.pool.scores
    newest = [one["score"] for one in context["newest"]]
    assert newest == sorted(scores, reverse=True)[:FIRST_ROWS]
    known = np.delete(scores, examined.pool.new)
    cut = 0.5 * (scores[examined.pool.new].min() + known.max())
    distance = [abs(one["score"] - cut) for one in context["hardest"]]
    np.testing.assert_allclose(distance, np.sort(np.abs(scores - cut))[:FIRST_ROWS])
    assert context["classifier"] == "KernelEulacClassifier"


def test_rows_are_shown_with_answer_likeliest_class_and_cells(shown, examined, mixture):
    one = shown["groups"][0]["typical"][0]
    assert one["answer"] == "new"
    assert one["known"] in ("ant", "bee")
    assert one["score"] == examined.pool.scores[one["row"]]
    assert len(one["cells"]) == len(shown["groups"][0]["columns"])
    assert set(shown["groups"][0]["columns"]) <= set(COLUMNS)


def test_every_figure_is_drawn_where_its_numbers_are(fitted, examined, gallery):
    context = findings_context(fitted, examined, gallery)
    np.testing.assert_allclose(context["priors"], [0.5, 0.5])
    assert set(context["figures"]) == {"priors", "quality", "scores", "map", "sensitivity"}
    assert all("<svg" in drawing for drawing in context["figures"].values())


def test_without_a_proportion_only_scores_and_map_are_drawn(mixture, gallery):
    X, y, pool, _ = mixture
    classifier = OsnnClassifier(random_state=0).fit(X, y)
    findings = examine(classifier, pool, settings=Settings(map="pca", n_folds=0))
    context = findings_context(classifier, findings, gallery)
    drawn = {name for name, drawing in context["figures"].items() if drawing is not None}
    assert drawn == {"scores", "map"}
    assert context["priors"] is None
