"""What is frozen from a survey: scale, proportion, bandwidth, features."""

from dataclasses import replace

import numpy as np
import pytest

from eulac.data.row_sketch import RowSurvey
from eulac.exceptions import NoUnlabeledRowsWarning
from eulac.landmark.pilot import Pilot, as_penalties, with_labeled_priors
from eulac.maths.feature_maps import FourierMap, NystroemMap
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import GivenProportion
from landmark.easy_survey import N_FOLDS, SETTINGS, easy_survey


@pytest.fixture(scope="module")
def pilot():
    split, survey = easy_survey()
    return Pilot.of(survey, split.sample.codec, "minmax")


def test_rows_are_scaled_all_together(pilot):
    rows = np.vstack([pilot.sample.X_labeled, pilot.sample.X_unlabeled])
    np.testing.assert_allclose(rows.min(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(rows.max(axis=0), 1.0)
    assert not pilot.closed_set
    assert (pilot.sample.n_labeled, pilot.sample.n_unlabeled) == (60, 120)


def test_a_survey_without_unlabeled_rows_warns_and_closes_the_set():
    split, _ = easy_survey()
    sample = split.sample
    survey = RowSurvey.of(sample.X_labeled, sample.y_labeled, np.arange(3), n_kept=500)
    with pytest.warns(NoUnlabeledRowsWarning):
        pilot = Pilot.of(survey, sample.codec, None)
    assert pilot.closed_set
    np.testing.assert_array_equal(pilot.sample.X_labeled, pilot.sample.X_unlabeled)


def test_the_estimate_sees_a_third_labeled_rows_and_no_more_than_asked_for(pilot):
    seen = []

    def estimate_of(sample):
        seen.append((sample.n_labeled, sample.n_unlabeled))
        return GivenProportion(0.6).estimate(sample)

    estimate = pilot.estimate(estimate_of, 90)
    assert seen == [(30, 60)]
    assert estimate.diagnostics["labeled_priors"]
    moved = pilot.estimate(GivenProportion([0.1, 0.1, 0.4]).estimate, 90)
    assert not moved.diagnostics["labeled_priors"]


def test_priors_that_did_not_move_are_those_of_all_labeled_rows():
    estimate = ProportionEstimate(np.array([0.3, 0.3]), (0.5, 0.7), "made_up", 9, 9)
    frequency = np.array([0.9, 0.1])
    assert with_labeled_priors(estimate, frequency) is estimate
    follows = replace(estimate, diagnostics={"labeled_priors": True})
    found = with_labeled_priors(follows, frequency).per_class
    np.testing.assert_allclose(found, [0.54, 0.06])


def test_a_given_bandwidth_is_taken_and_several_are_compared(pilot):
    estimate = GivenProportion(0.6).estimate(pilot.sample)
    chosen = [
        pilot.bandwidth(given, estimate, SETTINGS, N_FOLDS) for given in (0.7, [1e-4, 0.7, 1e4])
    ]
    assert chosen == [0.7, 0.7]
    with pytest.raises(ValueError, match=r"`bandwidth`.*got -1"):
        pilot.bandwidth(-1, estimate, SETTINGS, N_FOLDS)


@pytest.mark.parametrize(("kind", "is_one"), [("nystroem", NystroemMap), ("fourier", FourierMap)])
def test_the_encoder_takes_raw_rows_to_the_features_asked_for(kind, is_one):
    split, survey = easy_survey()
    pilot = Pilot.of(survey, split.sample.codec, "minmax")
    settings = replace(SETTINGS, kind=kind, dtype="float32")
    encoder = pilot.encoder(0.5, settings)
    assert isinstance(encoder.feature_map, is_one)
    features = encoder(split.X_test)
    assert features.dtype == np.float32
    expected = encoder.feature_map.transform(pilot.scaler.transform(split.X_test))
    np.testing.assert_array_equal(features, expected)


def test_landmarks_come_from_both_samples_evenly(pilot):
    rows = pilot.sample
    few = replace(SETTINGS, n_landmarks=9)
    landmarks = few.feature_map(rows, 0.5).landmarks
    from_labeled = [any(np.array_equal(row, one) for one in rows.X_labeled) for row in landmarks]
    assert 0 < sum(from_labeled) < len(landmarks)


def test_penalties_are_those_given_or_eight_decades():
    assert list(as_penalties(0.5)) == [0.5]
    np.testing.assert_allclose(as_penalties(None), np.logspace(-7, 0, 8))
    with pytest.raises(ValueError, match=r"`penalty`.*got 0"):
        as_penalties(0)
