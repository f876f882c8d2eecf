"""The objects a model is made of, found through attributes and containers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["children", "parts_of"]

CONTAINERS = (dict, list, tuple, set, np.ndarray)
PLAIN = (str, bytes, int, float, type(None))


def parts_of(model: Any) -> Iterator[Any]:
    """Yield the objects a model is made of, each once, the outermost first; no containers.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Normalizer
    >>> [type(part).__name__ for part in parts_of([make_pipeline(Normalizer())])]
    ['Pipeline', 'Normalizer']
    """
    return _parts(model, set())


def _parts(item: Any, seen: set[int]) -> Iterator[Any]:
    if id(item) in seen or isinstance(item, PLAIN):
        return
    seen.add(id(item))
    if not isinstance(item, CONTAINERS):
        yield item
    for child in children(item):
        yield from _parts(child, seen)


def children(item: Any) -> list[Any]:
    """Return what a container holds, or the attributes of an object."""
    if isinstance(item, dict):
        return list(item.values())
    if isinstance(item, list | tuple | set):
        return list(item)
    if isinstance(item, np.ndarray):
        # Entries under a mask are there for compiled code, which does not look at it.
        return np.ma.getdata(item).ravel().tolist() if item.dtype == object else []
    return list(getattr(item, "__dict__", {}).values())
