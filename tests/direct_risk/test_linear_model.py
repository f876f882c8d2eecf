import numpy as np
import pytest

from easy_mixture import easy_split
from eulac.direct_risk.linear_model import LinearScores, fit_linear_scores
from eulac.maths.multiclass_losses import MULTICLASS_LOSSES
from eulac.risk.nonnegative import corrected_risk

every_loss = pytest.mark.parametrize("name", MULTICLASS_LOSSES)


@pytest.fixture(scope="module")
def split():
    return easy_split()


def objective(scores, sample, weights, penalty, loss):
    parts = [
        X @ scores.coefficients + scores.intercepts for X in (sample.X_labeled, sample.X_unlabeled)
    ]
    risk, *_ = corrected_risk(parts[0], sample.y_labeled, weights, parts[1], loss)
    return risk + 0.5 * penalty * (scores.coefficients**2).sum()


def fitted(split, penalty, name="log", **options):
    weights = np.full(split.sample.n_labeled, 0.6)
    loss = MULTICLASS_LOSSES[name]
    return fit_linear_scores(split.sample, weights, penalty, loss, **options), weights, loss


@every_loss
def test_easy_rows_are_told_apart(name, split):
    scores, _, _ = fitted(split, 1e-3, name)
    answers = scores.probabilities(split.X_test).argmax(axis=1)
    truth = np.where(split.y_test == -2, 3, split.y_test)
    assert (answers == truth).mean() > 0.95


@every_loss
def test_the_fit_is_better_than_none_and_than_those_of_other_penalties(name, split):
    scores, weights, loss = fitted(split, 0.1, name)
    zero = LinearScores(np.zeros_like(scores.coefficients), np.zeros_like(scores.intercepts))
    for other in (zero, fitted(split, 1.0, name)[0], fitted(split, 0.01, name)[0]):
        best, value = (objective(s, split.sample, weights, 0.1, loss) for s in (scores, other))
        assert best < value


def test_larger_penalties_give_smaller_coefficients(split):
    norms = [np.square(fitted(split, p)[0].coefficients).sum() for p in (0.01, 0.1, 1.0)]
    assert norms[0] > norms[1] > norms[2]


def test_a_start_near_by_leads_to_a_fit_as_good(split):
    # Not to the same one: the correction has kinks, at which the search may stop.
    cold, weights, loss = fitted(split, 0.1)
    warm, _, _ = fitted(split, 0.1, start=fitted(split, 1.0)[0])
    values = [objective(s, split.sample, weights, 0.1, loss) for s in (cold, warm)]
    assert values[0] == pytest.approx(values[1], abs=0.01)


def test_probabilities_add_up(split):
    scores, _, _ = fitted(split, 0.1)
    rows = scores.probabilities(split.X_test * 1e3)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
