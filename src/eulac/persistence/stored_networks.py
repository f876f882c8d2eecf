"""Networks in model files: their numbers as arrays, their shape as the name they were built by.

No module is stored, so none has to be trusted: loading builds the network anew from the
classifier's settings and copies the arrays into it.
"""

import copy
from typing import Any

import numpy as np

from eulac.exceptions import ModelFileError

__all__ = ["with_networks", "without_networks"]

WEIGHTS = "stored_networks_"
OUTPUTS = "stored_outputs_"


def without_networks(model: Any) -> Any:
    """Return a copy of a deep classifier with arrays in place of modules; others as they are."""
    if not type(model).__module__.startswith("eulac.deep."):
        return model
    if not isinstance(model.network, str):
        raise ModelFileError(
            "a network must be one of ours, given by its name, to be stored with a model; got "
            f"{type(model.network).__name__}. Store your own network's state_dict beside it."
        )
    stored = copy.copy(model)
    modules = {name: value for name, value in vars(model).items() if hasattr(value, "state_dict")}
    arrays = {name: _arrays(module) for name, module in modules.items()}
    for name in modules:
        delattr(stored, name)
    setattr(stored, WEIGHTS, arrays)
    row = next(model.network_.parameters()).new_zeros((1, *model.row_shape_))
    setattr(stored, OUTPUTS, int(model.network_.eval()(row).shape[1]))
    return _without_path(stored)


def with_networks(model: Any) -> Any:
    """Return the classifier with its modules built again and filled."""
    weights = vars(model).pop(WEIGHTS, None)
    if weights is None:
        return model
    _without_path(model)
    n_outputs = vars(model).pop(OUTPUTS)
    for name, arrays in weights.items():
        module = _built(model, name, n_outputs, arrays)
        _fill(module, arrays)
        setattr(model, name, module)
    return model


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
