"""Table 1 and its accuracy and AUC twins: half of the classes are never labeled."""

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.methods.trial_methods import CONTENDERS
from eulac.benchmark.report_parts import comparison_part

__all__ = ["EXPERIMENT", "METHODS_OF_TABLE_1", "OTHER_METHODS"]

DATASETS_OF_TABLE_1 = (
    *("usps", "segment", "satimage", "optdigits", "pendigits", "senseveh", "landset", "mnist"),
    "shuttle",
)
METHODS_OF_TABLE_1 = (*CONTENDERS, "kernel_paper", "kernel", "auto")
OTHER_METHODS = ("kernel_paper_grid",)


def plan(scope: Scope) -> Plan:
    """List a hundred configurations of every method."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS_OF_TABLE_1, skip_stand_ins=True)
    trials = trial_grid("table1", scope, datasets, METHODS_OF_TABLE_1, draws=10, samples=10)
    return Plan(tuple(trials), remarks)


EXPERIMENT = Experiment(
    "Table 1: half of the classes never labeled",
    METHODS_OF_TABLE_1,
    plan,
    comparison_part("kernel"),
    "eulac.benchmark.paper_figures:table1_figure",
    OTHER_METHODS,
)
