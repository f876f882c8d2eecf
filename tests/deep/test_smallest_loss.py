"""The paper's rule for networks: one fit per proportion, the smallest training loss first."""

import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")

from easy_mixture import easy_masked
from eulac.deep.deep_classifier import DeepEulacClassifier
from eulac.deep.smallest_loss import fit_by_smallest_loss

QUICK = DeepEulacClassifier(max_epochs=5, random_state=0)


@pytest.fixture(scope="module")
def fits():
    _, X, y = easy_masked(n_labeled=150, n_unlabeled=300)
    return fit_by_smallest_loss(QUICK, X, y, known_proportions=(0.4, 0.6, 0.9))


def test_fits_come_in_the_order_of_their_training_loss(fits):
    losses = [fit.training_loss for fit in fits]
    assert losses == sorted(losses)
    assert sorted(fit.known_proportion for fit in fits) == [0.4, 0.6, 0.9]


def test_every_fit_used_its_own_proportion(fits):
    for fit in fits:
        assert fit.estimator.proportion_.total == pytest.approx(fit.known_proportion)
        assert fit.training_loss == fit.estimator.history_[-1]["risk"]
    assert QUICK.known_proportion == "auto"


def test_an_empty_grid_is_refused():
    with pytest.raises(ValueError, match="must name one proportion or more; got none"):
        fit_by_smallest_loss(QUICK, [[0.0]], [0], known_proportions=())
