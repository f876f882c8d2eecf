"""`eulac proportion`: how much of a pool of unlabeled rows is known, how much is new."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eulac.cli.command_options import (
    LABEL_COLUMN_HELP,
    SEED,
    TABLE,
    GuessingChoice,
    TableCommand,
    in_options,
    text_options,
)
from eulac.cli.fit import MOST_UNLABELED, most_labeled
from eulac.cli.fit_summary import (
    left_out_aloud,
    overlap_aloud,
    read_aloud,
    readings_of,
    width_aloud,
)
from eulac.cli.output import (
    counted,
    echo_json,
    noted_warnings,
    percent,
    percent_range,
    print_table,
    progress_bar,
    say,
)
from eulac.proportion.methods import (
    PROPORTIONS,
    QUICK_PROPORTIONS,
    REMARKS,
    compare_methods,
    disagreeing,
)

if TYPE_CHECKING:
    from eulac.data.lac_sample import LacSample
    from eulac.data.reading.text_format import TextFormat
    from eulac.proportion.estimate import ProportionEstimate
    from eulac.tables.two_readings_of_tables import TablesReading

__all__ = ["proportion"]

LEAST_ROWS = {"labeled": 50, "unlabeled": 100}
TWO_READINGS = "two_readings"
PRIOR_METHODS = [TWO_READINGS, "consensus", "pulse", "kernel_mean_per_class"]
CLASS_COLUMNS = ("class", "labeled rows", "share of labeled", "share of unlabeled")
METHOD_COLUMNS = ("method", "known", "95 % interval", "at bound", "sec")


@click.command(
    cls=TableCommand, epilog="Example: eulac proportion labeled.csv --unlabeled pool.csv"
)
@click.argument("labeled", type=TABLE)
@click.option("--unlabeled", "pool", type=TABLE, help="Needed if no label is blank.")
@click.option("--label-column", help=LABEL_COLUMN_HELP)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=GuessingChoice([TWO_READINGS, *PROPORTIONS]),
    metavar="NAME",
    help=f"Run this method only; may be repeated, the first gives the answer: {TWO_READINGS}, "
    f"{', '.join(PROPORTIONS)}. Default: all but kernel_mean_per_class, which is slow.",
)
@click.option("--drop", multiple=True, metavar="COLUMN", help="Leave it out; may be repeated.")
@click.option("--id-column", help="Identifies rows, and is no feature.")
@click.option(
    "--max-unlabeled",
    type=click.IntRange(2),
    default=MOST_UNLABELED,
    show_default=True,
    help="Look at a random part of a pool larger than this, the one `eulac fit` learns from.",
)
@click.option("--quick", is_flag=True, help=f"{TWO_READINGS} only, without others beside it.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with everything.")
@text_options
def proportion(
    labeled: Path,
    pool: Path | None,
    label_column: str | None,
    methods: tuple[str, ...],
    drop: tuple[str, ...],
    id_column: str | None,
    max_unlabeled: int,
    quick: bool,
    seed: int,
    as_json: bool,
    text: TextFormat,
) -> None:
    """Estimate how much of an unlabeled table belongs to the classes of a LABELED one.

    Tables and columns are treated as `eulac fit` does, and the answer is what its method `auto`
    reads off the rows: the known share under two assumptions. A fit asks its own answers, too, so
    its number may differ, within the interval said here. Other methods stand beside it.
    """
    from eulac.tables.training_tables import (
        proportion_sample,
        read_training_tables,
        require_unlabeled,
    )
    from eulac.tables.two_readings_of_tables import two_readings_of_tables

    if methods and quick:
        raise click.UsageError("`--quick` and `--method` exclude each other; got both.")
    tables = read_training_tables(
        labeled,
        pool,
        label_column,
        drop=drop,
        id_column=id_column,
        max_labeled=most_labeled("auto"),
        max_unlabeled=max_unlabeled,
        random_state=seed,
        text=text,
    )
    require_unlabeled(tables.n_unlabeled, str(labeled), tables.label_column)
    sample, left_out = proportion_sample(tables, drop)
    names = tuple(dict.fromkeys(methods)) or (TWO_READINGS, *QUICK_PROPORTIONS)
    read_twice = partial(two_readings_of_tables, tables, drop, random_state=seed)
    runs, reading = run_methods(sample, names[:1] if quick else names, seed, read_twice)
    found = summarize(sample, runs)
    result = found | {
        "left_out_features": [] if reading is None else reading.names,
        "label_column": tables.label_column,
        "notes": [*map(in_options, tables.notes), *left_out],
        "warnings": [*map(in_options, tables.warnings), *found["warnings"]],
        "seed": seed,
    }
    if as_json:
        echo_json(result)
    else:
        _print(result)


class Run(NamedTuple):
    """What one method said, how long it took, and what it warned of."""

    outcome: ProportionEstimate | str
    seconds: float
    warnings: list[str]


def run_methods(
    sample: LacSample,
    names: tuple[str, ...],
    seed: int,
    read_twice: Callable[[], TablesReading],
) -> tuple[dict[str, Run], TablesReading | None]:
    """Return the runs of the named methods, with a progress line where somebody can see it.

    The two readings come first: what they leave out, the others leave out, too.
    """
    runs: dict[str, Run] = {}
    reading: TablesReading | None = None
    with progress_bar("estimating", len(names)) as show:
        for name in sorted(names, key=lambda name: name != TWO_READINGS):
            start = time.perf_counter()
            outcome: ProportionEstimate | str
            with noted_warnings() as warned:
                if name == TWO_READINGS:
                    reading, outcome = _read(read_twice)
                    sample = sample if reading is None else _without(sample, reading)
                else:
                    outcome = compare_methods(sample, [name], random_state=seed)[name]
            runs[name] = Run(outcome, time.perf_counter() - start, warned)
            show(len(runs), len(names))
    return {name: runs[name] for name in names}, reading


def _read(
    read_twice: Callable[[], TablesReading],
) -> tuple[TablesReading | None, ProportionEstimate | str]:
    """Return what was read and its estimate, or nothing and why not."""
    try:
        reading = read_twice()
    except ValueError as error:
        return None, str(error)
    return reading, reading.estimate


def _without(sample: LacSample, reading: TablesReading) -> LacSample:
    """Return the sample without the columns that the readings left out."""
    if not reading.names:
        return sample
    from eulac.drift.separating_columns import without_columns

    labeled, unlabeled = (
        without_columns(X, reading.left_out) for X in (sample.X_labeled, sample.X_unlabeled)
    )
    return sample.with_rows(X_labeled=labeled, X_unlabeled=unlabeled)


def summarize(sample: LacSample, runs: dict[str, Run]) -> dict[str, Any]:
    """Return what the methods found, as plain values; the first run gives the answer."""
    method, (chosen, *_) = next(iter(runs.items()))
    if isinstance(chosen, str):
        raise ValueError(f"{method} failed: {chosen}")
    tests: Any = chosen.diagnostics
    if "nothing_new_p_value" not in tests and "consensus" in runs:
        tests = getattr(runs["consensus"].outcome, "diagnostics", {})
    return {
        "n_labeled": sample.n_labeled,
        "n_unlabeled": sample.n_unlabeled,
        "n_features": sample.X_labeled.shape[1],
        "method": method,
        "known_proportion": chosen.total,
        "known_proportion_interval": list(chosen.interval),
        "augmented_proportion": chosen.augmented_proportion,
        "augmented_proportion_interval": list(chosen.augmented_interval),
        "nothing_new_p_value": tests.get("nothing_new_p_value"),
        "priors_moved": tests.get("priors_moved"),
        "priors_moved_p_value": tests.get("priors_moved_p_value"),
        "classes": _class_shares(sample, chosen.per_class),
        "methods": {name: _as_dict(run) for name, run in runs.items()},
        **readings_of(chosen),
        "warnings": _doubts(sample, runs, method, tests),
        "remark": chosen.remark,
    }


def _class_shares(sample: LacSample, per_class: Any) -> list[dict[str, Any]]:
    labels, shares, n_rows = sample.codec.known, sample.labeled_frequency, sample.n_labeled
    keys = "label", "labeled_rows", "labeled_share", "unlabeled_share"
    columns = labels.tolist(), (shares * n_rows).round().astype(int), shares, per_class
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def _as_dict(run: Run) -> dict[str, Any]:
    estimate = run.outcome
    if isinstance(estimate, str):
        return {"failed": estimate, "seconds": run.seconds}
    return {
        "known_proportion": estimate.total,
        "interval": list(estimate.interval),
        "standard_error": estimate.standard_error,
        "per_class": estimate.per_class.tolist(),
        "at_bound": bool(estimate.diagnostics.get("at_bound", False)),
        "seconds": run.seconds,
        "diagnostics": dict(estimate.diagnostics),
    }


def _doubts(sample: LacSample, runs: dict[str, Run], method: str, tests: Any) -> list[str]:
    """Return what makes the numbers doubtful, in sentences."""
    from eulac.data.table_formats import listed

    doubts = []
    for kind, least in LEAST_ROWS.items():
        n_rows = getattr(sample, f"n_{kind}")
        if n_rows < least:
            doubts.append(f"{n_rows} {kind} rows are few; {least} or more are wanted.")
    estimates = {n: run.outcome for n, run in runs.items() if not isinstance(run.outcome, str)}
    doubts += [f"{n} failed: {run.outcome}" for n, run in runs.items() if n not in estimates]
    at_bound = {n: e.total for n, e in estimates.items() if e.diagnostics.get("at_bound")}
    if at_bound:
        doubts.append(f"At a bound, so a limit rather than an estimate: {_values(at_bound)}.")
    apart = disagreeing(estimates, method)
    if apart:
        doubts.append(f"Methods that disagree with {method}: {_values(apart)}.")
    if tests.get("scores_agree") is False:
        behind = _values(tests["by_score"])
        doubts.append(f"Estimates behind {_tested_by(runs, method)} disagree: {behind}.")
    if tests.get("priors_moved"):
        doubts.append(
            "The known classes are not as frequent among each other as when labeled "
            f"({_p(tests['priors_moved_p_value'])}). Only {listed(PRIOR_METHODS)} allow for that."
        )
    return doubts + [f"{name}: {text}" for name, run in runs.items() for text in run.warnings]


def _tested_by(runs: dict[str, Run], method: str) -> str:
    """Return the method whose tests are told."""
    own = getattr(runs[method].outcome, "diagnostics", {})
    return method if "nothing_new_p_value" in own else "consensus"


def _print(result: dict[str, Any]) -> None:
    say(
        f"{result['n_labeled']:,} labeled rows of "
        f"{counted(len(result['classes']), 'class', 'classes')} in column "
        f"{result['label_column']!r}, {result['n_unlabeled']:,} unlabeled rows, "
        f"{counted(result['n_features'], 'feature', 'features')}."
    )
    say(*result["notes"])
    click.echo()
    say(_answer(result), *overlap_aloud(result), *width_aloud(result))
    if result["left_out_features"]:
        say(left_out_aloud(result["left_out_features"], "`eulac fit --drift no`"))
    if result.get("drift", {}).get("suspected"):
        say(*map(read_aloud, result["readings"].items()))
    say(_test_in_words(result))
    print_table(CLASS_COLUMNS, _class_rows(result))
    if result["priors_moved"] is False:
        p_value = _p(result["priors_moved_p_value"])
        say(f"No clear sign that known classes' shares among each other moved ({p_value}).")
    print_table(METHOD_COLUMNS, _method_rows(result["methods"]))
    say(*(f"Warning: {warning}" for warning in result["warnings"]))
    say(f"Note: {result['remark']}")


def _answer(result: dict[str, Any]) -> str:
    known = round(100 * result["known_proportion"], 1)
    interval = percent_range(result["known_proportion_interval"])
    by = "" if result["method"] == TWO_READINGS else f"By {result['method']}: "
    return (
        f"{by}{known:.1f} % of the {result['n_unlabeled']:,} unlabeled rows look like known "
        f"classes ({interval}); {100 - known:.1f} % are new."
    )


def _test_in_words(result: dict[str, Any]) -> str:
    p_value = result["nothing_new_p_value"]
    if p_value is None:
        return (
            f"Whether anything is new at all is tested by {TWO_READINGS} and the consensus, which "
            "were not run."
        )
    times = "less than once" if p_value < 0.01 else f"about {round(100 * p_value)} times"
    verdict = "something is new" if p_value < 0.01 else "something new is likely"
    if p_value > 0.05:
        verdict = "no sign of anything new"
        if result["augmented_proportion_interval"][0] > 0.0:
            verdict = "too little stands apart for this test, unlike for the estimate"
    return (
        f"If nothing at all were new, rows would look as new as these {times} in 100 draws "
        f"({_p(p_value)}): {verdict}."
    )


def _class_rows(result: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in result["classes"]:
        shares = percent(row["labeled_share"]), percent(row["unlabeled_share"])
        yield str(row["label"]), f"{row['labeled_rows']:,}", *shares
    yield "(new)", "", "", percent(result["augmented_proportion"])


def _method_rows(methods: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, run in methods.items():
        title = f"{name} ({REMARKS[name]})" if name in REMARKS else name
        values = "failed", "", ""
        if "failed" not in run:
            at_bound = "yes" if run["at_bound"] else ""
            values = percent(run["known_proportion"]), percent_range(run["interval"]), at_bound
        yield title, *values, f"{run['seconds']:.1f}"


def _values(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {percent(value)}" for name, value in values.items())


def _p(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"
