"""Learning with augmented classes: K known classes or *new*, from unlabeled deployment data.

>>> from eulac import AUGMENTED, EulacClassifier
>>> EulacClassifier(known_proportion=0.8)
EulacClassifier(known_proportion=0.8)
"""

import ast
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def _read_homes() -> dict[str, str]:
    """Return the module of every public name, as `__init__.pyi` lists them for type checkers."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}


HOMES = _read_homes()
"""Module of every public name."""

_LIBRARIES = {
    "eulac.deep.": ("torch", "PyTorch", "deep"),
    "eulac.distributed.dask_": ("dask", "Dask", "dask"),
    "eulac.distributed.": ("pyarrow", "pyarrow", "parquet"),
}
"""Beginnings of homes, and the library they need, as it is imported, called and had as an extra."""


def _missing_library(home: str) -> tuple[str, str] | None:
    """Return name and extra of the library that a home needs and that is not installed."""
    needed = (library for start, library in _LIBRARIES.items() if home.startswith(start))
    return next(((title, extra) for name, title, extra in needed if find_spec(name) is None), None)


_MISSING = {name: library for name, home in HOMES.items() if (library := _missing_library(home))}
# What cannot be imported here is not offered either: `from eulac import *` must work.
__all__ = sorted(HOMES.keys() - _MISSING)


# Names are imported when they are first used: the command line answers `--help` without waiting
# for scikit-learn.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("eulac")
    if name not in HOMES:
        raise AttributeError(f"module 'eulac' has no attribute {name!r}")
    if name in _MISSING:
        # `hasattr` must get an AttributeError. Of an AttributeError in `from eulac import name`
        # Python keeps no word, so the import statement gets an ImportError.
        asked_by_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        title, extra = _MISSING[name]
        raise (ImportError if asked_by_import else AttributeError)(
            f"eulac.{name} needs {title}, which is not installed. Install it with: "
            f"pip install 'eulac[{extra}]'."
        )
    globals()[name] = value = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
