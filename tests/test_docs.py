"""What the documentation shows works: code runs, links lead somewhere, names and options exist."""

import ast
import importlib
import inspect
import re
import runpy
from pathlib import Path

import click
import pytest

import eulac
from eulac.cli.main import cli

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    ROOT / name
    for name in (
        "README.md",
        "docs/index.md",
        "docs/guide.md",
        "docs/recipes.md",
        "docs/frozen.md",
        "docs/discovery.md",
        "docs/drift.md",
        "docs/any_classifier.md",
    )
]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ALL_PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
IN_BLOCK = re.compile(r"^(?:    (?:\$ )?|\$ )eulac ([a-z-]+)(.*)$", re.MULTILINE)
IN_LINE = re.compile(r"`eulac ([a-z-]+)([^`]*)`")
GALLERY = sorted((ROOT / "examples").glob("plot_*.py"))
PROBLEMS = [page for page in GALLERY if page.stem not in ("plot_digits", "plot_proportion_matters")]
LONGEST_README = 120


def run_code_of(page):
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    names = {"__name__": page.stem}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


with_code = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
doubts_are_fine = pytest.mark.filterwarnings("ignore::eulac.exceptions.EulacWarning")


@doubts_are_fine
@pytest.mark.parametrize(
    "page",
    # The longer pages fit a dozen models: `make test-slow` runs them, whole.
    [page for page in PAGES if page.name in ("README.md", "frozen.md", "drift.md")],
    ids=lambda page: page.name,
)
def test_code_of_a_page_runs_with_a_small_forest(page, small_forest):
    run_code_of(page)


@pytest.mark.slow
@doubts_are_fine
@with_code
def test_code_of_a_page_runs_as_it_stands(page):
    run_code_of(page)


every_page = pytest.mark.parametrize(
    "page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT))
)


def test_readme_stays_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= LONGEST_README


def test_readme_opens_with_the_default_classifier():
    first = BLOCK.search((ROOT / "README.md").read_text())[1]
    assert "from eulac import EulacClassifier" in first


