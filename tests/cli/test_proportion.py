"""`eulac proportion`: the answer in a sentence, doubts in words, and errors that name values."""

import json

import numpy as np
import pandas as pd
import pytest

from cli.apart import runner
from eulac.cli import main as cli_main
from eulac.cli import proportion as command
from eulac.cli.proportion import proportion
from eulac.data.splits import min_max_scale
from eulac.proportion.best_bin import BestBinProportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.methods import PROPORTIONS, QUICK_PROPORTIONS
from eulac.tables.two_readings_of_tables import TablesReading

NAMES = ["left", "right"]


def mixture(n_labeled=120, n_unlabeled=160, known_proportion=0.5):
    """Return a labeled table of two classes, and a pool with rows of a third far away."""
    rng = np.random.default_rng(0)
    n_known = round(known_proportion * n_unlabeled)
    hidden = np.append(np.arange(n_known) % 2, np.full(n_unlabeled - n_known, 2))
    codes = np.append(np.arange(n_labeled) % 2, hidden)
    frame = pd.DataFrame(rng.normal(8 * np.eye(3)[codes]), columns=["a", "b", "c"])
    labeled = frame[:n_labeled].assign(kind=np.array(NAMES)[codes[:n_labeled]])
    return labeled, frame[n_labeled:]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Go to a folder with labeled.csv and pool.csv, so that messages hold short names."""
    monkeypatch.chdir(tmp_path)
    labeled, pool = mixture()
    labeled.to_csv("labeled.csv", index=False)
    pool.to_csv("pool.csv", index=False)
    return labeled, pool


def made_up(total, *, at_bound=False, **diagnostics):
    return ProportionEstimate(
        total * np.array([0.5, 0.5]),
        (max(total - 0.051, 0.0), min(total + 0.051, 1.0)),
        "made_up",
        120,
        160,
        diagnostics={"at_bound": at_bound, **diagnostics},
    )


def consensus(total, p_value=0.005, *, moved=False, agree=True):
    return made_up(
        total,
        by_score={"forest": total, "kernel_logistic": total + 0.2},
        scores_agree=agree,
        nothing_new_p_value=p_value,
        priors_moved=moved,
        priors_moved_p_value=0.0001 if moved else 0.4,
    )


@pytest.fixture
def say(monkeypatch):
    """Let methods answer what a test wants, instead of working."""

    def set_answers(**answers):
        def compare(sample, names, *, random_state):
            return {name: answers.get(name, made_up(0.62)) for name in names}

        def read_twice(tables, drop, *, random_state):
            answer = answers.get("two_readings", made_up(0.62))
            if isinstance(answer, str):
                raise ValueError(answer)
            return TablesReading(answer, np.empty(0, dtype=np.intp), [])

        monkeypatch.setattr(command, "compare_methods", compare)
        home = "eulac.tables.two_readings_of_tables.two_readings_of_tables"
        monkeypatch.setattr(home, read_twice)

    set_answers(two_readings=consensus(0.621))
    return set_answers


def run(*arguments):
    result = runner().invoke(proportion, arguments, env={"COLUMNS": "80"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


POOL = ("labeled.csv", "--unlabeled", "pool.csv", "--label-column", "kind")


def text_of(*arguments):
    """Return what is printed, as one line."""
    result = run(*(arguments or POOL))
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def stopped(capsys, *arguments):
    """Return the exit code and the error of a call through `main`."""
    with pytest.raises(SystemExit) as caught:
        cli_main.main(["proportion", *arguments])
    return caught.value.code, " ".join(capsys.readouterr().err.split())


def test_the_real_answer_covers_the_truth(files):
    result = json.loads(run(*POOL, "--quick", "--json").output)
    low, high = result["known_proportion_interval"]
    assert low <= 0.5 <= high
    assert high - low < 0.3
    assert result["nothing_new_p_value"] < 0.01
    assert list(result["methods"]) == ["two_readings"]
    assert sorted(result["readings"]) == ["as_labeled", "may_have_moved"]
    assert (result["n_labeled"], result["n_unlabeled"], result["n_features"]) == (120, 160, 3)


def test_what_the_readings_leave_out_the_other_methods_leave_out_too(files):
    for number, (table, name) in enumerate(zip(files, ("labeled", "pool"), strict=True)):
        lamp = 7.0 * number + np.random.default_rng(number).normal(size=len(table))
        table.assign(lamp=lamp).to_csv(f"{name}.csv", index=False)
    asked = (*POOL, "--method", "best_bin", "--method", "two_readings")
    result = json.loads(run(*asked, "--json").output)
    assert result["left_out_features"] == ["lamp"]
    assert list(result["methods"]) == ["best_bin", "two_readings"]
    for found in result["methods"].values():
        assert found["known_proportion"] == pytest.approx(0.5, abs=0.15)
    assert result["warnings"] == []
    alone = json.loads(run(*POOL, "--method", "best_bin", "--json").output)
    assert alone["known_proportion"] < 0.1
    said = text_of(*asked)
    assert "columns: 'lamp'. Check what stands there; `eulac fit --drift no` uses all" in said


def test_the_command_says_what_the_library_says(files):
    labeled, pool = (table[["a", "b", "c"]].to_numpy() for table in files)
    X = min_max_scale(np.vstack([labeled, pool]))
    y = files[0].kind.to_numpy(dtype=str)
    expected = BestBinProportion(random_state=3).fit(X[:120], y, X_unlabeled=X[120:]).estimate_
    result = json.loads(run(*POOL, "--method", "best_bin", "--seed", "3", "--json").output)
    assert result["known_proportion"] == expected.total
    assert result["known_proportion_interval"] == list(expected.interval)


def test_the_answer_is_one_sentence(files, say):
    assert (
        "62.1 % of the 160 unlabeled rows look like known classes (57.0 % to 67.2 %); "
        "37.9 % are new." in text_of()
    )


def test_everything_fits_80_columns(files, say):
    say(
        two_readings=consensus(0.621, moved=True, agree=False),
        tice="it was " + 30 * "very " + "bad.",
    )
    lines = run(*POOL).output.splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.startswith("%") for line in lines)


@pytest.mark.parametrize(
    ("total", "p_value", "words"),
    [
        (0.621, 0.005, "less than once in 100 draws (p = 0.005): something is new."),
        (0.621, 0.034, "about 3 times in 100 draws (p = 0.034): something new is likely."),
        (0.97, 0.38, "about 38 times in 100 draws (p = 0.38): no sign of anything new."),
        (0.621, 0.38, "too little stands apart for this test, unlike for the estimate."),
    ],
)
def test_the_test_of_nothing_new_is_in_words(files, say, total, p_value, words):
    say(two_readings=consensus(total, p_value))
    assert words in text_of()


def test_moved_priors_are_said(files, say):
    say(two_readings=consensus(0.98, 0.005, moved=True))
    assert "not as frequent among each other as when labeled (p < 0.001)." in text_of()


def row_of(name, output):
    return next(line for line in output.splitlines() if line.split()[:1] == [name])


def test_classes_are_shown_with_both_shares_and_the_new_rows(files, say):
    output = run(*POOL).output
    assert row_of("left", output).split() == ["left", "60", "50.0", "%", "31.1", "%"]
    assert row_of("(new)", output).split() == ["(new)", "37.9", "%"]
    assert "shares among each other moved (p = 0.4)" in output


def test_methods_are_shown_in_order_with_interval_bound_and_seconds(files, say):
    say(two_readings=consensus(0.621), kernel_mean=made_up(0.9, at_bound=True), dedpul="too few.")
    output = run(*POOL).output
    positions = [output.index(row_of(name, output)) for name in QUICK_PROPORTIONS]
    assert positions == sorted(positions)
    assert "kernel_mean_per_class" not in output.partition("method")[2].partition("Warning")[0]
    assert row_of("kernel_mean", output).split()[:9] == (
        ["kernel_mean", "90.0", "%", "84.9", "%", "to", "95.1", "%", "yes"]
    )
    assert row_of("dedpul", output).split()[:2] == ["dedpul", "failed"]


def test_doubts_are_said_in_words(files, say):
    say(
        two_readings=consensus(0.621, agree=False),
        dedpul="too few.",
        best_bin=made_up(0.4),
        kernel_mean=made_up(0.9, at_bound=True),
        tice=made_up(0.95),
    )
    text = text_of()
    assert "Warning: dedpul failed: too few." in text
    assert "At a bound, so a limit rather than an estimate: kernel_mean 90.0 %." in text
    assert "Methods that disagree with two_readings: best_bin 40.0 %." in text
    assert "Estimates behind two_readings disagree: forest 62.1 %, kernel_logistic 82.1 %." in text
    assert "Note: The known proportion is identifiable only if" in text


def test_a_calm_run_has_no_warnings(files, say):
    assert "Warning" not in text_of()


def test_few_rows_are_said(files, say):
    labeled, pool = files
    labeled[:40].to_csv("labeled.csv", index=False)
    pool[:90].to_csv("pool.csv", index=False)
    text = text_of()
    assert "40 labeled rows are few; 50 or more are wanted." in text
    assert "90 unlabeled rows are few; 100 or more are wanted." in text


def test_python_warnings_are_said_once_with_their_method(files, say, monkeypatch):
    def compare(sample, names, *, random_state):
        for _ in range(3):
            np.float64(1) / np.float64(0)
        return dict.fromkeys(names, made_up(0.5))

    monkeypatch.setattr(command, "compare_methods", compare)
    text = text_of(*POOL, "--method", "tice")
    assert text.count("Warning: tice: divide by zero") == 1


def test_a_method_by_name_gives_the_answer(files):
    text = text_of(*POOL, "--method", "tice", "--method", "elkan_noto", "--method", "tice")
    assert "By tice: " in text
    assert "tested by two_readings and the consensus, which were not run" in text
    assert "best_bin" not in text


def test_the_seed_decides(files):
    def numbers(seed):
        result = json.loads(run(*POOL, "--method", "best_bin", "--json", "--seed", seed).output)
        assert result["seed"] == int(seed)
        result["methods"]["best_bin"].pop("seconds")
        return result["methods"], result["known_proportion_interval"]

    assert numbers("1") == numbers("1")
    assert numbers("1") != numbers("2")


def test_json_is_one_object_with_everything(files, say):
    say(two_readings=consensus(0.621), dedpul="too few.")
    result = json.loads(run(*POOL, "--json").output)
    assert result["known_proportion"] == pytest.approx(0.621)
    assert result["known_proportion_interval"] == pytest.approx([0.57, 0.672])
    assert result["augmented_proportion"] == pytest.approx(0.379)
    assert result["augmented_proportion_interval"] == pytest.approx([0.328, 0.43])
    assert result["nothing_new_p_value"] == 0.005
    assert result["classes"][0] == {
        "label": "left",
        "labeled_rows": 60,
        "labeled_share": 0.5,
        "unlabeled_share": pytest.approx(0.3105),
    }
    assert list(result["methods"]) == ["two_readings", *QUICK_PROPORTIONS]
    assert result["methods"]["dedpul"]["failed"] == "too few."
    assert result["methods"]["two_readings"]["diagnostics"]["scores_agree"] is True
    assert any("dedpul failed" in warning for warning in result["warnings"])
    assert "identifiable" in result["remark"]


def test_numpy_values_in_diagnostics_become_json(files, say):
    say(tice=made_up(0.5, threshold=np.float64(0.5), shares=np.array([1, 2])))
    result = json.loads(run(*POOL, "--method", "tice", "--json").output)
    assert result["methods"]["tice"]["diagnostics"]["shares"] == [1, 2]


def test_no_progress_line_goes_to_a_file(files, say):
    result = run(*POOL)
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["label", "Y", "Class", "target", "SPECIES"])
def test_a_usual_label_column_is_used_and_said(files, say, name):
    files[0].rename(columns={"kind": name}).to_csv("labeled.csv", index=False)
    text = text_of("labeled.csv", "--unlabeled", "pool.csv")
    assert f"Labels are taken from the column {name!r} of labeled.csv" in text


def test_no_label_column_is_guessed(files, capsys):
    files[0].to_csv("pool.csv", index=False)  # no column that the pool lacks
    code, error = stopped(capsys, "labeled.csv", "--unlabeled", "pool.csv")
    assert code == 2
    assert "no column has a usual name" in error
    assert "`--label-column`: 'a', 'b', 'c', 'kind'." in error


def test_two_usual_label_columns_are_not_chosen_between(files, capsys):
    files[0].assign(y=1, label=2).to_csv("labeled.csv", index=False)
    code, error = stopped(capsys, "labeled.csv", "--unlabeled", "pool.csv")
    assert code == 2
    assert "2 columns may be it. Choose one with `--label-column`: 'y', 'label'." in error


def test_many_columns_are_listed_shortly(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    pd.DataFrame(np.eye(30)).add_prefix("p").to_csv(path, index=False)
    _, error = stopped(capsys, str(path))
    assert "'p0', 'p1'" in error
    assert "'p7', and 22 more." in error


def test_blank_labels_are_unlabeled_rows(files, say):
    labeled, pool = files
    blanks = pool.assign(kind=np.where(np.arange(len(pool)) % 2, " ", ""))
    pd.concat([labeled, blanks]).to_csv("labeled.csv", index=False)
    text = text_of("labeled.csv", "--label-column", "kind")
    assert "120 labeled rows of 2 classes in column 'kind', 160 unlabeled rows" in text
    assert "160 rows of labeled.csv have a blank label: unlabeled." in text
    both = text_of()
    assert "320 unlabeled rows" in both


def test_masked_and_separate_tables_give_the_same_number(files):
    labeled, pool = files
    pd.concat([labeled, pool.assign(kind=None)]).to_csv("both.csv", index=False)
    options = ("--method", "best_bin", "--json")
    separate = json.loads(run(*POOL, *options).output)
    together = json.loads(run("both.csv", "--label-column", "kind", *options).output)
    assert separate["known_proportion"] == together["known_proportion"]
    assert separate["known_proportion_interval"] == together["known_proportion_interval"]


def test_columns_are_matched_by_name_and_scales_do_not_matter(files):
    labeled, pool = files
    options = ("--method", "best_bin", "--json")
    plain = json.loads(run(*POOL, *options).output)
    pool.assign(b=pool.b * 1024)[["c", "b", "a"]].to_csv("pool.csv", index=False)
    labeled.assign(b=labeled.b * 1024).to_csv("labeled.csv", index=False)
    moved = json.loads(run(*POOL, *options).output)
    assert moved["known_proportion"] == pytest.approx(plain["known_proportion"], abs=1e-9)


def test_other_columns_of_the_pool_are_dropped_and_named(files, say):
    files[1].assign(kind="left", when=3).to_csv("pool.csv", index=False)
    assert "Not used of pool.csv: 'kind', 'when'." in text_of()


def test_numbers_as_labels_and_one_class_work(files, say):
    say(two_readings=ProportionEstimate(np.array([0.6]), (0.5, 0.7), "consensus", 120, 160))
    files[0].assign(kind=7).to_csv("labeled.csv", index=False)
    assert row_of("7", run(*POOL).output).split()[1] == "120"


def test_markup_in_a_label_is_printed_as_it_is(files, say):
    files[0].replace("left", "[red]x").to_csv("labeled.csv", index=False)
    assert "[red]x" in text_of()


def test_arrays_bring_their_labels_along(files, say):
    labeled, pool = files
    y = (labeled.kind == "left").astype(int)
    np.savez("labeled.npz", X=labeled[["a", "b", "c"]], y=y)
    np.savez("pool.npz", X=pool, y=np.zeros(len(pool)))
    text = text_of("labeled.npz", "--unlabeled", "pool.npz")
    assert "120 labeled rows of 2 classes in column 'y'" in text
    assert "Not used of pool.npz: 'y'." in text


def test_row_numbers_are_suspected(files, say):
    labeled, pool = files
    labeled.assign(id=range(120)).to_csv("labeled.csv", index=False)
    pool.assign(id=range(120, 280)).to_csv("pool.csv", index=False)
    assert "Column 'id' has a different whole number in every row" in text_of()


def test_counts_and_flags_are_not_taken_for_row_numbers(files, say):
    labeled, pool = files
    labeled.assign(n=np.arange(120) // 2, flag=True).to_csv("labeled.csv", index=False)
    pool.assign(n=np.arange(160), flag=False).to_csv("pool.csv", index=False)
    assert "whole number" not in text_of()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda pool: pool.drop(columns=["a", "c"]), "pool.csv must have every feature column of"),
        (lambda pool: pool.drop(columns=["a", "c"]), "it lacks 'a', 'c'."),
        (lambda pool: pool.assign(b="hot"), "in pool.csv categories, such as 'hot'"),
        (
            lambda pool: pool.assign(a=np.inf),
            "finite numbers; row 0 (counted from 0) of pool.csv has inf",
        ),
    ],
)
def test_a_pool_that_does_not_fit_is_failed_work(files, capsys, change, words):
    change(files[1]).to_csv("pool.csv", index=False)
    code, error = stopped(capsys, *POOL)
    assert code == 1
    assert words in error
    assert "Traceback" not in error


def test_mixed_columns_and_gaps_are_treated_as_fit_does(files, say):
    labeled, pool = files
    labeled.assign(color=["red", "blue"] * 60, when="2026-05-01").to_csv("labeled.csv", index=False)
    gaps = pool.assign(b=pool.b.where(pool.index % 9 > 0), color="red", when="2026-05-02")
    gaps.to_csv("pool.csv", index=False)
    said = text_of()
    assert "Left out: 'when' (labeled and unlabeled rows are of different times" in said
    assert "'color'" not in text_of(*POOL, "--drop", "color", "--drop", "when")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("", "all 120 cells of column 'kind' of labeled.csv are blank."),
        (-1, "-1 may mean 'unlabeled'; cells of column 'kind' of labeled.csv hold it."),
        (-1.0, "-1 may mean 'unlabeled'; cells"),
    ],
)
def test_labels_that_say_nothing_are_failed_work(files, capsys, labels, words):
    files[0].assign(kind=labels).to_csv("labeled.csv", index=False)
    code, error = stopped(capsys, *POOL)
    assert code == 1
    assert words in error


def test_without_unlabeled_rows_the_usage_is_wrong(files, capsys):
    code, error = stopped(capsys, "labeled.csv", "--label-column", "kind")
    assert code == 2
    assert "every row of labeled.csv has a label in 'kind'." in error
    assert "`--unlabeled`" in error


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--method", "dedpull"), 2, "'dedpull' is not one of 'two_readings', 'consensus'"),
        (("--quick", "--method", "tice"), 2, "exclude each other"),
        (("--seed", "-1"), 2, "-1 is not in the range"),
        (("--label-column", "knid"), 2, "got 'knid'. Columns: a, b, c, kind. Did you mean 'kind'?"),
        (("--unlabeled", "pol.csv"), 1, "'pol.csv' does not exist. Did you mean 'pool.csv'?"),
        (("--unlabeled", "pool.xlsx"), 1, "'pool.xlsx'"),
    ],
)
def test_wrong_arguments_are_named(files, capsys, arguments, code, words):
    found, error = stopped(capsys, *POOL, *arguments)
    assert found == code
    assert words in error


def test_a_failed_answer_is_failed_work(files, say, capsys):
    say(two_readings="two rows are needed; got 1.")
    code, error = stopped(capsys, *POOL)
    assert code == 1
    assert error == "Error: two_readings failed: two rows are needed; got 1."


def test_help_names_every_method():
    output = " ".join(runner().invoke(proportion, ["--help"]).output.split())
    for name in PROPORTIONS:
        assert name in output
