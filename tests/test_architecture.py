"""The walls: who may import whom, what crosses rooms, how large things may grow. No exceptions.

`ARCHITECTURE.md` says in words what is checked here.
"""

import ast
import re
import statistics
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import eulac

ROOT = Path(eulac.__file__).parent
TESTS = Path(__file__).parent
ARCHITECTURE = (TESTS.parent / "ARCHITECTURE.md").read_text()
FAMILIES = "families"  # every room that the rule does not name
RULE = [
    {"cli"},
    {"report"},
    {"distributed"},
    {"persistence"},
    {"tables", "benchmark"},
    {"evaluation", "discovery"},
    {FAMILIES},
    {"classifier"},
    {"drift"},
    {"proportion", "solvers"},
    {"risk"},
    {"maths", "data"},
    {"exceptions"},
]
HOMES = {
    "torch": {"deep"},
    "dask": {"distributed"},
    "distributed": {"distributed"},
    "polars": {"distributed"},
    "duckdb": {"distributed"},
    "pyspark": {"distributed"},
    "ray": {"distributed"},
    "onnx": {"persistence"},
    "mlflow": {"persistence"},
    "matplotlib": {"report", "benchmark"},
    "jinja2": {"report"},
    "click": {"cli"},
    "rich": {"cli"},
}
MODULES = sorted(path for path in ROOT.rglob("*.py"))
ROOMS = sorted({ROOT / path.relative_to(ROOT).parts[0] for path in MODULES if path.parent != ROOT})
NAMED = set().union(*RULE)
LEVELS = [{room.name for room in ROOMS} - NAMED if rooms == {FAMILIES} else rooms for rooms in RULE]
MOST_MODULES_IN_A_ROOM = 20
LONGEST_MODULE = 400
MEDIAN_MODULE = 150
BODY_OF_NINE_IN_TEN = 20


@cache
def parsed(path):
    return ast.parse(path.read_text())


def room_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def level_of(room):
    return next(i for i, rooms in enumerate(LEVELS) if room in rooms)


def imported_names(path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} uses a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def n_lines(path):
    return len(path.read_text().splitlines())


