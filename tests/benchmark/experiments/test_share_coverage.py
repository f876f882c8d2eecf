"""The experiment on the known share by size and true share."""

import numpy as np
import pytest

from benchmark.tiny import tiny_trials
from eulac.any_classifier.eulac_classifier import EulacClassifier
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments.share_coverage import EXPERIMENT, KNOWN, LABELED
from eulac.benchmark.measure import run_group
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial
from eulac.kernel.kernel_classifier import KernelEulacClassifier


def test_every_size_meets_every_share_and_draws_fill_evenly():
    trials = EXPERIMENT.list_trials(Scope(["digits"])).trials
    n_cells = len(LABELED) * len(KNOWN)
    assert len(trials) == 10 * n_cells
    cells = {
        (t.draw.condition("n_labeled"), t.draw.condition("known_proportion"))
        for t in trials[:n_cells]
    }
    assert cells == {(n, share) for n in LABELED for share in KNOWN}


@pytest.mark.usefixtures("small_class_view")
@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
def test_the_share_is_the_one_that_the_default_classifier_uses():
    trials = tiny_trials("default_share", experiment="coverage")
    [record] = run_group(trials)
    assert record.ok, record.reason
    candidates = {"kernel": KernelEulacClassifier(bandwidth=1.0, penalty=0.1)}
    clf = EulacClassifier(candidates, random_state=trials[0].draw.fit_seed)
    X, y = OpenDraw(trials[0].draw).split.sample.as_masked()
    assert record.proportion["estimate"] == pytest.approx(clf.fit(X, y).proportion_.total)
    assert isinstance(record.proportion["drift_suspected"], bool)


def test_cells_say_error_coverage_and_width():
    def record(draw, estimate):
        conditions = {"n_labeled": 100, "known_proportion": 0.4}
        trial = Trial("coverage", Draw("usps", draw, conditions=conditions), "default_share")
        interval = [estimate - 0.05, estimate + 0.05]
        return Record(trial, proportion={"estimate": estimate, "true": 0.4, "interval": interval})

    records = [record(i, 0.4 + off) for i, off in enumerate(np.repeat([0.02, 0.1], [49, 1]))]
    part = EXPERIMENT.part(Section("coverage", "", "coverage", records))
    row = part.paragraphs[0].splitlines()[2]
    assert row == "| 100 | 0.4 | 2.2 | +2.2 | 98.0 | 10.0 | 0.0 | 50 |"
    assert "1 cells have 50 draws or more; the smallest is 98 %" in part.paragraphs[1]
