"""The test error of a fitted classifier on rows it has not seen, none labeled as augmented."""

from dataclasses import replace
from typing import Any

import numpy as np

from eulac.data.lac_sample import LacSample
from eulac.data.splits import min_max_scale
from eulac.proportion.choose_proportion import choose_proportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.weights import labeled_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk

__all__ = ["label_free_error"]


def label_free_error(
    classifier: Any,
    sample: LacSample,
    *,
    known_proportion: Any = "auto",
    random_state: int = 0,
) -> tuple[RiskEstimate, ProportionEstimate]:
    """Return the estimated error in the unlabeled rows, and their known proportion.

    Parameters
    ----------
    classifier : fitted classifier
    sample : LacSample
        Rows as the classifier takes them, none of them learned from; codes of its codec.
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Known share of the unlabeled rows, as in `KernelEulacClassifier`.
    random_state : int, default=0
        Seed of the proportion estimate.

    Examples
    --------
    >>> from eulac.contenders.osnn import OsnnClassifier
    >>> rng = np.random.default_rng(0)
    >>> def rows(codes):
    ...     return rng.normal(9.0 * np.array(codes)[:, None], 0.5, (len(codes), 2))
    >>> clf = OsnnClassifier(ratio=0.5).fit(rows([0, 1] * 30), [0, 1] * 30)
    >>> codes = np.array([0, 1] * 40)
    >>> sample = LacSample(rows(codes), codes, rows([0, 1, 9] * 50), clf.codec_)
    >>> risk, _ = label_free_error(clf, sample, known_proportion=2 / 3)
    >>> risk.value < 0.1
    True
    """
    present = np.bincount(sample.y_labeled, minlength=sample.n_known_classes)
    if np.any(present == 0):
        absent = sample.codec.known[present == 0].tolist()
        raise ValueError(
            f"labeled rows of every known class are needed; there are none of {absent}. Add some."
        )
    flat = [part.reshape(len(part), -1) for part in (sample.X_labeled, sample.X_unlabeled)]
    scaled = min_max_scale(np.vstack(flat))
    labeled, unlabeled = np.split(scaled, [sample.n_labeled])
    estimate = choose_proportion(known_proportion, "auto", random_state=random_state).estimate(
        replace(sample, X_labeled=labeled, X_unlabeled=unlabeled)
    )
    warn_of_doubtful_proportion(estimate)
    encode = sample.codec.encode
    risk = zero_one_risk(
        encode(classifier.predict(sample.X_labeled)),
        sample.y_labeled,
        labeled_weights(sample.y_labeled, estimate.per_class),
        encode(classifier.predict(sample.X_unlabeled)),
        augmented=sample.n_known_classes,
        proportion_error=estimate.standard_error,
    )
    return risk, estimate
