"""A fit on files takes the road its classifier can: rows at once, or in pieces."""

from types import SimpleNamespace

import numpy as np
import pytest

import eulac
from eulac.exceptions import TableRequestError
from eulac.tables.fit_tables import fit_tables, is_read_in_pieces


def test_a_fit_says_what_it_was_made_of(fit):
    assert (fit.n_labeled, fit.n_unlabeled, fit.in_pieces) == (80, 120, False)
    assert fit.model.label_column == "kind"
    assert fit.model.classes_.tolist() == ["ant", "bee", "augmented"]


def test_pieces_need_a_classifier_and_files_that_can_be_read_so(files):
    long = SimpleNamespace(fit_chunks=None)
    assert is_read_in_pieces(long, files / "train.csv", files / "pool.csv")
    assert not is_read_in_pieces(SimpleNamespace(), files / "train.csv")
    np.savez(files / "pool.npz", X=np.eye(3))
    assert not is_read_in_pieces(long, files / "train.csv", files / "pool.npz")


def test_methods_that_learn_from_unlabeled_rows_ask_for_them(files):
    classifier = eulac.KernelEulacClassifier()
    with pytest.raises(TableRequestError, match="unlabeled rows are needed"):
        fit_tables(classifier, files / "train.csv", label_column="kind")


class _Near(eulac.OsnnClassifier):
    most_labeled_rows = 20


def test_no_more_labeled_rows_are_read_than_a_classifier_learns_from(files, monkeypatch):
    monkeypatch.setattr("eulac.tables.drawn_tables.FEWEST_OF_CLASS", 3)
    paths = files / "train.csv", files / "pool.csv", "kind"
    phases = []
    done = fit_tables(_Near(ratio=0.5), *paths, on_phase=phases.append)
    assert (done.n_labeled, len(done.model.X_labeled)) == (20, 20)
    assert phases == ["reading", "fitting"]
    assert fit_tables(_Near(ratio=0.5), *paths, max_labeled=30).n_labeled == 30
    assert fit_tables(eulac.OsnnClassifier(ratio=0.5), *paths).n_labeled == 80
