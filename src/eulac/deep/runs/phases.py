"""The order in which losses take turns during training.

The paper's sigmoid risk collapses from a random start, so a warm-up comes first; the proportion
is estimated on held-out outputs whenever a phase that needs it begins.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import nn

from eulac.deep.lac_losses import (
    LabeledAgainstUnlabeledLoss,
    LacLoss,
    MulticlassLacLoss,
    SelectedLoss,
)
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["OBJECTIVES", "Phase", "plan_phases"]


@dataclass(frozen=True)
class Phase:
    """A run of epochs with one loss.

    `make_loss` takes the estimate and the class weights; a phase without need of a proportion
    gets None for both.
    """

    name: str
    start: int
    stop: int
    needs_proportion: bool
    make_loss: Callable[[ProportionEstimate | None, Any], nn.Module]


OBJECTIVES: dict[str, tuple[tuple[str, float], ...]] = {
    "paper": (("warm_up", 0.2), ("generalized", 0.4), ("lac", 0.4)),
    "generalized": (("warm_up", 0.2), ("generalized", 0.8)),
    "selected": (("warm_up", 0.2), ("selected", 0.3), ("selected", 0.5)),
    # On one network PULSE's losses add up to the selected one; its estimate is another.
    "pulse": (("warm_up", 0.2), ("selected", 0.3), ("selected", 0.5)),
}
"""Phases and their shares of all epochs; the proportion is estimated anew where one begins."""


def plan_phases(objective: str, n_epochs: int, loss: str, rectify: str | None) -> list[Phase]:
    """Return the phases of an objective; each has at least one epoch if there are enough.

    Examples
    --------
    >>> [(p.name, p.start, p.stop) for p in plan_phases("paper", 10, "sigmoid", "per_class")]
    [('warm_up', 0, 2), ('generalized', 2, 6), ('lac', 6, 10)]
    """
    makers: dict[str, Callable[[Any, Any], nn.Module]] = {
        "warm_up": lambda estimate, weights: LabeledAgainstUnlabeledLoss(),
        "generalized": lambda estimate, weights: MulticlassLacLoss(weights),
        "lac": lambda estimate, weights: LacLoss(weights, loss, rectify=rectify),
        "selected": lambda estimate, weights: SelectedLoss(weights, estimate.total),
    }
    names, shares = zip(*OBJECTIVES[objective], strict=True)
    stops = np.round(np.cumsum(shares) * n_epochs).astype(int)
    phases, start = [], 0
    for name, stop in zip(names, stops.tolist(), strict=True):
        stop = min(max(stop, start + 1), n_epochs)
        if stop > start:
            phases.append(Phase(name, start, stop, name != "warm_up", makers[name]))
        start = stop
    return phases