def bodies_of(path):
    """Yield number of lines, docstring excluded, and name of every function."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            n = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            yield n, f"{path.relative_to(ROOT)}: {node.name}"


def defined_names(path):
    """Return functions, classes and their methods, as ``name`` and ``Class.name``."""
    definitions = (ast.FunctionDef, ast.ClassDef)
    top = [node for node in parsed(path).body if isinstance(node, definitions)]
    methods = {
        f"{owner.name}.{node.name}"
        for owner in top
        for node in owner.body
        if isinstance(node, definitions)
    }
    return {node.name for node in top} | methods


def public_classes(path):
    for node in parsed(path).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node


def is_record(node):
    """Whether a class is a dataclass or a named tuple."""
    decorators = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
    return "dataclass" in decorators or "NamedTuple" in map(ast.unparse, node.bases)


def crossing_records():
    """Return, for each room, its public dataclasses and named tuples that other rooms import."""
    homes = {
        f"eulac.{'.'.join(path.relative_to(ROOT).with_suffix('').parts)}.{node.name}": path
        for path in MODULES
        for node in public_classes(path)
        if is_record(node)
    }
    crossing = defaultdict(set)
    for path in MODULES:
        for name in imported_names(path):
            home = room_of(homes[name]) if name in homes else None
            if home is not None and path.parent != ROOT and room_of(path) != home:
                crossing[home].add(name.rpartition(".")[2])
    return crossing


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
    assert n_lines(path) <= LONGEST_MODULE


def test_half_of_all_modules_are_short():
    median = statistics.median(map(n_lines, MODULES))
    assert median <= MEDIAN_MODULE, f"the median module has {median:g} lines"


def test_nine_functions_in_ten_are_short():
    bodies = [(n, name) for path in MODULES for n, name in bodies_of(path)]
    reached = statistics.quantiles([n for n, _ in bodies], n=10)[-1]
    longest = ", ".join(f"{name} ({n})" for n, name in sorted(bodies, reverse=True)[:10])
    assert reached <= BODY_OF_NINE_IN_TEN, (
        f"one body in ten is longer than {reached:g} lines; the longest are {longest}"
    )


def test_rooms_are_not_crowded():
    sizes = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    crowded = {folder.name: n for folder, n in sizes.items() if n > MOST_MODULES_IN_A_ROOM}
    assert not crowded, f"each of these wants to be two rooms: {crowded}"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_rooms_say_what_they_are_for_and_what_may_enter(room):
    said = ast.get_docstring(parsed(room / "__init__.py")) or ""
    lines = [line for line in said.splitlines() if line]
    assert 3 <= len(lines) <= 6, f"{room.name}/__init__.py says it in five lines or so"
    says = re.search(r"\b[Ee]nters?\b", said)
    assert says, f"{room.name}/__init__.py does not say what may enter"


def test_no_two_modules_have_one_name():
    names = Counter(path.stem for path in MODULES if path.name != "__init__.py")
    shared = sorted(name for name, n in names.items() if n > 1)
    assert not shared, f"each of these names two modules: {', '.join(shared)}"


def test_no_two_public_classes_have_one_name():
    names = Counter(cls.name for path in MODULES for cls in public_classes(path))
    shared = sorted(name for name, n in names.items() if n > 1)
    assert not shared, f"each of these names two public classes: {', '.join(shared)}"


def test_every_module_has_a_test_in_the_mirrored_place():
    missing = {
        str(path.relative_to(ROOT))
        for path in MODULES
        if path.parent != ROOT
        and path.name != "__init__.py"
        and not (TESTS / path.parent.relative_to(ROOT) / f"test_{path.name}").exists()
    }
    listed = ", ".join(sorted(missing))
    assert not missing, f"write tests/<room>/test_<module>.py for {listed}"


def test_architecture_lists_what_crosses_rooms():
    table = "\n".join(
        f"| `{room}` | {', '.join(f'`{name}`' for name in sorted(names))} |"
        for room, names in sorted(crossing_records().items())
    )
    assert table in ARCHITECTURE, f"'What crosses rooms' in ARCHITECTURE.md should read\n{table}"


def test_architecture_states_the_import_rule_that_is_checked():
    block = ARCHITECTURE.split("## The import rule")[1].split("\n\n")[1]
    levels = [set(re.findall(r"\w+", level)) for level in block.split(">")]
    assert levels == RULE


def test_architecture_names_files_that_exist():
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", ARCHITECTURE))
    roots = (ROOT, TESTS.parent)
    missing = {name for name in named if not any((root / name).exists() for root in roots)}
    assert not missing, f"ARCHITECTURE.md names {', '.join(sorted(missing))}"


def test_the_call_tree_of_a_default_fit_names_functions_that_exist():
    tree = re.findall(r"^    [│├└ ]*([\w.]+) +(\w+/\w+\.py) +\S", ARCHITECTURE, re.MULTILINE)
    assert len(tree) > 10
    for function, module in tree:
        assert function in defined_names(ROOT / module), f"{module} has no {function}"


def test_every_module_belongs_to_a_room():
    rooms = {room_of(path) for path in MODULES} - {"__init__", "__main__"}
    assert rooms == set().union(*LEVELS)


def test_every_family_has_a_classifier():
    """A room that the rule does not name is a family, or it stands in the wrong place."""
    classifiers = {home.split(".")[1] for name, home in eulac.HOMES.items() if "Classifier" in name}
    families = next(rooms for named, rooms in zip(RULE, LEVELS, strict=True) if FAMILIES in named)
    assert families == classifiers


def test_the_rule_itself_can_fail():
    assert breaks_import_rule("risk", "solvers")
    assert breaks_import_rule("proportion", "solvers")
    assert not breaks_import_rule("solvers", "risk")


def test_only_the_command_line_prints():
    for path in MODULES:
        if room_of(path) == "cli":
            continue
        calls = [n for n in ast.walk(parsed(path)) if isinstance(n, ast.Call)]
        names = {n.func.id for n in calls if isinstance(n.func, ast.Name)}
        assert "print" not in names, path.name


def test_every_departure_from_the_paper_is_in_the_paper_map():
    paper_map = (Path(__file__).parent.parent / "docs" / "paper_map.md").read_text()
    for path in MODULES:
        if "# Paper:" in path.read_text():
            assert path.name in paper_map, f"docs/paper_map.md has no row for {path.name}"
