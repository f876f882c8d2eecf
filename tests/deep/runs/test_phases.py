from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")
from eulac.deep.lac_losses import LacLoss
from eulac.deep.runs.phases import OBJECTIVES, plan_phases
from eulac.proportion.estimate import ProportionEstimate


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n_epochs", [1, 2, 3, 7, 12, 100])
def test_phases_follow_each_other_without_gaps(objective, n_epochs):
    phases = plan_phases(objective, n_epochs, "sigmoid", "per_class")
    assert phases[0].start == 0
    assert phases[-1].stop == n_epochs
    assert all(one.stop == two.start for one, two in pairwise(phases))
    assert all(phase.stop > phase.start for phase in phases)
    if n_epochs >= len(OBJECTIVES[objective]):
        assert len(phases) == len(OBJECTIVES[objective])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_only_the_warm_up_needs_no_proportion(objective):
    first, *others = plan_phases(objective, 12, "sigmoid", "per_class")
    assert not first.needs_proportion
    assert all(phase.needs_proportion for phase in others)
    assert first.make_loss(None, None) is not None


def test_the_last_phase_of_the_paper_minimizes_its_risk_with_the_loss_asked_for():
    *_, last = plan_phases("paper", 12, "logistic", None)
    estimate = ProportionEstimate(np.array([0.3, 0.3]), (0.5, 0.7), "made up", 9, 9)
    assert isinstance(last.make_loss(estimate, [0.6, 0.6]), LacLoss)
