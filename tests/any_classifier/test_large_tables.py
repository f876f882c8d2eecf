"""Of large tables a part is learned from, and every row is answered by models that had no part."""

import numpy as np

from easy_mixture import easy_masked
from eulac import EulacClassifier
from eulac.any_classifier import large_tables
from eulac.any_classifier.large_tables import all_rows, fitted_part
from eulac.data.lac_table import LacTable


def table_of(counts, n_unlabeled):
    y = np.concatenate([np.repeat(np.arange(len(counts)), counts), np.full(n_unlabeled, -1)])
    return LacTable.from_masked(np.arange(len(y), dtype=float)[:, None], y)


def test_a_small_table_is_used_whole():
    table = table_of([20, 30], 40)
    assert fitted_part(table, (50, 40)) is table


def test_rare_classes_keep_their_rows(monkeypatch):
    monkeypatch.setattr("eulac.data.row_sketch.FEWEST_OF_CLASS", 8)
    part = fitted_part(table_of([500, 10, 3], 900), (100, 200))
    assert np.bincount(part.y_labeled).tolist() == [100, 8, 3]
    assert part.n_unlabeled == 200


def test_every_row_has_an_answer_at_its_place():
    whole = table_of([4, 4], 8)
    part = whole.taken(np.array([0, 5]), np.array([1, 3]))
    held_out = 100.0 + part.X
    found = all_rows(part, whole, held_out, lambda rows: whole.X[rows])
    expected = np.arange(16.0)
    expected[part.places] += 100.0
    np.testing.assert_array_equal(found[:, 0], expected)


def test_the_default_answers_rows_it_did_not_learn_from(monkeypatch):
    _, X, y = easy_masked()
    monkeypatch.setattr(large_tables, "MOST_ROWS", (60, 80))
    monkeypatch.setattr("eulac.data.row_sketch.FEWEST_OF_CLASS", 5)
    classifier = EulacClassifier(random_state=0).fit(X, y)
    assert classifier.n_fitted_rows_[1] == 80
    assert classifier.held_out_probabilities_.shape == (len(X), len(classifier.classes_))
    labeled = y != -1
    assert np.mean(classifier.held_out_labels_[labeled] == y[labeled]) > 0.9
    probabilities = classifier.predict_proba(X)
    same = np.isclose(probabilities, classifier.held_out_probabilities_).all(axis=1)
    assert same.sum() >= len(X) - sum(classifier.n_fitted_rows_)
