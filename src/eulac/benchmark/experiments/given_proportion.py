"""Figure 3: influence of a wrong known proportion, and how well it is estimated."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from eulac.benchmark.curves import Curve, curves_by_method, estimated_shares
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.report_parts import Part, Section, csv_point, curve_lines, curve_table
from eulac.benchmark.trial import Trial, as_pairs

__all__ = ["EXPERIMENT"]

ESTIMATES = ("kme_base", "kme_shift", "consensus")
METHODS = (*ESTIMATES, "kernel_given")
TENTHS = tuple(tenth / 10 for tenth in range(1, 10))


def plan(scope: Scope) -> Plan:
    """List estimates at each true proportion, and fits with each given one."""
    datasets, remarks = datasets_at_hand(scope.datasets, ("mnist",))
    shares = (0.3, 0.7) if scope.quick else TENTHS
    conditions = [{"known_proportion": share} for share in shares]
    trials = trial_grid(*("theta", scope, datasets, METHODS, conditions), draws=10, samples=1)
    given = (0.1, 0.3, 0.5, 0.7, 0.9) if scope.quick else TENTHS
    return Plan(tuple(_with_given_shares(trials, given)), remarks)


def _with_given_shares(trials: Iterable[Trial], shares: Sequence[float]) -> Iterable[Trial]:
    for trial in trials:
        if trial.method == "kernel_given":
            for share in shares:
                yield replace(trial, settings=as_pairs({"known_proportion": share}))
        else:
            yield trial


def part(section: Section) -> Part:
    """Return macro-F1 by given and true proportion, and the mean estimates."""
    records = section.records
    estimates = estimated_shares(records, ESTIMATES)
    lines = ["true_share,given_share,macro_f1,standard_error,n"]
    curves: dict[str, Curve] = {}
    for true in sorted({r.trial.draw.condition("known_proportion") for r in records}):
        here = [r for r in records if r.trial.draw.condition("known_proportion") == true]
        found = curves_by_method(here, lambda r: r.trial.setting("known_proportion"), "macro_f1")
        curves[f"true {true:g}"] = found.get("kernel_given", ())
        lines += [f"{true:g},{csv_point(point)}" for point in found.get("kernel_given", ())]
    paragraphs = [
        "### macro-F1 with a given proportion",
        curve_table("given", curves),
        "### Mean estimate of the proportion",
        curve_table("true", estimates, digits=3),
        "Mean ± standard error over draws. In the left panel a bar marks the true proportion on "
        "each line, and the markers of the right panel what was estimated.",
    ]
    estimated = ["dataset,method,true_share,estimate,standard_error,n"]
    estimated += curve_lines(records[0].trial.draw.dataset, estimates)
    files = {f"{section.stem}.csv": lines, f"{section.stem}_estimates.csv": estimated}
    return Part(paragraphs, {name: "\n".join(text) + "\n" for name, text in files.items()})


EXPERIMENT = Experiment(
    "The known proportion: influence and estimates",
    METHODS,
    plan,
    part,
    "eulac.benchmark.paper_figures:theta_figure",
)
