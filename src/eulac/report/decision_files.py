"""Decisions in the files people label in: ours, a sheet (.csv), and tasks of Label Studio.

Every line of a sheet, and every task, says of which pool it is, so that lines may be sorted and
left out. A sheet has a line for each row; an empty decision with a name means the name.
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eulac.data.reading.text_format import SNIFFED
from eulac.report.decisions import Decisions, checked_decisions

__all__ = ["decisions_text", "label_studio_config", "label_studio_tasks", "read_decisions"]

LARGEST_FILE = 200_000_000
"""Bytes of a decisions file that are read at most."""

SHEET = ("row", "group", "decision", "name", "pool")
NEEDED = ("row", "name", "pool")
CHOICES = {"reject": "no class", "known": "known after all", "unsure": "not sure"}
KIND_OF = {choice: kind for kind, choice in CHOICES.items()}
FROM, TO = "class", "row"
"""How Label Studio calls the question and what is asked about."""


def read_decisions(path: str | os.PathLike[str]) -> Decisions:
    """Return the decisions in a file: of the review page, a sheet, or an export of Label Studio.

    Parameters
    ----------
    path : str or path
        As `promote` takes it: `.json` of the page or of Label Studio, or `.csv`.

    Returns
    -------
    decisions : Decisions
        For `promote`.
    """
    path = Path(path)
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise ValueError(
            f"{path} must be a decisions file of at most {LARGEST_FILE} bytes; it has {size}."
        )
    if path.suffix.lower() == ".csv":
        found = SNIFFED.of(path)  # spreadsheets save as their country writes
        text = path.read_text(encoding=found.encoding, errors="replace")
        return _from_sheet(text, str(found.separator), str(path))
    content = path.read_bytes()
    if content.lstrip()[:1] == b"[":
        return _from_tasks(content, str(path))
    return Decisions.from_json(content, str(path))


def decisions_text(decisions: Decisions, path: Path, columns: Any = None) -> str:
    """Return the text of a decisions file: a sheet where the path ends in .csv, else JSON.

    Parameters
    ----------
    decisions : Decisions
    path : Path
    columns : pandas.DataFrame, optional
        The pool, shown beside each row of a sheet.
    """
    if path.suffix.lower() != ".csv":
        return decisions.to_json()
    file = io.StringIO()
    names = [] if columns is None else [str(name) for name in columns]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*SHEET, *names])
    for number, group in enumerate(decisions.groups, start=1):
        kind = "" if group.decision in ("name", "undecided") else group.decision
        for row in group.rows.tolist():
            cells = [] if columns is None else columns.iloc[row].tolist()
            writer.writerow([row, number, kind, group.name or "", _pool_of(decisions), *cells])
    return file.getvalue()


def label_studio_tasks(decisions: Decisions, columns: Any = None) -> str:
    """Return tasks for Label Studio, a row each; names that were given are predictions.

    Parameters
    ----------
    decisions : Decisions
    columns : pandas.DataFrame, optional
        The pool, whose values are shown.
    """
    tasks = []
    for number, group in enumerate(decisions.groups, start=1):
        choice = group.name or CHOICES.get(group.decision)
        result = {"from_name": FROM, "to_name": TO, "type": "choices"}
        given = [{"result": [{**result, "value": {"choices": [choice]}}]}] if choice else []
        for row in group.rows.tolist():
            cells = {} if columns is None else columns.iloc[row].to_dict()
            shown = "; ".join(f"{name}: {value}" for name, value in cells.items())
            data = {"row": row, "group": number, "pool": _pool_of(decisions), "text": shown}
            tasks.append({"data": data, "predictions": given})
    return json.dumps(tasks)


def label_studio_config(names: Iterable[str]) -> str:
    """Return the labeling interface that goes with the tasks, for known and new names.

    Examples
    --------
    >>> print(label_studio_config(["owl"]).splitlines()[3].strip())
    <Choice value="owl"/>
    """
    from xml.sax.saxutils import quoteattr

    choices = [f"    <Choice value={quoteattr(name)}/>" for name in [*names, *CHOICES.values()]]
    head = ["<View>", f'  <Text name="{TO}" value="$text"/>']
    question = f'  <Choices name="{FROM}" toName="{TO}" choice="single">'
    return "\n".join([*head, question, *choices, "  </Choices>", "</View>"])


def _pool_of(decisions: Decisions) -> str:
    return f"{decisions.fingerprint};{decisions.n_rows}"


def _from_sheet(text: str, separator: str, source: str) -> Decisions:
    lines = list(csv.DictReader(io.StringIO(text), delimiter=separator))
    lacking = [name for name in NEEDED if not lines or name not in lines[0]]
    if lacking:
        found = f"it lacks {', '.join(lacking)}" if lines else "it has no line"
        raise ValueError(
            f"{source} must be a sheet with the columns {', '.join(SHEET)}; {found}. Write one "
            "with `eulac review --output sheet.csv`."
        )
    told = [
        (line["row"], line["pool"], line.get("decision") or "", line["name"] or "")
        for line in lines
    ]
    return _grouped(told, source)


def _from_tasks(content: bytes, source: str) -> Decisions:
    try:
        tasks = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source} must be JSON; it is not ({error}). Export it again.") from error
    told = []
    for number, task in enumerate(tasks, start=1):
        data = task.get("data", task) if isinstance(task, dict) else {}
        if not isinstance(data, dict) or not {"row", "pool"} <= set(data):
            raise ValueError(
                f"task {number} of {source} must hold 'row' and 'pool'; it does not. Label tasks "
                "made with `eulac review --output tasks.json`, and export them as JSON."
            )
        choice = _choice(task)
        kind = KIND_OF.get(choice, "")
        told.append((data["row"], data["pool"], kind, "" if kind else choice))
    return _grouped(told, source)


def _choice(task: Mapping[str, Any]) -> str:
    """Return what was chosen: by the last annotation, or in the small export."""
    if isinstance(task.get(FROM), str):
        return str(task[FROM]).strip()
    annotations = [one for one in task.get("annotations") or [] if not one.get("was_cancelled")]
    for result in annotations[-1].get("result", []) if annotations else []:
        chosen = result.get("value", {}).get("choices") or []
        if result.get("from_name") == FROM and chosen:
            return str(chosen[0]).strip()
    return ""


def _grouped(told: Sequence[tuple[Any, Any, str, str]], source: str) -> Decisions:
    """Return decisions about rows, those told the same in one group."""
    pools = sorted({str(pool) for _, pool, _, _ in told})
    fingerprint, _, n_rows = pools[0].rpartition(";") if pools else ("", "", "")
    if len(pools) != 1 or not n_rows.isdecimal():
        raise ValueError(
            f"{source} must be about one pool; it names {len(pools)}: {', '.join(pools)[:200]}."
        )
    groups: dict[tuple[str, str], list[int]] = {}
    for row, _, kind, name in told:
        decision = kind.strip() or ("name" if name.strip() else "undecided")
        groups.setdefault((decision, name.strip()), []).append(_row(row, source))
    listed = [
        {"decision": decision, "name": name or None, "rows": rows}
        for (decision, name), rows in groups.items()
    ]
    return checked_decisions(fingerprint, int(n_rows), listed, source)


def _row(value: Any, source: str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"rows in {source} must be whole numbers; got {value!r}. Do not change that column."
        ) from None
