"""The training loop: steps downhill, keeps the best, and goes on bit for bit."""

import numpy as np
import pytest
import torch
from torch import nn

from eulac.deep.batches import PairedBatches
from eulac.deep.lac_losses import LacObjective
from eulac.deep.training import (
    Training,
    choose_device,
    half_precision,
    logits_of,
    warn_of_interrupt,
)
from eulac.exceptions import InterruptedFitWarning


def squares(labeled, y, unlabeled):
    """Pull labeled outputs to their class code and unlabeled ones to zero."""
    value = ((labeled[:, 0] - y) ** 2).mean() + (unlabeled**2).mean()
    return LacObjective(value, value.detach(), value.detach())


def training(n_epochs=4, dropout=0.0, averages=False, n_outputs=1, mixed_precision=False):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    rows = [torch.from_numpy(rng.normal(size=(n, 3)).astype(np.float32)) for n in (20, 30)]
    batches = PairedBatches(
        rows[0], (rows[0][:, 0] > 0).long(), rows[1], 5, 5, torch.Generator().manual_seed(1)
    )
    network = nn.Sequential(
        nn.Linear(3, 4), nn.ReLU(), nn.Dropout(dropout), nn.Linear(4, n_outputs)
    )
    options = {"mixed_precision": mixed_precision, "averages": averages}
    return Training(network, batches, n_epochs, learning_rate=0.05, **options)


def weights(one):
    return torch.cat([value.ravel() for value in one.network.state_dict().values()])


def test_epochs_step_downhill_and_are_recorded():
    one = training(n_epochs=15)
    records = [one.run_epoch(squares) for _ in range(15)]
    assert one.history == records
    assert one.epoch == 15
    assert [record["epoch"] for record in records] == list(range(1, 16))
    assert records[-1]["objective"] < 0.9 * records[0]["objective"]


def test_the_best_weights_come_back_and_ties_go_to_the_later_epoch():
    one = training()
    for merit, note in ((0.5, "first"), (0.5, "second"), (0.6, "worse")):
        one.run_epoch(squares)
        assert one.keep_if_best(merit, note=note) == (merit == 0.5)
        if note == "second":
            kept = weights(one).clone()
    assert not torch.equal(weights(one), kept)
    one.restore_best()
    assert torch.equal(weights(one), kept)
    assert (one.best["since"], one.best["epoch"], one.best["note"]) == (1, 2, "second")


def test_what_is_judged_are_the_mean_weights_and_the_others_go_on():
    plain, averaging = training(n_epochs=6), training(n_epochs=6, averages=True)
    for one in (plain, averaging):
        for _ in range(3):
            one.run_epoch(squares)
    assert torch.equal(weights(plain), weights(averaging))
    assert plain.judged is plain.network
    assert averaging.judged is averaging.averaged.network
    assert not torch.equal(averaging.judged[0].weight, averaging.network[0].weight)


def test_a_rehearsal_leaves_the_batches_as_they_were():
    rehearsed, other = training(n_outputs=3), training(n_outputs=3)
    rehearsed.rehearse(2)
    assert rehearsed.epoch == 0
    for one, two in zip(rehearsed.batches, other.batches, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))


def test_without_a_best_epoch_the_weights_stay():
    one = training()
    before = weights(one).clone()
    one.restore_best()
    assert torch.equal(weights(one), before)


@pytest.mark.parametrize("averages", [False, True])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_stored_training_goes_on_bit_for_bit(tmp_path, dropout, averages):
    whole = training(dropout=dropout, averages=averages)
    whole.run_epoch(squares)
    whole.save(tmp_path / "begun.pt", note="half")
    whole.run_epoch(squares)
    stored = torch.load(tmp_path / "begun.pt", weights_only=False)
    resumed = training(dropout=dropout, averages=averages)
    resumed.restore(stored["training"])
    resumed.run_epoch(squares)
    assert stored["note"] == "half"
    assert torch.equal(weights(resumed), weights(whole))
    assert torch.equal(resumed.judged[0].weight, whole.judged[0].weight)
    assert [record["objective"] for record in resumed.history] == [
        record["objective"] for record in whole.history
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["begun.pt"]


def test_outputs_are_those_of_evaluation_whatever_the_number_of_rows(monkeypatch):
    one = training(dropout=0.5)
    rows = torch.randn(7, 3)
    whole = one.logits(rows)
    monkeypatch.setattr("eulac.deep.training.EVALUATION_ROWS", 3)
    np.testing.assert_allclose(logits_of(one.network, rows, torch.device("cpu")), whole, rtol=1e-6)
    assert whole.dtype == np.float64
    assert whole.shape == (7, 1)


@pytest.mark.parametrize("wanted", [False, True])
def test_half_precision_is_used_where_it_is_wanted_and_there(wanted):
    one = training(mixed_precision=wanted)
    assert one.half is (half_precision(torch.device("cpu")) if wanted else None)
    assert not one.scaler.is_enabled()  # for float16 alone
    kinds = []

    def loss(labeled, y, unlabeled):
        kinds.append(labeled.dtype)
        return squares(labeled, y, unlabeled)

    assert np.isfinite(one.run_epoch(loss)["objective"])
    assert set(kinds) == {torch.float32}
    assert {weights.dtype for weights in one.network.parameters()} == {torch.float32}


def test_processors_have_half_precision_where_they_have_its_instructions(monkeypatch):
    device = torch.device("cpu")
    for found, half in (
        ({"avx512_bf16": True}, torch.bfloat16),
        ({"amx_bf16": True}, torch.bfloat16),
        ({"avx2": True, "avx512_bf16": False}, None),
    ):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda found=found: found, raising=False)
        assert half_precision(device) is half
    monkeypatch.delattr(torch.cpu, "get_capabilities")  # before PyTorch 2.9
    assert half_precision(device) is None


def test_a_named_device_is_taken():
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_device("auto").type in ("cpu", "cuda", "mps")


def test_an_interrupt_is_told_with_the_epochs_done():
    with pytest.warns(InterruptedFitWarning, match="interrupted after 3 epochs"):
        warn_of_interrupt(3)
