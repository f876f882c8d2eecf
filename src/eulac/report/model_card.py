"""A model card: what a model was learned from, what it says of its pool, and how sure it is."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from eulac.classifier.known_proportion import warn_of_doubtful_proportion
from eulac.persistence.manifest import Manifest
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["model_card"]

ASSUMPTIONS = (
    "Unlabeled rows of the fit were drawn as rows of deployment are.",
    "New classes are no mixtures of known ones; otherwise the known share is an upper bound.",
    "Known classes look as in the labels, or moved as the second reading allows.",
)


def model_card(model: Any, manifest: Manifest, name: str = "model") -> str:
    """Return a model card in Markdown.

    Parameters
    ----------
    model : fitted classifier or TableModel
        As `load` returns it.
    manifest : Manifest
        Of its file: versions and fingerprints.
    name : str, default="model"
        For the title.
    """
    classifier = getattr(model, "classifier", model)
    parts = {
        "Data": _data(model, classifier),
        "Answers": _answers(classifier),
        "Known share of the pool": _share(classifier, _names(model, classifier)),
        "Error": _error(classifier),
        "Families": _families(getattr(classifier, "selection_", None)),
        "Warnings": _items(_warnings(getattr(classifier, "proportion_", None))) or ["None."],
        "What it rests on": _items(ASSUMPTIONS),
        "Versions": _versions(manifest),
    }
    lines = [f"# Model card: {name}", "", _summary(classifier, manifest), ""]
    for title, content in parts.items():
        if content:
            lines += [f"## {title}", "", *content, ""]
    return "\n".join(lines)


def _summary(classifier: Any, manifest: Manifest) -> str:
    n_known = len(classifier.known_classes_)
    known = "the one known class" if n_known == 1 else f"one of {n_known} known classes"
    return (
        f"`{manifest.estimator}`: answers {known}, or "
        f"`{classifier.codec_.augmented_label}` for rows of classes nobody labeled."
    )


def _names(model: Any, classifier: Any) -> list[str]:
    """Return the names of features, where they have any."""
    if hasattr(model, "columns"):
        return list(model.columns.feature_names)
    return [str(name) for name in getattr(classifier, "feature_names_in_", [])]


def _data(model: Any, classifier: Any) -> list[str]:
    estimate = getattr(classifier, "proportion_", None)
    lines = []
    if hasattr(model, "y_labeled"):
        counts = Counter(model.y_labeled.tolist())
        lines += [f"{len(model.y_labeled):,} labeled rows in column `{model.label_column}`:", ""]
        lines += _table(
            ("class", "labeled rows"),
            ((str(label), f"{counts[label]:,}") for label in sorted(counts)),
        )
    elif estimate is not None:
        lines.append(f"{estimate.n_labeled:,} labeled rows.")
    if estimate is not None:
        lines += ["", f"{_n_unlabeled(classifier, estimate):,} unlabeled rows."]
    fitted = getattr(classifier, "n_fitted_rows_", None)
    if fitted is not None:
        lines.append(f"Families were fitted to {fitted[0]:,} and {fitted[1]:,} of these.")
    return lines + _columns(model, classifier)


def _n_unlabeled(classifier: Any, estimate: ProportionEstimate) -> int:
    rows = getattr(classifier, "fit_rows_", None)
    found = 0 if rows is None else int(rows.is_unlabeled.sum())
    return found or estimate.n_unlabeled


def _columns(model: Any, classifier: Any) -> list[str]:
    """Return which columns are read, and which are left out, why."""
    names = _names(model, classifier)
    left_out = [
        (names[place] if names else f"column {place}", "alone tells labeled rows from unlabeled")
        for place in getattr(classifier, "left_out_columns_", ())
    ]
    if not hasattr(model, "columns"):
        return _listed_as("Left out", left_out)
    kinds = Counter(model.columns.kinds.values())
    read = ", ".join(f"{n} of kind {kind}" for kind, n in kinds.items())
    ignored = [*model.columns.ignored.items(), *left_out]
    return ["", f"Columns read: {read}, {len(names)} features.", *_listed_as("Left out", ignored)]


def _listed_as(title: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["", f"{title}:", "", *_items(f"`{a}`: {b}" for a, b in pairs)] if pairs else []


def _answers(classifier: Any) -> list[str]:
    known = ", ".join(f"`{label}`" for label in classifier.known_classes_.tolist())
    lines = [f"Known classes: {known}."]
    if getattr(classifier, "closed_set_", False):
        lines.append("It was fitted without unlabeled rows and calls nothing new.")
    return lines


def _share(classifier: Any, names: Sequence[str]) -> list[str]:
    estimate = getattr(classifier, "proportion_", None)
    if estimate is None:
        return ["Not estimated by this method."]
    lines = [
        f"{_percent(estimate.total)} known ({_range(estimate.interval)}), "
        f"{_percent(estimate.augmented_proportion)} new; method `{estimate.method}`."
    ]
    shares = zip(classifier.known_classes_.tolist(), estimate.per_class.tolist(), strict=True)
    rows = ((str(label), _percent(share)) for label, share in shares)
    lines += ["", *_table(("class", "share of the pool"), rows)]
    readings = estimate.diagnostics.get("readings", {})
    if readings:
        lines += ["", "Read twice:", "", *_items(_reading(one) for one in readings.values())]
        moved = estimate.diagnostics.get("drift", {}).get("moved", [])
        lines += _listed_as("What moved", [_moved(one, names) for one in moved])
    return lines


def _reading(found: dict[str, Any]) -> str:
    return (
        f"if {found['assumption']}: {_percent(found['known_proportion'])} known "
        f"({_range(found['interval'])})"
    )


def _moved(found: dict[str, Any], names: Sequence[str]) -> tuple[str, str]:
    column = found["column"]
    name = column if isinstance(column, str) else names[int(column)] if names else f"{column}"
    return name, f"{found['change']} in class `{found['known_class']}`"


def _error(classifier: Any) -> list[str]:
    risk = getattr(classifier, "risk_", None)
    if risk is None:
        return ["Not estimated by this method."]
    return [
        f"{_percent(risk.value)} of the answers in the pool are wrong ({_range(risk.interval)}), "
        "estimated from held-out rows, without a label of the pool."
    ]


def _families(selection: Any) -> list[str]:
    if selection is None:
        return []
    found = zip(selection.names, selection.risks, selection.weights, strict=True)
    rows = ((name, _percent(risk.value), _percent(weight)) for name, risk, weight in found)
    return _table(("family", "estimated error", "share of the answer"), rows)


def _warnings(estimate: ProportionEstimate | None) -> list[str]:
    """Return what a fit warns of that can be told from its estimate."""
    if estimate is None:
        return []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_doubtful_proportion(estimate)
    return [str(one.message) for one in caught]


def _versions(manifest: Manifest) -> list[str]:
    facts = {
        "eulac": manifest.eulac_version,
        "scikit-learn": manifest.sklearn_version,
        "format of the file": manifest.format_version,
        "fingerprint of the labeled rows": manifest.data_fingerprint or "not known",
        "SHA-256 of the stored model": manifest.sha256,
    }
    return _table(("what", "version"), ((name, str(value)) for name, value in facts.items()))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a table; bars in cells are escaped."""
    cells: Iterator[tuple[str, ...]] = iter([head, ("---",) * len(head), *rows])
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]


def _items(texts: Iterable[str]) -> list[str]:
    return [f"- {text}" for text in texts]


def _percent(share: float) -> str:
    return f"{100 * float(share):.1f} %" if np.isfinite(share) else "not known"


def _range(interval: Sequence[float]) -> str:
    return " to ".join(map(_percent, interval))
