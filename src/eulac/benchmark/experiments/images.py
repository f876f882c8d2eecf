"""Table 2: networks on images, six classes known and four never labeled."""

from itertools import product

from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand
from eulac.benchmark.methods.network_methods import IMAGES, NEW_CLASSES
from eulac.benchmark.methods.trial_methods import DEEP_METHODS
from eulac.benchmark.report_parts import comparison_part
from eulac.benchmark.trial import Draw, Trial, as_pairs

__all__ = ["EXPERIMENT"]


def plan(scope: Scope) -> Plan:
    """List trials on the class splits of the literature; `draws` counts splits, at most five."""
    datasets, remarks = datasets_at_hand(scope.datasets, ("mnist", "svhn", "cifar10"))
    flat = [name for name in datasets if name not in IMAGES]
    if flat:
        raise ValueError(f"networks need images: {', '.join(IMAGES)}; got {', '.join(flat)}.")
    n_splits = min(scope.draws or (1 if scope.quick else len(NEW_CLASSES)), len(NEW_CLASSES))
    trials = [
        Trial("deep", Draw(name, split, 0, as_pairs({"epochs": epochs}), scope.seed), method)
        for split, name, method in product(
            range(n_splits), datasets, scope.methods or tuple(DEEP_METHODS)
        )
        for epochs in [1 if scope.quick else IMAGES[name].n_epochs]
    ]
    return Plan(tuple(trials), remarks)


EXPERIMENT = Experiment(
    "Networks",
    tuple(DEEP_METHODS),
    plan,
    comparison_part("deep_eulac"),
    "eulac.benchmark.paper_figures:deep_figure",
)
