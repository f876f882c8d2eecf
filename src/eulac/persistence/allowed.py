"""What a model file may hold: a fixed list of loaders and types, checked before anything is made.

The list is that of our own package (classes without hooks, in the rooms models live in),
scikit-learn's estimators and what they are made of, plain containers, NumPy arrays and scalars. No
functions, no methods, no constructor calls with arguments from the file. Classes and functions
beyond the list enter where whoever saves and whoever loads the file have named them.
"""

import hashlib
import importlib
import inspect
import json
import pkgutil
import zipfile
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from eulac.exceptions import ModelFileError
from eulac.persistence.archive import check_array_member
from eulac.persistence.skops_import import estimator_names, newest_protocol

__all__ = ["check_payload", "is_ours", "require_names"]

ROOMS_WITHOUT_MODELS = frozenset(
    {"benchmark", "cli", "distributed", "evaluation", "persistence", "report"}
)
"""Where no class lives whose instances may be part of a fitted model. A new room has models."""

BOOSTING = "sklearn.ensemble._hist_gradient_boosting"
SKLEARN_PARTS = {
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
    *(f"sklearn._loss.loss.Half{name}Loss" for name in ("Binomial", "Multinomial")),
    "sklearn._loss._loss.CyHalfMultinomialLoss",  # without state; no `LossNode` of older skops
    *(f"sklearn._loss.link.{name}" for name in ("LogitLink", "MultinomialLogit", "Interval")),
    *(f"{BOOSTING}.{name}" for name in ("binning._BinMapper", "predictor.TreePredictor")),
    *(f"sklearn.calibration.{name}" for name in ("_CalibratedClassifier", "_SigmoidCalibration")),
    *(f"sklearn.neural_network._stochastic_optimizers.{o}Optimizer" for o in ("Adam", "SGD")),
    *(f"sklearn.model_selection._split.{name}" for name in ("KFold", "StratifiedKFold")),
    "sklearn.metrics._scorer._PassthroughScorer",
    # of that scorer, before scikit-learn 1.7
    *(f"sklearn.utils._metadata_requests.{m}MetadataRequest" for m in ("", "Method")),
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    *(
        f"sklearn.gaussian_process.kernels.{name}"
        for name in ("ConstantKernel", "Matern", "Product", "RBF", "Sum", "WhiteKernel")
    ),
}
"""What column transformers, histogram boosting, calibration, networks of layers, searches of
settings and Gaussian processes are made of: plain classes, which compiled code does not read."""

BY_CONSENT = ("ObjectNode", "FunctionNode")
"""Loaders that may make what was named: an instance with its attributes, a function as it is. None
that calls something with arguments from the file."""

PRIMITIVES = {f"builtins.{name}" for name in ("int", "float", "str", "bool")}
SIZES = {
    "TreeNode": (("__reduce__", "args", "content", 2), 1),
    "RandomGeneratorNode": (("content", "seed_seq", "content", "pool_size"), 4),
}
"""Where constructors find a number they would believe, whatever it is, and what it must be: the
outputs of a tree, the pool of a seed sequence."""

SCHEMA = "schema.json"
HOOKS = frozenset({"__new__", "__setstate__", "__del__", "__reduce__"})
OLDEST_PROTOCOL = 2
"""Of skops; ours were never written with an older one, whose loaders are less strict."""

DEEPEST = 300
"""Lists and objects within one another; the default has 29."""

MARKS = frozenset({"__loader__", "__class__", "__id__"})
"""Keys by which skops takes a piece of JSON for an object."""


def require_names(trusted_types: Collection[str]) -> None:
    """Refuse a single text, each letter of which would be taken for a name."""
    if isinstance(trusted_types, str):
        raise TypeError(
            f"`trusted_types` must be a list of names; got the text {trusted_types[:120]!r}. Write "
            f"trusted_types=[{trusted_types[:120]!r}]."
        )


