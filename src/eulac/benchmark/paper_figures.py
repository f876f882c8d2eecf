"""The paper's figures, and a few more, from records."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from eulac.benchmark.comparison_tables import METRICS, comparison_table
from eulac.benchmark.curves import (
    Curve,
    condition,
    curves_by_method,
    estimated_shares,
    mean_curve,
)
from eulac.benchmark.experiments.named_groups import LEARNED, SPENT
from eulac.benchmark.experiments.theorems import RISKS
from eulac.benchmark.figure_style import (
    BLACK,
    BLUE,
    GRAY,
    LOOKS,
    ORANGE,
    RED,
    draw_curve,
    new_figure,
)
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record

__all__ = [
    "deep_figure",
    "environments_figure",
    "loop_figure",
    "table1_figure",
    "theory_figure",
    "theta_figure",
    "unlabeled_size_figure",
]

Records = Sequence[Record]
ESTIMATORS = ("kme_base", "kme_shift", "consensus")


def table1_figure(records: Records) -> Figure:
    """Draw the means of all methods; a hollow circle is the paper's EULAC."""
    figure, panels = new_figure(len(METRICS), height=4.2)
    for axes, (metric, title) in zip(panels, METRICS.items(), strict=True):
        table = comparison_table(records, metric)
        names = list(table.rows)
        for method in table.methods:
            cells = [(table.rows[name][method], i) for i, name in enumerate(names)]
            shown = [(cell.mean, i) for cell, i in cells if cell.mean is not None]
            color, marker, _ = LOOKS[method]
            axes.plot(*zip(*shown, strict=True), marker, color=color, alpha=0.9) if shown else None
        papers = [(table.rows[name].get("kernel"), i) for i, name in enumerate(names)]
        for cell, i in papers:
            if cell is not None and cell.paper:
                axes.plot(cell.paper[0], i, "o", mfc="none", mec=BLACK, ms=9, mew=1)
        axes.set(
            xlabel=f"{title} in percent", yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5)
        )
        axes.set_yticklabels(names if axes is panels[0] else [])
    methods = comparison_table(records, "macro_f1").methods
    handles = [_handle(name) for name in methods]
    handles.append(
        Line2D([], [], marker="o", mfc="none", mec=BLACK, ms=9, ls="", label="paper's EULAC")
    )
    figure.legend(handles=handles, loc="outside lower center", ncols=5)
    return figure


def unlabeled_size_figure(records: Records) -> Figure:
    """Draw macro-F1 against the number of unlabeled rows, a panel per dataset."""
    datasets = list(dict.fromkeys(record.trial.draw.dataset for record in records))
    figure, panels = new_figure(len(datasets))
    for axes, dataset in zip(panels, datasets, strict=True):
        here = [record for record in records if record.trial.draw.dataset == dataset]
        for method, curve in curves_by_method(here, condition("n_unlabeled"), "macro_f1").items():
            draw_curve(axes, method, curve)
        axes.set(title=dataset, xlabel="unlabeled rows")
    panels[0].set_ylabel("macro-F1 in percent")
    _legend_below(figure, panels)
    return figure


def theta_figure(records: Records) -> Figure:
    """Draw macro-F1 against the given share, a line per true one, and what was estimated."""
    figure, (left, right) = new_figure(2, width=4.2, height=3.6)
    true = sorted({record.trial.draw.condition("known_proportion") for record in records})
    shade = ScalarMappable(Normalize(0, 1), colormaps["viridis"])
    estimates = estimated_shares(records, ESTIMATORS)
    for share in true:
        here = [r for r in records if r.trial.draw.condition("known_proportion") == share]
        curve = curves_by_method(here, _given_share, "macro_f1").get("kernel_given", ())
        if curve:
            _draw_theta_line(left, share, curve, estimates, shade.to_rgba(share))
    left.set(xlabel="given known proportion", ylabel="macro-F1 in percent")
    figure.colorbar(shade, ax=left, label="true known proportion", fraction=0.05)
    for method, curve in estimates.items():
        draw_curve(right, method, curve)
    right.plot([0, 1], [0, 1], color=GRAY, linewidth=1, label="truth")
    right.set(xlabel="true known proportion", ylabel="mean estimate")
    _legend_below(figure, [right])
    return figure


