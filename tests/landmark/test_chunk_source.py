import numpy as np
import pytest

from eulac.data.labels import LabelCodec
from eulac.landmark.chunk_source import ChunkSource, SurveyPlan, known_codes

X = np.arange(8.0).reshape(4, 2)


def test_lists_and_functions_can_be_read_twice():
    chunks = [(X, None), (X + 1, [0, 0, 1, 1])]
    for source in (ChunkSource.of(chunks), ChunkSource.of(lambda: iter(chunks))):
        assert len(list(source)) == len(list(source)) == 2
        assert len(list(source.skipping(1))) == 1
    assert ChunkSource.of(chunks).n_chunks == 2
    assert ChunkSource.of(lambda: chunks).n_chunks is None


@pytest.mark.parametrize("chunks", [iter([(X, None)]), 3])
def test_what_can_be_read_only_once_is_refused(chunks):
    with pytest.raises(TypeError, match=f"got {type(chunks).__name__}. Pass the function itself"):
        ChunkSource.of(chunks)


def test_a_survey_counts_labels_and_unlabeled_rows():
    plan = SurveyPlan(n_kept=10, floor=1, seed=0)
    survey = plan.survey(X, ["hen", "-1", "owl", "hen"])
    assert survey.labels.tolist() == ["hen", "owl"]
    assert survey.class_counts.tolist() == [2, 1]
    assert survey.n_unlabeled == 1
    assert plan.survey(X, None).n_unlabeled == 4


def test_labels_outside_the_announced_classes_are_named():
    with pytest.raises(ValueError, match=r"\[7\] are not in it"):
        SurveyPlan(n_kept=10, floor=1, seed=0).survey(X, [0, 1, 7, -1], classes=np.array([0, 1]))


def test_codes_are_of_known_classes_only():
    codec = LabelCodec.from_labels(np.array([3, 5]))
    assert known_codes(codec, 4, [3, -1, 5, 3]).tolist() == [0, -1, 1, 0]
    assert known_codes(codec, 2, None).tolist() == [-1, -1]
    with pytest.raises(ValueError, match=r"known classes are \[3, 5\]; got the label 9"):
        known_codes(codec, 2, [3, 9])
    with pytest.raises(ValueError, match="got 3 and 2"):
        known_codes(codec, 3, [3, 5])
