import pytest

torch = pytest.importorskip("torch", reason="needs the extra `deep`")

from torch import nn  # noqa: E402

from eulac.deep.runs.averaged_weights import EVERY, AveragedWeights  # noqa: E402


def followed(n_steps, n_total):
    network = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    averaged = AveragedWeights(network, n_total)
    for step in range(1, n_steps + 1):
        nn.init.constant_(network[0].weight, step)
        network[1].running_mean.fill_(-step)
        network[1].num_batches_tracked.fill_(step)
        averaged.step(network)
    return network, averaged


def test_the_mean_of_early_steps_is_that_of_all_of_them():
    averaged = followed(n_steps=40, n_total=10_000)[1]
    expected = sum(range(EVERY, 41, EVERY)) / (40 // EVERY)
    assert averaged.network[0].weight.item() == pytest.approx(expected)


def test_statistics_of_batch_normalization_are_averaged_as_the_weights_are():
    network, averaged = followed(n_steps=400, n_total=1000)
    weight, mean = averaged.network[0].weight, averaged.network[1].running_mean
    assert mean.item() == pytest.approx(-weight.item())
    assert int(averaged.network[1].num_batches_tracked) == 400
    assert int(network[1].num_batches_tracked) == 400


def test_the_mean_looks_back_a_tenth_of_all_steps():
    averaged = followed(n_steps=1000, n_total=1000)[1]
    assert 880 < averaged.network[0].weight.item() < 925


def test_the_network_that_is_followed_stays_as_it_is_and_a_state_goes_on():
    network, averaged = followed(n_steps=8, n_total=1000)
    assert network[0].weight.item() == 8
    again = AveragedWeights(network, 1000)
    again.restore(averaged.state())
    for one in (averaged, again):
        for _ in range(EVERY):
            one.step(network)
    assert torch.equal(again.network[0].weight, averaged.network[0].weight)