def environments_figure(records: Records) -> Figure:
    """Draw accuracy against the intensity of the prior shift."""
    figure, [axes] = new_figure(1, width=5.2, height=3.4)
    for method, curve in curves_by_method(
        records, condition("shift_intensity"), "accuracy"
    ).items():
        draw_curve(axes, method, curve)
    axes.set(xlabel="shift intensity", ylabel="accuracy in percent")
    _legend_below(figure, [axes])
    return figure


def theory_figure(records: Records) -> Figure:
    """Draw unbiasedness, consistency and Theorem 2."""
    figure, panels = new_figure(4, width=3.8, n_lines=2)
    _draw_unbiasedness(panels[0], [r for r in records if r.trial.method == "unbiasedness"])
    fits = [record for record in records if record.trial.method == "excess_risk" and record.ok]
    for axes, name, other in (
        (panels[1], "n_unlabeled", "n_labeled"),
        (panels[2], "n_labeled", "n_unlabeled"),
    ):
        _draw_consistency(axes, fits, name, other)
    _draw_theorem_2(panels[3], fits)
    return figure


def deep_figure(records: Records) -> Figure:
    """Draw AUC along training, a panel per dataset."""
    datasets = list(dict.fromkeys(record.trial.draw.dataset for record in records))
    figure, panels = new_figure(len(datasets), width=3.8, height=3.4)
    for axes, dataset in zip(panels, datasets, strict=True):
        here = [record for record in records if record.trial.draw.dataset == dataset]
        for method in [name for name in TRIAL_METHODS if name in LOOKS]:
            curve = mean_curve(
                (100 * (i + 1) / len(r.parameters["curve"]), 100 * value)
                for r in here
                if r.trial.method == method
                for i, value in enumerate(r.parameters["curve"])
            )
            if curve:
                draw_curve(axes, method, curve)
        axes.set(title=dataset, xlabel="share of the budget in percent")
    panels[0].set_ylabel("AUC of new rows in percent")
    _legend_below(figure, panels)
    return figure


def _given_share(record: Record) -> float | None:
    return record.trial.setting("known_proportion")


def _draw_theta_line(
    axes: Any, share: float, curve: Curve, estimates: Mapping[str, Curve], color: Any
) -> None:
    x, means = [point.x for point in curve], [point.mean for point in curve]
    axes.plot(x, means, color=color)
    axes.plot(share, np.interp(share, x, means), "|", color=color, ms=12, mew=2)
    for method, points in estimates.items():
        for estimate in [point.mean for point in points if point.x == share]:
            marker = LOOKS[method][1]
            height = np.interp(estimate, x, means)
            size = 8 if marker == "*" else 5
            axes.plot(estimate, height, marker, mfc=color, mec=BLACK, mew=0.7, ms=size)


def _draw_unbiasedness(axes: Any, records: Records) -> None:
    """Draw how many standard errors the mean of each estimate lies from the truth."""
    for i, name in enumerate(RISKS):
        for record in records:
            mean, truth, error = (
                record.metrics[f"{name}_{part}"] for part in ("mean", "truth", "standard_error")
            )
            axes.plot((mean - truth) / error, i, "o", color=BLUE, alpha=0.7)
    axes.axvspan(-2, 2, color=GRAY, alpha=0.15, linewidth=0)
    axes.axvline(0, color=GRAY, linewidth=1)
    names = [name.replace("_", " ").replace("zero one", "0-1") for name in RISKS]
    axes.set_yticks(range(len(RISKS)), names)
    axes.set(title="unbiased risks", xlabel="(mean − truth) / standard error", xlim=(-4, 4))


