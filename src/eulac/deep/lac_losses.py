"""The LAC risk as a loss to train networks with, for anybody's training loop.

The objective that is differentiated and the risk that is reported are two things: where a bracket
that cannot be negative is, the objective turns its gradient round, while the report clips it.

Where several processes train together (`torch.distributed`), `LacLoss` and `MulticlassLacLoss` are
those of the joint batch, as long as they are in training mode.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from eulac.data.requirements import require_choice, require_range
from eulac.deep.runs.process_sums import BatchShares, summed_over_processes
from eulac.maths.losses import get_loss
from eulac.risk.nonnegative import generalized_lac_parts, labeled_part, risk_brackets

__all__ = [
    "LabeledAgainstUnlabeledLoss",
    "LacLoss",
    "LacObjective",
    "MulticlassLacLoss",
    "SelectedLoss",
]

RECTIFIERS = ("per_class", "aggregate", None)


class LacObjective(NamedTuple):
    """What to call `backward` on, and what to report.

    `objective` carries the gradient; `risk` is the detached non-negative risk; `bracket` the
    detached smallest bracket, negative where the correction is at work.
    """

    objective: Tensor
    risk: Tensor
    bracket: Tensor


class LacLoss(nn.Module):
    """The non-negative LAC risk of the paper, from logits of labeled and unlabeled rows.

    Parameters
    ----------
    class_weights : sequence of floats
        Weight of a labeled row of each known class: its share in deployment over its share among
        labeled rows. Under the base condition all are the known proportion.
    loss : str, default="sigmoid"
        A loss of `maths/losses.py`, such as "logistic" or "square".
    rectify : {"per_class", "aggregate", None}, default="per_class"
        Whether each binary classifier's bracket is kept from going negative, their sum, or
        neither.
    tolerance : float, default=0.0
        How far below zero a bracket may go before it is corrected.
    strength : float in [0, 1], default=1.0
        Factor on the reversed gradient of a corrected bracket.

    References
    ----------
    Kiryo et al., "Positive-Unlabeled Learning with Non-Negative Risk Estimator", NeurIPS 2017.

    Examples
    --------
    >>> loss = LacLoss([0.6, 0.6])
    >>> labeled, unlabeled = torch.zeros(4, 3, requires_grad=True), torch.zeros(8, 3)
    >>> value = loss(labeled, torch.tensor([0, 1, 0, 1]), unlabeled)
    >>> value.objective.backward()
    >>> round(float(value.risk), 3)
    1.5
    """

    class_weights: Tensor

    def __init__(
        self,
        class_weights: Sequence[float],
        loss: str = "sigmoid",
        *,
        rectify: str | None = "per_class",
        tolerance: float = 0.0,
        strength: float = 1.0,
    ):
        super().__init__()
        require_choice("rectify", rectify, RECTIFIERS)
        require_range("strength", strength, 0.0, 1.0)
        self.loss = get_loss(loss)
        self.rectify = rectify
        self.tolerance = tolerance
        self.strength = strength
        self.register_buffer("class_weights", _as_weights(class_weights))

    def forward(
        self, logits_labeled: Tensor, y_labeled: Tensor, logits_unlabeled: Tensor
    ) -> LacObjective:
        """Return objective and risk of a paired batch; logits have K + 1 columns."""
        _check_batch(self.class_weights, logits_labeled, y_labeled, logits_unlabeled)
        weights = self.class_weights[y_labeled]
        labeled, brackets = self._parts(logits_labeled, y_labeled, weights, logits_unlabeled)
        if self.rectify == "aggregate":
            brackets = brackets.sum()[None]
        if self.rectify is None:
            return _reported(labeled + brackets.sum(), labeled + brackets.sum(), brackets)
        corrected = torch.where(brackets < -self.tolerance, -self.strength * brackets, brackets)
        # Kiryo et al. step along the correction alone where it is called for.
        objective = corrected.sum() + labeled * self._labeled_share(brackets)
        reported = labeled + brackets.clamp(min=-self.tolerance).sum()
        return _reported(objective, reported, brackets)

    def _parts(
        self, logits_labeled: Tensor, y_labeled: Tensor, weights: Tensor, logits_unlabeled: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return labeled part and brackets of the batch, or of all processes' batches together."""
        share = _shares(self, logits_labeled, logits_unlabeled)
        labeled = labeled_part(logits_labeled, y_labeled, weights, self.loss)
        # Both means of a bracket by their own share: labeled rows through their weights.
        relative = weights * (share.labeled / share.unlabeled)
        known, augmented = risk_brackets(logits_labeled, relative, logits_unlabeled, self.loss)
        brackets = share.unlabeled * torch.cat([known, augmented[None]])
        parts = torch.cat([share.labeled * labeled[None], brackets])
        total = summed_over_processes(parts) if self.training else parts
        return total[0], total[1:]

    def _labeled_share(self, brackets: Tensor) -> float:
        """Zero where all brackets are corrected, else one: the labeled part is shared by them."""
        return 0.0 if bool((brackets < -self.tolerance).all()) else 1.0


