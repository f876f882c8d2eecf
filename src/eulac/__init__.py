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

_NEEDS_TORCH = {name for name, home in HOMES.items() if home.startswith("eulac.deep.")}
_HAS_TORCH = find_spec("torch") is not None
# What cannot be imported here is not offered either: `from eulac import *` must work.
__all__ = sorted(HOMES if _HAS_TORCH else HOMES.keys() - _NEEDS_TORCH)


# Names are imported when they are first used: the command line answers `--help` without waiting
# for scikit-learn.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("eulac")
    if name not in HOMES:
        raise AttributeError(f"module 'eulac' has no attribute {name!r}")
    if name in _NEEDS_TORCH and not _HAS_TORCH:
        # `hasattr` must get an AttributeError. Of an AttributeError in `from eulac import name`
        # Python keeps no word, so the import statement gets an ImportError.
        asked_by_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        raise (ImportError if asked_by_import else AttributeError)(
            f"eulac.{name} needs PyTorch, which is not installed. Install it with: "
            "pip install 'eulac[deep]'."
        )
    globals()[name] = value = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
