"""Odd inputs for every public estimator: what is drawn, and how an end is judged.

A case is an estimator, a change of good rows and labels, and what is asked afterwards. It must end
in answers that make sense, or in an error whose sentence is ours or one of scikit-learn's about
input; warnings must be ours or scikit-learn's about input.
"""

import re
import traceback
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import OneClassSVM

import eulac
from eulac.exceptions import EulacWarning

SHARE = 0.6
PACKAGE = str(Path(eulac.__file__).parent)
NAMES = ["a", "b", "c"]

ESTIMATORS = {
    "kernel": eulac.KernelEulacClassifier(SHARE, bandwidth=1.0, penalty=0.1, random_state=0),
    "kernel_auto": eulac.KernelEulacClassifier(
        eulac.BestBinProportion(n_resamples=5, random_state=0), penalty=[0.01, 1.0], random_state=0
    ),
    "linear": eulac.LinearEulacClassifier(SHARE, penalty=0.1, n_folds=2, random_state=0),
    "boosted": eulac.BoostedEulacClassifier(SHARE, n_trees=3, random_state=0),
    "landmark": eulac.LandmarkEulacClassifier(
        SHARE, n_landmarks=10, bandwidth=1.0, penalty=0.1, random_state=0
    ),
    "stream": eulac.StreamEulacClassifier(
        eulac.LandmarkEulacClassifier(SHARE, n_landmarks=10, bandwidth=1.0, penalty=0.1),
        window=50,
        random_state=0,
    ),
    "two_stage": eulac.TwoStageEulacClassifier(
        LogisticRegression(), known_proportion=SHARE, n_folds=3, random_state=0
    ),
    "forest": eulac.TwoStageEulacClassifier(
        RandomForestClassifier(3, random_state=0),
        known_proportion=SHARE,
        n_folds=3,
        random_state=0,
    ),
    "ovr_svm": eulac.OvrSvmClassifier(bandwidth=1.0, cost=1.0),
    "w_svm": eulac.WSvmClassifier(bandwidth=1.0),
    "osnn": eulac.OsnnClassifier(ratio=0.6),
    "evm": eulac.EvmClassifier(),
    "lacu_svm": eulac.LacuSvmClassifier(bandwidth=1.0, cost=1.0),
    "pac_iforest": eulac.PacIForestClassifier(SHARE, n_estimators=5, bandwidth=1.0, cost=1.0),
    "novelty": eulac.NoveltyClassifier(OneClassSVM(), LogisticRegression()),
    "ovr_shift": eulac.OvrShiftClassifier(SHARE),
    "deep": eulac.DeepEulacClassifier(known_proportion=SHARE, max_epochs=1, random_state=0),
    "softmax": eulac.SoftmaxThresholdClassifier(max_epochs=1, random_state=0),
    "openmax": eulac.OpenMaxClassifier(max_epochs=1, random_state=0),
    "default": eulac.EulacClassifier(
        {"linear": eulac.TwoStageEulacClassifier(LogisticRegression(), n_folds=3)},
        known_proportion=SHARE,
        n_folds=3,
        random_state=0,
    ),
    "frozen": eulac.FrozenEulacClassifier(
        "logits", oddness_column=2, known_proportion=SHARE, random_state=0
    ),
    "ensemble": eulac.EnsembleEulacClassifier(
        eulac.DeepEulacClassifier(max_epochs=1), known_proportion=SHARE, n_folds=2, random_state=0
    ),
    "head": eulac.HeadEulacClassifier(
        eulac.LinearEulacClassifier(SHARE, penalty=0.1, n_folds=2),
        eulac.DeepEulacClassifier(known_proportion=SHARE, max_epochs=1),
        random_state=0,
    ),
    "generative": eulac.GenerativeOpenMaxClassifier(
        max_epochs=1, generator_epochs=1, n_latent=2, random_state=0
    ),
    "counterfactual": eulac.CounterfactualClassifier(
        max_epochs=1, generator_epochs=1, n_latent=2, n_steps=1, random_state=0
    ),
    "best_bin": eulac.BestBinProportion(n_resamples=5, random_state=0),
    "dedpul": eulac.DedpulProportion(random_state=0),
    "elkan_noto": eulac.ElkanNotoProportion(random_state=0),
    "tice": eulac.TiceProportion(random_state=0),
    "kernel_mean": eulac.KernelMeanProportion(random_state=0),
    "pulse": eulac.PulseProportion(LogisticRegression(), random_state=0),
    "consensus": eulac.ConsensusProportion(random_state=0),
    "given": eulac.GivenProportion(SHARE),
    "shifted": eulac.ShiftedProportion(eulac.BestBinProportion(n_resamples=5), random_state=0),
    "two_readings": eulac.TwoReadingsProportion(random_state=0),
}
"""Every public estimator, as quick as it can be."""

