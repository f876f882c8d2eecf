"""Commands that the documentation types: run as they stand, in a folder that has what they name.

Runs of benchmarks take hours, and a page is served until somebody stops it: those are read by the
command line to the last option, and not run.
"""

import gzip
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from eulac.cli.main import cli

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "AGENTS.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/decisions").glob("*.md")),
]
IN_BLOCK = re.compile(r"^(?:    (?:\$ )?|\$ )eulac (.+)$", re.MULTILINE)
IN_LINE = re.compile(r"`eulac ([^`]+)`")
# Their rows complete `eulac benchmark run ...`.
EXPERIMENT = re.compile(r"\| `(\w+ [^`]*--records [^`]*)`")
FILE = re.compile(r"\.(csv|eulac|json|jsonl|parquet|onnx)\b|/$")
SCRIPT = re.compile(r"python ((?:examples|perf|tools|docs)/[\w/]+\.py)([^`\n]*)")
LONG = ("demo", "benchmark", "fit", "proportion", "report")
KEPT_REVIEW = ("--output", "review.html")


def typed_commands():
    """Return the commands of all pages, each once, with the page that types it first."""
    found = {}
    for page in PAGES:
        text = page.read_text()
        typed = [*IN_BLOCK.findall(text), *(" ".join(c.split()) for c in IN_LINE.findall(text))]
        typed += [f"benchmark run {rest}" for rest in EXPERIMENT.findall(text)]
        for command in typed:
            words = tuple(shlex.split(command, comments=True))
            if "..." not in words:
                found.setdefault(words, page.name)
    return found


COMMANDS = typed_commands()
WHOLE = [
    words
    for words in COMMANDS
    if words[:2] == ("data", "list") or words[0] == "demo" or any(map(FILE.search, words))
]
RUNS = [words for words in COMMANDS if words[:2] == ("benchmark", "run") and len(words) > 2]
SERVED = [words for words in COMMANDS if "--serve" in words]
EXECUTED = [words for words in WHOLE if words not in (*RUNS, *SERVED)]


def is_long(words):
    """Whether a command fits or compares models, or draws the figures of a whole experiment.

    Of the reviews of one pool, which differ in the file they write, one is run at once.
    """
    if words[0] == "review":
        return words[-2:] != KEPT_REVIEW
    return words[0] in LONG and "frozen" not in words


def quoted(words):
    return f"{COMMANDS[words]}: eulac {shlex.join(words)}"


def as_parameters(commands):
    return [
        pytest.param(
            words, id=" ".join(words)[:60], marks=[pytest.mark.slow] if is_long(words) else []
        )
        for words in commands
    ]


def written_by(words):
    """Return files that a command writes, and refuses to replace."""
    named = [
        words[place + 1] for place, word in enumerate(words) if word in ("--model", "--output")
    ]
    return [*named, "decisions.json"] if words[0] == "review" else named


