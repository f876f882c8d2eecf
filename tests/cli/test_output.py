import json
import sys
import warnings

import numpy as np
import pytest
from rich.progress import Progress

from eulac.cli.output import (
    ProgressBar,
    echo_json,
    noted_warnings,
    percent_range,
    print_table,
    progress_bar,
    say,
)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


def test_json_holds_plain_values_and_null_for_what_is_no_number(capsys):
    echo_json({"share": np.float64(0.5), "rows": np.arange(2), "bad": float("nan")})
    assert json.loads(capsys.readouterr().out) == {"share": 0.5, "rows": [0, 1], "bad": None}


def test_the_text_nan_in_a_label_survives_json(capsys):
    echo_json({"label": "NaN", "bad": float("inf")})
    assert json.loads(capsys.readouterr().out) == {"label": "NaN", "bad": None}


def test_sentences_are_wrapped_at_80_columns_and_percent_signs_stay_with_their_numbers(capsys):
    say("word " * 15 + "12.5 % of all rows")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("12.5 %" in line for line in lines)


def test_tables_keep_to_80_columns_and_print_markup_as_it_is(capsys):
    print_table(("name", "value"), [("[bold]x[/bold]", "y" * 200)])
    out = capsys.readouterr().out
    assert "[bold]x[/bold]" in out
    assert max(map(len, out.splitlines())) <= 80


def test_intervals_are_in_percent():
    assert percent_range((0.25, 1.0)) == "25.0 % to 100.0 %"


def test_warnings_are_noted_once_by_their_first_line():
    with noted_warnings() as notes:
        for _ in range(2):
            warnings.warn("few rows\nand more about it", UserWarning, stacklevel=1)
        warnings.warn("no pool", UserWarning, stacklevel=1)
    assert notes == ["few rows", "no pool"]


def test_no_progress_is_shown_where_nobody_watches(capsys):
    with progress_bar("fitting", total=3) as show:
        show(1)
        show(2, 4)
    assert capsys.readouterr().err.strip() == ""


def test_a_new_task_of_the_bar_begins_at_zero_with_its_own_clock():
    with Progress(disable=True) as progress:
        bar = ProgressBar(progress, "reading")
        bar(30, 40)
        assert progress.tasks[0].percentage == 75
        bar.begin("fitting")
        (task,) = progress.tasks
        assert (task.description, task.completed, task.speed) == ("fitting", 0, None)
        bar(1, 4)
        assert task.percentage == 25


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(monkeypatch, capsys, terminal):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with progress_bar("Fitting", 2) as bar:
        bar(1)
        bar(2)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("Fitting" in err) == terminal
    assert bool(err) == terminal
