import pytest

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.measure import run_group
from eulac.benchmark.methods.drawn_images import IMAGES
from eulac.benchmark.methods.trial_methods import DEEP_METHODS
from eulac.benchmark.trial import Draw, Trial

DRAW = Draw("digits", 1, conditions={"epochs": 2})


def test_methods_pass_over_as_many_rows():
    kind = IMAGES["digits"]
    paired = 2 * max(6 * kind.n_labeled, 10 * kind.n_unlabeled)
    assert DEEP_METHODS["deep_eulac"].n_epochs(DRAW) == 2
    assert DEEP_METHODS["softmax"].n_epochs(DRAW) == round(2 * paired / (6 * kind.n_labeled))
    assert DEEP_METHODS["osrci"].n_epochs(DRAW) < DEEP_METHODS["softmax"].n_epochs(DRAW)


@pytest.fixture
def few_images(monkeypatch):
    pytest.importorskip("torch")
    few = IMAGES["digits"]._replace(n_labeled=12, n_unlabeled=14, n_test=10)
    monkeypatch.setitem(IMAGES, "digits", few)


@pytest.mark.slow
def test_networks_leave_whole_records_and_openmax_builds_upon_softmax(few_images):
    names, draw = ("softmax", "openmax", "deep_eulac"), Draw("digits", 1, conditions={"epochs": 1})
    records = {r.trial.method: r for r in run_group([Trial("deep", draw, n) for n in names])}
    for record in records.values():
        assert record.ok, record.reason
        assert set(record.metrics) == {"macro_f1", "accuracy", "auc", "called_new"}
        assert record.proportion["true"] == pytest.approx(0.6)
    assert len(records["deep_eulac"].parameters["curve"]) == 1
    assert records["openmax"].parameters["curve"] == []
    assert records["openmax"].seconds["fit"] > records["softmax"].seconds["fit"]


@pytest.mark.slow
def test_a_network_without_its_forerunner_trains_its_own(few_images):
    outcome = DEEP_METHODS["openmax"].outcome(OpenDraw(DRAW), {})
    assert outcome["parameters"]["curve"]
