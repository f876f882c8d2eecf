"""The table of named datasets: it agrees with the paper, and says where it does not."""

import numpy as np
import pytest

from eulac.data.dataset_specs import DATASETS

PAPER = {
    "usps": (10, 256, 708, 1553),
    "segment": (7, 19, 330, 330),
    "satimage": (6, 36, 626, 1533),
    "optdigits": (10, 64, 554, 572),
    "pendigits": (10, 16, 1055, 1144),
    "mnist": (10, 784, 6313, 7877),
    "shuttle": (7, 9, 10, 45586),
}


@pytest.mark.parametrize("name", PAPER)
def test_entries_agree_with_the_table_of_the_paper(name):
    spec = DATASETS[name]
    assert (spec.n_classes, spec.n_features, *spec.class_counts) == PAPER[name]


def test_entries_are_named_after_themselves_and_images_fill_their_rows():
    for name, spec in DATASETS.items():
        assert spec.name == name
        assert spec.image_shape is None or np.prod(spec.image_shape) == spec.n_features


def test_departures_from_the_paper_are_remarked():
    assert "780 features are X[:, :780]" in DATASETS["mnist"].remark
    assert "73 features" in DATASETS["landset"].remark
    assert "match no public copy" in DATASETS["senseveh"].remark
    assert DATASETS["senseveh"].openml == ("SensIT-Vehicle-Combined", 1)
