import pytest

from benchmark.tiny import tiny_trials, without_seconds
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.measure import run_group, run_trial
from eulac.benchmark.trial import Draw, Trial
from eulac.contenders.ovr_shift import OvrShiftClassifier
from eulac.evaluation.metrics import evaluate
from eulac.kernel.kernel_classifier import KernelEulacClassifier
from eulac.maths.threads import blas_threads
from eulac.proportion.consensus import ConsensusProportion

TABLE = ("w_svm", "osnn", "evm", "kernel", "lacu_svm", "kernel_paper")


def bare(classifier, opened):
    split = opened.split
    with blas_threads(1):
        classifier.fit(*split.sample.as_masked())
    return evaluate(classifier, split.X_test, split.y_test)


@pytest.fixture(scope="module")
def records():
    return {record.trial.method: record for record in run_group(tiny_trials(*TABLE))}


@pytest.mark.parametrize("method", TABLE)
def test_every_method_of_table_1_leaves_a_whole_record(records, method):
    record = records[method]
    assert record.ok, record.reason
    assert set(record.metrics) == {"macro_f1", "accuracy", "auc", "called_new"}
    assert set(record.seconds) == {"shared", "fit", "score", "wall"}
    assert record.draw["n_labeled"] == 60
    assert record.versions["eulac"]


def test_a_shared_estimate_gives_what_a_bare_fit_gives(records):
    [trial] = tiny_trials("kernel")
    opened = OpenDraw(trial.draw)
    classifier = KernelEulacClassifier(
        known_proportion=consensus(opened), scale=None, random_state=trial.draw.fit_seed
    )
    metrics, record = bare(classifier, opened), records["kernel"]
    assert record.metrics == vars(metrics)
    assert record.proportion["estimate"] == classifier.proportion_.total
    assert record.risk["raw"] == classifier.risk_.raw
    assert record.risk["standard_error"] == classifier.risk_.standard_error


def consensus(opened, shift="auto"):
    """Return the one reading that the paper's methods share; a default fit reads twice."""
    return ConsensusProportion(shift=shift, random_state=opened.canonical_sample[1])


VARIANTS = {
    "kernel_base": (KernelEulacClassifier, False, {"shift": False}),
    "kernel_shift": (KernelEulacClassifier, True, {}),
    "kernel_base_plus": (KernelEulacClassifier, True, {"shift": "base++"}),
    "ovr_shift": (OvrShiftClassifier, True, {}),
}


def test_variants_for_moved_priors_share_scores_and_change_nothing():
    trials = tiny_trials(
        "kernel_shift_auto", *VARIANTS, shift_intensity=0.6, experiment="environments"
    )
    opened = OpenDraw(trials[0].draw)
    for record in list(run_group(trials))[1:]:
        kind, shift, options = VARIANTS[record.trial.method]
        options = {"known_proportion": consensus(opened, shift), "scale": None} | options
        classifier = kind(random_state=trials[0].draw.fit_seed, **options)
        assert record.metrics == vars(bare(classifier, opened)), record.trial.method


@pytest.mark.slow
def test_order_and_company_change_nothing(records):
    turned = run_group(tiny_trials("lacu_svm", "kernel"))
    for record in turned:
        assert without_seconds(record) == without_seconds(records[record.trial.method])


def test_a_failure_is_a_record_with_its_reason():
    trials = [
        Trial("table1", Draw("digits", conditions={"n_labeled": 60}), "kernel", {"n_folds": 1}),
        Trial("table1", Draw("digits", conditions={"n_labeled": 60}), "osnn", {"ratio": 0.8}),
    ]
    failed, fine = run_group(trials)
    assert failed.status == "failed"
    assert failed.reason == "ValueError: `n_folds` must be a whole number of at least 2; got 1."
    assert fine.ok


def test_a_missing_dataset_fails_with_its_reason(monkeypatch, tmp_path):
    monkeypatch.setenv("EULAC_DATA", str(tmp_path))
    monkeypatch.setenv("EULAC_CACHE", str(tmp_path))
    draw = Draw("segment")
    record = run_trial(Trial("table1", draw, "osnn"), OpenDraw(draw))
    assert "segment.npz is not in" in record.reason
