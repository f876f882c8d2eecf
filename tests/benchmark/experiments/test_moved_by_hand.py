"""The experiment of classes moved by hand: every way, three shares of new rows."""

from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Scope
from eulac.benchmark.experiments import plan_experiment
from eulac.benchmark.experiments.moved_by_hand import EXPERIMENT
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.simulated_drift import MOVES
from eulac.benchmark.trial import Draw, Trial


def test_every_move_meets_every_share_of_new_rows():
    plan = plan_experiment("moved", Scope(datasets=["digits"], methods=["osnn"]))
    conditions = {
        (t.draw.condition("moved"), t.draw.condition("known_proportion")) for t in plan.trials
    }
    assert conditions == {(kind, share) for kind in MOVES for share in (1.0, 0.9, 0.5)}


def test_rows_are_moved_and_shares_are_as_asked_for():
    plan = plan_experiment("moved", Scope(datasets=["digits"], methods=["osnn"], draws=1))
    for trial in plan.trials[:3]:
        split = OpenDraw(trial.draw).split
        assert abs(split.known_proportion - trial.draw.condition("known_proportion")) < 0.02


def test_the_table_has_a_row_for_each_move_and_share_that_was_run():
    conditions = {"moved": "noise", "known_proportion": 0.9}
    record = Record(
        Trial("moved", Draw("usps", 0, conditions=conditions), "default"),
        metrics={"accuracy": 0.9},
        proportion={"estimate": 0.8, "true": 0.9, "interval": [0.7, 0.95]},
        risk={"raw": 0.08, "standard_error": 0.01},
    )
    part = EXPERIMENT.part(Section("moved", "Moved by hand", "moved", [record]))
    rows = part.paragraphs[0].splitlines()
    assert rows[2:] == ["| noise | 10% | EULAC | 90.0 | 10.0 | 100.0 | 8.0 | 10.0 | 0.0 | 1 |"]
    assert part.files["moved.csv"].splitlines()[1].startswith("noise,10%,EULAC,90.0")
