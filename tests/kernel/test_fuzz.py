"""Any small table: a clear ValueError, or finite answers of the right shape."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from eulac import AUGMENTED, BestBinProportion, KernelEulacClassifier
from eulac.exceptions import EulacWarning

SENTENCES = (
    "only unlabeled rows|two labeled rows are needed|two unlabeled rows are needed|"
    "features must lie within|features must differ by|positive definite"
)
scales = st.sampled_from([0.0, 1e-300, 1e-150, 1e-80, 1e-60, 1e-12, 1.0, 1e12, 1e60, 1e80, 1e300])
cells = st.one_of(st.integers(-2, 2).map(float), st.floats(-3, 3, width=16))


@st.composite
def tables(draw):
    """Draw rows with duplicates, constants and features of any scale, and masked labels."""
    n_features, n_distinct = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    row = st.lists(cells, min_size=n_features, max_size=n_features)
    distinct = np.array(draw(st.lists(row, min_size=n_distinct, max_size=n_distinct)))
    scale = np.array(draw(st.lists(scales, min_size=n_features, max_size=n_features)))
    n_rows = draw(st.integers(2, 24))
    rows = draw(st.lists(st.integers(0, n_distinct - 1), min_size=n_rows, max_size=n_rows))
    labels = st.sampled_from(draw(st.sampled_from([(-1, 0), (-1, -1, 0, 1), (-1, 0, 1, 2, 7)])))
    y = draw(st.lists(labels, min_size=n_rows, max_size=n_rows))
    return distinct[rows] * scale, np.array(y)


@st.composite
def classifiers(draw):
    """Draw settings that are allowed, though not all of them are wise."""
    estimated = BestBinProportion(n_resamples=5, random_state=0)
    return KernelEulacClassifier(
        draw(st.sampled_from([0.0, 0.3, 1.0, estimated])),
        loss=draw(st.sampled_from(["square", "square", "logistic"])),
        kernel=draw(st.sampled_from(["gaussian", "linear"])),
        bandwidth=draw(st.sampled_from([None, 0.1, 1e-60])),
        penalty=draw(st.sampled_from([[1e-5, 1e-2], 1e-3, 10.0])),
        decision=draw(st.sampled_from(["matched", "largest"])),
        scale=draw(st.sampled_from(["minmax", "standard", None])),
        offset=draw(st.sampled_from([0.0, 0.5])),
        n_folds=draw(st.integers(2, 5)),
        random_state=0,
    )


@pytest.mark.filterwarnings("ignore::eulac.exceptions.OwnPoolWarning")
@settings(deadline=None, max_examples=40)
@given(table=tables(), classifier=classifiers(), stretch=st.sampled_from([1.0, -1e6, 1e250]))
def test_small_odd_tables_are_refused_clearly_or_answered(table, classifier, stretch):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EulacWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            classifier.fit(X, y)
        except ValueError as error:
            refusal = str(error)
        else:
            refusal = None
    if refusal is not None:
        assert re.search(SENTENCES, refusal)
        return
    rows = np.vstack([X, np.clip(X, -1e50, 1e50) * stretch])
    known = set(y.tolist()) - {-1}
    predicted = classifier.predict(rows)
    assert predicted.shape == (len(rows),)
    assert set(predicted.tolist()) <= known | {AUGMENTED}
    probabilities = classifier.predict_proba(rows)
    assert probabilities.shape == (len(rows), len(classifier.classes_))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(classifier.classes_[probabilities.argmax(axis=1)], predicted)
    assert np.all(np.isfinite(classifier.augmented_score(rows)))
    assert 0 <= classifier.risk_.value <= 1
    assert 0 <= classifier.proportion_.total <= 1
    for name in ("zero_one_risk", "zero_one_standard_error", "surrogate_risk", "penalty"):
        assert np.all(np.isfinite(classifier.cv_results_[name]))
