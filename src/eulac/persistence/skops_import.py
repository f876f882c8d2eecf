"""skops, imported without the engines of arrays that scikit-learn could work with.

skops asks scikit-learn for all its estimators, and scikit-learn imports every package it has to
find them, three of which import PyTorch, Dask and CuPy where installed: seconds, for nothing.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["import_skops"]

ENGINES = tuple(f"sklearn.externals.array_api_compat.{name}" for name in ("cupy", "dask", "torch"))


def import_skops() -> ModuleType:
    """Return the module `skops.io`.

    Examples
    --------
    >>> import_skops().__name__
    'skops.io'
    """
    if "skops.io" in sys.modules:
        return sys.modules["skops.io"]
    refusal = _NoEngines()
    sys.meta_path.insert(0, refusal)
    try:
        import_module("skops.io.exceptions")
        return import_module("skops.io")
    finally:
        sys.meta_path.remove(refusal)


class _NoEngines(MetaPathFinder):
    """Says of those packages that they are not there; scikit-learn then goes on to the next."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in ENGINES:
            raise ModuleNotFoundError(f"{fullname} is not needed here", name=fullname)
        return None
