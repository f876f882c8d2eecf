"""Progress of a default fit: it begins early, never goes back, and ends at the end."""

import numpy as np
import pytest

from eulac import EulacClassifier
from eulac.any_classifier.fit_progress import ANSWERING, READING, FitProgress, expected_seconds
from eulac.data.synthetic import make_gaussian_task


def test_parts_count_by_the_seconds_they_take():
    calls = []
    steps = FitProgress(lambda *call: calls.append(call), ["extra_trees", "own"], 3000, 9000)
    steps.finished(READING)
    steps.within("extra_trees")(1, 4)
    steps.finished("extra_trees")
    steps.finished("own")
    steps.within(ANSWERING)(4500, 9000)
    steps.ended()
    done = [call[0] for call in calls]
    parts = {name: expected_seconds(name, 3000) for name in (READING, "extra_trees", "own")}
    whole = sum(parts.values()) + expected_seconds(ANSWERING, 9000)
    assert done[0] == pytest.approx(1000 * parts[READING] / whole, abs=1)
    assert done == sorted(done)
    assert calls[-1] == (1000, 1000)


def test_without_anybody_who_listens_nothing_happens():
    FitProgress(None, [], 0, 0).ended()


def test_a_default_fit_reports_the_known_share_and_stages_of_families():
    sample = make_gaussian_task(n_known_classes=2, random_state=0).draw(60, 60, random_state=0)
    X, y = sample.sample.as_masked()
    calls = []
    EulacClassifier(random_state=0).fit(X, y, progress=lambda *call: calls.append(call))
    done = np.array([call[0] for call in calls])
    assert len(set(done)) > 8
    assert np.all(np.diff(done) >= 0)
    assert calls[-1] == (1000, 1000)
