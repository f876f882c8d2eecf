import re
from types import SimpleNamespace

import numpy as np
import pytest

from eulac.landmark.monitor import AlarmEvidence
from eulac.landmark.newest_rows import StreamReport
from eulac.landmark.stream_metrics import stream_metrics
from eulac.proportion.estimate import ProportionEstimate

ESTIMATE = ProportionEstimate(np.array([0.5, 0.25]), (0.7, 0.8), "given", 10, 20)
RISK = SimpleNamespace(value=0.1, interval=(0.05, 0.15))
REPORT = StreamReport(1500, 300.0, ESTIMATE, RISK, AlarmEvidence(5.5, 0.004, True))
LINE = re.compile(r'eulac_\w+(\{(\w+="(\\.|[^"\\\n])*",?)+\})? [-+0-9.e]+')


def values(text):
    return dict(
        line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#")
    )


def test_numbers_are_those_of_the_report():
    found = values(stream_metrics(REPORT, ["hen", "owl"]))
    assert found["eulac_rows_seen_total"] == "1500"
    assert found['eulac_new_share{bound="estimate"}'] == "0.25"
    assert float(found['eulac_new_share{bound="low"}']) == pytest.approx(0.2)
    assert found['eulac_known_class_share{known_class="hen"}'] == "0.5"
    assert found['eulac_error{bound="high"}'] == "0.15"
    assert found["eulac_alarm"] == "1"


def test_lines_are_of_the_format_whatever_classes_are_called():
    text = stream_metrics(REPORT, ['sly "fox"', "a\\b\nc"], stream="yard 1")
    lines = text.splitlines()
    assert text.endswith("\n")
    told = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert told == {line.split()[2] for line in lines if line.startswith("# HELP")}
    for line in lines:
        if not line.startswith("#"):
            assert LINE.fullmatch(line), line
            assert re.match(r"\w+", line)[0] in told
            assert 'stream="yard 1"' in line
