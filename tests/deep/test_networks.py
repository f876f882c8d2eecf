import copy

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from eulac.deep.networks import NETWORKS, build_network  # noqa: E402


@pytest.mark.parametrize("name", ["paper_cnn", "vgg13", "vgg16_bn", "compact_resnet"])
@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 32, 32)])
def test_image_networks_take_small_images(name, shape):
    network = build_network(name, shape, 7)
    assert network(torch.zeros(2, *shape)).shape == (2, 7)


def test_tables_have_a_network_too():
    assert build_network("mlp", (5,), 3)(torch.zeros(4, 5)).shape == (4, 3)


def layers(network, kind):
    return [module for module in network.modules() if isinstance(module, kind)]


def test_the_networks_of_the_paper_have_its_layers():
    cnn = build_network("paper_cnn", (1, 28, 28), 7)
    assert [layer.out_channels for layer in layers(cnn, torch.nn.Conv2d)] == [32, 64]
    assert [layer.out_features for layer in layers(cnn, torch.nn.Linear)] == [390] * 5 + [7]
    assert len(layers(build_network("vgg13", (3, 32, 32), 7), torch.nn.Conv2d)) == 10
    vgg16 = build_network("vgg16_bn", (3, 32, 32), 7)
    assert len(layers(vgg16, torch.nn.Conv2d)) == len(layers(vgg16, torch.nn.BatchNorm2d)) == 13


def test_a_function_may_build_the_network():
    built = build_network(lambda shape, n: torch.nn.Linear(*shape, n), (5,), 3)
    assert isinstance(built, torch.nn.Linear)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'compact_resnet'.*; got 'alexnet'"):
        build_network("alexnet", (1, 28, 28), 2)
    assert "alexnet" not in NETWORKS


def test_named_networks_keep_channels_last_and_answer_the_same():
    torch.manual_seed(0)
    network = build_network("compact_resnet", (3, 16, 16), 4).eval()
    convolution = next(weights for weights in network.parameters() if weights.ndim == 4)
    assert convolution.is_contiguous(memory_format=torch.channels_last)
    rows = torch.randn(5, 3, 16, 16)
    plain = copy.deepcopy(network)
    for weights in plain.parameters():
        weights.data = weights.data.contiguous()
    assert torch.allclose(network(rows), plain(rows), atol=1e-5)
