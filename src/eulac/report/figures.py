"""Figures of the page as SVG text whose colors are CSS variables: one drawing, light and dark."""

import io
import math
import re
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from eulac.discovery.new_classes import NewClasses
from eulac.proportion.estimate import ProportionEstimate
from eulac.report.embedding import Embedding
from eulac.report.sensitivity import Sensitivity
from eulac.risk.class_quality import ClassQuality

__all__ = [
    "map_figure",
    "priors_figure",
    "quality_figure",
    "scores_figure",
    "sensitivity_figure",
    "worth_figure",
]

Array = NDArray[np.float64]

# Drawn in colors nobody uses, which are then replaced by variables of the page.
INK, MUTED, GRID, KNOWN, NEW, LABELED, PAPER = (f"#{3 * f'0{digit}'}" for digit in range(1, 8))
VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--line)",
    KNOWN: "var(--known)",
    NEW: "var(--new)",
    LABELED: "var(--labeled)",
    PAPER: "var(--paper)",
}
WIDTH = 4.7
"""Inches, so that text is readable where the page is as narrow as a phone."""

MOST_CLASSES = 30
"""Classes drawn at most; the tables have them all."""

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 9.5,
    "font.family": "sans-serif",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


def _svg(draw: Any, height: float, name: str, description: str) -> str:
    """Draw on fresh axes and return the SVG element, with a description for those who listen."""
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"eulac-{name}"}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure.subplots())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Ids repeat from drawing to drawing, and a page has one of each.
    text = re.sub(r'id="', f'id="{name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    text = re.sub(r"(font(?:-family)?: ?[^;\"]*?)'DejaVu Sans'[^;\"]*", r"\1inherit", text)
    for color, variable in VARIABLES.items():
        text = text.replace(color, variable)
    return text.replace("<svg ", f'<svg role="img" aria-label="{_escaped(description)}" ', 1)


def _escaped(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


def _short(label: Any, limit: int = 16) -> str:
    """Return a label that fits beside an axis; dollar signs are no formulas."""
    text = str(label)
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return text.replace("$", r"\$")


def priors_figure(
    labels: Sequence[Any], labeled: Array, estimate: ProportionEstimate, new_label: Any
) -> str:
    """Draw the share of each class among the labeled rows and in deployment."""
    n = min(len(labels), MOST_CLASSES)
    names = [*map(_short, labels[:n]), _short(new_label)]
    now = np.append(estimate.per_class[:n], estimate.augmented_proportion)
    then = np.append(labeled[:n], 0.0)
    place = np.arange(n + 1)

    def draw(axes: Any) -> None:
        axes.barh(place - 0.2, then, 0.36, color=LABELED, label="in the labels")
        axes.barh(place + 0.2, now, 0.36, color=KNOWN, label="in deployment, estimated")
        low, high = estimate.augmented_interval
        middle = now[-1]
        axes.barh(place[-1] + 0.2, middle, 0.36, color=NEW, hatch="///", edgecolor=INK, lw=0.4)
        axes.errorbar(
            middle,
            place[-1] + 0.2,
            xerr=[[max(middle - low, 0)], [max(high - middle, 0)]],
            color=INK,
            capsize=3,
            lw=1.2,
        )
        axes.set_yticks(place, names)
        axes.invert_yaxis()
        axes.xaxis.set_major_formatter(_percent)
        axes.set_xlabel("share of rows")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2)

    listed = "; ".join(
        f"{name}: {a:.0%} in the labels, {b:.0%} now"
        for name, a, b in zip(names, then, now, strict=True)
    )
    return _svg(draw, 1.2 + 0.34 * (n + 1), "priors", f"Shares of the classes. {listed}.")


def quality_figure(quality: Sequence[ClassQuality]) -> str:
    """Draw the share of each class that is answered rightly, with intervals."""
    classes = [*quality[: min(len(quality) - 1, MOST_CLASSES)], quality[-1]]
    classes = [one for one in classes if not math.isnan(one.found)]
    place = np.arange(len(classes))

    def draw(axes: Any) -> None:
        for y, one in zip(place, classes, strict=True):
            is_new = one is quality[-1]
            low, high = one.found_interval
            color = NEW if is_new else KNOWN
            axes.plot([low, high], [y, y], color=color, lw=2, alpha=0.6)
            axes.plot(one.found, y, "^" if is_new else "o", color=color, ms=6)
        axes.set_yticks(place, [_short(one.label) for one in classes])
        axes.set_ylim(len(classes) - 0.5, -0.5)
        axes.set_xlim(0, 1.02)
        axes.xaxis.set_major_formatter(_percent)
        axes.set_xlabel("answered rightly, of its rows (95 % interval)")
        axes.grid(axis="x")
        axes.set_axisbelow(True)

    listed = "; ".join(f"{one.label}: {one.found:.0%}" for one in classes)
    return _svg(draw, 0.9 + 0.3 * len(classes), "quality", f"Answered rightly by class. {listed}.")


def scores_figure(labeled: Array | None, known: Array, new: Array, cut: float = 0.0) -> str:
    """Draw the augmented scores of labeled, known-looking and new-looking rows."""
    parts = [part for part in (labeled, known, new) if part is not None and len(part)]
    low, high = np.percentile(np.concatenate(parts), [0.5, 99.5])
    bins = np.linspace(low, high if high > low else low + 1.0, 41)

    def draw(axes: Any) -> None:
        for values, color, label, fill in (
            (known, KNOWN, "look known", True),
            (new, NEW, "look new", True),
            (labeled, LABELED, "labeled, held out", False),
        ):
            if values is None or not len(values):
                continue
            heights, _ = np.histogram(np.clip(values, low, bins[-1]), bins)
            share = heights / len(values)
            if fill:
                total = len(known) + len(new)
                axes.stairs(heights / total, bins, fill=True, color=color, alpha=0.45)
                axes.stairs(heights / total, bins, color=color, label=label, lw=1.2)
            else:
                axes.stairs(share, bins, color=INK, label=label, lw=1.4, ls=(0, (3, 2)))
        axes.axvline(cut, color=MUTED, lw=1, ls=":")
        axes.set_xlabel("how new a row looks (augmented score)")
        axes.set_ylabel("share of rows")
        axes.yaxis.set_major_formatter(_percent)
        axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=3, handlelength=1.4)

    text = f"{len(known)} rows look known and {len(new)} look new, from {low:.2f} to {high:.2f}."
    return _svg(draw, 2.9, "scores", f"Distribution of the augmented score. {text}")


