"""The protocol of Table 1 on a table of the user's."""

import hashlib
from pathlib import Path

from eulac.benchmark.experiment import Experiment, Plan, Scope, trial_grid
from eulac.benchmark.experiments.table1 import METHODS_OF_TABLE_1
from eulac.benchmark.methods.judged_fits import JudgedFit
from eulac.benchmark.methods.method_kinds import EstimateOnly, Measurement
from eulac.benchmark.methods.network_methods import NetworkMethod
from eulac.benchmark.methods.trial_methods import TRIAL_METHODS
from eulac.benchmark.report_parts import comparison_part

__all__ = ["EXPERIMENT"]

OTHER_METHODS_HERE = tuple(
    name
    for name, method in TRIAL_METHODS.items()
    if name not in METHODS_OF_TABLE_1
    and not isinstance(method, EstimateOnly | JudgedFit | Measurement | NetworkMethod)
)
"""Every classifier of rows may be asked for; networks of images have draws of their own."""


def plan(scope: Scope) -> Plan:
    """List trials; the content of the file is a part of them: a changed table is a new one."""
    if scope.table is None:
        raise ValueError("`mine` needs a table: --table my.csv --label-column y.")
    file = Path(scope.table.path)
    if not file.is_file():
        raise FileNotFoundError(f"`--table` must name an existing file; got {scope.table.path!r}.")
    name = file.name.split(".")[0]
    content = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    conditions = [{"table": content, "label_column": scope.table.label_column}]
    trials = trial_grid(
        *("mine", scope, [name], METHODS_OF_TABLE_1, conditions), draws=10, samples=3
    )
    return Plan(tuple(trials), tables={name: scope.table})


EXPERIMENT = Experiment(
    "The protocol of table 1 on your table",
    METHODS_OF_TABLE_1,
    plan,
    comparison_part("kernel"),
    "eulac.benchmark.paper_figures:table1_figure",
    OTHER_METHODS_HERE,
)
