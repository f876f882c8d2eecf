import pandas as pd
import pytest

import eulac
from eulac.exceptions import TableRequestError
from eulac.tables.long_table_model import fit_long_tables


def landmark():
    return eulac.LandmarkEulacClassifier(
        2 / 3, n_landmarks=20, bandwidth=0.5, penalty=1e-3, random_state=0
    )


def test_progress_knows_its_end_from_the_first_piece_on(files, monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 50)
    train = pd.read_csv(files / "train.csv")
    train.loc[60:, "kind"] = None  # pieces of 50, 10 labeled and 20 unlabeled rows
    train.to_csv(files / "train.csv", index=False)
    said = []
    tables = files / "train.csv", "kind", files / "pool.csv"
    fit_long_tables(landmark(), *tables, progress=lambda *at: said.append(at))
    assert said == [(done, 12) for done in range(1, 13)]


def test_two_files_are_read_in_pieces_and_every_row_counts(files, monkeypatch):
    monkeypatch.setattr("eulac.data.row_chunks.CHUNK_ROWS", 30)
    fit = fit_long_tables(landmark(), files / "train.csv", "kind", files / "pool.csv")
    assert (fit.n_labeled, fit.n_unlabeled, fit.in_pieces) == (80, 120, True)
    test = pd.read_csv(files / "test.csv")
    truth = test["kind"].replace("cow", "augmented")
    assert (fit.model.predict(test) == truth).mean() > 0.9
    assert set(fit.model.y_labeled) == {"ant", "bee"}


def test_blank_labels_and_columns_that_are_not_used_are_noted(files):
    train, pool = (pd.read_csv(files / f"{name}.csv") for name in ("train", "pool"))
    train.loc[:9, "kind"] = None
    train.to_csv(files / "train.csv", index=False)
    pool.assign(more=1.0).to_csv(files / "pool.csv", index=False)
    fit = fit_long_tables(landmark(), files / "train.csv", "kind", files / "pool.csv")
    assert (fit.n_labeled, fit.n_unlabeled) == (70, 130)
    assert any("10 rows of" in note for note in fit.notes)
    assert any("'more'" in note for note in fit.notes)


def test_labels_are_no_ids_and_one_table_is_no_pool_of_its_own(files):
    labeled, pool = files / "train.csv", files / "pool.csv"
    with pytest.raises(TableRequestError, match=r"`id_column` must be another .* both are 'kind'"):
        fit_long_tables(landmark(), labeled, "kind", pool, id_column="kind")
    with pytest.raises(TableRequestError, match="`pool` must be another table"):
        fit_long_tables(landmark(), labeled, "kind", labeled)


def test_a_pool_without_a_feature_column_is_refused(files):
    pd.read_csv(files / "pool.csv").drop(columns="b").to_csv(files / "pool.csv", index=False)
    with pytest.raises(ValueError, match="it lacks 'b'"):
        fit_long_tables(landmark(), files / "train.csv", "kind", files / "pool.csv")
