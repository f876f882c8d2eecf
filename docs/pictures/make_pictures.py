"""Draw both pictures of the pages: `python docs/pictures/make_pictures.py`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

BLUE, GREEN, ORANGE, GRAY = "#0072b2", "#009e73", "#e69f00", "#b5b5b5"
STYLE = {
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "eulac",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
}
PLACES = np.array([[0.0, 0.0], [3.4, 0.4], [1.9, 2.9]])  # of class A, class B and the new class


def main(folder):
    """Write both pictures into a folder."""
    with plt.rc_context(STYLE):
        for name, draw in (("idea", draw_idea), ("two_readings", draw_two_readings)):
            figure = draw()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, facecolor="white")
            plt.close(figure)


def draw_idea():
    """Return what is given, what the pool holds, and what comes out."""
    rng = np.random.default_rng(4)
    figure = plt.figure(figsize=(9, 5.2), layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=[1.25, 1])
    labeled = np.repeat([0, 1], [22, 22])
    pool = np.repeat([0, 1, 2], [30, 30, 36])
    rows = rng.normal(PLACES[pool], 0.62)
    _scatter(
        figure.add_subplot(grid[0, 0]),
        rng.normal(PLACES[labeled], 0.62),
        [BLUE if kind == 0 else GREEN for kind in labeled],
        "you have: labeled rows",
        {"A": (0, -1.95), "B": (3.4, -1.95)},
    )
    title = "and the pool: unlabeled rows\nfrom where the model runs"
    _scatter(figure.add_subplot(grid[0, 1]), rows, GRAY, title, {})
    _scatter(
        figure.add_subplot(grid[0, 2]),
        rows,
        [(BLUE, GREEN, ORANGE)[kind] for kind in pool],
        "you get: one of K, or new",
        {"A": (0, -1.95), "B": (3.4, -1.95), "new": (1.9, 4.75)},
    )
    _decomposition(figure.add_subplot(grid[1, :]))
    return figure


def _scatter(axes, rows, colors, title, names):
    axes.scatter(*rows.T, s=16, c=colors, edgecolors="white", linewidths=0.3)
    axes.set(xlim=(-2, 5.6), ylim=(-2.3, 5.2), xticks=[], yticks=[])
    axes.set_title(title, fontsize=11)
    axes.spines[:].set(visible=True, color="#dddddd")
    for name, place in names.items():
        axes.text(*place, name, ha="center", va="center", weight="bold")


def _decomposition(axes):
    """Draw the pool's distribution as a share of known rows, and the rest."""
    x = np.linspace(-3, 9.5, 200)
    known = 0.33 * norm.pdf(x, 0, 0.9) + 0.29 * norm.pdf(x, 3.2, 0.9)
    pool = known + 0.38 * norm.pdf(x, 5.9, 0.95)
    axes.fill_between(x, known, color=BLUE, alpha=0.35, linewidth=0)
    axes.fill_between(x, known, pool, color=ORANGE, alpha=0.55, linewidth=0)
    axes.plot(x, pool, color="black", linewidth=1.4)
    axes.annotate("the pool", (1.75, np.interp(1.75, x, pool)), (1.7, 0.135), ha="center",
                  arrowprops={"arrowstyle": "-", "color": "black"})  # fmt: skip
    axes.text(0, 0.045, "known share ×\nwhat labeled rows\nlook like", ha="center", va="center")
    axes.text(6.0, 0.055, "the rest: what new\nrows look like", ha="center", va="center")
    axes.set(xlim=(-3, 9.5), ylim=(0, 0.19), yticks=[], xticks=[], xlabel="any feature or score")
    axes.set_title("pool  =  known share × known  +  new share × new,  so no label of anything new "
                   "is needed", fontsize=11)  # fmt: skip


def draw_two_readings():
    """Return one pool, read in two ways."""
    x = np.linspace(-4.5, 10, 240)
    labeled, moved, apart = norm.pdf(x, 0, 1), norm.pdf(x, 0.8, 1.45), norm.pdf(x, 6.8, 0.8)
    pool = 0.75 * moved + 0.25 * apart
    # The largest share of the labeled distribution that fits below the pool.
    share = np.min((pool / labeled)[labeled > 1e-3])
    readings = (
        ("known rows look as in the labels", share, share * labeled),
        ("known rows may have moved", 0.75, 0.75 * moved),
    )
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.3), layout="constrained", sharey=True)
    for axes, (title, known_share, known) in zip(panels, readings, strict=True):
        axes.plot(x, labeled * 0.55, color=BLUE, linewidth=1, linestyle=":", label="labeled rows")
        axes.fill_between(x, known, color=BLUE, alpha=0.35, linewidth=0, label="read as known")
        axes.fill_between(x, known, pool, color=ORANGE, alpha=0.55, linewidth=0,
                          label="read as new")  # fmt: skip
        axes.plot(x, pool, color="black", linewidth=1.4, label="the pool: the same")
        axes.set_title(f"{title}:\n{1 - known_share:.0%} new", fontsize=11)
        axes.set(xlim=(-4.5, 10), ylim=(0, 0.33), yticks=[], xticks=[])
        axes.text(6.8, 0.155, "new in both", ha="center")
    panels[0].annotate("moved, or new?\nNo data without labels can tell.", (2.6, 0.085),
                       (5.4, 0.24), ha="center",
                       arrowprops={"arrowstyle": "->", "color": "black"})  # fmt: skip
    panels[0].legend(frameon=False, fontsize=8.5, loc="upper left")
    return figure


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