@every_page
def test_commands_and_their_options_exist(page):
    text = page.read_text()
    for name, rest in [*IN_BLOCK.findall(text), *IN_LINE.findall(text)]:
        assert name in cli.list_commands(None), f"{page.name} runs `eulac {name}`"
        command = cli.get_command(None, name)
        if isinstance(command, click.Group):
            command = next(
                (command.commands[w] for w in rest.split() if w in command.commands), None
            )
        if command is None:  # the group itself is spoken of
            continue
        options = {
            option
            for parameter in command.params
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        named = set(re.findall(r"(?<=\s)--[a-z][a-z-]*", rest)) - {"--help"}
        assert named <= options, f"`eulac {name}` has no {', '.join(sorted(named - options))}"


def test_api_page_lists_every_public_name():
    page = runpy.run_path(str(ROOT / "docs/conf.py"))["api_page"]()
    listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(eulac.HOMES)
    assert listed[0] == "EulacClassifier"


def test_paper_map_names_modules_and_tests_that_exist():
    page = (ROOT / "docs/paper_map.md").read_text()
    named = re.findall(r"`((?:\w+/)+(?:\w+\.py)?)[`:]", page)
    assert len(named) > 30
    for path in named:
        folder = "tests" if "test_" in path else "src/eulac"
        assert (ROOT / folder / path).exists(), f"docs/paper_map.md names {path}"


@every_page
def test_links_between_pages_lead_somewhere(page):
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def slugs_of(page):
    """Return what headings are called in links."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@every_page
def test_links_into_pages_name_headings_that_exist(page):
    for target, heading in re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", page.read_text()):
        if "://" not in target:
            there = page.parent / target if target else page
            assert heading in slugs_of(there), f"{page.name} links to {target}#{heading}"


def test_the_first_page_shows_the_lines_of_the_readme_and_names_each_page_once():
    first = (ROOT / "docs/index.md").read_text()
    lines = BLOCK.search(first)[1].splitlines()
    shown = BLOCK.search((ROOT / "README.md").read_text())[1]
    assert all(line in shown for line in lines[:-1])
    listed = re.findall(r"^([a-z_/0-9-]+)$", first, re.MULTILINE)
    assert sorted(set(listed)) == sorted(listed)
    pages = {
        str(page.relative_to(ROOT / "docs").with_suffix(""))
        for page in ALL_PAGES[1:]
        if page.is_relative_to(ROOT / "docs") and "results" not in page.parts
    }
    assert pages - set(listed) <= {"index"}


@pytest.mark.parametrize(
    "page",
    [page for page in ALL_PAGES if BLOCK.search(page.read_text())],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_code_that_needs_more_than_a_page_has_names_and_options_that_exist(page):
    """Fragments are not run: what they import and pass by name must exist."""
    for block in BLOCK.findall(page.read_text()):
        tree = ast.parse(block)
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        for node in (n for n in imports if n.module.split(".")[0] == "eulac"):
            absent = {alias.name for alias in node.names} & eulac._MISSING.keys()
            if absent:
                pytest.skip(f"{sorted(absent)[0]} needs {eulac._MISSING[sorted(absent)[0]][0]}")
            module = importlib.import_module(node.module)
            assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
        for call in (c for c in calls if getattr(c.func, "id", None) in eulac.HOMES):
            known = set(inspect.signature(getattr(eulac, call.func.id)).parameters)
            assert {keyword.arg for keyword in call.keywords} <= known, ast.unparse(call)


@pytest.mark.parametrize("page", GALLERY, ids=lambda page: page.stem)
def test_pages_of_the_gallery_draw_and_say_what_to_check(page):
    text = page.read_text()
    assert "plt.subplots" in text
    if page in PROBLEMS:
        last = text.split("# %%")[-1]
        assert "Before you believe it" in last
        assert last.count("# - **") >= 3
        assert page.name in (ROOT / "docs/index.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("page", GALLERY, ids=lambda page: page.stem)
def test_a_page_of_the_gallery_runs(page, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="needs the extra `report`")
    if "import anndata" in page.read_text():
        pytest.importorskip("anndata", reason="needs AnnData: pip install 'eulac[anndata]'")
    monkeypatch.setenv("MPLBACKEND", "agg")
    pyplot.switch_backend("agg")
    runpy.run_path(str(page))
    assert pyplot.get_fignums()
    pyplot.close("all")


def test_the_pictures_are_drawn_by_their_script(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra `report`")
    folder = ROOT / "docs/pictures"
    runpy.run_path(str(folder / "make_pictures.py"))["main"](tmp_path)
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == sorted(path.name for path in folder.glob("*.svg"))
    shown = "".join(page.read_text() for page in (ROOT / "docs").glob("*.md"))
    assert all(f"pictures/{name}" in shown for name in drawn)


def test_llms_txt_names_files_that_exist():
    targets = LINK.findall((ROOT / "llms.txt").read_text())
    assert len(targets) > 10
    assert all((ROOT / target).exists() for target in targets)


@pytest.mark.parametrize("page", ["report", "origin"])
def test_every_report_has_a_place_on_the_site(page):
    listed = (ROOT / "docs/reproduce.md").read_text()
    for path in sorted((ROOT / "docs/results").glob(f"*/{page}.md")):
        place = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        assert f"<{place}>" in listed, f"{place} must stand in the toctree of docs/reproduce.md"


def test_titles_of_reports_differ():
    pages = [*(ROOT / "docs/results").glob("*/*.md")]
    assert len({path.read_text().splitlines()[0] for path in pages}) == len(pages)


def test_public_functions_say_what_they_take_and_give():
    for name in eulac.__all__:  # those that can be had here
        function = getattr(eulac, name)
        if not inspect.isfunction(function):
            continue
        head, text = inspect.signature(function), inspect.getdoc(function)
        assert "Parameters\n-----" in text, name
        if head.return_annotation not in (None, "None"):
            assert "Returns\n-----" in text, name
