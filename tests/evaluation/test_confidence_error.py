import numpy as np
import pytest

from eulac.data.synthetic import make_gaussian_task
from eulac.evaluation.confidence_error import confidence_error
from eulac.risk.held_out import HeldOut, answers_risk


def drawn(known_proportion=0.6, n_rows=4000, seed=0, separation=2.0):
    """Return true posteriors of a mixture's rows as outputs, and the codes of the pool."""
    task = make_gaussian_task(3, 1, separation=separation, known_proportion=known_proportion)
    split = task.draw(n_rows, n_rows, n_test=n_rows, random_state=seed)
    outputs = task.posterior(split.sample.X_labeled), task.posterior(split.X_test)
    y = split.sample.y_labeled
    codes = np.where(split.y_test < 0, 3, split.y_test)
    return HeldOut(*outputs, y, np.full(len(y), known_proportion)), codes


@pytest.mark.parametrize("confidence", ["entropy", "largest"])
def test_with_hardly_any_new_rows_it_is_near_the_true_error(confidence):
    held_out, codes = drawn(known_proportion=0.97)
    true = np.mean(held_out.unlabeled.argmax(axis=1) != codes)
    assert true > 0.05
    assert confidence_error(held_out, confidence=confidence) == pytest.approx(true, abs=0.03)


def test_new_rows_taken_for_a_known_class_with_confidence_escape_it_but_not_the_label_free_one():
    held_out, codes = drawn(known_proportion=0.6)
    known = held_out.unlabeled[:, :-1]
    blind = np.column_stack([known / known.sum(axis=1, keepdims=True), np.zeros(len(known))])
    fooled = HeldOut(held_out.labeled, blind, held_out.y_labeled, held_out.weights)
    fooled = fooled.mapped(lambda part: np.eye(4)[part.argmax(axis=1)] * 0.96 + 0.01)
    true = np.mean(blind.argmax(axis=1) != codes)
    answers = fooled.labeled.argmax(axis=1), blind.argmax(axis=1)
    assert confidence_error(fooled) < true - 0.2
    assert answers_risk(fooled, answers).raw > true - 0.2


def test_labeled_rows_count_by_their_weights():
    sure, torn = [0.9, 0.1, 0.0], [0.4, 0.3, 0.3]
    rows, y = np.array([sure, torn, torn]), np.array([0, 0, 1])
    pool = np.array([sure, torn, [0.36, 0.32, 0.32]])
    light, heavy = (HeldOut(rows, pool, y, np.array(w)) for w in ([1.0, 1, 0], [1.0, 0, 1]))
    # Without errors, only what is less confident than every labeled row counts.
    assert confidence_error(light) == pytest.approx(1 / 3)
    assert confidence_error(heavy) == pytest.approx(2 / 3)


def test_other_measures_of_confidence_are_quoted():
    held_out, _ = drawn(n_rows=50)
    with pytest.raises(ValueError, match="got 'margin'"):
        confidence_error(held_out, confidence="margin")