class MulticlassLacLoss(nn.Module):
    """The generalized LAC risk with any multiclass loss, its bracket kept from going negative.

    Parameters
    ----------
    class_weights : see `LacLoss`
    loss : {"cross_entropy", "gce"} or callable, default="cross_entropy"
        A callable takes logits and codes and returns a loss per row. "gce" is the generalized
        cross entropy ``(1 - p^q) / q``, which outliers move less.
    penalty : float, default=1.2
        A negative bracket N adds ``penalty * |N|`` to the objective; 0 leaves the unbiased risk.
    q : float in (0, 1], default=0.7
        Exponent of "gce".

    Examples
    --------
    >>> loss = MulticlassLacLoss([0.6, 0.6])
    >>> value = loss(torch.zeros(4, 3), torch.tensor([0, 1, 0, 1]), torch.zeros(8, 3))
    >>> round(float(value.risk), 4)  # log(3)
    1.0986
    """

    class_weights: Tensor

    def __init__(
        self,
        class_weights: Sequence[float],
        loss: str | Callable[[Tensor, Tensor], Tensor] = "cross_entropy",
        *,
        penalty: float = 1.2,
        q: float = 0.7,
    ):
        super().__init__()
        self.penalty = penalty
        self.loss = loss if callable(loss) else _multiclass_loss(loss, q)
        self.register_buffer("class_weights", _as_weights(class_weights))

    def forward(
        self, logits_labeled: Tensor, y_labeled: Tensor, logits_unlabeled: Tensor
    ) -> LacObjective:
        """Return objective and risk of a paired batch; logits have K + 1 columns."""
        _check_batch(self.class_weights, logits_labeled, y_labeled, logits_unlabeled)
        augmented = logits_labeled.shape[1] - 1
        share = _shares(self, logits_labeled, logits_unlabeled)
        relative = share.labeled / share.unlabeled
        parts = generalized_lac_parts(
            self.loss(logits_labeled, y_labeled),
            self.loss(logits_labeled, torch.full_like(y_labeled, augmented)),
            self.class_weights[y_labeled] * relative,
            self.loss(logits_unlabeled, y_labeled.new_full((len(logits_unlabeled),), augmented)),
        )
        own = share.unlabeled * torch.stack(parts)
        labeled, bracket = summed_over_processes(own) if self.training else own
        objective = labeled + bracket + self.penalty * (-bracket).clamp(min=0.0)
        return _reported(objective, labeled + bracket.clamp(min=0.0), bracket)


def _shares(loss: nn.Module, labeled: Tensor, unlabeled: Tensor) -> BatchShares:
    """Return this process's shares of the joint batch; a loss in evaluation mode has its own."""
    return BatchShares.of(labeled, unlabeled) if loss.training else BatchShares(1.0, 1.0)


def _reported(objective: Tensor, risk: Tensor, brackets: Tensor) -> LacObjective:
    return LacObjective(objective, risk.detach(), brackets.detach().min())


def _as_weights(class_weights: Sequence[float]) -> Tensor:
    weights = torch.as_tensor(class_weights, dtype=torch.get_default_dtype())
    if weights.ndim != 1 or not len(weights) or not bool((weights >= 0).all()):
        raise ValueError(
            "`class_weights` must be one number per known class, none of them negative; got "
            f"{class_weights!r}."
        )
    return weights