def _draw_consistency(axes: Any, records: Records, name: str, other: str) -> None:
    if not records:
        return
    largest = max(record.trial.draw.condition(other) for record in records)
    here = [record for record in records if record.trial.draw.condition(other) == largest]
    curve = curves_by_method(here, condition(name), "error")["excess_risk"]
    draw_curve(axes, "kernel", curve, label="EULAC")
    bayes = 100 * float(np.mean(sorted(record.metrics["bayes_error"] for record in here)))
    axes.axhline(bayes, color=BLACK, linestyle="--", linewidth=1, label="Bayes error")
    words = {"n_labeled": "labeled rows", "n_unlabeled": "unlabeled rows"}
    axes.set(title=f"{largest} {words[other]}", xlabel=words[name], ylabel="test error in percent")
    axes.set_xscale("log")
    axes.set_xticks([point.x for point in curve], [str(point.x) for point in curve])
    axes.minorticks_off()
    axes.legend()


def _draw_theorem_2(axes: Any, records: Records) -> None:
    bounds = [record.metrics["bound"] for record in records]
    excess = [record.metrics["excess_error"] for record in records]
    axes.plot(bounds, excess, "o", color=BLUE, alpha=0.7, label="a fit")
    top = 1.05 * max(bounds, default=1.0)
    axes.plot([0, top], [0, top], color=BLACK, linestyle="--", linewidth=1, label="Theorem 2")
    axes.set(
        title="excess error against its bound",
        xlabel="√(2 · excess square risk)",
        ylabel="excess error",
    )
    axes.legend(loc="upper left")


def _handle(method: str) -> Line2D:
    color, marker, _ = LOOKS[method]
    return Line2D([], [], color=color, marker=marker, ls="", label=TRIAL_METHODS[method].label)


def _legend_below(figure: Figure, panels: Sequence[Any]) -> None:
    """Draw one legend for all panels, with as many columns as the width holds."""
    entries: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    inches = 0.6 + 0.062 * max(map(len, entries), default=0)
    n_columns = max(1, min(len(entries), int(figure.get_figwidth() / inches)))
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=n_columns)


def loop_figure(records: Records) -> Figure:
    """Draw names and accuracy against answers of a person, in means over draws of all tables."""
    figure, (names, accuracy) = new_figure(2, height=3.2)
    asked = [r.metrics for r in records if r.ok and r.trial.method == "next_rows"]
    loop = [r.metrics for r in records if r.ok and r.trial.method == "named_groups"]
    drawn = (
        (names, asked, "next", SPENT, BLUE, "o-", "asked by next_row, spread"),
        (names, asked, "random", SPENT, ORANGE, "^--", "at random, spread"),
        (names, asked, "nearest", SPENT, GRAY, "v:", "at random, nearest answer"),
        (accuracy, loop, "asked", LEARNED, BLUE, "o-", "asked by next_row, spread"),
        (accuracy, loop, "labels", LEARNED, GRAY, "v:", "as many true labels, at random"),
    )
    for axes, metrics, kind, spent, color, style, label in drawn:
        means = [100 * np.mean([one[f"{kind}_{n}"] for one in metrics]) for n in spent if metrics]
        axes.plot(spent[: len(means)], means, style, color=color, label=label)
    if loop:
        n_names = np.mean([one["n_names"] for one in loop])
        named = 100 * np.mean([one["named"] for one in loop])
        accuracy.plot(n_names, named, "s", color=RED, label="each group named by its majority")
        full = 100 * np.mean([one["full"] for one in loop])
        accuracy.axhline(full, color=BLACK, linewidth=1, linestyle="--", label="all labels")
    for axes, title in (
        (names, "new rows with their name"),
        (accuracy, "accuracy over all classes"),
    ):
        axes.set(xscale="log", xlabel="answers", ylabel=f"{title}, percent")
        axes.set_xticks(SPENT, map(str, SPENT))
        axes.minorticks_off()
        axes.legend()
    return figure