def check_payload(
    archive: zipfile.ZipFile, source: str, trusted_types: Collection[str] = ()
) -> list[str]:
    """Return the types in a skops archive, after refusing any that is not on the list.

    Nothing is imported but modules of this package, and nothing is made. What `trusted_types`
    names is on the list too.
    """
    schema = _read_schema(archive, source)
    states = list(_states(schema, source))
    for state in states:
        _check_state(state, source, trusted_types)
    digests = {name: _digest(archive, name) for name in archive.namelist() if name != SCHEMA}
    _check_names(states, digests, source)
    return sorted({_type_name(state) for state in states})


def _read_schema(archive: zipfile.ZipFile, source: str) -> dict[str, Any]:
    try:
        schema = json.loads(archive.read(SCHEMA))
        protocol = schema["protocol"]
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise ModelFileError(
            f"{source} must describe the model it holds; its description is missing or damaged. "
            "Save the model again."
        ) from error
    newest = newest_protocol()
    is_number = isinstance(protocol, int) and not isinstance(protocol, bool)
    if not is_number or not OLDEST_PROTOCOL <= protocol <= newest:
        raise ModelFileError(
            f"{source} must use a skops protocol from {OLDEST_PROTOCOL} to {newest}; got "
            f"{str(protocol)[:40]!r}. Install a newer skops, or save the model again."
        )
    return schema


