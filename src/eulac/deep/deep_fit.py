"""A fit from warm-up to decision rule: phases, proportion, choice of the epoch, checkpoints."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from eulac.data.folds import draw_folds
from eulac.data.lac_sample import LacSample
from eulac.deep.held_out_logits import proportion_of_logits, pulse_of_logits
from eulac.deep.runs.phases import Phase
from eulac.deep.training import Record, Training, warn_of_interrupt
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import GivenProportion
from eulac.risk.decision_rule import DecisionRule, fit_decision_rule, held_out_risk
from eulac.risk.evidence import Logits
from eulac.risk.held_out import HeldOut
from eulac.risk.weights import class_weights, labeled_weights

__all__ = ["DeepFit", "FitSettings", "read_checkpoint", "split_off_fold"]

N_FOLDS = 5
"""One fold of either sample is held out."""


@dataclass(frozen=True)
class FitSettings:
    """Settings of a fit: `known_proportion` is None where it is to be estimated.

    `fingerprint` names all settings, for the checkpoint to be of the same fit. After `time_budget`
    seconds no epoch begins.
    """

    phases: list[Phase]
    known_proportion: Any = None
    shift: Any = False
    matched: bool = True
    patience: int | None = None
    checkpoint: Any = None
    seed: int = 0
    fingerprint: str = ""
    pulse: bool = False
    time_budget: float | None = None


@dataclass(eq=False)
class DeepFit:
    """A network in training, with the rows held out from it and what they say.

    Attributes
    ----------
    training : Training
    rows, held_out : LacSample
    settings : FitSettings
    estimate : ProportionEstimate or None
        None until a phase needs it.
    interrupted : bool
    """

    training: Training
    rows: LacSample
    held_out: LacSample
    settings: FitSettings
    estimate: ProportionEstimate | None = None
    interrupted: bool = field(default=False)
    start: float = field(default=0.0, init=False)

    def run(self, on_record: Callable[[Record], Any] | None = None) -> None:
        """Run what is left of all phases; keep the best epoch of the last one.

        An interrupt from the keyboard ends training, not the fit: what was learned is kept.
        """
        self._resume()
        self.start = time.perf_counter() - sum(one["seconds"] for one in self.training.history)
        try:
            for phase in self.settings.phases:
                self._run_phase(phase, on_record)
        except KeyboardInterrupt:
            self.interrupted = True
            warn_of_interrupt(self.training.epoch)
        self.training.restore_best()
        if self.settings.known_proportion is None:
            # The best network says it best; rows held out have no part in it.
            self.estimate = self._estimated()

    def held_out_outputs(self) -> HeldOut:
        """Return what the network says of the rows held out, weighted by the estimate."""
        estimate, y = self.proportion(), self.held_out.y_labeled
        weights = labeled_weights(y, estimate.per_class)
        return HeldOut(*self._held_out_logits(), y, weights, estimate.interval)

    def _held_out_logits(self) -> tuple[NDArray[Any], NDArray[Any]]:
        labeled, unlabeled = (
            self.training.logits(torch.from_numpy(X))
            for X in (self.held_out.X_labeled, self.held_out.X_unlabeled)
        )
        return labeled, unlabeled

    def proportion(self) -> ProportionEstimate:
        """Return the estimate, made now if no phase has needed it yet."""
        if self.estimate is None:
            self.estimate = self._estimated()
        return self.estimate

    def rule(self, seen: HeldOut) -> DecisionRule:
        """Return the decision rule for the outputs of held-out rows."""
        # A class without held-out rows has no weight there: the estimate is matched itself.
        return fit_decision_rule(
            seen,
            Logits(),
            matched=self.settings.matched,
            known_proportion=self.proportion().total,
        )

    def _run_phase(self, phase: Phase, on_record: Callable[[Record], Any] | None) -> None:
        if self.training.epoch >= phase.stop or self._is_late():
            return
        if phase.needs_proportion and self.training.epoch == phase.start:
            self.estimate = self._estimated()
            # Risks are not comparable across proportions: the search for the best starts anew.
            self.training.best = None
        loss = phase.make_loss(self.estimate, self._weights()).to(self.training.device)
        while self.training.epoch < phase.stop and not self._is_over():
            record = self.training.run_epoch(loss)
            record["phase"] = phase.name
            if phase.needs_proportion:
                self._judge(record)
            self._save()
            if on_record is not None:
                on_record(record)

    def _estimated(self) -> ProportionEstimate:
        """Return the proportion that held-out outputs speak for, or what was given."""
        if self.settings.known_proportion is not None:
            return self.estimate or self._given(self.settings.known_proportion)
        if self.settings.pulse:
            return pulse_of_logits(self.held_out, self._held_out_logits(), seed=self.settings.seed)
        return proportion_of_logits(
            self.held_out,
            self._held_out_logits(),
            self.rows.labeled_frequency,
            shift=self.settings.shift,
            seed=self.settings.seed,
        )

    def _given(self, given: Any) -> ProportionEstimate:
        """Return shares that were given, or those an estimator reads off the rows as they are."""
        if not hasattr(given, "estimate"):
            return GivenProportion(given).estimate(self.rows)
        # Rows of loaders are not in memory; those held out are.
        sample = self.rows if self.rows.X_labeled.shape[1] else self.held_out
        flat = (rows.reshape(len(rows), -1) for rows in (sample.X_labeled, sample.X_unlabeled))
        labeled, unlabeled = (rows.astype(np.float64) for rows in flat)
        return given.estimate(sample.with_rows(X_labeled=labeled, X_unlabeled=unlabeled))

    def _weights(self) -> NDArray[np.float64] | None:
        if self.estimate is None:
            return None
        return class_weights(self.rows.y_labeled, self.estimate.per_class)

    def _judge(self, record: Record) -> None:
        """Add held-out error and proportion to the record; keep the weights if they are best."""
        seen, estimate = self.held_out_outputs(), self.proportion()
        risk = held_out_risk(seen, self.rule(seen), Logits(), estimate.standard_error)
        record["known_proportion"] = estimate.total
        record["estimated_error"] = risk.raw
        self.training.keep_if_best(risk.raw)

    def _is_over(self) -> bool:
        best, patience = self.training.best, self.settings.patience
        tired = patience and best and self.training.epoch - best["since"] >= patience
        return bool(tired) or self._is_late()

    def _is_late(self) -> bool:
        """Return whether another epoch would not fit in the time; the first one always does."""
        budget, history = self.settings.time_budget, self.training.history
        if budget is None or not history:
            return False
        an_epoch = max(record["seconds"] for record in history)
        return time.perf_counter() - self.start + an_epoch > budget

    def _save(self) -> None:
        if self.settings.checkpoint is None:
            return
        estimate = None
        if self.estimate is not None:
            estimate = {
                "per_class": self.estimate.per_class.tolist(),
                "interval": list(self.estimate.interval),
                "method": self.estimate.method,
                "standard_error": float(self.estimate.standard_error),
            }
        facts = {"estimate": estimate, "key": self._key(), "n_epochs": self.training.n_epochs}
        self.training.save(self.settings.checkpoint, **facts)

    def _key(self) -> str:
        """Return a digest of rows, labels and settings: that of another fit is another."""
        rows = self.rows
        digest = sha256(repr((self.settings.fingerprint, rows.codec.known.tolist())).encode())
        for array in (rows.X_labeled, rows.y_labeled, rows.X_unlabeled):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def _resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        path = self.settings.checkpoint
        if path is None or not Path(path).exists():
            return
        stored = read_checkpoint(path)
        if stored["key"] != self._key():
            raise ValueError(
                f"the checkpoint {str(path)!r} is of another fit: other rows, labels, seed or "
                "settings (the number of epochs is one). Remove it, or name another file."
            )
        self.training.restore(stored["training"])
        found = stored["estimate"]
        if found is not None:
            self.estimate = ProportionEstimate(
                np.array(found["per_class"]),
                tuple(found["interval"]),
                found["method"],
                self.held_out.n_labeled,
                self.held_out.n_unlabeled,
                standard_error=found["standard_error"],
            )


def read_checkpoint(path: Any) -> dict[str, Any]:
    """Return what a checkpoint holds: tensors, numbers and text only, so it cannot run code."""
    try:
        stored: dict[str, Any] = torch.load(path, weights_only=True)
        stored["key"], stored["n_epochs"]
    except Exception as error:
        raise ValueError(
            f"{str(path)!r} cannot be read as a checkpoint ({type(error).__name__}). Remove "
            "it, or name another file."
        ) from error
    return stored


def split_off_fold(sample: LacSample, seed: int) -> tuple[LacSample, LacSample]:
    """Return the sample without one fold of either kind of row, and that fold.

    A class all of whose rows would be held out stays with the rows to train on.
    """
    folds = draw_folds(sample.y_labeled, sample.n_unlabeled, N_FOLDS, seed)
    held_out, piece = next(iter(folds))
    lost = np.setdiff1d(sample.y_labeled, np.delete(sample.y_labeled, held_out))
    held_out = held_out[~np.isin(sample.y_labeled[held_out], lost)]
    kept = np.setdiff1d(np.arange(sample.n_labeled), held_out)
    parts = []
    for labeled, unlabeled in (
        (kept, np.delete(np.arange(sample.n_unlabeled), piece)),
        (held_out, piece),
    ):
        parts.append(sample.taken(labeled, unlabeled))
    return parts[0], parts[1]
