import numpy as np
import pytest

from eulac.classifier.input_rows import fit_scaler, scaled_rows
from eulac.kernel.kernel_model import KernelExpansion
from eulac.maths.feature_maps import FourierMap, NystroemMap
from eulac.maths.kernels import GaussianKernel, LinearKernel
from eulac.persistence.onnx_parts.kernel_nodes import (
    expansion_nodes,
    feature_scores,
    landmark_features,
    scaled_nodes,
)
from persistence.onnx_answers import computed

pytest.importorskip("onnx", reason="needs the extra `onnx`")
rng = np.random.default_rng(0)
ROWS, CENTERS = rng.normal(size=(50, 3)), rng.normal(size=(20, 3))


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_scales_are_those_of_python_also_beyond_all_numbers(scale):
    scaler = fit_scaler(scale, CENTERS)
    X = np.vstack([ROWS, np.full((1, 3), 1e300)])
    found = computed(lambda graph, x: scaled_nodes(graph, x, scaler), X, 3)
    np.testing.assert_allclose(found, scaled_rows(scaler, X), rtol=1e-12)


@pytest.mark.parametrize("kernel", [GaussianKernel(0.7), LinearKernel()], ids=["gauss", "linear"])
def test_sums_of_kernels(kernel):
    weights = rng.normal(size=(20, 2))
    expansion = KernelExpansion(kernel, CENTERS, weights, np.array([0.5, -0.5]))
    found = computed(lambda graph, x: expansion_nodes(graph, x, expansion), ROWS, 2)
    expected = kernel.block(ROWS, CENTERS) @ weights + [0.5, -0.5]
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_features_of_landmarks_and_scores_of_both_maps():
    landmarks = NystroemMap.of(CENTERS, 0.8)
    found = computed(lambda graph, x: landmark_features(graph, x, landmarks), ROWS, 20)
    np.testing.assert_allclose(found, landmarks.transform(ROWS), atol=1e-8)
    for features in (landmarks, FourierMap.draw(3, 20, 0.8, random_state=0)):
        weights = rng.normal(size=(20, 2))
        scores = computed(
            lambda graph, x, f=features, w=weights: feature_scores(graph, x, f, w), ROWS, 2
        )
        np.testing.assert_allclose(scores, features.transform(ROWS) @ weights, atol=1e-8)
