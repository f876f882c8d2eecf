"""A folder with all that records tell: one page, tables in three formats, figures, timings.

Everything but `origin.md`, with seconds and versions, depends on the results alone: the same
trials give the same bytes, however often their run was interrupted.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from eulac.benchmark.experiments import EXPERIMENTS, find_experiment
from eulac.benchmark.methods.method_kinds import load
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Section
from eulac.data.reading.drafts import replacing

__all__ = ["write_summary"]

SIZES = ("n_labeled", "n_unlabeled", "n_test")


def write_summary(records: Iterable[Record], folder: Path, *, figures: bool = True) -> list[Path]:
    """Write the report of records into a folder, and return the files written.

    Parameters
    ----------
    records : iterable of Record
    folder : Path
        Made if need be; files of the same names are replaced.
    figures : bool, default=True
        Whether to draw; needs matplotlib.

    Returns
    -------
    paths : list of Path
        `report.md` first.
    """
    # Sorted, so that nothing depends on who finished first.
    records = sorted(records, key=lambda record: repr(record.trial))
    folder.mkdir(parents=True, exist_ok=True)
    page = [f"# {_experiments(records)}: what the records say"]
    files: dict[str, str] = {}
    drawn: list[Path] = []
    for section in sections_of(records):
        experiment = find_experiment(section.experiment)
        part = experiment.part(section)
        page.append(f"## {section.title}")
        if figures and experiment.figure and any(record.ok for record in section.records):
            drawn += _draw(experiment.figure, section, folder)
            page.append(f"![{section.title}]({section.stem}.svg)")
        page += [*part.paragraphs, *_remarks(section)]
        files |= part.files
    files = {"report.md": "\n\n".join(page) + "\n", **files, "origin.md": origin(records)}
    return [*(_write(folder / name, text) for name, text in files.items()), *drawn]


def sections_of(records: Sequence[Record]) -> list[Section]:
    """Return the records by experiment and, where sizes differ from the paper's, by sizes."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.trial.experiment, _protocol(record)), []).append(record)
    sections = []
    for experiment in EXPERIMENTS:
        found = sorted(protocol for name, protocol in groups if name == experiment)
        for number, protocol in enumerate(found, start=1):
            title = find_experiment(experiment).title + (f" ({protocol})" if protocol else "")
            stem = experiment if number == 1 else f"{experiment}_{number}"
            sections.append(Section(experiment, title, stem, groups[experiment, protocol]))
    return sections


def origin(records: Sequence[Record]) -> str:
    """Return which versions made the records, and how long trials took, in Markdown."""
    made = sorted(
        {
            ", ".join(f"{name} {value}" for name, value in sorted(record.versions.items()))
            for record in records
            if record.versions
        }
    )
    ok = sum(record.ok for record in records)
    lines = [f"# {_experiments(records)}: how the records were made"]
    lines.append(f"{len(records)} records, {len(records) - ok} of failed trials.")
    lines.append("\n".join(f"- {versions}" for versions in made) or "Versions were not recorded.")
    hours = sum(record.seconds.get("wall", 0.0) for record in records) / 3600
    lines.append(
        "Processor seconds of a trial: estimate of the proportion, fit and scores. What several "
        "methods share is counted with each of them: what it would have taken alone."
    )
    lines.append(_seconds_table(records))
    lines.append(f"All trials together: {hours:.1f} hours of one worker.")
    return "\n\n".join(lines) + "\n"


def _experiments(records: Sequence[Record]) -> str:
    found = {record.trial.experiment for record in records}
    return ", ".join(name for name in EXPERIMENTS if name in found) or "No records"


def _seconds_table(records: Sequence[Record]) -> str:
    methods = [m for m in TRIAL_METHODS if any(r.trial.method == m and r.seconds for r in records)]
    datasets = sorted({record.trial.draw.dataset for record in records})
    lines = [f"| method | {' | '.join(datasets)} |", "|---" * (len(datasets) + 1) + "|"]
    for method in methods:
        cells = [_mean_seconds(records, dataset, method) for dataset in datasets]
        lines.append(f"| {TRIAL_METHODS[method].label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _protocol(record: Record) -> str:
    """Return how the sizes differ from the paper's, and the seed if it is not 0; "" if neither."""
    trial = record.trial
    varied = find_experiment(trial.experiment).varied
    conditions = dict(trial.draw.conditions)
    words = [
        f"{conditions[name]} {name[2:]} rows"
        for name in SIZES
        if name in conditions and name not in varied
    ]
    words += [f"{name} {conditions[name]}" for name in ("epochs", "table") if name in conditions]
    return ", ".join(words + ([f"seed {trial.draw.seed}"] if trial.draw.seed else []))


def _draw(figure: str, section: Section, folder: Path) -> Sequence[Path]:
    try:
        from eulac.benchmark.figure_style import save_figure, styled

        draw = load(figure)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("matplotlib"):
            raise
        raise ImportError(
            "figures need matplotlib, which is not installed. Install it with: "
            "pip install 'eulac[report]', or leave figures out."
        ) from error
    with styled():
        return save_figure(draw(section.records), folder / section.stem)


def _remarks(section: Section) -> list[str]:
    """Return what the draws and the failures want to be said."""
    messages = {
        f"{record.trial.draw.dataset}: {record.draw['message'].rstrip('.')}."
        for record in section.records
        if record.draw.get("message")
    }
    reasons: dict[str, int] = {}
    for record in section.records:
        if not record.ok:
            name = f"{record.trial.method} on {record.trial.draw.dataset}: {record.reason}"
            reasons[name] = reasons.get(name, 0) + 1
    failed = [f"Failed {count} times: {name}" for name, count in sorted(reasons.items())]
    return [*sorted(messages), *failed]


def _mean_seconds(records: Sequence[Record], dataset: str, method: str) -> str:
    parts = ("shared", "fit", "score")
    seconds = [
        sum(record.seconds.get(part, 0.0) for part in parts)
        for record in records
        if record.ok and (record.trial.draw.dataset, record.trial.method) == (dataset, method)
    ]
    return f"{np.mean(seconds):.1f}" if seconds else "–"


def _write(path: Path, text: str) -> Path:
    with replacing(path) as draft:
        draft.write_text(text)
    return path
