"""What `eulac fit` says of a model: as plain values, and in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eulac.cli.output import counted, percent, percent_range, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eulac.tables.table_model import TableFit

__all__ = [
    "left_out_aloud",
    "moved_aloud",
    "overlap_aloud",
    "print_summary",
    "read_aloud",
    "readings_of",
    "summarize",
    "width_aloud",
]

SPOKEN_OF = 0.1
"""Part of new rows that may pass for known: below it is not worth a sentence."""

HARDLY_TELLS = 0.6
"""An interval of a share wider than that."""


def summarize(fit: TableFit, notes: list[str]) -> dict[str, Any]:
    """Return what was learned from so many labeled and unlabeled rows, as plain values."""
    model = fit.model
    estimate, risk = model.proportion_, model.risk_
    return {
        "estimator": type(model.classifier).__name__,
        "n_labeled": fit.n_labeled,
        "n_unlabeled": fit.n_unlabeled,
        "label_column": model.label_column,
        "classes": model.classes_.tolist(),
        "columns": dict(model.columns.kinds),
        "ignored": dict(model.columns.ignored),
        "n_features": len(model.columns.feature_names),
        "known_proportion": None if estimate is None else estimate.total,
        "known_proportion_interval": None if estimate is None else list(estimate.interval),
        "known_proportion_method": None if estimate is None else estimate.method,
        **readings_of(estimate, model.columns.feature_names),
        "left_out_features": _left_out(model),
        "n_fitted_rows": _fitted_rows(model),
        "estimated_error": None if risk is None else risk.value,
        "estimated_error_interval": None if risk is None else list(risk.interval),
        "label_errors": _label_errors(fit.label_errors),
        **_families(getattr(model.classifier, "selection_", None)),
        "notes": notes,
    }


def readings_of(estimate: Any, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the known share under both assumptions, where it was read twice.

    `names` are those of the columns, where the estimate knows them by their places only.
    """
    if estimate is None or "readings" not in estimate.diagnostics:
        return {}
    from eulac.proportion.estimate import with_column_names

    diagnostics = with_column_names(estimate, names).diagnostics
    drift = diagnostics["drift"]
    used = "may_have_moved" if drift["used"] else "as_labeled"
    return {
        "readings": diagnostics["readings"],
        "drift": drift,
        "reading_used": used,
        "new_taken_for_known": diagnostics.get("new_taken_for_known", 0.0),
        "new_undecided": diagnostics.get("new_undecided", 0.0),
        "reach": diagnostics.get("reach", 0.0),
    }


def _left_out(model: Any) -> list[str]:
    """Return features that alone made everything new, and were left out."""
    places = getattr(model.classifier, "left_out_columns_", [])
    return [model.columns.feature_names[place] for place in places]


def _label_errors(found: Any) -> list[dict[str, Any]] | None:
    return None if found is None else found.to_dict("records")


def _families(selection: Any) -> dict[str, Any]:
    """Return what each family was worth, where several were tried."""
    if selection is None:
        return {}
    columns = selection.names, selection.risks, selection.weights, selection.seconds
    tried = [
        {
            "name": name,
            "estimated_error": risk.value,
            "estimated_error_interval": list(risk.interval),
            "weight": float(weight),
            "seconds": round(seconds, 2),
        }
        for name, risk, weight, seconds in zip(*columns, strict=True)
    ]
    return {"families": tried, "families_skipped": list(selection.skipped)}


def print_summary(result: dict[str, Any]) -> None:
    """Print what was learned in a few sentences and tables."""
    from eulac.data.preprocessing import TREATMENTS
    from eulac.data.table_formats import listed

    *known, new = result["classes"]
    say(
        f"{result['n_labeled']:,} labeled rows of {counted(len(known), 'class', 'classes')} in "
        f"column {result['label_column']!r}, {result['n_unlabeled']:,} unlabeled rows."
    )
    say(*result["notes"], *_part_aloud(result))
    kinds = list(result["columns"].values())
    rows = [
        (f"{kind} ({kinds.count(kind)})", treatment)
        for kind, treatment in TREATMENTS.items()
        if kind in kinds
    ]
    rows += [(f"{name} (left out)", reason) for name, reason in result["ignored"].items()]
    features = counted(result["n_features"], "feature", "features")
    print_table(("columns", f"become {features}"), rows)
    if result["known_proportion"] is not None:
        say(_share_aloud(result), *overlap_aloud(result), *width_aloud(result))
    if result.get("drift", {}).get("suspected") or result.get("reach", 0.0) >= SPOKEN_OF:
        say(
            *map(read_aloud, result["readings"].items()),
            *map(moved_aloud, result["drift"].get("moved", [])),
        )
    if result["left_out_features"]:
        say(left_out_aloud(result["left_out_features"], "`--drift no`"))
    if result["estimated_error"] is not None:
        interval = percent_range(result["estimated_error_interval"])
        say(f"Estimated error there: {percent(result['estimated_error'])} ({interval}).")
    _print_families(result)
    if result["label_errors"]:
        say(_doubted_labels(result))
    elif result.get("label_errors_file"):
        say(f"No label looks wrong: {result['label_errors_file']} was not written.")
    say(*(f"Warning: {warning}" for warning in result["warnings"]))
    say(
        f"Model: {result['model']}; answers {listed(known)} or {new!r}. Next: eulac predict "
        f"{result['model']} TABLE --output answers.csv"
    )


