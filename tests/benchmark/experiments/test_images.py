import pytest

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.images import EXPERIMENT
from eulac.benchmark.methods.drawn_images import IMAGES
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial

pytestmark = pytest.mark.usefixtures("three_datasets")


def test_networks_need_images():
    with pytest.raises(ValueError, match="got satimage"):
        plan_experiment("deep", Scope(datasets=["satimage"]))


def test_there_are_no_more_class_splits_than_the_literature_has():
    trials = plan_experiment("deep", Scope(draws=9)).trials
    assert {trial.draw.class_draw for trial in trials} == set(range(5))
    assert {trial.draw.condition("epochs") for trial in trials} == {IMAGES["mnist"].n_epochs}


def record(method, split, auc, share):
    return Record(
        Trial("deep", Draw("mnist", split), method),
        metrics={"accuracy": 0.9, "auc": auc},
        proportion={"estimate": share, "true": 0.6},
        risk=None if share is None else {"raw": 0.08},
        seconds={"fit": 90.0},
    )


def test_the_table_has_standard_errors_over_splits_and_what_the_paper_says():
    records = [
        record("deep_eulac", 0, 0.98, 0.64),
        record("deep_eulac", 1, 0.96, 0.54),
        record("softmax", 0, 0.9, None),
    ]
    table, _ = EXPERIMENT.part(Section("deep", "Networks", "deep", records)).paragraphs
    assert table.splitlines()[2:] == [
        "| mnist | SoftMax | 90.0 | 97.8 | 90.0 | – | – | – | – | – | 1.5 | 1 |",
        "| mnist | deep EULAC, paper's risk | 97.0 ± 1.0 | 98.6 | 90.0 | – | 8.0 | 59.0 ± 5.0 | "
        "60.0 | 5.0 ± 1.0 | 1.5 | 2 |",
    ]
