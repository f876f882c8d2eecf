"""The walls: who may import whom, and which libraries live in which room. No exceptions."""

import ast
from pathlib import Path

import pytest

import eulac

ROOT = Path(eulac.__file__).parent
LEVELS = [
    {"cli"},
    {"report"},
    {"persistence"},
    {"tables", "benchmark"},
    {"evaluation", "distributed"},
    {"kernel", "landmark", "any_classifier", "direct_risk", "deep", "contenders"},
    {"classifier"},
    {"proportion", "solvers"},
    {"risk"},
    {"maths", "data"},
    {"exceptions"},
]
HOMES = {
    "torch": {"deep"},
    "dask": {"distributed"},
    "distributed": {"distributed"},
    "matplotlib": {"report", "benchmark"},
    "jinja2": {"report"},
    "click": {"cli"},
    "rich": {"cli"},
}
MODULES = sorted(path for path in ROOT.rglob("*.py"))


def room_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def level_of(room):
    return next(i for i, rooms in enumerate(LEVELS) if room in rooms)


def imported_names(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} uses a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def breaks_import_rule(importer, imported):
    """A room imports itself and rooms on lower levels, nothing beside or above it."""
    return importer != imported and level_of(imported) <= level_of(importer)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_import_only_what_lies_below_them(path):
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return_rooms = {name.split(".")[1] for name in imported_names(path) if "eulac." in name}
        assert return_rooms <= set().union(*LEVELS)
        return
    for name in imported_names(path):
        parts = name.split(".")
        if parts[0] != "eulac":
            continue
        # The command line speaks through the public names as its users do.
        if len(parts) == 2 and parts[1] not in set().union(*LEVELS):
            assert room == "cli", f"{room} imports the package's public names"
            continue
        assert not breaks_import_rule(room, parts[1]), f"{room} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_libraries_stay_in_their_rooms(path):
    for name in imported_names(path):
        home = HOMES.get(name.split(".")[0])
        assert home is None or room_of(path) in home, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_stay_small_enough_to_read(path):
    assert len(path.read_text().splitlines()) <= 400


def test_every_module_belongs_to_a_room():
    rooms = {room_of(path) for path in MODULES} - {"__init__", "__main__"}
    assert rooms <= set().union(*LEVELS)


def test_the_rule_itself_can_fail():
    assert breaks_import_rule("risk", "solvers")
    assert breaks_import_rule("proportion", "solvers")
    assert not breaks_import_rule("solvers", "risk")


def test_only_the_command_line_prints():
    for path in MODULES:
        if room_of(path) == "cli":
            continue
        calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
        names = {n.func.id for n in calls if isinstance(n.func, ast.Name)}
        assert "print" not in names, path.name


def test_every_departure_from_the_paper_is_in_the_paper_map():
    paper_map = (Path(__file__).parent.parent / "docs" / "paper_map.md").read_text()
    for path in MODULES:
        if "# Paper:" in path.read_text():
            assert path.name in paper_map, f"docs/paper_map.md has no row for {path.name}"
