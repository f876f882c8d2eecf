"""Section 5.3: new classes and moved priors of the known ones at once."""

from dataclasses import replace

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.report_parts import curves_part

__all__ = ["EXPERIMENT"]

METHODS = (
    *("kernel_base", "kernel_base_plus", "kernel_shift", "kernel_shift_auto", "ovr_shift"),
    "lacu_svm",
)


def plan(scope: Scope) -> Plan:
    """List trials at eight intensities; `draws` counts draws of rows, as classes are fixed."""
    datasets, remarks = datasets_at_hand(scope.datasets, ("mnist",))
    intensities = (0.0, 0.7) if scope.quick else tuple(tenth / 10 for tenth in range(8))
    conditions = [{"shift_intensity": intensity} for intensity in intensities]
    scope = replace(scope, draws=1, samples=scope.samples or scope.draws)
    trials = trial_grid(
        *("environments", scope, datasets, METHODS, conditions), draws=1, samples=10
    )
    return Plan(tuple(trials), remarks)


EXPERIMENT = Experiment(
    "New classes and moved priors",
    METHODS,
    plan,
    curves_part("shift_intensity", "accuracy"),
    "eulac.benchmark.paper_figures:environments_figure",
)
