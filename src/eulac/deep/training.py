"""A plain training loop over paired batches that can stop, be stored, and go on bit for bit."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eulac.deep.batches import Batches
from eulac.deep.lac_losses import LabeledAgainstUnlabeledLoss, LacObjective
from eulac.deep.runs.averaged_weights import AveragedWeights
from eulac.exceptions import InterruptedFitWarning, warn_caller

__all__ = [
    "Record",
    "Training",
    "choose_device",
    "half_precision",
    "logits_of",
    "warn_of_interrupt",
]

ObjectiveOf = Callable[[Tensor, Tensor, Tensor], LacObjective]
Record = dict[str, Any]

EVALUATION_ROWS = 1000


def choose_device(device: str) -> torch.device:
    """Return the device of a name; "auto" takes CUDA, then MPS, then the processor."""
    if device != "auto":
        return torch.device(device)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def half_precision(device: torch.device) -> torch.dtype | None:
    """Return the half precision a device has instructions for; None where it has none.

    Examples
    --------
    >>> half_precision(torch.device("cuda"))
    torch.float16
    """
    if device.type == "cuda":
        return torch.float16
    if device.type == "cpu" and hasattr(torch.cpu, "get_capabilities"):
        found = torch.cpu.get_capabilities()
        return torch.bfloat16 if found.get("avx512_bf16") or found.get("amx_bf16") else None
    return None


@dataclass(eq=False)
class Training:
    """A network on its way: optimizer, schedule, batches, what happened so far.

    Attributes
    ----------
    network : nn.Module
    batches : Batches
    n_epochs : int
        Length of the cosine schedule of the learning rate.
    learning_rate, weight_decay : float
    device : torch.device
    mixed_precision : bool
        Half precision in the network's layers where the device has instructions for it. Losses,
        weights and what is judged stay in single precision.
    averages : bool
        Whether what is judged and kept is the mean of the weights over the last steps.
    history : list of dict
        One record per epoch.
    """

    network: nn.Module
    batches: Batches
    n_epochs: int
    learning_rate: float = 2e-3
    weight_decay: float = 5e-3
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    mixed_precision: bool = False
    averages: bool = False
    history: list[Record] = field(default_factory=list)
    best: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.network.to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), self.learning_rate, weight_decay=self.weight_decay
        )
        # A tenth of the steps warms up: of fewer than eleven it would have no length.
        steps = max(self.n_epochs * len(self.batches) + 1, 11)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, self.learning_rate, total_steps=steps, pct_start=0.1
        )
        self.half = half_precision(self.device) if self.mixed_precision else None
        # Small gradients vanish in float16; bfloat16 reaches as far down as single precision does.
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.half == torch.float16)
        self.averaged = AveragedWeights(self.network, steps) if self.averages else None

    @property
    def judged(self) -> nn.Module:
        """The network that is judged, kept and answers: that of the mean weights, if there is."""
        return self.network if self.averaged is None else self.averaged.network

    @property
    def epoch(self) -> int:
        """Number of epochs done."""
        return len(self.history)

    def run_epoch(self, loss: ObjectiveOf) -> Record:
        """Pass over all batches once; return and keep the record of the epoch."""
        start = time.perf_counter()
        self.network.train()
        sums, n_batches = np.zeros(3), 0
        for X, y, U in self.batches:
            value = self._step(loss, X.to(self.device), y.to(self.device), U.to(self.device))
            sums += [float(value.objective.detach()), float(value.risk), float(value.bracket)]
            n_batches += 1
        objective, risk, bracket = (sums / n_batches).tolist()
        record = {
            "epoch": self.epoch + 1,
            "objective": objective,
            "risk": risk,
            "bracket": bracket,
            "seconds": time.perf_counter() - start,
        }
        self.history.append(record)
        return record

    def _step(self, loss: ObjectiveOf, X: Tensor, y: Tensor, U: Tensor) -> LacObjective:
        """One step on a paired batch; one forward pass, so that batch norm sees both samples."""
        with torch.autocast(self.device.type, self.half, enabled=self.half is not None):
            logits = self.network(torch.cat([X, U])).float()
        value = loss(logits[: len(X)], y, logits[len(X) :])
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(self.scaler.scale(value.objective))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.schedule.step()
        if self.averaged is not None:
            self.averaged.step(self.network)
        return value

    def rehearse(self, n_batches: int) -> None:
        """Train on some batches to see how long it takes; the batches to come stay the same."""
        before = self.batches.generator.get_state()
        loss = LabeledAgainstUnlabeledLoss()
        self.network.train()
        for (X, y, U), _ in zip(self.batches, range(n_batches), strict=False):
            self._step(loss, X.to(self.device), y.to(self.device), U.to(self.device))
        self.batches.generator.set_state(before)

    def logits(self, X: Tensor) -> NDArray[np.float64]:
        """Return the judged network's outputs for rows."""
        return logits_of(self.judged, X, self.device)

    def keep_if_best(self, merit: float, **facts: Any) -> bool:
        """Keep a copy of the weights if no earlier epoch had a smaller merit.

        Of equals the last, which has been trained for longest; `since` is the first of them.
        """
        before = self.best
        if before is not None and before["merit"] < merit:
            return False
        weights = {name: value.clone() for name, value in self.judged.state_dict().items()}
        since = self.epoch if before is None or before["merit"] > merit else before["since"]
        places = {"epoch": self.epoch, "since": since}
        self.best = {"merit": merit, "weights": weights, **places, **facts}
        return True

    def restore_best(self) -> None:
        """Go back to the best weights, if any were kept."""
        if self.best is not None:
            self.judged.load_state_dict(self.best["weights"])

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on as if nothing had happened."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "batches": self.batches.generator.get_state(),
            "dropout": torch.get_rng_state(),
            "history": self.history,
            "best": self.best,
            "averaged": None if self.averaged is None else self.averaged.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a stored state."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.batches.generator.set_state(state["batches"])
        torch.set_rng_state(state["dropout"])
        self.history[:] = state["history"]
        self.best = state["best"]
        if self.averaged is not None:
            self.averaged.restore(state["averaged"])

    def save(self, path: str | os.PathLike[str], **facts: Any) -> None:
        """Write a checkpoint: to another name first, so that none is ever half written."""
        path = Path(path)
        partial = path.with_name(path.name + ".part")
        torch.save({"training": self.state(), **facts}, partial)
        partial.replace(path)


def warn_of_interrupt(n_epochs: int) -> None:
    """Say that training was cut short, and what the model is."""
    warn_caller(
        f"training was interrupted after {n_epochs} epochs; the model is what it had learned by "
        "then. Fit again to train in full (from the checkpoint, if `checkpoint` names one).",
        InterruptedFitWarning,
    )


def logits_of(network: nn.Module, X: Tensor, device: torch.device) -> NDArray[np.float64]:
    """Return a network's outputs in evaluation mode, some rows at a time."""
    network.eval()
    with torch.no_grad():
        pieces = [network(piece.to(device)).cpu() for piece in torch.split(X, EVALUATION_ROWS)]
    return torch.cat(pieces).double().numpy()