def map_figure(
    embedding: Embedding, kind: NDArray[np.intp], groups: NewClasses | None, group_of: Array
) -> str:
    """Draw the map; `kind` is 0 for labeled, 1 for known-looking and 2 for new-looking rows.

    Groups are marked by their numbers at their middles; `group_of` is -1 for rows in none.
    """
    points = embedding.points
    styles = (
        (0, LABELED, "labeled", "o", 9, 0.55, False),
        (1, KNOWN, "looks known", "o", 9, 0.6, True),
        (2, NEW, "looks new", "^", 15, 0.75, True),
    )

    def draw(axes: Any) -> None:
        for value, color, label, marker, size, alpha, filled in styles:
            some = points[kind == value]
            if not len(some):
                continue
            face = {"facecolors": color if filled else "none", "edgecolors": color}
            axes.scatter(
                *some.T, s=size, marker=marker, linewidths=0.7, alpha=alpha, label=label, **face
            )
        for group in range(groups.n_classes if groups is not None else 0):
            some = points[group_of == group]
            if len(some):
                _number(axes, np.median(some, axis=0), group + 1)
        axes.set_xticks([])
        axes.set_yticks([])
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        axes.legend(
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=3,
            handletextpad=0.2,
            markerscale=1.4,
        )

    counts = [int((kind == value).sum()) for value in range(3)]
    text = f"{counts[0]} labeled, {counts[1]} known-looking and {counts[2]} new-looking rows"
    return _svg(draw, 3.9, "map", f"Map of the rows on a plane: {text}.")


def _number(axes: Any, point: Array, number: int) -> None:
    box = {"boxstyle": "round,pad=0.25", "facecolor": PAPER, "edgecolor": NEW, "linewidth": 1.2}
    axes.annotate(
        str(number), point, ha="center", va="center", fontsize=9, weight="bold", bbox=box, zorder=5
    )


def sensitivity_figure(sensitivity: Sensitivity, estimate: ProportionEstimate) -> str:
    """Draw the error over what the known proportion might be."""
    x = 1.0 - sensitivity.known_proportion

    def draw(axes: Any) -> None:
        low, high = estimate.augmented_interval
        axes.axvspan(low, high, color=GRID, alpha=0.6, lw=0)
        axes.plot(x, sensitivity.kept, color=NEW, lw=1.8, label="answers as they are")
        axes.plot(
            x, sensitivity.recut, color=KNOWN, lw=1.8, ls=(0, (4, 2)), label="answers cut to match"
        )
        axes.axvline(estimate.augmented_proportion, color=INK, lw=1, ls=":")
        axes.set_ylim(0, None)
        axes.xaxis.set_major_formatter(_percent)
        axes.yaxis.set_major_formatter(_percent)
        axes.set_xlabel("if the new share were")
        axes.set_ylabel("estimated error")
        axes.grid(axis="y")
        axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2, handlelength=1.8)

    worst = float(sensitivity.kept.max())
    text = f"Between {x.min():.0%} and {x.max():.0%} new, the error is at most {worst:.0%}."
    return _svg(draw, 2.9, "sensitivity", f"Estimated error over the new share. {text}")


def worth_figure(groups: NewClasses) -> str:
    """Draw what each number of groups is worth."""
    numbers = sorted(groups.worth)

    def draw(axes: Any) -> None:
        axes.axvspan(
            groups.interval[0] - 0.3, groups.interval[1] + 0.3, color=GRID, alpha=0.6, lw=0
        )
        axes.plot(numbers, [groups.worth[n] for n in numbers], "o-", color=KNOWN, lw=1.6, ms=5)
        if groups.n_classes in groups.worth:
            axes.plot(groups.n_classes, groups.worth[groups.n_classes], "^", color=NEW, ms=9)
        axes.set_xlim(0.5, max(*numbers, groups.interval[1]) + 0.5)
        axes.set_xlabel("number of groups")
        axes.set_ylabel("worth")
        axes.grid(axis="y")

    listed = "; ".join(f"{n} groups: {groups.worth[n]:.2f}" for n in numbers)
    return _svg(draw, 2.0, "worth", f"Worth of groupings by number of groups. {listed}.")


def _percent(value: float, position: Any = None) -> str:
    return f"{round(100 * value, 1):g} %"
