import pytest

from benchmark.made_up import of_experiment
from eulac.benchmark.experiments import find_experiment
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.benchmark.trial import Draw, Trial


def record(method, estimate, true=0.5):
    proportion = {
        "estimate": estimate,
        "true": true,
        "interval": [estimate - 0.05, estimate + 0.05],
    }
    trial = Trial("proportion", Draw("usps", int(1000 * estimate)), method)
    return Record(trial, proportion=proportion, seconds={"shared": 2.0})


def lines_of(records):
    section = Section("proportion", "Estimators", "proportion", records)
    part = find_experiment("proportion").part(section)
    return part.files["proportion.csv"].splitlines()[1:]


def test_errors_are_in_points_and_intervals_are_counted_where_they_cover():
    [line] = lines_of([record("consensus", 0.52), record("consensus", 0.42)])
    dataset, method, *numbers = line.split(",")
    assert (dataset, method) == ("usps", "consensus")
    assert [float(number) for number in numbers] == pytest.approx([-3.0, 5.0, 0.5, 2.0, 2.0])


def test_an_estimator_without_records_of_a_dataset_is_no_error():
    other = Record(Trial("proportion", Draw("mnist"), "best_bin"), "failed", "ValueError: no.")
    lines = lines_of([record("consensus", 0.52), other])
    assert sum("nan" in line for line in lines) == 3


def test_every_estimator_has_a_column():
    records = of_experiment("proportion")
    methods = {record.trial.method for record in records}
    assert {line.split(",")[1] for line in lines_of(records)} == methods
