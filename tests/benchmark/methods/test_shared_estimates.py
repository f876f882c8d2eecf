from benchmark.tiny import tiny_trials
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.methods.shared_estimates import SHARED, shared_estimate
from eulac.proportion.methods import PROPORTIONS


def test_an_estimate_is_made_once_per_draw():
    [trial] = tiny_trials("kme_base")
    opened = OpenDraw(trial.draw)
    first = shared_estimate(opened, "kme_base")
    assert shared_estimate(opened, "kme_base").estimate is first.estimate
    other = shared_estimate(OpenDraw(trial.draw), "kme_base").estimate
    assert other is not first.estimate
    assert other.total == first.estimate.total


def test_every_estimator_can_be_shared():
    assert set(PROPORTIONS) < set(SHARED)
