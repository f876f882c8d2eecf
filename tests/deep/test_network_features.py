import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from torch import nn  # noqa: E402

from eulac.deep.network_features import network_features  # noqa: E402
from eulac.deep.networks import build_network  # noqa: E402


@pytest.mark.parametrize(("name", "width"), [("compact_resnet", 128), ("paper_cnn", 390)])
def test_features_give_the_outputs_by_the_last_layer_alone(name, width):
    network = build_network(name, (1, 12, 12), 3).eval()
    rows = torch.randn(5, 1, 12, 12, generator=torch.Generator().manual_seed(0))
    features = network_features(network, rows)
    assert features.shape == (5, width)
    outputs = network[-1](torch.from_numpy(features).float()).detach()
    np.testing.assert_allclose(outputs, network(rows).detach(), atol=1e-5)
    assert not network[-1]._forward_pre_hooks


def test_a_network_without_a_linear_layer_is_refused():
    with pytest.raises(ValueError, match="last linear layer; this one has none"):
        network_features(nn.Flatten(), torch.zeros(2, 3))