def _share_aloud(result: dict[str, Any]) -> str:
    """Return how much of the pool is known and new; an interval only where it was estimated."""
    known = result["known_proportion"]
    new = f"{percent(1 - known)} are new"
    if result["known_proportion_method"] == "given":
        return f"{percent(known)} of the unlabeled rows are of known classes, as given; {new}."
    interval = percent_range(result["known_proportion_interval"])
    return f"{percent(known)} of the unlabeled rows look like known classes ({interval}); {new}."


def left_out_aloud(names: Sequence[str], otherwise: str) -> str:
    """Return which features were left out, why, and what to type to use them all."""
    from eulac.data.table_formats import listed

    return (
        "Left out, because with them known rows look new and without them they do not, as with an "
        "ID, a time stamp, another unit or an offset against other columns: "
        f"{listed(names)}. Check what stands there; {otherwise} uses all columns."
    )


def _doubted_labels(result: dict[str, Any]) -> str:
    """Return how many labels look wrong, and the surest of them."""
    rows, n_labeled = result["label_errors"], result["n_labeled"]
    first, where = rows[0], result.get("label_errors_file")
    listed_in = f"They are in {where}." if where else "`--label-errors doubted.csv` lists them."
    return (
        f"Labels of {len(rows):,} of {n_labeled:,} rows may be wrong: by models that have not seen "
        f"them, they look like another known class. First of all row {first['row']:,} (counted "
        f"from 0), labeled {first['label']!r}, which looks like {first['looks_like']!r}. "
        f"{listed_in}"
    )


def _fitted_rows(model: Any) -> list[int] | None:
    found = getattr(model.classifier, "n_fitted_rows_", None)
    return None if found is None else list(found)


def _part_aloud(result: dict[str, Any]) -> list[str]:
    """Return a sentence where a part of a large table was learned from."""
    used, given = result["n_fitted_rows"], (result["n_labeled"], result["n_unlabeled"])
    if used is None or not result["n_unlabeled"] or tuple(used) == given:
        return []
    return [
        f"Learned from {used[0]:,} labeled and {used[1]:,} unlabeled rows of this large table; the "
        "others are answered by models that have not seen them."
    ]


def moved_aloud(moved: dict[str, Any]) -> str:
    """Return what moved in a known class as a sentence."""
    return (
        f"{moved['column']!r} of the unlabeled rows taken for {moved['known_class']!r} is "
        f"{moved['change']} (p {moved['p_value']:.1g}); new rows among them count, too."
    )


def overlap_aloud(result: dict[str, Any]) -> list[str]:
    """Return a sentence on new rows that pass for known ones, where trials found such rows.

    Or where there were no trials, and scores leave open what many rows are.
    """
    part, undecided = (result.get(f"new_{name}", 0.0) for name in ("taken_for_known", "undecided"))
    if undecided >= SPOKEN_OF:
        return [
            "New rows may pass for known ones here: too few classes are known to hide one on "
            f"trial, so the interval allows for up to {percent(undecided)} of them."
        ]
    if part < SPOKEN_OF:
        return []
    return [
        f"New classes may pass for known ones here: of known classes hidden on trial, about "
        f"{percent(part)} of the rows were taken for known. The interval allows for that."
    ]


def width_aloud(result: dict[str, Any]) -> list[str]:
    """Return a sentence where the interval of the known share is so wide that it hardly tells."""
    low, high = result["known_proportion_interval"]
    if not high - low > HARDLY_TELLS:
        return []
    return [f"From {percent(low)} to {percent(high)} hardly tells anything: label more rows."]


def read_aloud(reading: tuple[str, dict[str, Any]]) -> str:
    """Return one reading of the known share as a sentence."""
    _, found = reading
    low, high = found["interval"]
    return (
        f"If {found['assumption']}: {percent(1 - found['known_proportion'])} new "
        f"({percent_range((1 - high, 1 - low))})."
    )


def _print_families(result: dict[str, Any]) -> None:
    rows = [
        (
            family["name"],
            percent(family["estimated_error"]),
            percent(family["weight"]),
            f"{family['seconds']:.1f}",
        )
        for family in result.get("families", ())
    ]
    if rows:
        print_table(("family", "estimated error", "share of the answer", "seconds"), rows)
    if result.get("families_skipped"):
        from eulac.data.table_formats import listed

        say(f"No time was left for {listed(result['families_skipped'])} (`--time-budget`).")
