"""Naming groups of new-looking rows in the terminal: typical rows are shown, names are typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from eulac.cli.output import echo_json, percent, print_table, say
from eulac.cli.review import opened_pool
from eulac.report.decisions import KNOWN, SIGNS, UNSURE, Decisions

if TYPE_CHECKING:
    from eulac.cli.report import PageRequest
    from eulac.report.asked_rows import AskedRows, Told
    from eulac.report.findings import PoolAnswers
    from eulac.report.row_display import Gallery
    from eulac.report.sure_rows import SureRows

__all__ = ["ask_names", "ask_rows", "review_in_terminal"]

TYPICAL = 5
"""Rows of a group that are shown."""

REJECT, END = "-", "."


def review_in_terminal(request: PageRequest, output: Path, n_rows: int = 0) -> None:
    """Show the groups of new-looking rows of a table, ask for names, and write the decisions.

    Parameters
    ----------
    request : PageRequest
    output : Path
    n_rows : int, default=0
        Single rows to ask about after the groups.
    """
    from eulac.data.reading.drafts import replacing
    from eulac.report.asked_rows import AskedRows
    from eulac.report.decision_files import decisions_text
    from eulac.report.row_display import Gallery, display_table

    model, pool, answers = opened_pool(request)
    gallery = Gallery.of(answers.X, display_table(pool.features, len(pool.X)), None)
    names = ask_names(answers, gallery, model.codec_, quiet=request.as_json)
    decisions = Decisions.from_classes(pool.X, answers.groups, names)
    if n_rows and answers.groups.n_classes:
        asked = AskedRows(answers, gallery)
        told = ask_rows(asked, names, model.codec_, n_rows, quiet=request.as_json)
        decisions = Decisions.from_rows(pool.X, told) if told else decisions
    with replacing(output) as draft:
        draft.write_text(decisions_text(decisions, output, pool.features), encoding="utf-8")
    _announce(request, output, decisions)


def ask_names(
    answers: PoolAnswers, gallery: Gallery, codec: Any, *, quiet: bool = False
) -> list[str | None]:
    """Return what was typed for each group: a name or a sign, None to reject it."""
    from eulac.report.sure_rows import group_order

    groups = answers.groups
    low, high = groups.interval
    plural = "" if groups.n_classes == 1 else "s"
    say(
        f"{len(answers.new)} of {len(answers.X)} rows look new, in {groups.n_classes} "
        f"group{plural} ({low} to {high} are plausible). Type a name for each; empty to skip, "
        f"{UNSURE} if not sure, {REJECT} if it is no class, {KNOWN} if it is known after all. The "
        "same name twice merges. Rows count from 0.",
        err=quiet,
    )
    names: dict[int, str | None] = {}
    for group in group_order(groups.typical_rows, answers.sure):
        if not quiet:
            _show(answers, gallery, group)
        names[group] = _ask(f"Group {group + 1} of {groups.n_classes}", codec, quiet)
    return [names[group] for group in range(groups.n_classes)]


def ask_rows(
    asked: AskedRows, names: Sequence[str | None], codec: Any, n_rows: int, *, quiet: bool = False
) -> dict[int, Told]:
    """Return what is decided of each row after single ones were asked about; {} if none was.

    Parameters
    ----------
    asked : AskedRows
    names : sequence of str or None
        What was typed for each group.
    codec : LabelCodec
    n_rows : int
        Rows asked about at most.
    quiet : bool, default=False
        Whether questions go to the standard error, and rows are not shown.
    """
    from eulac.report.asked_rows import corrections, decided_rows, shown_as_told

    classes, of_groups = asked.answers.groups, [_said(name) for name in names]
    say(
        f"Single rows, the most telling first; {n_rows} at most. Empty takes what stands in "
        f"brackets, or skips; {END} ends; other signs as above.",
        err=quiet,
    )
    told: dict[int, Told] = {}
    for _ in range(n_rows):
        found = asked.next(shown_as_told(classes, of_groups) | told)
        if found is None:
            break
        if not quiet:
            _show_row(asked, found[0])
        typed = _ask(_question(classes, *found), codec, quiet, more=(END,))
        if typed == END:
            break
        told[found[0]] = found[1] if typed == "" and found[1] is not None else _said(typed)
    if not told:
        return {}
    suggested = corrections(classes, of_groups, told)
    taken = suggested if suggested and _confirmed(classes, of_groups, suggested, quiet) else {}
    return decided_rows(classes, of_groups, told | taken)


def _said(typed: str | None) -> Told:
    kind = SIGNS.get(typed, "name")
    return kind, typed if kind == "name" else None


def _question(classes: Any, row: int, suggested: Told | None) -> str:
    group = int(classes.assignment[row])
    where = f"Row {row}, group {group + 1}" if group >= 0 else f"Row {row}, in no group"
    return where if suggested is None else f"{where} [{suggested[1] or suggested[0]}]"


def _confirmed(
    classes: Any, of_groups: Sequence[Told], suggested: dict[int, Told], quiet: bool
) -> bool:
    """Say what answers suggest for rows nobody was asked about, and ask whether to take it."""
    for group, before in enumerate(of_groups):
        inside = [said for row, said in suggested.items() if classes.assignment[row] == group]
        for said in dict.fromkeys(inside):
            say(
                f"Group {group + 1}: {inside.count(said)} more rows are rather "
                f"{said[1] or said[0]} than {before[1] or before[0]}.",
                err=quiet,
            )
    return bool(click.confirm("Take this over?", default=True, err=quiet))


def _show_row(asked: AskedRows, row: int) -> None:
    columns = asked.columns[:6]
    click.echo()
    print_table(
        ("", *(str(asked.gallery.frame.columns[column]) for column in columns)),
        [(f"row {row}", *asked.gallery.cells(row, columns))],
    )


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
    sure = "" if answers.sure is None else f" {_surely_new(answers.sure, rows)}"
    say(f"{len(rows)} rows{several if answers.groups.n_classes > 1 else ''}.{sure}{apart}")


def _surely_new(sure: SureRows, rows: Any) -> str:
    n_sure = int(sure.is_selected[rows].sum())
    return f"{n_sure} of them are among the rows that are new with at most a tenth wrong."


def _ask(prompt: str, codec: Any, quiet: bool, more: tuple[str, ...] = ()) -> str | None:
    """Ask until the answer can be used."""
    from eulac.report.promotion import label_of

    while True:
        typed = click.prompt(prompt, default="", show_default=False, err=quiet).strip()
        if typed == REJECT:
            return None
        if typed in ("", UNSURE, KNOWN, *more):
            return str(typed)
        try:
            label_of(typed, codec)
        except ValueError as error:
            say(f"This cannot be used: {error}", err=quiet)
            continue
        return str(typed)


def _announce(request: PageRequest, output: Path, decisions: Decisions) -> None:
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