def run(*words, answers=""):
    return CliRunner().invoke(cli, list(words), input=answers)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return a folder with the files that pages speak of."""
    folder = tmp_path_factory.mktemp("typed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(ROOT / "examples"))
        import make_birds

        write_tables(make_birds)
        write_scores(np.random.default_rng(0))
        write_model()
        write_records()
    return folder


def write_tables(make_birds):
    """Write small tables of birds under all names that pages give to tables."""
    birds = make_birds.make_birds(90, make_birds.KNOWN, seed=0)
    birds.to_csv("train.csv", index=False)
    checked = make_birds.make_birds(150, list(make_birds.SPECIES), seed=1)
    checked.to_csv("checked.csv", index=False)
    pool = checked.drop(columns="species")
    pool.to_csv("pool.csv", index=False)
    for day in ("monday", "tuesday"):
        pool.sample(100, random_state=len(day)).to_csv(f"{day}.csv", index=False)
    checked.rename(columns={"species": "y"}).to_csv("my.csv", index=False)
    pd.concat([birds.rename(columns={"species": "kind"}), pool]).to_parquet("big.parquet")
    Path("rows").mkdir()
    pool.assign(id=np.arange(len(pool))).to_parquet("rows/part.parquet")


def write_scores(rng):
    """Write what a frozen classifier of three kinds says: logits with oddness, probabilities."""
    kinds = np.array(["finch", "robin", "wren"])
    for name, codes in (("labeled", np.arange(200) % 3), ("pool", np.arange(400) % 4)):
        means = np.vstack([4.0 * np.eye(3), np.zeros(3)])
        logits = pd.DataFrame(rng.normal(means[codes]), columns=kinds)
        powers = np.exp(logits)
        chances = powers.div(powers.sum(axis=1), axis=0)
        species = {} if name == "pool" else {"species": kinds[codes]}
        odd = rng.normal(5.0 * (codes == 3))
        logits.assign(distance=odd, **species).to_csv(f"scores_{name}.csv", index=False)
        suffix = "_pool" if name == "pool" else ""
        chances.assign(**species).to_csv(f"probabilities{suffix}.csv", index=False)


def write_model():
    """Write a model of birds, made quickly, and decisions on its groups of new rows."""
    fit = ("fit", "train.csv", "--label-column", "species", "--unlabeled", "pool.csv")
    assert run(*fit, "--method", "kernel", "--model", "birds.eulac").exit_code == 0
    assert run(*fit, "--method", "stream", "--model", "stream.eulac").exit_code == 0
    for name in ("model", "birds2", "kernel"):
        shutil.copy("birds.eulac", f"{name}.eulac")
    assert run("review", "birds.eulac", "--data", "pool.csv").exit_code == 0
    page = re.search(r'id="review-data">(.*?)</script>', Path("review.html").read_text(), re.DOTALL)
    review = json.loads(page[1])
    kept = {name: review[name] for name in ("format", "version", "fingerprint", "n_rows")}
    groups = [
        {"decision": "name", "name": f"new {index}", "rows": rows}
        for index, rows in enumerate(review["groups"])
    ]
    Path("decisions.json").write_text(json.dumps({**kept, "groups": groups}))
    Path("review.html").unlink()


def write_records():
    Path("runs").mkdir()
    packed = ROOT / "docs/results/theory/records.jsonl.gz"
    for target in ("runs/table1.jsonl", "runs.jsonl"):
        Path(target).write_bytes(gzip.decompress(packed.read_bytes()))


def test_pages_type_commands_and_they_are_found():
    assert len(EXECUTED) > 12
    assert len(RUNS) > 10
    assert ("data", "list") in EXECUTED


@pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")
@pytest.mark.parametrize("words", as_parameters(EXECUTED))
def test_a_typed_command_works(words, prepared, tmp_path, monkeypatch):
    pytest.importorskip("jinja2", reason="needs the extra `report`")
    pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    folder = tmp_path / "folder"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    for name in written_by(words):
        Path(name).unlink(missing_ok=True)
    result = run(*words, answers="swan\n" * 50)
    assert result.exit_code == 0, f"{quoted(words)}\n{result.output}\n{result.exception!r}"


@pytest.mark.parametrize(
    "words", [*filter(is_long, EXECUTED)], ids=lambda words: " ".join(words)[:60]
)
def test_a_typed_command_that_takes_long_is_understood(words, prepared, monkeypatch):
    monkeypatch.chdir(prepared)
    command, rest = cli.get_command(None, words[0]), list(words[1:])
    if hasattr(command, "commands"):
        command, rest = command.commands[words[1]], rest[1:]
    with command.make_context(command.name, rest, ignore_unknown_options=False) as context:
        assert context.params, quoted(words)


def test_one_review_is_run_at_once():
    assert any(words[0] == "review" and not is_long(words) for words in EXECUTED)


@pytest.mark.parametrize("words", RUNS, ids=lambda words: " ".join(words)[:60])
def test_a_typed_run_of_a_benchmark_is_understood(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = cli.get_command(None, "benchmark").commands["run"]
    with command.make_context("run", list(words[2:])) as context:
        assert context.params["experiment"] == words[2], quoted(words)


@pytest.mark.parametrize("words", SERVED, ids=lambda words: " ".join(words)[:60])
def test_a_typed_command_that_serves_is_understood(words, prepared, monkeypatch):
    monkeypatch.chdir(prepared)
    with cli.get_command(None, words[0]).make_context(words[0], list(words[1:])) as context:
        assert context.params["serve"], quoted(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scripts_targets_and_extras_that_pages_name_exist(page):
    text = page.read_text()
    for script, rest in SCRIPT.findall(text):
        source = (ROOT / script).read_text()
        for option in re.findall(r"--[a-z-]+", rest):
            assert f'"{option}"' in source, f"{page.name}: {script} has no {option}"
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:^    |`)make ([a-z-]+)", text, re.MULTILINE):
        assert f"\n{target}:" in makefile, f"{page.name} names `make {target}`"
    extras = (ROOT / "pyproject.toml").read_text()
    for named in re.findall(r'(?:eulac|\.)\[([a-z,]+)\]"', text):
        for extra in named.split(","):
            assert f"\n{extra} = [" in extras, f"{page.name} names the extra {extra}"
