import gzip
import json

import numpy as np
import pytest

from eulac.benchmark.records import Record, append_records, latest, read_records
from eulac.benchmark.trial import Draw, Trial


def record(i=0, **fields):
    return Record(Trial("table1", Draw("usps", i), "osnn"), **fields)


def write(path, *records):
    with append_records(path) as append:
        for one in records:
            append(one)


def test_what_is_appended_is_read_back(tmp_path):
    path = tmp_path / "deep" / "runs.jsonl"
    records = [record(i, metrics={"auc": i / 7}, seconds={"fit": 0.1}) for i in range(4)]
    write(path, *records[:2])
    write(path, *records[2:])
    assert read_records(path) == records


def test_a_line_is_json_whatever_numbers_are_in_it():
    odd = record(metrics={"auc": float("nan")}, draw={"classes": np.array([1, 2])})
    content = json.loads(odd.to_line())
    assert content["metrics"] == {"auc": None}
    assert content["draw"] == {"classes": [1, 2]}
    assert content["key"] == odd.trial.key


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_half_written_line_is_cut_off_and_its_trial_is_missing(tmp_path, cut):
    path = tmp_path / "runs.jsonl"
    write(path, record(0), record(1))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert read_records(path) == [record(0)]
    write(path, record(1))
    assert path.read_bytes() == whole


def test_a_line_that_lacks_only_its_end_is_redone_too(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(record(0).to_line())
    assert read_records(path) == []


def test_broken_lines_further_up_are_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(record(0).to_line() + "\nnonsense\n" + record(1).to_line() + "\n")
    with pytest.raises(ValueError, match="line 2 is not"):
        read_records(path)


def test_another_format_is_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"format": 99}\n')
    with pytest.raises(ValueError, match="format 1"):
        read_records(path)


def test_the_last_record_of_a_trial_counts():
    assert latest([record(0, status="failed"), record(1), record(0)]) == [record(0), record(1)]


def test_compressed_records_are_read_but_not_appended_to(tmp_path):
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(record(0).to_line().encode() + b"\n"))
    assert read_records(path) == [record(0)]
    with pytest.raises(ValueError, match="Unpack it"), append_records(path):
        pass


def test_two_runs_cannot_append_to_one_file(tmp_path):
    path = tmp_path / "runs.jsonl"
    with (
        append_records(path),
        pytest.raises(BlockingIOError, match="another one does"),
        append_records(path),
    ):
        pass
