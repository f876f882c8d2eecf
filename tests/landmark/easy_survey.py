"""A survey of the easy mixture, and moments of all its rows."""

import numpy as np

from easy_mixture import easy_split
from eulac.data.row_sketch import RowSurvey
from eulac.landmark.landmark_model import MomentPlan, RowEncoder
from eulac.landmark.pilot import MapSettings, Pilot

SEED, N_FOLDS, BANDWIDTH = 3, 4, 4.0
SETTINGS = MapSettings("nystroem", 40, "uniform", "float64", SEED)


def easy_rows(**options):
    """Return the split, all rows of its sample and their codes, -1 for unlabeled ones."""
    split = easy_split(**options)
    sample = split.sample
    X = np.vstack([sample.X_labeled, sample.X_unlabeled])
    return split, X, np.append(sample.y_labeled, np.full(sample.n_unlabeled, -1))


def easy_survey(n_kept=1000, **options):
    """Return the split and a survey that keeps all rows, unless told otherwise."""
    split, X, codes = easy_rows(**options)
    labels = np.arange(split.sample.n_known_classes)
    return split, RowSurvey.of(X, codes, labels, n_kept=n_kept, floor=N_FOLDS, seed=SEED)


def easy_moments(closed_set=False, n_kept=1000, **options):
    """Return the split, its pilot, a plan of moments and the moments of all rows."""
    split, survey = easy_survey(n_kept, **options)
    _, X, codes = easy_rows(**options)
    pilot = Pilot.of(survey, split.sample.codec, None)
    encoder = RowEncoder(None, SETTINGS.feature_map(pilot.sample, BANDWIDTH))
    plan = MomentPlan(encoder, split.sample.n_known_classes, N_FOLDS, SEED, closed_set)
    return split, survey, plan, plan.moments(X, codes)
