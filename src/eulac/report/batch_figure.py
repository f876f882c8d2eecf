"""A figure of batches over time: their new share and the error of the answers, with intervals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from eulac.data.reading.drafts import replacing, require_new_file
from eulac.tables.batch_tables import TableBatch

__all__ = ["draw_batches"]

COLORS = {"new share": "#b3541e", "estimated error": "#2b5c8a"}
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "eulac-batches",
}
LONGEST_NAME = 18


def draw_batches(batches: Sequence[TableBatch], path: Path, *, overwrite: bool = False) -> Path:
    """Draw new share and error of each batch, in order; return the path of the picture.

    Parameters
    ----------
    batches : sequence of TableBatch
    path : Path
        Its suffix says what kind of picture: .png, .svg or .pdf.
    overwrite : bool, default=False
        Whether an existing file may be replaced.
    """
    require_new_file(path, overwrite=overwrite)
    with rc_context(STYLE):
        figure = Figure(figsize=(max(4.5, 1.5 + 0.6 * len(batches)), 3.4), layout="constrained")
        _draw(figure.subplots(), batches)
        with replacing(path) as draft:
            figure.savefig(draft, format=path.suffix.lstrip(".") or "png", dpi=160)
    return path


def _draw(axes: Any, batches: Sequence[TableBatch]) -> None:
    places = np.arange(len(batches))
    shares = [one.estimate.proportion for one in batches]
    risks = [one.estimate.risk for one in batches]
    lines = {
        "new share": [(one.augmented_proportion, one.augmented_interval) for one in shares],
        "estimated error": [(one.value, one.interval) for one in risks],
    }
    for offset, (name, values) in zip((-0.06, 0.06), lines.items(), strict=True):
        height = 100 * np.array([value for value, _ in values])
        ends = 100 * np.array([interval for _, interval in values]).T
        bars = np.maximum(np.abs(ends - height), 0.0)
        axes.errorbar(
            places + offset, height, bars, fmt="o-", color=COLORS[name], capsize=3, label=name
        )
    axes.set_xticks(places, [_short(one.name) for one in batches], rotation=30, ha="right")
    axes.set_ylabel("percent of the rows")
    axes.set_ylim(0, None)
    axes.set_xlim(-0.5, len(batches) - 0.5)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _short(name: str) -> str:
    stem = Path(name).name.split(".")[0]
    return stem if len(stem) <= LONGEST_NAME else f"{stem[: LONGEST_NAME - 1]}…"
