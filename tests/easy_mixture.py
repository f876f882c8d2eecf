"""A mixture that any sensible classifier gets right, with exact class shares."""

import numpy as np

from eulac.data.labels import LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.splits import LacSplit


def easy_split(n_labeled=60, n_unlabeled=120, *, n_known=3, cycle=(0, 1, 2, 3, 3), random_state=0):
    """Return known classes and a new one, `n_known`, each on an axis of its own, 8 sigma out.

    Unlabeled and test rows take their classes from `cycle` in turn, so that shares are exact.
    """
    rng = np.random.default_rng(random_state)
    known = np.arange(n_known)
    y_labeled = np.resize(known, n_labeled)
    y_unlabeled, y_test = np.resize(cycle, n_unlabeled), np.resize(cycle, 150)
    means = 8 * np.eye(n_known + 1)
    rows = [rng.normal(means[y]) for y in (y_labeled, y_unlabeled, y_test)]
    codec = LabelCodec.from_labels(known)
    sample = LacSample(rows[0], y_labeled, rows[1], codec)
    return LacSplit(sample, codec.decode(y_unlabeled), rows[2], codec.decode(y_test))


def easy_masked(**options):
    """Return the split, and its sample as features and masked labels."""
    split = easy_split(**options)
    return split, *split.sample.as_masked()
