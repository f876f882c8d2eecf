from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import eulac
from easy_mixture import easy_split
from eulac.exceptions import NoUnlabeledRowsWarning
from eulac.persistence.files import read_manifest
from eulac.proportion.estimate import ProportionEstimate
from eulac.report.model_card import model_card

READINGS = {
    "as_labeled": {
        "assumption": "known classes look as in the labels",
        "known_proportion": 0.4,
        "interval": (0.35, 0.45),
    },
    "may_have_moved": {
        "assumption": "known classes may have moved",
        "known_proportion": 0.7,
        "interval": (0.6, 0.8),
    },
}
MOVED = [{"column": 1, "known_class": 2, "change": "larger", "p_value": 0.001}]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    sample = easy_split().sample
    clf = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
    clf.fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    path = tmp_path_factory.mktemp("card") / "m.eulac"
    return clf, read_manifest(eulac.save(clf, path))


def test_numbers_are_those_of_the_model(saved):
    clf, manifest = saved
    text = model_card(clf, manifest, "easy")
    assert text.startswith("# Model card: easy\n")
    assert "60.0 % known" in text
    assert f"{100 * clf.risk_.value:.1f} % of the answers" in text
    assert manifest.sha256 in text
    assert "## Warnings\n\nNone." in text
    assert "120 unlabeled rows" in text


def test_one_known_class_is_not_one_of_several(saved):
    clf, manifest = saved
    assert "answers one of 3 known classes, or" in model_card(clf, manifest)
    kept = {"codec_": clf.codec_, "proportion_": None, "risk_": None}
    alone = SimpleNamespace(**kept, known_classes_=clf.known_classes_[:1])
    assert "answers the one known class, or" in model_card(alone, manifest)


def test_both_readings_what_moved_and_warnings_are_told(saved):
    clf, manifest = saved
    diagnostics = {"readings": READINGS, "drift": {"suspected": True, "used": True, "moved": MOVED}}
    estimate = ProportionEstimate(
        np.full(3, 0.2), (0.3, 0.8), "two_readings", 60, 120, diagnostics=diagnostics
    )
    kept = {name: getattr(clf, name) for name in ("known_classes_", "codec_", "risk_")}
    moved = SimpleNamespace(
        **kept, proportion_=estimate, left_out_columns_=[0], feature_names_in_=["id", "size"]
    )
    text = model_card(moved, manifest)
    assert "- if known classes look as in the labels: 40.0 % known (35.0 % to 45.0 %)" in text
    assert "- if known classes may have moved: 70.0 % known" in text
    assert "- `size`: larger in class `2`" in text
    assert "- known classes seem to look in deployment other than in the labels" in text
    assert "- `id`: alone tells labeled rows from unlabeled" in text


def test_bars_in_labels_do_not_break_tables(saved):
    _, manifest = saved
    y = np.array(["a|b", "c", "d"])[easy_split().sample.y_labeled]
    sample = easy_split().sample
    again = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1, random_state=0)
    again.fit(sample.X_labeled, y, X_unlabeled=sample.X_unlabeled)
    assert "| a\\|b |" in model_card(again, manifest)


def test_what_was_not_estimated_is_said_and_families_are_told(saved):
    _, manifest = saved
    sample = easy_split().sample
    closed = eulac.OsnnClassifier(ratio=0.6).fit(sample.X_labeled, sample.y_labeled)
    text = model_card(closed, manifest)
    assert text.count("Not estimated by this method.") == 2
    bayes = eulac.TwoStageEulacClassifier(GaussianNB(), n_folds=3)
    mixed = eulac.EulacClassifier(
        {"bayes": bayes}, known_proportion=0.6, n_folds=3, random_state=0
    ).fit(sample.X_labeled, sample.y_labeled, X_unlabeled=sample.X_unlabeled)
    text = model_card(mixed, manifest)
    risk = mixed.selection_.risks[0].value
    assert f"| bayes | {100 * risk:.1f} % | 100.0 % |" in text
    with pytest.warns(NoUnlabeledRowsWarning):
        nothing_new = bayes.fit(sample.X_labeled, sample.y_labeled)
    assert "fitted without unlabeled rows and calls nothing new" in model_card(
        nothing_new, manifest
    )
