"""The experiment on what a fit says of its own pool."""

from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.trusted_numbers import EXPERIMENT, MEASURED, METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial


def record(draw, pool=0.9, fresh=0.9, share=0.5, error=0.1, losses=(0.3, 1.0), dataset="usps"):
    judged = dict.fromkeys(MEASURED, 0.02) | dict(zip(MEASURED[3:], losses, strict=True))
    both = {f"{who}_{name}": value for who in ("pool", "fresh") for name, value in judged.items()}
    metrics = {"pool_accuracy": pool, "fresh_accuracy": fresh, "pool_called_new": 0.5, **both}
    return Record(
        Trial("trust", Draw(dataset, draw), "judged_default"),
        metrics=metrics,
        proportion={"estimate": share, "true": 0.5, "interval": [share - 0.03, share + 0.03]},
        risk={"raw": error, "standard_error": 0.01, "interval": [error - 0.02, error + 0.02]},
        seconds={"fit": 4.0},
    )


def tables(records):
    paragraphs = EXPERIMENT.part(Section("trust", "", "trust", records)).paragraphs
    return dict(zip(("answers", "share", "error", "probabilities"), paragraphs[3::4], strict=True))


def rows(table):
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_trials_are_ten_draws_of_both_methods_on_seeds_of_their_own():
    trials = plan_experiment("trust", Scope(["digits"])).trials
    others = plan_experiment("families", Scope(["digits"])).trials
    assert len(trials) == 10 * len(METHODS)
    assert not {t.draw.sample_seed for t in trials} & {t.draw.sample_seed for t in others}
    assert not {t.draw.class_seed for t in trials} & {t.draw.class_seed for t in others}


def test_answers_for_the_pool_are_compared_with_fresh_rows_draw_by_draw():
    found = rows(tables([record(0, 0.9, 0.92), record(1, 0.94, 0.94)])["answers"])
    cells = ["92.0", "93.0", "-1.0 ± 1.0", "50.0", "50.0", "0.0", "4.0", "2"]
    assert found == [["usps", "EULAC", *cells], ["mean", "EULAC", *cells]]


def test_the_share_says_how_far_it_is_off_and_how_often_its_interval_holds():
    found = rows(tables([record(0, share=0.52), record(1, share=0.44)])["share"])
    cells = ["48.0", "50.0", "4.0 ± 2.0", "-2.0", "50.0", "6.0", "2"]
    assert found[0] == ["usps", "EULAC", *cells]


def test_the_claimed_error_is_compared_with_fresh_rows():
    found = rows(tables([record(0, error=0.05), record(1, error=0.11)])["error"])
    assert found[0][2:] == ["8.0", "10.0", "3.0 ± 2.0", "-2.0", "50.0", "4.0", "2"]


def test_probabilities_worse_than_class_shares_are_counted():
    found = rows(tables([record(0), record(1, losses=(2.0, 1.0))])["probabilities"])
    assert found[0][-2:] == ["50.0", "2"]
    assert found[0][8:10] == ["1.150", "1.000"]


def test_the_mean_is_over_tables_and_the_worst_is_named():
    records = [record(0, share=0.5), record(0, share=0.6, dataset="segment")]
    part = EXPERIMENT.part(Section("trust", "", "trust", records))
    assert "off by 5.0 points on average, by 10.0 on segment, the worst table" in part.paragraphs[8]
    lines = part.files["trust.csv"].splitlines()
    assert "share,segment,judged_default,off,0.1" in lines
    assert "share,mean,judged_default,off,0.05" in lines
