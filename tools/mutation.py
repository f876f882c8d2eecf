"""Break lines of the formulas one at a time, and see whether a test notices.

    python tools/mutation.py --mutants 100 --seed 0
    python tools/mutation.py --rooms risk --mutants 30
    python tools/mutation.py --again mutants.log  # those of an earlier run that nothing noticed

A mutant changes one operator, comparison, number or condition of a module. Its mirrored tests run
in a forked process that imports the changed module; if they pass, so do the other tests of the
room. Mutants that no test notices are printed, then the score: the share that was noticed.
"""

import argparse
import ast
import contextlib
import copy
import importlib.abc
import importlib.util
import os
import random
import resource
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("risk", "proportion", "solvers", "classifier")
CPU_SECONDS = 90
MOVED_LINES = 3
LIBRARIES = ("numpy", "scipy.optimize", "sklearn.ensemble", "sklearn.pipeline", "pandas", "polars")
LIBRARIES += ("pytest", "sklearn.utils.estimator_checks", "torch", "hypothesis", "skops.io")

SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


class Sites(ast.NodeVisitor):
    """Collects what can be changed: not annotations, texts, or what is only said in messages."""

    def __init__(self):
        self.found = []

    def visit(self, node):
        """Look at a node and what is in it."""
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.AnnAssign | ast.arg):
            return
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node = copy.copy(node)
            node.decorator_list = []  # whether a dataclass is frozen is no formula
        if _can_change(node):
            self.found.append(node)
        self.generic_visit(node)


def _can_change(node):
    if isinstance(node, ast.BinOp):
        # A bar joins types in annotations; texts are added in messages.
        return type(node.op) in SWAPS and not _is_text(node.left) and not _is_text(node.right)
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in SWAPS
    if isinstance(node, ast.BoolOp):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not | ast.USub) and not isinstance(
            node.operand, ast.Constant
        )
    return isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float)


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def changed(source, index):
    """Return the source with its site of that number changed, the line, and both versions."""
    tree = ast.parse(source)
    sites = Sites()
    sites.visit(tree)
    node = sites.found[index]
    before = ast.unparse(node)
    if isinstance(node, ast.BinOp):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        inner = copy.copy(node.operand)
        node.op, node.operand = ast.UAdd(), inner
        if before.startswith("not "):
            node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), inner)
    else:
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    return ast.unparse(ast.fix_missing_locations(tree)), node.lineno, before, ast.unparse(node)


def n_sites(source):
    """Return how many sites a source has."""
    sites = Sites()
    sites.visit(ast.parse(source))
    return len(sites.found)


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another source."""

    def __init__(self, name, path, source):
        self.name, self.path, self.source = name, path, source

    def find_spec(self, fullname, path=None, target=None):
        """Answer for the one module."""
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def exec_module(self, module):
        """Run the other source."""
        module.__file__ = str(self.path)
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)


def passes(tests, mutant=None):
    """Return whether tests pass in a process of their own, with a module replaced if given."""
    process = os.fork()
    if process == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = _run(tests, mutant)
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def _run(tests, mutant):
    import pytest
    from hypothesis import settings

    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    if mutant is not None:
        sys.meta_path.insert(0, Mutated(*mutant))
    options = [
        "-x",
        "-q",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-m",
        "not slow",
    ]
    return int(pytest.main([*options, *map(str, tests)]))


def is_noticed(module, source):
    """Return whether the mirrored tests or the others of the room notice a changed module."""
    room, name = module.parent.name, module.relative_to(ROOT / "src").with_suffix("")
    mutant = ".".join(name.parts), module, source
    mirrored = ROOT / "tests" / room / f"test_{module.stem}.py"
    first = [mirrored] if mirrored.exists() else []
    if first and not passes(first, mutant):
        return True
    others = [path for path in sorted(mirrored.parent.glob("test_*.py")) if path not in first]
    return not passes(others, mutant)


def drawn(rooms, n_mutants, seed):
    """Return modules and numbers of sites, drawn from all sites alike."""
    sites = _all_sites(rooms)
    print(f"{len(sites)} sites in {len(dict(sites))} modules of {', '.join(rooms)}", flush=True)
    return random.Random(seed).sample(sites, min(n_mutants, len(sites)))


def unnoticed_in(log, rooms):
    """Return modules and numbers of sites of the mutants that a log calls unnoticed.

    They are known by what was changed, not by the line, which may be another one by now.
    """
    told = [line for line in log.read_text().splitlines() if line.startswith("unnoticed: ")]
    found = []
    for path, index in _all_sites(rooms):
        _, line, before, after = changed(path.read_text(), index)
        wanted = f"{path.relative_to(ROOT / 'src/eulac')}:", f": {before} -> {after}"
        there = [one for one in told if wanted[0] in one and one.endswith(wanted[1])]
        near = [one for one in there if abs(int(one.split(":")[2]) - line) <= MOVED_LINES]
        found += [(path, index)] * bool(near)
    print(f"{len(told)} mutants in {log}, {len(found)} found again", flush=True)
    return found


def _all_sites(rooms):
    modules = [path for room in rooms for path in sorted((ROOT / "src/eulac" / room).glob("*.py"))]
    return [(path, index) for path in modules for index in range(n_sites(path.read_text()))]


def main():
    """Print the mutants that nothing notices, and the score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS)
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip-check", action="store_true", help="do not run the tests unchanged")
    parser.add_argument("--again", type=Path, help="log of a run whose survivors to try again")
    options = parser.parse_args()
    again = options.again and options.again.resolve()
    os.chdir(ROOT)
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for room in () if options.skip_check else options.rooms:
        if not passes([ROOT / "tests" / room]):
            sys.exit(f"the tests of {room} must pass before anything is changed; they fail.")
    n_noticed = 0
    if again:
        mutants = unnoticed_in(again, options.rooms)
    else:
        mutants = drawn(options.rooms, options.mutants, options.seed)
    for count, (path, index) in enumerate(mutants, start=1):
        source, line, before, after = changed(path.read_text(), index)
        noticed = is_noticed(path, source)
        n_noticed += noticed
        if not noticed:
            place = path.relative_to(ROOT / "src/eulac")
            print(f"unnoticed: {place}:{line}: {before} -> {after}", flush=True)
        if count % 10 == 0 or count == len(mutants):
            print(f"{n_noticed} of {count} noticed: {n_noticed / count:.1%}", flush=True)


if __name__ == "__main__":
    main()
