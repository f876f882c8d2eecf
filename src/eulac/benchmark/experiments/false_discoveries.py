"""Rows selected as new: how many of them are known, and how many new ones are found.

Many draws, so a classifier that takes half a second: two stages of kernel logistic regression with
its proportion from one cross-fitted score. Beside it AdaDetect, by its description in Marandon,
Lei, Mary and Roquain (Annals of Statistics, 2024), with the same kernel logistic regression: half
of the labeled rows against the other half and the pool, p-values from that other half.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from eulac.any_classifier.two_stage_classifier import TwoStageEulacClassifier
from eulac.benchmark.draws import OpenDraw
from eulac.benchmark.experiment import Experiment, Plan, Scope, datasets_at_hand, trial_grid
from eulac.benchmark.records import Record
from eulac.benchmark.report_parts import Part, Section
from eulac.data.labels import AUGMENTED
from eulac.data.lac_sample import LacSample
from eulac.proportion.best_bin import estimate_from_scores
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.given import ReadyProportion
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.proportion.reduction import cross_fitted_probabilities, known_log_odds, nystroem_logistic
from eulac.risk.new_selection import NewCalibration, selected_rows

__all__ = ["EXPERIMENT", "ada_detect", "quick_proportion", "select_new"]

Array = NDArray[np.float64]

ALPHA = 0.1
METHODS = ("select_new", "ada_detect")
DATASETS = ("pendigits", "optdigits", "satimage")
SIZES = {"n_labeled": 300, "n_unlabeled": 600, "n_test": 300}
NEW_SHARES = (0.1, 0.3, 0.5)
MOVED = 0.7
"""Shift intensity of moved priors: the most frequent class is five times the rarest."""

N_LANDMARKS = 120
N_RESAMPLES = 40
WAYS = {
    "pool": ("select_new", "pool_", "its own pool"),
    "fresh": ("select_new", "fresh_", "fresh rows"),
    "ada_detect": ("ada_detect", "", "AdaDetect"),
    "ada_detect_storey": ("ada_detect", "storey_", "AdaDetect, Storey"),
}
"""Method, start of the metrics' names, and column of the report."""


def plan(scope: Scope) -> Plan:
    """List a hundred draws of each table in each of six settings, ten of classes by ten of rows."""
    datasets, remarks = datasets_at_hand(scope.datasets, DATASETS)
    sizes = {} if scope.quick else SIZES
    conditions = [
        {"known_proportion": 1.0 - new, "shift_intensity": moved, **sizes}
        for new in NEW_SHARES
        for moved in (0.0, MOVED)
    ]
    trials = trial_grid("selection", scope, datasets, METHODS, conditions, draws=10, samples=10)
    return Plan(tuple(trials), remarks)


def quick_proportion(sample: LacSample, seed: int) -> ProportionEstimate:
    """Return the known share with its interval, and whether priors moved, from one score."""
    by_class = cross_fitted_probabilities(sample, _machine(sample, seed), random_state=seed)
    found = known_priors(sample, *by_class, n_resamples=N_RESAMPLES, random_state=seed)
    priors = choose_priors(found, "auto")
    return estimate_from_scores(
        {"kernel_logistic": known_log_odds(by_class)},
        priors.used,
        method="kernel_logistic",
        known_weights=priors.weights(sample.y_labeled),
        n_resamples=N_RESAMPLES,
        random_state=seed,
        diagnostics=priors.diagnostics(),
    )


def select_new(opened: OpenDraw) -> dict[str, float]:
    """Return false share and power of `select_new`, for the pool and for fresh rows."""
    split = opened.split
    sample, seed = opened.canonical_sample
    estimate = quick_proportion(sample, seed)
    classifier = TwoStageEulacClassifier(
        _machine(sample, seed),
        known_proportion=ReadyProportion(estimate),
        n_folds=3,
        random_state=opened.draw.fit_seed,
    ).fit(*split.sample.as_masked())
    pool, fresh = (classifier.select_new(X, ALPHA) for X in (None, split.X_test))
    return {
        **_measured("pool_", pool, split.y_unlabeled == AUGMENTED),
        **_measured("fresh_", fresh, split.y_test == AUGMENTED),
        "known_share": estimate.total,
        "upper_end": estimate.interval[1],
    }


