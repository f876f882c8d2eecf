"""One look for all figures: palette, markers, axes, and how they are saved."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from eulac.benchmark.curves import Curve
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS

__all__ = ["LOOKS", "draw_curve", "new_figure", "save_figure", "styled"]

# Okabe and Ito's palette: told apart by readers of all kinds of color vision, and by markers.
BLUE, SKY, GREEN, ORANGE = "#0072B2", "#56B4E9", "#009E73", "#E69F00"
RED, PURPLE, BLACK, GRAY = "#D55E00", "#CC79A7", "#000000", "#808080"

LOOKS: dict[str, tuple[str, str, str]] = {
    "ovr_svm": (GRAY, "v", "--"),
    "w_svm": (ORANGE, "^", "--"),
    "osnn": (PURPLE, "P", "--"),
    "evm": (BLACK, "X", ":"),
    "lacu_svm": (RED, "s", "-."),
    "pac_iforest": (GREEN, "D", ":"),
    "kernel_paper": (SKY, "o", "--"),
    "kernel_paper_grid": (SKY, "p", ":"),
    "kernel": (BLUE, "o", "-"),
    "auto": (GREEN, "h", "-"),
    "kernel_base": (ORANGE, "^", "--"),
    "kernel_base_plus": (GREEN, "D", ":"),
    "kernel_shift": (SKY, "p", "--"),
    "kernel_given": (BLACK, ".", "-"),
    "kernel_shift_auto": (BLUE, "o", "-"),
    "ovr_shift": (PURPLE, "P", "--"),
    "kme_base": (RED, "D", "--"),
    "kme_shift": (GREEN, "*", ":"),
    "consensus": (BLUE, "o", "-"),
    "softmax": (GRAY, "v", "--"),
    "max_logit": (BLACK, "X", ":"),
    "openmax": (ORANGE, "^", "--"),
    "g_openmax": (PURPLE, "P", "--"),
    "osrci": (RED, "s", "-."),
    "deep_generalized": (GREEN, "D", ":"),
    "deep_selected": (SKY, "p", "--"),
    "deep_pulse": (ORANGE, "*", "-."),
    "pixels": (BLACK, "h", "--"),
    "deep_head": (PURPLE, "D", "-"),
    "images": (GREEN, "o", "-"),
    "deep_eulac": (BLUE, "o", "-"),
}
"""Color, marker and line of each method, the same in every figure."""

MOST_MARKERS = 20

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E5E5E5",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "svg.hashsalt": "eulac",  # the same records give the same file
    "svg.fonttype": "none",
}


def styled() -> AbstractContextManager[Any]:
    """Return a context in which figures are drawn and saved in this look."""
    return rc_context(_STYLE)


def new_figure(
    n_panels: int, *, width: float = 3.2, height: float = 2.8, n_lines: int = 1
) -> tuple[Figure, Any]:
    """Return a figure with panels side by side, in one or more lines, and its axes as a list."""
    n_columns = -(-n_panels // n_lines)
    size = max(width * n_columns, 4.8), height * n_lines
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(n_lines, n_columns, squeeze=False).flat)


def draw_curve(axes: Any, method: str, curve: Curve, *, label: str | None = None) -> None:
    """Draw a method's means with a band of one standard error."""
    color, marker, line = LOOKS[method]
    x, means = [point.x for point in curve], [point.mean for point in curve]
    label = TRIAL_METHODS[method].label if label is None else label
    every = 1 + len(x) // MOST_MARKERS  # more would hide the line
    axes.plot(x, means, color=color, marker=marker, linestyle=line, label=label, markevery=every)
    low = [point.mean - (point.error or 0) for point in curve]
    high = [point.mean + (point.error or 0) for point in curve]
    axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def save_figure(figure: Figure, stem: Path) -> Sequence[Path]:
    """Write the figure as PNG and SVG; the same figure gives the same bytes."""
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
    figure.savefig(paths[0], dpi=150, metadata={"Software": None})
    figure.savefig(paths[1], metadata={"Date": None, "Creator": None})
    return paths