def _digest(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the digest of an array's bytes, after a look at what it claims."""
    content = archive.read(name)
    check_array_member(content, name)
    return hashlib.sha256(content).digest()


def _states(schema: Any, source: str) -> Iterator[dict[str, Any]]:
    """Yield every described object; none may lie deeper than those who build them can go."""
    stack = [(schema, 0)]
    while stack:
        item, depth = stack.pop()
        if depth > DEEPEST:
            raise ModelFileError(
                f"{source} must hold a model of at most {DEEPEST} parts within one another; it "
                "has more. Save the model again."
            )
        if isinstance(item, dict) and not MARKS.isdisjoint(item):
            yield item
        if isinstance(item, dict | list):
            inner = item.values() if isinstance(item, dict) else item
            stack.extend((part, depth + 1) for part in inner)


def _type_name(state: dict[str, Any]) -> str:
    return f"{state.get('__module__')}.{state.get('__class__')}"


def _check_state(state: dict[str, Any], source: str, trusted_types: Collection[str]) -> None:
    loader, name = state.get("__loader__"), _type_name(state)
    if loader == "JsonNode":
        return
    allowed = _types_of(loader) if isinstance(loader, str) else frozenset()
    if isinstance(loader, str) and loader in SIZES and not _has_size(state, SIZES[loader]):
        raise ModelFileError(f"a {loader} of {source} must be of the usual size; one is not.")
    if name in allowed or (loader in ("ObjectNode", "TupleNode") and is_ours(name)):
        return
    if loader not in BY_CONSENT or name not in trusted_types:
        raise ModelFileError(
            f"{source} must hold only types of eulac, scikit-learn estimators, and plain data; it "
            f"has {name[:120]!r}, loaded as {str(loader)[:40]!r}. {_remedy(loader, name)}"
        )


def _remedy(loader: Any, name: str) -> str:
    other = "fit with another estimator (forests, boosting, linear models and SVC can be stored)"
    if loader not in BY_CONSENT:
        return (
            f"Such a part cannot be stored safely: {other}, or keep the model with joblib, whose "
            "files run code when they are loaded."
        )
    return (
        f"That is code beyond our list, used only where you allow it. If you trust it, name it, "
        f"trusted_types=[{name[:120]!r}], both to eulac.save and to eulac.load; otherwise {other}."
    )


@cache
def _types_of(loader: str) -> frozenset[str]:
    numbers = {f"{t.__module__}.{t.__name__}" for t in np.sctypeDict.values()}
    types: dict[str, set[str]] = {
        "DictNode": {"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"},
        "ListNode": {"builtins.list"},
        "SetNode": {"builtins.set"},
        "TupleNode": {"builtins.tuple"},
        "SliceNode": {"builtins.slice"},
        "TypeNode": PRIMITIVES | numbers,
        "NdArrayNode": numbers | {"numpy.ndarray"},
        "MaskedArrayNode": {"numpy.ma.MaskedArray"},
        "DTypeNode": {"numpy.dtype"},
        "RandomStateNode": {"numpy.random.mtrand.RandomState"},
        "RandomGeneratorNode": {"numpy.random._generator.Generator"},
        "TreeNode": {"sklearn.tree._tree.Tree"},
        "LossNode": {f"sklearn._loss._loss.CyHalf{n}Loss" for n in ("Binomial", "Multinomial")},
    }
    if loader == "ObjectNode":
        return frozenset(SKLEARN_PARTS | estimator_names())
    return frozenset(types.get(loader, ()))


@cache
def _our_modules() -> frozenset[str]:
    """Names of all modules of this package, found without importing them."""
    package = Path(__file__).parent.parent
    rooms = (room.name for room in pkgutil.iter_modules([str(package)]) if room.ispkg)
    return frozenset(
        module.name
        for room in rooms
        if room not in ROOMS_WITHOUT_MODELS
        for module in pkgutil.iter_modules([str(package / room)], f"eulac.{room}.")
    )


@cache
def is_ours(name: str) -> bool:
    """Whether a type of this package may be part of a model: no functions, no foreign names.

    Examples
    --------
    >>> is_ours("eulac.data.labels.LabelCodec"), is_ours("eulac.data.labels.np")
    (True, False)
    """
    module_name, _, class_name = name.rpartition(".")
    if module_name not in _our_modules():
        return False
    kind = getattr(importlib.import_module(module_name), class_name, None)
    if not inspect.isclass(kind) or kind.__module__ != module_name:
        return False
    return _is_named_tuple(kind) or all(map(_is_plain, kind.__mro__))


def _is_named_tuple(kind: type) -> bool:
    return kind.__bases__ == (tuple,) and hasattr(kind, "_fields")


def _is_plain(base: type) -> bool:
    """Whether making an instance and setting its attributes runs nothing of the class itself."""
    if base.__module__.partition(".")[0] == "eulac":
        return HOOKS.isdisjoint(vars(base))
    return base.__module__.partition(".")[0] in ("builtins", "sklearn", "typing", "abc")


def _has_size(state: dict[str, Any], place: tuple[tuple[Any, ...], int]) -> bool:
    keys, size = place
    item: Any = state
    try:
        for key in keys:
            item = item[key]
        return item["__loader__"] == "JsonNode" and json.loads(item["content"]) == size
    except (LookupError, TypeError, ValueError):
        return False


def _check_names(states: list[dict[str, Any]], digests: dict[str, bytes], source: str) -> None:
    """Refuse parts of one name that differ, and bytes read for several arrays.

    skops takes the first of several parts with the same id for all of them. Were they allowed to
    differ, one could be checked and another be made; and a list of twice the same list of twice
    the same list ... would be short in a file and endless in memory.
    """
    first: dict[Any, dict[str, Any]] = {}
    owners: dict[str, Any] = {}
    for state in states:
        key, file = state.get("__id__"), state.get("file")
        known = state if key is None else first.setdefault(key, state)
        # Equal to the last name and file they mean the same, which is told far sooner.
        same = known == state or _meaning(known, digests) == _meaning(state, digests)
        if not same or (file is not None and owners.setdefault(str(file), key) != key):
            raise ModelFileError(f"parts of {source} must have names and bytes of their own.")
    if surplus := sorted(digests.keys() - owners.keys()):
        raise ModelFileError(
            f"every member of {source} must be part of the model; {surplus[0][:60]!r} is not."
        )


def _meaning(item: Any, digests: dict[str, bytes]) -> Any:
    """Return a description without names, bytes in place of the files that hold them."""
    if isinstance(item, list):
        return [_meaning(value, digests) for value in item]
    if not isinstance(item, dict):
        return item
    kept = {key: value for key, value in item.items() if key != "__id__"}
    if "file" in kept:
        kept["file"] = digests.get(str(kept["file"]))
    return {
        key: value if key == "file" else _meaning(value, digests) for key, value in kept.items()
    }