def ada_detect(opened: OpenDraw) -> dict[str, float]:
    """Return false share and power of AdaDetect on the pool, and with Storey's known share."""
    sample, seed = opened.split.sample, opened.draw.fit_seed
    order = check_random_state(seed).permutation(sample.n_labeled)
    learned, held = np.split(sample.X_labeled[order], [sample.n_labeled // 2])
    X = np.vstack([learned, held, sample.X_unlabeled])
    target = np.arange(len(X)) >= len(learned)
    score = _machine(sample, seed).fit(X, target).decision_function(X[len(learned) :])
    known, pool = np.split(score, [len(held)])
    p_values = NewCalibration(known, np.ones(len(known))).p_values(pool)
    is_new = opened.split.y_unlabeled == AUGMENTED
    storey = min((1 + np.sum(p_values >= 0.5)) / (0.5 * len(p_values)), 1.0)
    return {
        **_measured("", selected_rows(p_values, ALPHA), is_new),
        **_measured("storey_", selected_rows(p_values, ALPHA, float(storey)), is_new),
    }


def _machine(sample: LacSample, seed: int) -> Any:
    rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
    return nystroem_logistic(rows, seed).set_params(nystroem__n_components=N_LANDMARKS)


def _measured(
    name: str, selected: NDArray[np.bool_], is_new: NDArray[np.bool_]
) -> dict[str, float]:
    wrong = float(np.mean(~is_new[selected])) if selected.any() else 0.0
    return {f"{name}false_share": wrong, f"{name}power": float(np.mean(selected[is_new]))}


def part(section: Section) -> Part:
    """Return false share and power in every setting, over all tables."""
    names = [f"{told}: false | power" for _, _, told in WAYS.values()]
    head = f"| new | priors | {' | '.join(names)} | draws |"
    lines = [head, "|---" * (3 + 2 * len(WAYS)) + "|"]
    rows = ["new_share,shift_intensity,way,false_share,standard_error,power,n"]
    kept = []
    for new, moved in sorted({_setting(record) for record in section.records}):
        here = [r for r in section.records if r.ok and _setting(r) == (new, moved)]
        cells = []
        for way, (method, prefix, _) in WAYS.items():
            wrong, error, power, n = _means([r for r in here if r.trial.method == method], prefix)
            cells.append(f"{100 * wrong:.1f} ± {100 * error:.1f} | {100 * power:.1f}")
            rows.append(f"{new:g},{moved:g},{way},{wrong:.6f},{error:.6f},{power:.6f},{n}")
            kept += [wrong <= ALPHA + 2 * error] if method == "select_new" else []
        priors = "moved" if moved else "as labeled"
        count = len({r.trial.draw for r in here})
        lines.append(f"| {new:.0%} | {priors} | {' | '.join(cells)} | {count} |")
    note = (
        "*New*: share of the pool. *False*: of the rows selected, the share that is known. "
        "*Power*: of the new rows, the share selected. `select_new` selects from its own pool and "
        "from fresh rows, AdaDetect from the pool, also with Storey's estimate of the known share. "
        f"Means over draws, in percent, ± one standard error, for a level of {ALPHA:.0%}. The mean "
        f"false share of `select_new` is at most the level and two standard errors in {sum(kept)} "
        f"of {len(kept)} cases."
    )
    return Part(["\n".join(lines), note], {f"{section.stem}.csv": "\n".join(rows) + "\n"})


def _setting(record: Record) -> tuple[float, float]:
    draw = record.trial.draw
    return round(1.0 - draw.condition("known_proportion"), 6), draw.condition("shift_intensity")


def _means(records: Sequence[Record], prefix: str) -> tuple[float, float, float, int]:
    if not records:
        return float("nan"), float("nan"), float("nan"), 0
    wrong, power = (
        np.array([record.metrics[f"{prefix}{name}"] for record in records])
        for name in ("false_share", "power")
    )
    error = wrong.std(ddof=1) / np.sqrt(len(wrong)) if len(wrong) > 1 else 0.0
    return float(wrong.mean()), float(error), float(power.mean()), len(wrong)


EXPERIMENT = Experiment("Rows selected as new", METHODS, plan, part)
