"""The experiments by name. One line here and one file beside it make a new one.

A file defines `EXPERIMENT`. Nothing but names is imported here, so that the command line can offer
them at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from eulac.benchmark.experiment import Experiment, Plan, Scope

__all__ = ["EXPERIMENTS", "find_experiment", "plan_experiment"]


class Entry(NamedTuple):
    """Module of an experiment, in this folder, and what it is about."""

    module: str
    about: str


EXPERIMENTS: Mapping[str, Entry] = {
    "table1": Entry("table1", "Table 1 and its accuracy and AUC twins"),
    "families": Entry("families", "every family of classifiers and their mixture, `auto`"),
    "proportion": Entry("estimators", "every estimator of the known proportion"),
    "trust": Entry("trusted_numbers", "what a fit says of its own pool, beside the truth"),
    "coverage": Entry("share_coverage", "the known share by size and true share"),
    "drift": Entry("other_writers", "labeled rows and pool of other writers"),
    "discovery": Entry("discovered", "how many new classes, and which rows"),
    "loop": Entry("named_groups", "groups named and learned from, and what each answer is worth"),
    "moved": Entry("moved_by_hand", "known classes moved in six ways, few or many rows new"),
    "alarms": Entry("drift_alarms", "power and false alarms of the test for drift"),
    "selection": Entry("false_discoveries", "rows selected as new, and how many wrongly"),
    "unlabeled_size": Entry("unlabeled_size", "macro-F1 against unlabeled rows"),
    "theta": Entry("given_proportion", "influence and estimates of the known proportion"),
    "environments": Entry("environments", "new classes and moved priors"),
    "theory": Entry("theorems", "the theorems on a mixture"),
    "deep": Entry("images", "networks on images"),
    "deep_moved": Entry("moved_images", "networks on images whose classes' shares moved"),
    "mine": Entry("own_table", "the protocol of table1 on your own table"),
}
"""In the order of the report."""


def find_experiment(name: str) -> Experiment:
    """Return the experiment of that name."""
    from eulac.data.table_formats import did_you_mean

    if name not in EXPERIMENTS:
        raise ValueError(
            f"unknown experiment {name!r}. Known: {', '.join(EXPERIMENTS)}."
            f"{did_you_mean(name, EXPERIMENTS)}"
        )
    experiment: Experiment = import_module(f"{__name__}.{EXPERIMENTS[name].module}").EXPERIMENT
    return experiment


def plan_experiment(name: str, scope: Scope | None = None) -> Plan:
    """Return the trials of a named experiment.

    Examples
    --------
    >>> from eulac.benchmark.experiment import Scope
    >>> plan = plan_experiment("table1", Scope(datasets=["digits"], methods=["osnn"], draws=2))
    >>> len(plan.trials), plan.trials[0]
    (20, Trial(table1: osnn on digits, classes 0, rows 0))
    """
    from eulac.benchmark.experiment import Scope

    return find_experiment(name).list_trials(Scope() if scope is None else scope)
