"""The page as text; `test_browser.py` opens it."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from eulac.contenders.osnn import OsnnClassifier
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.report.decisions import Decisions
from eulac.report.findings import Settings
from eulac.report.page import write_report, write_review
from report.conftest import draw_rows

VOID = {"meta", "link", "input", "img", "br", "path", "use", "option", "rect"}


class Outline(HTMLParser):
    """Ids, addresses and unclosed elements of a page."""

    def __init__(self):
        super().__init__()
        self.ids, self.addresses, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.addresses += [attrs[name] for name in ("src", "href", "xlink:href") if name in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report_text(fitted, pool_frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    settings = Settings(map="pca", n_folds=3)
    return write_report(
        fitted, pool_frame.to_numpy(), path, display=pool_frame, settings=settings
    ).read_text()


@pytest.fixture(scope="module")
def outline(report_text):
    outline = Outline()
    outline.feed(report_text)
    return outline


def review_data(text):
    return json.loads(re.search(r'id="review-data">(.*?)</script>', text, re.DOTALL)[1])


def test_every_section_is_there(outline):
    assert {"summary", "checks", "shares", "error", "map", "first", "review"} <= set(outline.ids)


def test_elements_are_closed_and_ids_are_unique(outline):
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))


def test_nothing_is_fetched_from_anywhere(outline, report_text):
    assert all(address.startswith(("#", "data:")) for address in outline.addresses)
    assert "@import" not in report_text
    assert not re.search(r"url\((?!#)", report_text)
    assert "default-src 'none'" in report_text


def test_references_inside_figures_have_their_target(outline):
    wanted = {address[1:] for address in outline.addresses if address.startswith("#")}
    assert wanted <= set(outline.ids)


def test_figures_take_their_colors_from_the_page(report_text):
    figures = re.findall(r"<svg.*?</svg>", report_text, re.DOTALL)
    assert len(figures) >= 6
    for figure in figures:
        assert "var(--" in figure
        assert 'role="img"' in figure
        assert not re.search(r"#0[1-7]0[1-7]0[1-7]", figure)


def test_numbers_of_the_fit_are_on_the_page(report_text, fitted):
    share, risk = fitted.proportion_.augmented_proportion, fitted.risk_.value
    assert f"{100 * share:.1f} %" in report_text
    assert f"{100 * risk:.1f} %" in report_text


def test_what_the_script_gets_is_what_promote_takes(report_text, fitted, mixture):
    data = review_data(report_text)
    pool, truth = mixture[2:]
    assert data["n_rows"] == len(pool)
    named = [
        {"decision": "name", "name": f"group {index}", "rows": rows}
        for index, rows in enumerate(data["groups"])
    ]
    content = {key: data[key] for key in ("format", "version", "fingerprint", "n_rows")}
    decisions = Decisions.from_json(json.dumps({**content, "groups": named}))
    decisions.require_pool(pool)
    assert len(decisions.named()) == 2
    for rows in decisions.named().values():
        _, counts = np.unique(truth[rows], return_counts=True)
        assert counts.max() / len(rows) > 0.85


def test_names_from_data_cannot_become_markup(fitted, mixture, tmp_path):
    evil = "</script><script>alert(1)</script>"
    pool = mixture[2]
    names = [evil, "a&b", '"quoted"']
    text = write_report(
        fitted,
        pool,
        tmp_path / "page.html",
        feature_names=names,
        title=evil,
        model="<b>",
        pool="$x$",
        settings=Settings(map="pca", n_groups=2, n_folds=0),
    ).read_text()
    assert evil not in text
    assert "<b>" not in text
    assert text.count("<script") == 2


def test_labels_cannot_become_markup_or_formulas(mixture, tmp_path):
    from eulac.kernel.kernel_classifier import KernelEulacClassifier

    X, y, pool, _ = mixture
    names = {"ant": "<i>$\\alpha$</i>", "bee": "</script> & 'x'"}
    labels = np.array([names[label] for label in y])
    classifier = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.01, random_state=0)
    classifier.fit(X, labels, X_unlabeled=pool)
    text = write_report(
        classifier,
        pool,
        tmp_path / "page.html",
        settings=Settings(map="pca", n_groups=2, n_folds=2),
    ).read_text()
    assert "<i>" not in text
    assert text.count("</script>") == 2


def test_images_are_shown_where_rows_are_images(fitted, tmp_path):
    X, _ = draw_rows(np.repeat([0, 1, 2, 3], 20), seed=3)
    text = write_review(fitted, X, tmp_path / "review.html", image_shape=(1, 3)).read_text()
    assert text.count("data:image/png;base64,") >= 10
    assert "<svg" in text or "groups" in text


def test_the_review_page_has_the_groups_only(fitted, mixture, tmp_path):
    text = write_review(fitted, mixture[2], tmp_path / "review.html").read_text()
    assert 'id="review"' in text
    assert 'id="checks"' not in text


def test_a_pool_without_anything_new_has_nothing_to_name(fitted, tmp_path):
    X, _ = draw_rows(np.repeat([0, 1], 30), seed=4)
    known = X[fitted.augmented_score(X) < 0]
    text = write_report(
        fitted, known, tmp_path / "page.html", settings=Settings(map="pca", n_folds=0)
    ).read_text()
    assert "nothing to name" in text
    assert "Nothing is called new" in text


def test_contenders_without_proportion_get_what_can_be_said(mixture, tmp_path):
    X, y, pool, _ = mixture
    classifier = OsnnClassifier(ratio=0.5).fit(X, y)
    text = write_report(
        classifier, pool, tmp_path / "page.html", settings=Settings(map="pca")
    ).read_text()
    assert "The new share was not estimated" in text
    assert "not estimated" in text


def test_a_pool_of_no_rows_is_refused(fitted, tmp_path):
    with pytest.raises(ValueError, match="the pool has 0"):
        write_report(fitted, np.empty((0, 3)), tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_unasked_and_folders_must_exist(fitted, mixture, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("mine")
    for target, error, words in (
        (path, FileExistsError, "not replaced unasked"),
        (tmp_path, ValueError, "is a folder"),
        (tmp_path / "no" / "page.html", FileNotFoundError, "does not. Create it first"),
    ):
        with pytest.raises(error, match=words):
            write_review(fitted, mixture[2], target)
    assert path.read_text() == "mine"
    write_review(fitted, mixture[2], path, overwrite=True, settings=Settings(n_groups=2))
    assert path.read_text() != "mine"


@pytest.mark.parametrize("missing", [pytest.param("jinja2", marks=pytest.mark.slow), "matplotlib"])
def test_without_the_extra_the_import_gives_a_sentence(missing):
    code = (
        f"import sys; sys.modules['{missing}'] = None\n"
        "try:\n    from eulac import write_report\n"
        "except ImportError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == (
        f"the report needs {missing}, which is not installed. Install it with: "
        "pip install 'eulac[report]'."
    )


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_labeled_columns_in_another_order_are_refused(mixture, tmp_path):
    X, y, pool, _ = mixture
    frame, pool = (pd.DataFrame(rows, columns=["a", "b", "c"]) for rows in (X, pool))
    clf = KernelEulacClassifier(0.5, bandwidth=1.0, penalty=0.1).fit(frame, y, X_unlabeled=pool)
    with pytest.raises(ValueError, match="it has them in another order"):
        write_report(
            clf, pool, tmp_path / "page.html", X_labeled=frame[["c", "a", "b"]], y_labeled=y
        )
    assert not (tmp_path / "page.html").exists()
