"""Naming groups of new-looking rows in the terminal: typical rows are shown, names are typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from eulac.cli.output import echo_json, noted_warnings, percent, print_table, say

if TYPE_CHECKING:
    from eulac.cli.report import PageRequest
    from eulac.report.findings import PoolAnswers
    from eulac.report.row_display import Gallery

__all__ = ["ask_names", "review_in_terminal"]

TYPICAL = 5
"""Rows of a group that are shown."""

REJECT, UNSURE, KNOWN = "-", "?", "+"


def review_in_terminal(request: PageRequest, output: Path) -> None:
    """Show the groups of new-looking rows of a table, ask for names, and write the decisions."""
    from eulac.data.reading.drafts import replacing
    from eulac.persistence.files import load_table_model
    from eulac.report.decision_files import decisions_text
    from eulac.report.decisions import Decisions
    from eulac.report.findings import Settings, answer_pool
    from eulac.report.row_display import Gallery, display_table
    from eulac.tables.pool_table import read_pool_table

    model = load_table_model(request.model)
    with noted_warnings() as warned:
        pool = read_pool_table(model, request.table, text=request.text)
        settings = Settings(n_groups=request.groups or "auto", random_state=request.seed)
        labeled = model.X_labeled, model.y_labeled
        answers = answer_pool(model.classifier, pool.X, settings, *labeled)
    gallery = Gallery.of(answers.X, display_table(pool.features, len(pool.X)), None)
    if not request.as_json:
        say(*(f"Warning: {warning}" for warning in warned))
    names = ask_names(answers, gallery, model.codec_, quiet=request.as_json)
    decisions = Decisions.from_classes(pool.X, answers.groups, names)
    with replacing(output) as draft:
        draft.write_text(decisions_text(decisions, output, pool.features), encoding="utf-8")
    _announce(request, output, decisions)


def ask_names(
    answers: PoolAnswers, gallery: Gallery, codec: Any, *, quiet: bool = False
) -> list[str | None]:
    """Return what was typed for each group: a name or a sign, None to reject it."""
    groups = answers.groups
    low, high = groups.interval
    plural = "" if groups.n_classes == 1 else "s"
    say(
        f"{len(answers.new)} of {len(answers.X)} rows look new, in {groups.n_classes} "
        f"group{plural} ({low} to {high} are plausible). Type a name for each; empty to skip, "
        f"{UNSURE} if not sure, {REJECT} if it is no class, {KNOWN} if it is known after all. The "
        "same name twice merges.",
        err=quiet,
    )
    names: list[str | None] = []
    for group in range(groups.n_classes):
        if not quiet:
            _show(answers, gallery, group)
        names.append(_ask(f"Group {group + 1} of {groups.n_classes}", codec, quiet))
    return names


def _show(answers: PoolAnswers, gallery: Gallery, group: int) -> None:
    rows = answers.groups.typical_rows[group]
    inside = np.isin(np.arange(len(answers.X)), rows)
    columns = gallery.columns(inside)[:6]
    click.echo()
    print_table(
        (f"group {group + 1}", *(str(gallery.frame.columns[column]) for column in columns)),
        [(f"row {row}", *gallery.cells(int(row), columns)) for row in rows[:TYPICAL]],
    )
    traits = gallery.traits(inside)
    apart = f" Set apart by {'; '.join(traits)}." if traits else ""
    steady = percent(float(answers.groups.steadiness[group]))
    several = f", of which {steady} come back when rows are drawn anew"
    say(f"{len(rows)} rows{several if answers.groups.n_classes > 1 else ''}.{apart}")


def _ask(prompt: str, codec: Any, quiet: bool) -> str | None:
    """Ask until the answer can be used."""
    from eulac.report.promotion import label_of

    while True:
        typed = click.prompt(prompt, default="", show_default=False, err=quiet).strip()
        if typed == REJECT:
            return None
        if typed in ("", UNSURE, KNOWN):
            return str(typed)
        try:
            label_of(typed, codec)
        except ValueError as error:
            say(f"This cannot be used: {error}", err=quiet)
            continue
        return str(typed)


def _announce(request: PageRequest, output: Path, decisions: Any) -> None:
    named = {name: len(rows) for name, rows in decisions.named().items()}
    kinds = [group.decision for group in decisions.groups]
    words = {"reject": "rejected", "known": "known", "unsure": "unsure", "undecided": "undecided"}
    counts = {word: kinds.count(kind) for kind, word in words.items()}
    if request.as_json:
        echo_json({"decisions": str(output), "named": named, **counts})
        return
    listed = ", ".join(f"{name} ({n} rows)" for name, n in named.items()) or "nothing"
    say(
        f"Named: {listed}; "
        + "; ".join(f"{word}: {n}" for word, n in counts.items())
        + f". Decisions: {output}."
    )
    if named:
        click.echo(f"eulac promote {request.model} {output} --unlabeled {request.table}")
