"""What docstrings say of defaults, and what signatures say, of all that a room offers."""

import ast
import importlib
import inspect
import pkgutil
import re

LINE = re.compile(r"^(?P<names>\w+(?:, \w+)*) : .*default=(?P<value>.+)$")


def documented_defaults(room):
    """Return places of parameters, and for each the default its docstring states and the real one.

    Of public functions, classes and their methods in the modules of a room.
    """
    package = importlib.import_module(f"eulac.{room}")
    found = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        loaded = importlib.import_module(module.name)
        for name in getattr(loaded, "__all__", ()):
            for place, part in _with_methods(f"{module.name}.{name}", getattr(loaded, name)):
                found |= {f"{place}({key})": pair for key, pair in _stated(part).items()}
    return found


def _with_methods(place, thing):
    if inspect.isfunction(thing):
        yield place, thing
    if inspect.isclass(thing):
        yield place, thing
        for name, method in vars(thing).items():
            # What scikit-learn adds, `set_fit_request` and the like, is its own to document.
            if inspect.isfunction(method) and not name.startswith(("_", "set_")):
                yield f"{place}.{name}", method


def _stated(thing):
    parameters = inspect.signature(thing).parameters
    found = {}
    for line in filter(None, map(LINE.match, (inspect.getdoc(thing) or "").splitlines())):
        for name in line["names"].split(", "):
            if name in parameters:
                found[name] = ast.literal_eval(line["value"]), parameters[name].default
    return found
