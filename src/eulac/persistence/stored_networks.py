"""Networks in model files: their numbers as arrays, their shape as the name they were built by.

No module is stored, so none has to be trusted: loading builds the network anew from the
classifier's settings and copies the arrays into it. A network of the user's is built by the
function that built it before, found by its name; that is code which a file can only name, so
whoever loads it must have named it too.
"""

import copy
import importlib
from collections.abc import Collection
from typing import Any

import numpy as np

from eulac.classifier.own_rows import PARTS
from eulac.exceptions import ModelFileError

__all__ = ["factory_name", "with_networks", "without_networks"]

WEIGHTS = "stored_networks_"
OUTPUTS = "stored_outputs_"
FACTORY = "stored_factory_"


def without_networks(model: Any) -> Any:
    """Return a copy of a classifier with arrays in place of modules; one without as it is."""
    if any(hasattr(model, name) for name in PARTS):
        return _without_networks_in_parts(model)
    if not type(model).__module__.startswith("eulac.deep."):
        return model
    stored = copy.copy(model)
    if hasattr(model, "held_out_"):
        stored.held_out_ = None  # says something of single unlabeled rows
    if hasattr(model, "encoder_"):
        stored.encoder_ = without_networks(model.encoder_)
        return stored
    if not isinstance(model.network, str):
        stored.network = factory_name(model.network)
        setattr(stored, FACTORY, stored.network)
    modules = {name: value for name, value in vars(model).items() if hasattr(value, "state_dict")}
    arrays = {name: _arrays(module) for name, module in modules.items()}
    for name in modules:
        delattr(stored, name)
    setattr(stored, WEIGHTS, arrays)
    row = next(model.network_.parameters()).new_zeros((1, *model.row_shape_))
    setattr(stored, OUTPUTS, int(model.network_.eval()(row).shape[1]))
    return _without_path(stored)


def with_networks(model: Any, trusted: Collection[str] = ()) -> Any:
    """Return the classifier with its modules built again and filled.

    Parameters
    ----------
    model : classifier
        As `without_networks` leaves it.
    trusted : collection of str
        Names of functions that may be called to build a network, as ``"module:function"``.
    """
    for part in _parts(model):
        with_networks(part, trusted)
    if hasattr(model, "encoder_"):
        with_networks(model.encoder_, trusted)
        return model
    weights = vars(model).pop(WEIGHTS, None)
    if weights is None:
        return model
    _without_path(model)
    if (name := vars(model).pop(FACTORY, None)) is not None:
        model.network = _trusted_factory(name, trusted)
    n_outputs = vars(model).pop(OUTPUTS)
    for name, arrays in weights.items():
        module = _built(model, name, n_outputs, arrays)
        _fill(module, arrays)
        setattr(model, name, module)
    return model


def _without_networks_in_parts(model: Any) -> Any:
    """Return a copy of a classifier around others, if one of them has a network."""
    stored, changed = copy.copy(model), False
    for name in PARTS:
        parts = getattr(model, name, None)
        if isinstance(parts, dict):
            bare: Any = {key: without_networks(part) for key, part in parts.items()}
            changed |= any(bare[key] is not part for key, part in parts.items())
            setattr(stored, name, bare)
        elif isinstance(parts, list):
            setattr(stored, name, [without_networks(part) for part in parts])
            changed = True
    return stored if changed else model


def _parts(model: Any) -> list[Any]:
    """Return the classifiers a classifier keeps."""
    kept = (getattr(model, name, ()) for name in PARTS)
    return [part for one in kept for part in (one.values() if isinstance(one, dict) else one)]


def factory_name(network: Any) -> str:
    """Return the name by which a function can be imported, ``"module:function"``.

    Examples
    --------
    >>> from eulac.deep.networks import mlp
    >>> factory_name(mlp)
    'eulac.deep.networks:mlp'
    """
    name = f"{getattr(network, '__module__', '')}:{getattr(network, '__qualname__', '')}"
    if hasattr(network, "state_dict") or _found(name) is not network:
        raise ModelFileError(
            "a network must be given by a name of ours, or by a function that can be imported from "
            f"a module, to be stored with a model; got {type(network).__name__} "
            f"{name.strip(':')!r}. Move the function that builds it to a module, and pass that."
        )
    return name


def _found(name: str) -> Any:
    """Return the function of a name, or None; what was run as a script has no name of its own."""
    module, _, function = name.partition(":")
    if not module or module == "__main__" or not function.isidentifier():
        return None
    try:
        return getattr(importlib.import_module(module), function, None)
    except ImportError:
        return None


def _trusted_factory(name: Any, trusted: Collection[str]) -> Any:
    """Return the function that builds a network, if whoever loads the file has named it."""
    if not isinstance(name, str) or name not in trusted:
        raise ModelFileError(
            f"the network of this model is built by the function {str(name)[:120]!r}, which is "
            "code; it is imported and called only where you allow it. If you trust it: "
            f"eulac.load(path, trusted_networks=[{str(name)[:120]!r}])."
        )
    factory = _found(name)
    if not callable(factory):
        raise ModelFileError(
            f"the function {name[:120]!r}, which builds the network of this model, must be "
            "importable; it is not. Install or write the module it is in."
        )
    return factory


def _without_path(model: Any) -> Any:
    """Return the model without the file of its checkpoints: a path in a file is never followed."""
    if hasattr(model, "checkpoint"):
        model.checkpoint = None
    return model


def _arrays(module: Any) -> dict[str, Any]:
    return {name: tensor.cpu().numpy() for name, tensor in module.state_dict().items()}


def _built(model: Any, name: str, n_outputs: int, arrays: dict[str, Any]) -> Any:
    """Return the module, built only once it is known to be as large as what is stored of it."""
    from eulac.deep.networks import without_memory
    from eulac.deep.training import choose_device

    with without_memory():
        _require_layers(_build(model, name, n_outputs).state_dict(), arrays)
    return _build(model, name, n_outputs).to(choose_device(model.device)).eval()


def _build(model: Any, name: str, n_outputs: int) -> Any:
    from eulac.deep.generator import build_generator
    from eulac.deep.networks import build_network

    shape = tuple(model.row_shape_)
    if name == "generator_":
        return build_generator(shape, model.n_latent)
    return build_network(model._network_name(shape), shape, n_outputs)


def _require_layers(tensors: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Refuse arrays that are not those of the network's layers, by name and shape."""
    if tensors.keys() != arrays.keys():
        raise ModelFileError("the stored network must have the layers its name says; it has not.")
    for name, tensor in tensors.items():
        if tuple(tensor.shape) != np.shape(arrays[name]):
            raise ModelFileError(
                f"layer {name!r} of the stored network must have the shape "
                f"{tuple(tensor.shape)}; got {np.shape(arrays[name])}."
            )


def _fill(module: Any, arrays: dict[str, Any]) -> None:
    """Copy arrays into a module's tensors; by methods of theirs, as torch lives in `deep`."""
    for name, tensor in module.state_dict().items():
        tensor.copy_(tensor.new_tensor(np.asarray(arrays[name])))
