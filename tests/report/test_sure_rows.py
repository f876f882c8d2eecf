"""Rows that are new with a bound on the wrong ones among them, and the order to open groups in."""

import warnings
from dataclasses import replace

import numpy as np

from eulac.contenders.osnn import OsnnClassifier
from eulac.report.findings import Settings
from eulac.report.page import write_report, write_review
from eulac.report.sure_rows import LEVEL, group_order, sure_rows


def test_rows_are_those_that_the_classifier_selects(fitted, mixture):
    _, _, pool, truth = mixture
    sure = sure_rows(fitted, pool)
    np.testing.assert_array_equal(sure.is_selected, fitted.select_new(pool, LEVEL))
    np.testing.assert_array_equal(sure.p_values, fitted.new_p_values(pool))
    assert sure.counts[LEVEL] == sure.is_selected.sum() > 40
    assert list(sure.counts.values()) == sorted(sure.counts.values())
    assert np.mean(np.isin(truth[sure.is_selected], ["ant", "bee"])) < 0.2
    assert sure.is_controlled


def test_methods_that_hold_out_nothing_have_no_sure_rows(mixture):
    X, y, pool, _ = mixture
    assert sure_rows(OsnnClassifier(ratio=0.5).fit(X, y), pool) is None


def test_under_drift_nothing_is_controlled(fitted, mixture):
    moved = fitted.__class__.__new__(fitted.__class__)
    moved.__dict__.update(vars(fitted))
    told = {**fitted.proportion_.diagnostics, "drift": {"suspected": True}}
    moved.proportion_ = replace(fitted.proportion_, diagnostics=told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # told on the page, not by a warning
        assert not sure_rows(moved, mixture[2]).is_controlled


def test_groups_without_p_values_keep_their_order():
    assert group_order([np.arange(3), np.arange(3)], None) == [0, 1]


def test_the_page_says_how_many_rows_each_level_selects(fitted, mixture, tmp_path):
    settings = Settings(map="pca", n_groups=2, n_folds=0)
    page = write_report(fitted, mixture[2], tmp_path / "report.html", settings=settings).read_text()
    sure = sure_rows(fitted, mixture[2])
    assert "Rows that are new, and how many of them wrongly" in page
    cell = f'<th scope="row" class="number">10 %</th><td class="number">{sure.counts[LEVEL]}</td>'
    assert cell in page
    written = write_review(fitted, mixture[2], tmp_path / "review.html", settings=settings)
    review = written.read_text()
    assert "with at most a tenth wrong" in review
