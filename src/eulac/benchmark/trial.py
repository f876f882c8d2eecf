"""One trial of an experiment, as data: what is drawn, what is fitted, and every seed.

Trials are listed before anything runs. Their seeds come from their own content, so results depend
neither on the order of the trials nor on who runs them.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Draw", "Trial", "as_pairs", "group_by_draw", "seed_of"]

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Draw:
    """Which rows are drawn: all that the methods compared on them have in common.

    Parameters
    ----------
    dataset : str
    class_draw, sample_draw : int
        Counters: of the draw of known classes, and of the rows drawn given the classes.
    conditions : tuple of pairs, default=()
        What departs from the paper's main protocol: ``(("n_unlabeled", 250),)``. A mapping is
        turned into sorted pairs.
    seed : int, default=0
        One for the whole experiment; another one gives another experiment.

    Examples
    --------
    >>> draw = Draw("usps", 3, 1, {"n_unlabeled": 250})
    >>> draw.condition("n_unlabeled"), draw.class_seed == Draw("usps", 3, 9).class_seed
    (250, True)
    """

    dataset: str
    class_draw: int = 0
    sample_draw: int = 0
    conditions: Settings = ()
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", as_pairs(self.conditions))

    def condition(self, name: str, default: Any = None) -> Any:
        """Return one condition, or the default where the draw does not set it."""
        return dict(self.conditions).get(name, default)

    @property
    def class_seed(self) -> int:
        """Seed of the draw of known classes; the same under all conditions."""
        return seed_of("classes", self.dataset, self.class_draw, self.seed)

    @property
    def sample_seed(self) -> int:
        """Seed of the draw of rows; the same under all conditions, which makes them comparable."""
        return seed_of("rows", self.dataset, self.class_draw, self.sample_draw, self.seed)

    @property
    def fit_seed(self) -> int:
        """Seed of every method fitted on this draw."""
        conditions = dict(self.conditions)
        place = (self.dataset, self.class_draw, self.sample_draw, self.seed)
        return seed_of("fit", *place, conditions)


@dataclass(frozen=True)
class Trial:
    """A method with its settings on a draw, within a named experiment.

    Parameters
    ----------
    experiment : str
    draw : Draw
    method : str
        A key of `eulac.benchmark.methods.trial_methods.TRIAL_METHODS`.
    settings : tuple of pairs, default=()
        What departs from the method's own settings. A mapping is turned into sorted pairs.

    Examples
    --------
    >>> trial = Trial("table1", Draw("usps", 3, 1), "kernel")
    >>> trial
    Trial(table1: kernel on usps, classes 3, rows 1)
    >>> Trial.from_dict(trial.as_dict()) == trial
    True
    """

    experiment: str
    draw: Draw
    method: str
    settings: Settings = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", as_pairs(self.settings))

    @property
    def key(self) -> str:
        """Sixteen hexadecimal digits that stand for the whole content of the trial."""
        return _digest(self.as_dict())[:16]

    def setting(self, name: str, default: Any = None) -> Any:
        """Return one setting, or the default where the trial does not set it."""
        return dict(self.settings).get(name, default)

    def as_dict(self) -> dict[str, Any]:
        """Return the content as plain values."""
        return {
            "experiment": self.experiment,
            "dataset": self.draw.dataset,
            "class_draw": self.draw.class_draw,
            "sample_draw": self.draw.sample_draw,
            "conditions": dict(self.draw.conditions),
            "method": self.method,
            "settings": dict(self.settings),
            "seed": self.draw.seed,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Trial":
        """Return the trial with that content."""
        draw = Draw(
            content["dataset"],
            content["class_draw"],
            content["sample_draw"],
            as_pairs(content["conditions"]),
            content["seed"],
        )
        settings = as_pairs(content["settings"])
        return cls(content["experiment"], draw, content["method"], settings)

    def __repr__(self) -> str:
        draw = self.draw
        extras = "".join(f", {name} {value}" for name, value in draw.conditions + self.settings)
        return (
            f"Trial({self.experiment}: {self.method} on {draw.dataset}, "
            f"classes {draw.class_draw}, rows {draw.sample_draw}{extras})"
        )


def group_by_draw(trials: Iterable[Trial]) -> list[tuple[Trial, ...]]:
    """Return the trials in groups that share a draw, in the order in which draws first appear.

    Examples
    --------
    >>> one, two = Draw("usps", 0), Draw("usps", 1)
    >>> trials = [Trial("t", one, "osnn"), Trial("t", two, "osnn"), Trial("t", one, "evm")]
    >>> [[trial.method for trial in group] for group in group_by_draw(trials)]
    [['osnn', 'evm'], ['osnn']]
    """
    groups: dict[Draw, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(trial.draw, []).append(trial)
    return [tuple(group) for group in groups.values()]


def seed_of(*content: Any) -> int:
    """Return a seed below 2**32 that depends on all of the content and on nothing else.

    Examples
    --------
    >>> seed_of("rows", "usps", 0) == seed_of("rows", "usps", 0) != seed_of("rows", "usps", 1)
    True
    """
    return int(np.random.SeedSequence(int(_digest(content), 16)).generate_state(1)[0])


def as_pairs(values: Mapping[str, Any] | Settings) -> Settings:
    """Return settings as sorted pairs, which can be compared and hashed.

    Examples
    --------
    >>> as_pairs({"b": [1, 2], "a": 0})
    (('a', 0), ('b', (1, 2)))
    """
    items = values.items() if isinstance(values, Mapping) else values
    return tuple(sorted((name, _frozen(value)) for name, value in items))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