def _check_batch(weights: Tensor, labeled: Tensor, y: Tensor, unlabeled: Tensor) -> None:
    """Refuse batches from which a risk would come out, but a wrong one."""
    columns = {labeled.shape[-1], unlabeled.shape[-1]}
    if columns != {len(weights) + 1}:
        raise ValueError(
            f"logits must have {len(weights) + 1} columns, one for each of the {len(weights)} "
            f"class weights and one for the augmented class; got {sorted(columns)}."
        )
    if not len(y) or not len(unlabeled):
        raise ValueError(
            f"a batch needs labeled and unlabeled rows; got {len(y)} and {len(unlabeled)}."
        )
    if int(y.min()) < 0 or int(y.max()) >= len(weights):
        raise ValueError(
            f"`y_labeled` must hold codes 0 to {len(weights) - 1}; got {int(y.min())} to "
            f"{int(y.max())}. Unlabeled rows go into the third argument."
        )


def _multiclass_loss(name: str, q: float) -> Callable[[Tensor, Tensor], Tensor]:
    require_choice("loss", name, ("cross_entropy", "gce"))
    if name == "cross_entropy":
        return lambda logits, y: cross_entropy(logits, y, reduction="none")

    def gce(logits: Tensor, y: Tensor) -> Tensor:
        log_probability = -cross_entropy(logits, y, reduction="none")
        return -torch.expm1(q * log_probability) / q

    return gce


class SelectedLoss(nn.Module):
    """Cross entropy with the newest-looking unlabeled rows of each batch as the augmented class.

    Conditional value ignoring risk: of the unlabeled rows, the known share that looks least new
    is left out; the rest counts as augmented. The same number as PULSE's two losses on one
    network: cross entropy of a classifier of the known classes (all outputs but the last), and of
    a discriminator (the log odds of the last output).

    Parameters
    ----------
    class_weights : see `LacLoss`
    known_proportion : float

    References
    ----------
    Garg et al., "Mixture Proportion Estimation and PU Learning: A Modern Approach", NeurIPS 2021;
    for several classes: "Domain Adaptation under Open Set Label Shift", NeurIPS 2022.

    Examples
    --------
    >>> loss = SelectedLoss([0.5, 0.5], known_proportion=0.5)
    >>> value = loss(torch.zeros(4, 3), torch.tensor([0, 1, 0, 1]), torch.zeros(8, 3))
    >>> round(float(value.risk), 4)  # log(3)
    1.0986
    """

    class_weights: Tensor

    def __init__(self, class_weights: Sequence[float], known_proportion: float):
        super().__init__()
        self.known_proportion = known_proportion
        self.register_buffer("class_weights", _as_weights(class_weights))

    def forward(
        self, logits_labeled: Tensor, y_labeled: Tensor, logits_unlabeled: Tensor
    ) -> LacObjective:
        """Return objective and risk of a paired batch; logits have K + 1 columns."""
        _check_batch(self.class_weights, logits_labeled, y_labeled, logits_unlabeled)
        own = cross_entropy(logits_labeled, y_labeled, reduction="none")
        labeled = (self.class_weights[y_labeled] * own).mean()
        as_augmented = -logits_unlabeled.log_softmax(1)[:, -1]
        n_new = round((1.0 - self.known_proportion) * len(as_augmented))
        selected = as_augmented.topk(n_new, largest=False).values
        value = labeled + selected.sum() / len(as_augmented)
        return _reported(value, value, value)


class LabeledAgainstUnlabeledLoss(nn.Module):
    """Cross entropy with all unlabeled rows as one more class: needs no proportion.

    Warm-up: sigmoid risks collapse from a random start, and the proportion is read off a network
    that tells labeled from unlabeled rows.

    Examples
    --------
    >>> value = LabeledAgainstUnlabeledLoss()(
    ...     torch.zeros(4, 3), torch.tensor([0, 1, 0, 1]), torch.zeros(8, 3)
    ... )
    >>> round(float(value.objective), 4)  # log(3)
    1.0986
    """

    def forward(
        self, logits_labeled: Tensor, y_labeled: Tensor, logits_unlabeled: Tensor
    ) -> LacObjective:
        """Return the mean over both samples, each counting for half."""
        labeled = cross_entropy(logits_labeled, y_labeled)
        unlabeled = -logits_unlabeled.log_softmax(1)[:, -1].mean()
        value = 0.5 * (labeled + unlabeled)
        return _reported(value, value, value)
