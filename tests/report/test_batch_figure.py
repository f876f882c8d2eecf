"""The figure of batches: drawn to the format of its name, and not over another file."""

import numpy as np
import pytest

from eulac.evaluation.batch_estimate import BatchEstimate
from eulac.proportion.estimate import estimate_with_error
from eulac.report.batch_figure import draw_batches
from eulac.risk.zero_one import RiskEstimate
from eulac.tables.batch_tables import TableBatch


def batch(name, known):
    share = estimate_with_error(
        known, np.ones(1), 0.03, method="made_up", n_labeled=90, n_unlabeled=300
    )
    risk = RiskEstimate(raw=0.3 * (1 - known), standard_error=0.02)
    return TableBatch(name, BatchEstimate(300, 0, share, risk, np.array([known, 1 - known])))


BATCHES = [batch("data/monday.csv", 0.9), batch("data/a-very-long-name-of-tuesday.csv", 0.6)]


def test_the_picture_names_batches_and_lines(tmp_path):
    text = draw_batches(BATCHES, tmp_path / "time.svg").read_text()
    assert text.startswith("<?xml")
    for word in ("monday", "a-very-long-name-…", "new share", "estimated error"):
        assert f"<!-- {word} -->" in text


def test_another_picture_is_replaced_only_when_asked(tmp_path):
    path = tmp_path / "time.png"
    path.write_bytes(b"mine")
    with pytest.raises(FileExistsError, match=r"time\.png"):
        draw_batches(BATCHES, path)
    assert draw_batches(BATCHES, path, overwrite=True).read_bytes().startswith(b"\x89PNG")
