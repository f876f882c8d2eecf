"""scikit-learn's estimators and skops, found without the engines of arrays they could work with.

Both import every package of scikit-learn, three of which import PyTorch, Dask and CuPy where
installed: seconds, for nothing.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from sklearn.utils import all_estimators

__all__ = ["estimator_names", "import_skops", "newest_protocol"]

ENGINES = tuple(f"sklearn.externals.array_api_compat.{name}" for name in ("cupy", "dask", "torch"))


def import_skops() -> ModuleType:
    """Return the module `skops.io`.

    Examples
    --------
    >>> import_skops().__name__
    'skops.io'
    """
    with _no_array_engines():
        import_module("skops.io.exceptions")
        return import_module("skops.io")


def newest_protocol() -> int:
    """Return the latest form of files that the installed skops reads.

    Examples
    --------
    >>> newest_protocol() >= 2
    True
    """
    import_skops()
    return int(import_module("skops.io._protocol").PROTOCOL)


def estimator_names() -> set[str]:
    """Return the full names of scikit-learn's estimators.

    Examples
    --------
    >>> "sklearn.linear_model._logistic.LogisticRegression" in estimator_names()
    True
    """
    with _no_array_engines():
        return {f"{kind.__module__}.{kind.__name__}" for _, kind in all_estimators()}


@contextmanager
def _no_array_engines() -> Iterator[None]:
    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)
    try:
        yield
    finally:
        sys.meta_path.remove(refusal)


class _Refusal(MetaPathFinder):
    """Says of those packages that they are not there; scikit-learn then goes on to the next."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in ENGINES:
            raise ModuleNotFoundError(f"{fullname} is not needed here", name=fullname)
        return None