SLOW = (
    *("ovr_shift", "consensus", "dedpul", "kernel_mean", "pulse", "shifted", "two_readings"),
    *("deep", "softmax", "openmax", "ensemble", "head", "generative", "counterfactual"),
)
"""Those that take a tenth of a second and more for a fit."""


def good_rows(rng):
    """Return labeled rows of two classes, their labels, and a pool with a third class."""
    centers = np.array([[0.0, 0, 0], [4, 0, 1], [2, 4, 0]])
    y = np.repeat([5, 7], 12)
    X = rng.normal(centers[y // 7], 0.6)
    return X, y, rng.normal(centers[np.repeat([0, 1, 2], [10, 10, 12])], 0.6)


def changed_cell(value):
    def change(X, y, pool, rng):
        X = X.astype(object) if isinstance(value, str | dict) else X.copy()
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = value
        return X, y, pool

    return change


def labels(make):
    def change(X, y, pool, rng):
        made = np.empty(len(y), dtype=object)
        for place, label in enumerate(y.tolist()):
            made[place] = make(label, place)
        return X, made, pool

    return change


def frame(X):
    return pd.DataFrame(X, columns=NAMES[: X.shape[1]])


CHANGES = {
    "nothing": lambda X, y, U, rng: (X, y, U),
    "nan": changed_cell(np.nan),
    "infinite": changed_cell(np.inf),
    "huge": changed_cell(1e200),
    "large": changed_cell(1e30),
    "word": changed_cell("red"),
    "dictionary": changed_cell({"a": 1}),
    "digits_as_text": lambda X, y, U, rng: (X.astype(str), y, U),
    "bytes": lambda X, y, U, rng: (X.astype("S8"), y, U),
    "complex": lambda X, y, U, rng: (X + 1j, y, U),
    "dates": lambda X, y, U, rng: (X.astype("datetime64[s]"), y, U),
    "sparse": lambda X, y, U, rng: (sparse.csr_array(X), y, U),
    "one_dimension": lambda X, y, U, rng: (X[:, 0], y, U),
    "three_dimensions": lambda X, y, U, rng: (X[:, :, None], y, U[:, :, None]),
    "scalar": lambda X, y, U, rng: (3.0, y, U),
    "none": lambda X, y, U, rng: (None, y, U),
    "no_labels": lambda X, y, U, rng: (X, None, U),
    "text_as_rows": lambda X, y, U, rng: ("rows", y, U),
    "ragged": lambda X, y, U, rng: ([[1.0], [2.0, 3.0], *X.tolist()[2:]], y, U),
    "no_columns": lambda X, y, U, rng: (X[:, :0], y, U[:, :0]),
    "no_rows": lambda X, y, U, rng: (X[:0], y[:0], U),
    "one_row": lambda X, y, U, rng: (X[:1], y[:1], U),
    "two_rows": lambda X, y, U, rng: (X[[0, -1]], y[[0, -1]], U),
    "one_row_in_a_class": lambda X, y, U, rng: (X[:13], y[:13], U),
    "one_class": lambda X, y, U, rng: (X[:12], y[:12], U),
    "many_classes": lambda X, y, U, rng: (X, np.arange(len(y)), U),
    "no_pool": lambda X, y, U, rng: (X, y, None),
    "empty_pool": lambda X, y, U, rng: (X, y, U[:0]),
    "pool_of_one": lambda X, y, U, rng: (X, y, U[:1]),
    "pool_of_two": lambda X, y, U, rng: (X, y, U[:2]),
    "pool_of_other_width": lambda X, y, U, rng: (X, y, U[:, :2]),
    "pool_with_nan": lambda X, y, U, rng: (X, y, np.where(U > 4, np.nan, U)),
    "pool_of_text": lambda X, y, U, rng: (X, y, np.full(U.shape, "red")),
    "same_rows": lambda X, y, U, rng: (np.ones_like(X), y, np.ones_like(U)),
    "constant_column": lambda X, y, U, rng: (X * [1, 0, 1], y, U * [1, 0, 1]),
    "copies": lambda X, y, U, rng: (np.repeat(X[::12], 12, axis=0), y, U),
    "tiny": lambda X, y, U, rng: (X * 1e-200, y, U * 1e-200),
    "integers": lambda X, y, U, rng: (X.astype(int), y, U.astype(int)),
    "flags": lambda X, y, U, rng: (X > 1, y, U > 1),
    "single": lambda X, y, U, rng: (X.astype(np.float32), y, U.astype(np.float32)),
    "fortran": lambda X, y, U, rng: (np.asfortranarray(X), y, np.asfortranarray(U)),
    "lists": lambda X, y, U, rng: (X.tolist(), y.tolist(), U.tolist()),
    "frames": lambda X, y, U, rng: (frame(X), pd.Series(y), frame(U)),
    "polars": lambda X, y, U, rng: (pl.DataFrame(X, NAMES), pl.Series(y), pl.DataFrame(U, NAMES)),
    "turned": lambda X, y, U, rng: (frame(X), y, frame(U)[["c", "a", "b"]]),
    "renamed": lambda X, y, U, rng: (frame(X), y, frame(U).rename(columns={"a": "z"})),
    "names_twice": lambda X, y, U, rng: (frame(X).set_axis(["a", "a", "b"], axis=1), y, U),
    "frame_with_text": lambda X, y, U, rng: (frame(X).assign(d="red"), y, frame(U).assign(d="x")),
    "frame_with_gap": lambda X, y, U, rng: (frame(X).mask(frame(X) > 4), y, frame(U)),
    "names_beside_none": lambda X, y, U, rng: (frame(X), y, U),
    "short_labels": lambda X, y, U, rng: (X, y[:-3], U),
    "long_labels": lambda X, y, U, rng: (X, np.append(y, [5, 7]), U),
    "column_of_labels": lambda X, y, U, rng: (X, y[:, None], U),
    "two_columns_of_labels": lambda X, y, U, rng: (X, np.column_stack([y, y]), U),
    "scalar_label": lambda X, y, U, rng: (X, 5, U),
    "masked": lambda X, y, U, rng: (np.vstack([X, U]), np.append(y, np.full(len(U), -1)), None),
    "all_masked": lambda X, y, U, rng: (X, np.full(len(y), -1), U),
    "fractions": lambda X, y, U, rng: (X, y + 0.25 * np.arange(len(y)), U),
    "nan_label": lambda X, y, U, rng: (X, np.where(np.arange(len(y)) == 3, np.nan, y), U),
    "infinite_label": lambda X, y, U, rng: (X, np.where(np.arange(len(y)) == 3, np.inf, y), U),
    "label_of_the_new": lambda X, y, U, rng: (X, np.where(y == 5, -2, y), U),
    "complex_labels": lambda X, y, U, rng: (X, y + 1j, U),
    "date_labels": lambda X, y, U, rng: (X, y.astype("datetime64[D]"), U),
    "text_labels": labels(lambda label, place: f"class {label}"),
    "odd_text_labels": labels(lambda label, place: ["", "\ud800", "=1+1", "é\n"][label // 7 * 2]),
    "long_text_labels": labels(lambda label, place: str(label) * 5000),
    "flag_labels": labels(lambda label, place: label == 5),
    "tuples": labels(lambda label, place: (label, "a")),
    "sets": labels(lambda label, place: frozenset({label})),
    "decimals": labels(lambda label, place: Decimal(label)),
    "byte_labels": labels(lambda label, place: str(label).encode()),
    "times": labels(lambda label, place: pd.Timestamp(2020, 1, label)),
    "mixed_labels": labels(lambda label, place: label if place % 2 else str(label)),
    "flags_and_numbers": labels(lambda label, place: True if label == 5 else label),
    "missing_labels": labels(lambda label, place: None if place == 4 else label),
    "nested_lists": labels(lambda label, place: [label]),
}

SETTINGS = {
    "random_state": [-1, "seven", 1.5, 2**40, np.random.RandomState(0), np.random.default_rng(0)],
    "known_proportion": [-0.1, 1.5, "guess", np.nan, 0.0, 1.0, [0.3, 0.3], [0.9, 0.9], [0.5], None],
    "n_folds": [0, 1, 2.5, "three", 7],
    "unlabeled_label": [5, None, "x", 99],
    "augmented_label": [5, -1, "new", None, 2.5],
    "scale": ["none", 3],
    "shift": ["yes", 2],
    "bandwidth": [0.0, -1.0, "auto", np.nan, [1.0, 2.0]],
    "penalty": [0.0, -1.0, "auto", [], 1e-300],
    "max_epochs": [0, -3, 1.5],
    "window": [1, 0.5],
    "half_life": [0.0, -2.0, "x"],
    "n_landmarks": [0, 500, 2.5],
    "n_estimators": [0, -1],
    "threshold": ["mine", 3.0],
    "n_jobs": [0, "all"],
}

ASKED = {
    "nothing": lambda X: X,
    "nan": lambda X: np.where(X > 3, np.nan, X),
    "wide": lambda X: np.hstack([X, X]),
    "none": lambda X: None,
    "text": lambda X: np.full(X.shape, "red"),
    "no_rows": lambda X: X[:0],
    "far": lambda X: 1e60 * X,
    "flat": lambda X: X[0],
    "turned": lambda X: frame(X)[["c", "b", "a"]],
    "list": lambda X: X.tolist(),
}

SCIKIT_LEARN = re.compile(
    "contains (NaN|infinity)|is expecting|Found array with|feature names|Sparse data was passed|"
    "Expected 2D|Expected a 2-dimensional|not compatible with arrays of bytes|Unknown label type|"
    "requires y to be passed|Complex data not supported|string or a real number|must be a string|"
    "Unable to convert array of bytes|Found array with dim|minimum of|Singleton array|"
    "The number of classes has to be greater|does not have valid feature names|"
    "must be an int|not fitted yet|DTypePromotionError|Expected array-like|"
    "parameter of [A-Za-z]+ must be|number of unique classes is greater"
)
"""Sentences of scikit-learn on input that we let stand."""

ALLOWED_WARNINGS = (EulacWarning, ConvergenceWarning, DataConversionWarning)


def draw_case(rng, slow_share=1.0):
    """Return the name of an estimator, a change, a setting or None, and what is asked.

    Slow estimators are drawn as often as others times `slow_share`.
    """
    weights = np.array([slow_share if name in SLOW else 1.0 for name in ESTIMATORS])
    name = str(rng.choice(list(ESTIMATORS), p=weights / weights.sum()))
    change = str(rng.choice(list(CHANGES))) if rng.random() < 0.75 else "nothing"
    known = ESTIMATORS[name].get_params(deep=False)
    setting = None
    if rng.random() < 0.3:
        key = str(rng.choice([key for key in SETTINGS if key in known] or ["random_state"]))
        if key in known:
            setting = (key, int(rng.integers(len(SETTINGS[key]))))
    return name, change, setting, str(rng.choice(list(ASKED)))


def run_case(name, change, setting, asked, seed):
    """Return what is wrong with how a case ends; None if nothing is."""
    rng = np.random.default_rng(seed)
    X, y, pool = good_rows(rng)
    estimator = clone(ESTIMATORS[name])
    if setting is not None:
        estimator.set_params(**{setting[0]: SETTINGS[setting[0]][setting[1]]})
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            estimator.fit(*CHANGES[change](X, y, pool, rng))
            wrong = _answers_are_wrong(estimator, ASKED[asked](pool))
        except Exception as error:
            wrong = _is_ugly(error)
    strange = [str(w.message) for w in caught if not _is_allowed(w)]
    return wrong or (f"warns: {strange[0][:200]}" if strange else None)


def _answers_are_wrong(estimator, X):
    if hasattr(estimator, "estimate_"):
        estimate = estimator.estimate_
        sound = 0 <= estimate.total <= 1 and np.all(np.isfinite(estimate.per_class))
        return None if sound else f"an estimate of {estimate.total}"
    labels = estimator.predict(X)
    scores = estimator.augmented_score(X)
    if not set(labels.tolist()) <= set(estimator.classes_.tolist()):
        return f"labels {set(labels.tolist())} that are none of {estimator.classes_}"
    if not np.all(np.isfinite(scores)):
        return "scores that are not finite"
    if not hasattr(estimator, "predict_proba"):
        return None
    shares = estimator.predict_proba(X)
    if not (np.all(shares >= 0) and np.allclose(shares.sum(axis=1), 1)):
        return "probabilities that are none"
    likeliest = estimator.classes_[shares.argmax(axis=1)]
    if hasattr(estimator, "epsilon_"):  # OpenMax calls a row new, too, that is likely nothing
        likeliest[shares.max(axis=1) < estimator.epsilon_] = estimator.classes_[-1]
    if not np.array_equal(likeliest, labels):
        return "labels that are not the likeliest"
    return None


def _is_ugly(error):
    """Return the error if it is neither a sentence of ours nor one of scikit-learn's on input."""
    text, frames = str(error), traceback.extract_tb(error.__traceback__)
    ours = frames[-1].filename.startswith(PACKAGE) and "raise" in (frames[-1].line or "")
    fine = isinstance(error, ValueError | TypeError) and (ours or SCIKIT_LEARN.search(text))
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return None if fine else f"{type(error).__name__} at {place}: {text[:200]}"


def _is_allowed(warning):
    text = str(warning.message)
    return issubclass(warning.category, ALLOWED_WARNINGS) or bool(SCIKIT_LEARN.search(text))
