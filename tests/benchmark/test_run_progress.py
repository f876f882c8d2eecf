import pytest

from eulac.benchmark.records import Record
from eulac.benchmark.run_progress import TimeToGo
from eulac.benchmark.trial import Draw, Trial


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def trial(i=0, method="osnn", dataset="usps"):
    return Trial("table1", Draw(dataset, i), method)


def ended(one, seconds):
    return Record(one, seconds={"wall": seconds})


def test_nothing_is_promised_before_anything_is_known():
    assert TimeToGo([trial()], clock=Clock()).seconds() is None


def test_each_trial_is_expected_to_take_what_its_like_took():
    slow = [trial(i, "pac_iforest") for i in range(3)]
    quick = [trial(i, "osnn") for i in range(3)]
    to_go = TimeToGo([*slow[1:], *quick[1:]], clock=Clock())
    to_go.add(ended(slow[0], 20.0))
    to_go.add(ended(quick[0], 1.0))
    assert to_go.seconds() == pytest.approx(42.0)


def test_records_of_earlier_runs_count():
    to_go = TimeToGo([trial(1)], [ended(trial(0), 5.0)], clock=Clock())
    assert to_go.seconds() == pytest.approx(5.0)


def test_a_dataset_not_seen_yet_is_guessed_from_the_method():
    to_go = TimeToGo([trial(0, dataset="mnist")], [ended(trial(0), 5.0)], clock=Clock())
    assert to_go.seconds() == pytest.approx(5.0)


def test_workers_divide_the_time():
    to_go = TimeToGo([trial(i) for i in range(1, 5)], [ended(trial(0), 3.0)], jobs=2, clock=Clock())
    assert to_go.seconds() == pytest.approx(6.0)


def test_a_run_slower_than_its_trials_say_is_believed():
    clock, trials = Clock(), [trial(i) for i in range(20)]
    to_go = TimeToGo(trials, jobs=2, clock=clock)
    for one in trials[:10]:
        clock.now += 4.0  # two workers at full speed would have taken 1
        to_go.add(ended(one, 2.0))
    assert to_go.seconds() == pytest.approx(40.0)


def test_the_estimate_reaches_zero():
    to_go = TimeToGo([trial()], clock=Clock())
    to_go.add(ended(trial(), 1.0))
    assert to_go.seconds() == 0
