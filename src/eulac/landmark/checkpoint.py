"""A fit in chunks on disk: the survey and the sums so far, as numbers and text only."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from eulac.data.reading.drafts import replacing
from eulac.data.row_sketch import RowSketch, RowSurvey
from eulac.solvers.moment_folds import FoldMoments
from eulac.solvers.moments import LacMoments

__all__ = ["Checkpoint"]

MOMENTS = [field.name for field in fields(LacMoments)]
SKETCH = [field.name for field in fields(RowSketch)]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Where a fit in chunks stands; without a path nothing is written.

    Attributes
    ----------
    path : Path or None
    settings : str
        Parameters of the classifier; a file of others is refused.
    seed : int or None
    survey : RowSurvey or None
        Of all chunks, once the first pass is over; of the first `n_done` during it.
    moments : FoldMoments or None
        Of the first `n_done` chunks.
    n_done : int
        Chunks of the pass that is going on.
    n_chunks : int or None
        Known once the first pass is over.
    """

    path: Path | None
    settings: str
    seed: int | None = None
    survey: RowSurvey | None = None
    moments: FoldMoments | None = None
    n_done: int = 0
    n_chunks: int | None = None

    @classmethod
    def open(cls, path: Path | str | None, settings: str) -> "Checkpoint":
        """Return what the file says, or a fresh start where there is none."""
        if path is None or not Path(path).exists():
            return cls(None if path is None else Path(path), settings)
        with np.load(path, allow_pickle=False) as stored:
            arrays = dict(stored)
        if str(arrays["settings"]) != settings:
            raise ValueError(
                f"the checkpoint {path} is of a fit with other parameters: {arrays['settings']}; "
                f"these are {settings}. Remove it, or use another path."
            )
        return cls(
            Path(path),
            settings,
            int(arrays["seed"]),
            _unpacked_survey(arrays),
            _unpacked_moments(arrays),
            int(arrays["n_done"]),
            None if arrays["n_chunks"] < 0 else int(arrays["n_chunks"]),
        )

    def surveying(self, survey: RowSurvey, seed: int, n_done: int) -> None:
        """Write down a survey of the first chunks."""
        replace(self, survey=survey, seed=seed).write(None, n_done)

    def begun(self, survey: RowSurvey, seed: int, n_chunks: int) -> "Checkpoint":
        """Return the state after the first pass, written down if that is news."""
        if self.n_chunks is not None:
            return self
        state = replace(self, survey=survey, seed=seed, n_chunks=n_chunks, n_done=0)
        state.write(None, 0)
        return state

    def write(self, moments: FoldMoments | None, n_done: int) -> None:
        """Write survey and sums; the file is there whole or not at all."""
        if self.path is None or self.survey is None:
            return
        arrays: dict[str, Any] = {
            "settings": self.settings,
            "seed": self.seed,
            "n_done": n_done,
            "n_chunks": -1 if self.n_chunks is None else self.n_chunks,
            **_packed_survey(self.survey),
            **_packed_moments(moments),
        }
        with replacing(self.path) as draft, draft.open("wb") as stream:
            np.savez(stream, **arrays)

    def remove(self) -> None:
        """Remove the file: the fit is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _packed_survey(survey: RowSurvey) -> dict[str, Any]:
    arrays: dict[str, Any] = {
        "labels": survey.labels,
        "class_counts": survey.class_counts,
        "n_unlabeled": survey.n_unlabeled,
    }
    for kind in ("labeled", "unlabeled"):
        sketch = getattr(survey, kind)
        arrays |= {f"{kind}_{name}": getattr(sketch, name) for name in SKETCH}
    return arrays


def _unpacked_survey(arrays: dict[str, Any]) -> RowSurvey:
    sketches = []
    for kind in ("labeled", "unlabeled"):
        parts = {name: arrays[f"{kind}_{name}"] for name in SKETCH}
        limits = {name: int(parts[name]) for name in ("capacity", "floor")}
        sketches.append(RowSketch(**{**parts, **limits}))
    labeled, unlabeled = sketches
    n_unlabeled = int(arrays["n_unlabeled"])
    return RowSurvey(arrays["labels"], labeled, unlabeled, arrays["class_counts"], n_unlabeled)


def _packed_moments(moments: FoldMoments | None) -> dict[str, Any]:
    parts = () if moments is None else moments.parts
    return {
        f"fold{index}_{name}": getattr(part, name)
        for index, part in enumerate(parts)
        for name in MOMENTS
    }


def _unpacked_moments(arrays: dict[str, Any]) -> FoldMoments | None:
    n_folds = sum(name.endswith("_second") for name in arrays)
    parts = []
    for index in range(n_folds):
        part = {name: arrays[f"fold{index}_{name}"] for name in MOMENTS}
        parts.append(LacMoments(**{**part, "n_unlabeled": float(part["n_unlabeled"])}))
    return FoldMoments(tuple(parts)) if parts else None
