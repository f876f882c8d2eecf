"""Constructors that name their own parameters only, and pass those of their bases on."""

import inspect
from typing import Any

__all__ = ["InheritsParameters"]

OWN = "__own_signature__"


class InheritsParameters:
    """A class whose `__init__` ends in ``**shared`` has the parameters of its bases as well.

    scikit-learn reads the parameters of an estimator from the signature of its constructor. Here
    that signature is completed with what the bases take, so that `get_params`, `clone` and `help`
    see every parameter, while each stands in one place.

    Examples
    --------
    >>> class Base(InheritsParameters):
    ...     def __init__(self, *, scale="minmax", random_state=None):
    ...         self.scale, self.random_state = scale, random_state
    >>> class Machine(Base):
    ...     def __init__(self, cost=1.0, **shared):
    ...         super().__init__(**shared)
    ...         self.cost = cost
    >>> inspect.signature(Machine)
    <Signature (cost=1.0, *, scale='minmax', random_state=None)>
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        constructor = vars(cls).get("__init__")
        if constructor is not None:
            constructor.__dict__[OWN] = inspect.signature(constructor)
            constructor.__dict__["__signature__"] = _completed(cls)


def _completed(cls: type) -> inspect.Signature:
    """Return the parameters of a constructor, then those of the bases it passes `**shared` to."""
    found: dict[str, inspect.Parameter] = {}
    for base in cls.__mro__:
        signature = getattr(vars(base).get("__init__"), OWN, None)
        if signature is None:
            continue
        parameters = signature.parameters.values()
        for parameter in parameters:
            if parameter.kind is not parameter.VAR_KEYWORD:
                kind = parameter.kind if base is cls else parameter.KEYWORD_ONLY
                found.setdefault(parameter.name, parameter.replace(kind=kind))
        if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters):
            break
    return inspect.Signature(list(found.values()))
