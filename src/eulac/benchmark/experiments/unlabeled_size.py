"""Figure 2: macro-F1 against the number of unlabeled rows."""

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.experiments.table1 import METHODS_OF_TABLE_1
from eulac.benchmark.report_parts import curves_part

__all__ = ["EXPERIMENT"]

METHODS = ("lacu_svm", "pac_iforest", "kernel")


def plan(scope: Scope) -> Plan:
    """List trials with 250 to 1500 unlabeled rows."""
    datasets, remarks = datasets_at_hand(scope.datasets, ("mnist", "landset", "usps"))
    sizes = (100, 200, 400) if scope.quick else range(250, 1501, 250)
    conditions = [{"n_unlabeled": size} for size in sizes]
    trials = trial_grid(
        *("unlabeled_size", scope, datasets, METHODS, conditions), draws=10, samples=1
    )
    return Plan(tuple(trials), remarks)


EXPERIMENT = Experiment(
    "Size of the unlabeled sample",
    METHODS,
    plan,
    curves_part("n_unlabeled", "macro_f1"),
    "eulac.benchmark.paper_figures:unlabeled_size_figure",
    tuple(name for name in METHODS_OF_TABLE_1 if name not in METHODS),
    varied=("n_unlabeled",),
)
