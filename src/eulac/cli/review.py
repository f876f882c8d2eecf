"""`eulac review`: the groups of new-looking rows, to be named on a page or in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eulac.cli.command_options import PATH, TableCommand, refuse_existing, was_typed
from eulac.cli.output import echo_json, noted_warnings, say
from eulac.cli.report import PageRequest, display_options, page_options, write_page

if TYPE_CHECKING:
    from eulac.report.decisions import Decisions
    from eulac.report.findings import PoolAnswers
    from eulac.tables.pool_table import PoolTable
    from eulac.tables.table_model import TableModel

__all__ = ["OpenedPool", "opened_pool", "review"]


@click.command(
    cls=TableCommand,
    epilog="Example: eulac review birds.eulac --data pool.csv --output review.html",
)
@page_options("review.html")
@click.option("--terminal", is_flag=True, help="Name the groups here; no page is written.")
@click.option("--serve", is_flag=True, help="Serve the page to this computer; it saves by itself.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="With --serve. Default: a free one."
)
@click.option(
    "--decisions",
    type=PATH,
    default="decisions.json",
    show_default=True,
    help="With --terminal or --serve: the file for `eulac promote`, .json or .csv.",
)
@click.option(
    "--rows",
    type=click.IntRange(0),
    default=0,
    help="With --terminal: then ask about so many single rows, the most telling first.",
)
def review(
    terminal: bool, serve: bool, port: int, decisions: Path, rows: int, **options: Any
) -> None:
    """Write a page with the groups of new-looking rows, to name, merge and reject them.

    Quicker than `eulac report`, which has the groups too. The page downloads a decisions file for
    `eulac promote`; with --serve it saves the file itself, and with --terminal names are typed
    here. An output that ends in .csv is a sheet to fill in, one in .json tasks for Label Studio.
    """
    request = PageRequest(**options)
    if (terminal or serve) and was_typed("output"):
        raise click.UsageError(
            f"`--output` names a page or a sheet, and `--{'terminal' if terminal else 'serve'}` "
            f"writes neither; got {str(request.output)!r}. Name the file of decisions by "
            "`--decisions`."
        )
    if terminal:
        refuse_existing(decisions, request.force)
        from eulac.cli.terminal_review import review_in_terminal

        review_in_terminal(request, decisions, rows)
    elif serve:
        _serve(request, decisions, port)
    elif request.output.suffix.lower() in (".csv", ".json"):
        refuse_existing(request.output, request.force)
        _write_tasks(request)
    else:
        refuse_existing(request.output, request.force)
        from eulac.report.findings import Settings
        from eulac.report.page import write_review

        settings = Settings(n_groups=request.groups or "auto", random_state=request.seed)
        write_page(request, settings, write_review)


class OpenedPool(NamedTuple):
    """A pool and what a model answers there."""

    model: TableModel
    pool: PoolTable
    answers: PoolAnswers


def opened_pool(request: PageRequest) -> OpenedPool:
    """Return what a model answers in the table a page is about; warnings go to stderr."""
    from eulac.persistence.files import load_table_model
    from eulac.report.findings import Settings, answer_pool
    from eulac.tables.pool_table import read_pool_table

    model = load_table_model(request.model)
    with noted_warnings() as warned:
        pool = read_pool_table(model, request.table, text=request.text)
        settings = Settings(n_groups=request.groups or "auto", random_state=request.seed)
        labeled = model.X_labeled, model.y_labeled
        answers = answer_pool(model.classifier, pool.X, settings, *labeled)
    say(*(f"Warning: {warning}" for warning in warned), err=True)
    return OpenedPool(model, pool, answers)


def _write_tasks(request: PageRequest) -> None:
    """Write a sheet or tasks for Label Studio, nothing decided yet."""
    from eulac.data.reading.drafts import replacing
    from eulac.report.decision_files import (
        decisions_text,
        label_studio_config,
        label_studio_tasks,
    )

    opened = opened_pool(request)
    decisions, features = _undecided(opened), opened.pool.features
    is_sheet = request.output.suffix.lower() == ".csv"
    with replacing(request.output) as draft:
        text = (
            decisions_text(decisions, request.output, features)
            if is_sheet
            else label_studio_tasks(decisions, features)
        )
        draft.write_text(text, encoding="utf-8")
    n_rows = sum(len(group.rows) for group in decisions.groups)
    if request.as_json:
        echo_json({"output": str(request.output), "n_rows": n_rows})
        return
    say(f"{n_rows:,} rows in {len(decisions.groups)} groups: {request.output}.")
    filled_in = request.output if is_sheet else "FILE"
    if is_sheet:
        say(
            "Fill in the column `name` of each row, or `decision` (reject, known, unsure), and "
            "save. A name counts for its own row alone."
        )
    else:
        say("The labeling interface for Label Studio; add a choice for each new name:")
        click.echo(label_studio_config([str(label) for label in opened.answers.labels[:-1]]))
    say(f"Then: eulac promote {request.model} {filled_in} --unlabeled {request.table}")


def _undecided(opened: OpenedPool) -> Decisions:
    from eulac.report.decisions import Decisions

    groups = opened.answers.groups
    return Decisions.from_classes(opened.pool.X, groups, [""] * groups.n_classes)


def _serve(request: PageRequest, path: Path, port: int) -> None:
    """Serve the page until somebody presses Ctrl+C."""
    if path.suffix.lower() != ".json":
        raise click.BadParameter(
            f"must end in .json where the page is served; got {str(path)!r}.",
            param_hint="--decisions",
        )
    from eulac.report.asked_rows import AskedRows
    from eulac.report.context import PageTexts
    from eulac.report.decisions import pool_fingerprint
    from eulac.report.page import REVIEW_TITLE, gallery_of, review_page
    from eulac.report.review_server import ReviewServer, kept_decisions

    opened = opened_pool(request)
    fingerprint = pool_fingerprint(opened.pool.X)
    kept_decisions(path, fingerprint)
    shown = display_options(request, opened.model, opened.pool)
    texts = PageTexts(request.title or REVIEW_TITLE, str(request.model), str(request.table))
    gallery = gallery_of(
        *(opened.model.classifier, opened.answers, opened.pool.X),
        *(shown[name] for name in ("display", "image_shape", "feature_names")),
    )
    with ReviewServer(
        *(lambda served: review_page(opened.answers, gallery, texts, served), path, fingerprint),
        port=port,
        ask=AskedRows(opened.answers, gallery).reply,
    ) as server:
        click.echo(server.url)
        say(f"Open this address here; every change is saved to {path}. Ctrl+C ends it.", err=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say(f"Then: eulac promote {request.model} {path} --unlabeled {request.table}", err=True)
