import pytest

from benchmark.tiny import tiny_trials
from eulac.benchmark.measure import run_group
from eulac.benchmark.methods.method_kinds import TrialMethod
from eulac.benchmark.trial import Trial


def test_methods_that_only_estimate_record_the_proportion():
    for record in run_group(tiny_trials("kme_base", "kme_shift")):
        assert record.ok, record.reason
        assert 0 <= record.proportion["estimate"] <= 1
        assert 0 < record.proportion["true"] < 1
        assert not record.metrics


def test_settings_of_a_trial_go_to_the_method():
    [trial] = tiny_trials("kernel_given")
    given = Trial("theta", trial.draw, "kernel_given", {"known_proportion": 0.3})
    [record] = run_group([given])
    assert record.proportion["estimate"] == pytest.approx(0.3)
    assert record.parameters["known_proportion"] == 0.3


def test_a_kind_must_say_what_its_outcome_is():
    with pytest.raises(NotImplementedError, match="TrialMethod must say"):
        TrialMethod("nothing").outcome(None, {})
