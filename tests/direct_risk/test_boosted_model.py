from dataclasses import replace

import numpy as np
import pytest

from easy_mixture import easy_split
from eulac.direct_risk.boosted_model import boost
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES

STOPS = (1, 5, 30)


@pytest.fixture(scope="module")
def split():
    return easy_split()


def boosted(sample, stops=STOPS, **options):
    settings = {"learning_rate": 0.3, "doubt": 1.0, "seed": 0, "max_depth": 3, **options}
    weights = np.full(sample.n_labeled, 0.6)
    return list(boost(sample, weights, stops, MULTICLASS_LOSSES["brier"], **settings))


def test_a_model_is_given_at_every_stop(split):
    models = boosted(split.sample)
    assert [len(model.trees) for model in models] == list(STOPS)
    assert models[0].trees[0] is models[-1].trees[0]  # earlier trees are shared, not grown again


def test_easy_rows_are_told_apart(split):
    answers = boosted(split.sample)[-1].probabilities(split.X_test).argmax(axis=1)
    truth = np.where(split.y_test == -2, 3, split.y_test)
    assert (answers == truth).mean() > 0.95


def test_without_trees_every_row_gets_the_shares_of_the_classes(split):
    rows = boosted(split.sample, stops=(0,))[0].probabilities(split.X_test)
    np.testing.assert_allclose(rows, np.tile([0.2, 0.2, 0.2, 0.4], (len(rows), 1)))


def test_what_classes_are_called_does_not_change_a_bit(split):
    sample = split.sample
    renamed = replace(sample, y_labeled=np.array([2, 0, 1])[sample.y_labeled])
    one, two = boosted(sample)[-1], boosted(renamed)[-1]
    np.testing.assert_array_equal(
        one.logits(split.X_test), two.logits(split.X_test)[:, [2, 0, 1, 3]]
    )


def test_the_seed_decides(split):
    rows = [
        boosted(split.sample, max_features=1, seed=seed)[-1].logits(split.X_test)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


def test_rows_beyond_single_precision_get_an_answer(split):
    rows = boosted(split.sample)[-1].probabilities(np.full((1, 4), 1e200))
    assert np.isfinite(rows).all()
