"""The line of an epoch says what is known by then, and how long it will take."""

import io

import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")

from easy_mixture import easy_masked
from eulac.deep.deep_classifier import DeepEulacClassifier
from eulac.deep.epoch_lines import EpochLines, epoch_line


def test_time_to_go_is_the_mean_epoch_times_what_is_left():
    line = epoch_line({"objective": 1.0}, 4, 10, seconds=100.0)
    assert line.endswith("2:30 left")


def test_a_fit_writes_a_line_an_epoch_with_error_and_share_once_they_are_known():
    _, X, y = easy_masked(n_labeled=100, n_unlabeled=200)
    stream = io.StringIO()
    classifier = DeepEulacClassifier(known_proportion=0.6, max_epochs=5, random_state=0)
    classifier.fit(X, y, progress=EpochLines(classifier, stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 5
    assert "warm_up" in lines[0]
    assert "error" not in lines[0]
    assert "new 40.0 %" in lines[-1]
    assert "error" in lines[-1]
    assert lines[-1].endswith("0:00 left")
