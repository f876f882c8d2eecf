"""Figures as SVG: well formed, described in words, in the page's own colors."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from eulac.discovery.dendrogram import Dendrogram
from eulac.discovery.new_classes import NewClasses
from eulac.discovery.ways import WAYS
from eulac.proportion.estimate import ProportionEstimate
from eulac.report import figures
from eulac.report.embedding import Embedding
from eulac.report.sensitivity import Sensitivity
from eulac.risk.class_quality import ClassQuality

ESTIMATE = ProportionEstimate(np.array([0.5, 0.2]), (0.6, 0.8), "made_up", 9, 9)
GROUPS = NewClasses(
    2,
    (1, 3),
    np.arange(3),
    np.array([0, 0, 1]),
    np.eye(2)[[0, 0, 1]],
    (np.arange(2), np.array([2])),
    np.eye(2)[[0, 0, 1]],
    np.array([1.0, 0.9]),
    Dendrogram(np.arange(3), ((0, 1), (0, 2))),
    {2: 0.95, 3: 0.5},
    WAYS[0],
)
SENSITIVITY = Sensitivity(
    np.array([0.6, 0.7, 0.8]), np.array([0.1, 0.12, 0.2]), np.array([0.1, 0.11, 0.15])
)


def quality(label, found):
    return ClassQuality(label, 9, 0.3, 0.3, 0.2, found, (0.5, 1.0), 0.9, 0.01, 0.1)


def drawings():
    points = Embedding(np.random.default_rng(0).normal(size=(6, 2)), np.arange(6), "pca", 0.9)
    kind, group_of = np.array([0, 1, 1, 2, 2, 2]), np.array([-1, -1, -1, 0, 0, 1])
    return {
        "priors": figures.priors_figure(["ant", "bee"], np.array([0.5, 0.5]), ESTIMATE, "new"),
        "scores": figures.scores_figure(np.zeros(3), np.arange(4.0), np.arange(2.0) + 5),
        "map": figures.map_figure(points, kind, GROUPS, group_of),
        "sensitivity": figures.sensitivity_figure(SENSITIVITY, ESTIMATE),
        "worth": figures.worth_figure(GROUPS),
    }


@pytest.fixture(scope="module")
def drawn():
    return drawings()


def description(svg):
    return ElementTree.fromstring(svg).attrib["aria-label"]


@pytest.mark.parametrize("name", ["priors", "scores", "map", "sensitivity", "worth"])
def test_a_drawing_is_one_element_in_colors_of_the_page(drawn, name):
    svg = drawn[name]
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.attrib["role"] == "img"
    assert "var(--ink)" in svg
    assert not any(color in svg for color in figures.VARIABLES)
    assert "DejaVu" not in svg


def test_ids_of_several_drawings_on_a_page_differ_and_references_find_them(drawn):
    ids = {name: set(re.findall(r'id="([^"]+)"', svg)) for name, svg in drawn.items()}
    together = [one for some in ids.values() for one in some]
    assert len(together) == len(set(together))
    for name, svg in drawn.items():
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', svg)) <= ids[name]


def test_drawing_twice_gives_the_same_bytes(drawn):
    assert drawings() == drawn


def test_descriptions_say_the_numbers(drawn):
    assert "ant: 50% in the labels, 50% now" in description(drawn["priors"])
    assert "new: 0% in the labels, 30% now" in description(drawn["priors"])
    assert "4 rows look known and 2 look new" in description(drawn["scores"])
    assert "Between 20% and 40% new, the error is at most 20%" in description(drawn["sensitivity"])
    assert "2 groups: 0.95; 3 groups: 0.50" in description(drawn["worth"])


def test_labels_of_any_kind_are_shown_as_text_and_short():
    labels = ["$x^2$", 'a "<&>" of more than sixteen letters']
    svg = figures.priors_figure(labels, np.array([0.5, 0.5]), ESTIMATE, "new")
    shown = "".join(ElementTree.fromstring(svg).itertext())
    assert "$x^2$" in shown
    assert 'a "<&>" of more…'[:10] in shown
    assert "sixteen" not in shown


def test_classes_without_an_estimate_are_left_out_and_many_are_cut():
    many = [quality(f"k{i}", 0.9) for i in range(40)]
    many[3] = quality("gap", math.nan)
    last = quality("new", 0.7)
    said = description(figures.quality_figure([*many, last]))
    assert "gap" not in said
    assert "k29: 90%" in said
    assert "k30" not in said
    assert said.endswith("new: 70%.")


@pytest.mark.parametrize(
    "parts", [(None, np.ones(3), np.empty(0)), (np.ones(2), np.ones(2), np.ones(1))]
)
def test_scores_may_be_all_equal_or_missing(parts):
    svg = figures.scores_figure(*parts)
    assert f"{len(parts[1])} rows look known and {len(parts[2])} look new" in description(svg)
