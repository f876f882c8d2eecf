"""What the template of the page is given: findings as texts, figures and rows to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.discovery.new_classes import NewClasses
from eulac.report import figures
from eulac.report.decisions import FORMAT, VERSION, pool_fingerprint
from eulac.report.findings import Findings, PoolAnswers
from eulac.report.row_display import Gallery
from eulac.report.sure_rows import group_order

__all__ = ["PageTexts", "findings_context", "pool_context"]

Codes = NDArray[np.intp]

TYPICAL, EDGE = 9, 3
"""Rows of a group that are shown: typical ones, and some at its edge."""

FIRST_ROWS = 12
"""Rows to look at first, of each kind."""


@dataclass(frozen=True)
class PageTexts:
    """Names and commands that only the caller knows."""

    title: str
    model: str
    pool: str


def pool_context(answers: PoolAnswers, gallery: Gallery, texts: PageTexts) -> dict[str, Any]:
    """Return what both pages show: the groups, and what the script needs of them."""
    order = group_order(answers.groups.typical_rows, answers.sure)
    groups = [_group(answers, gallery, group) for group in order]
    alone = answers.new[answers.groups.assignment[answers.new] == -1]
    return {
        "texts": texts,
        "answers": answers,
        "groups": groups,
        "n_alone": len(alone),
        "steps": _steps(answers.groups),
        "worth": figures.worth_figure(answers.groups) if len(answers.groups.worth) > 1 else None,
        "known_labels": [str(label) for label in answers.labels[:-1]],
        "review": {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": pool_fingerprint(answers.X),
            "n_rows": len(answers.X),
            "groups": [group["rows"] for group in groups],
            "reserved": answers.reserved,
            "numbers": not isinstance(answers.labels[0], str),
        },
    }


def _steps(groups: NewClasses) -> dict[str, Any]:
    """Return which groups are one in the next coarser grouping, and which is two in the finer."""
    placed = groups.assignment >= 0
    found = groups.assignment[placed]
    pairs = np.unique(np.column_stack([groups.coarser[placed], found]), axis=0)
    merged = [pairs[pairs[:, 0] == one, 1] + 1 for one in np.unique(pairs[:, 0])]
    parts = [
        np.unique(groups.finer[placed][found == g], return_counts=True)[1]
        for g in range(groups.n_classes)
    ]
    return {
        "low": groups.interval[0],
        "high": groups.interval[1],
        "merged": next((numbers.tolist() for numbers in merged if len(numbers) > 1), None),
        "split": next(
            ((g + 1, sizes.tolist()) for g, sizes in enumerate(parts) if len(sizes) > 1), None
        ),
    }


def _group(answers: PoolAnswers, gallery: Gallery, group: int) -> dict[str, Any]:
    rows = answers.groups.typical_rows[group]
    inside = np.zeros(len(answers.X), dtype=bool)
    inside[rows] = True
    edge = max(TYPICAL, len(rows) - EDGE)
    columns = gallery.columns(inside)
    known = answers.known[rows]
    likeliest = np.bincount(known, minlength=len(answers.labels)).argmax() if len(rows) else 0
    return {
        "number": group + 1,
        "size": len(rows),
        "share": len(rows) / len(answers.X),
        "steadiness": float(answers.groups.steadiness[group]),
        "n_sure": None if answers.sure is None else int(answers.sure.is_selected[rows].sum()),
        "nearest": answers.labels[likeliest],
        "nearest_share": float(np.mean(known == likeliest)) if len(rows) else 0.0,
        "traits": gallery.traits(inside),
        "columns": [str(gallery.frame.columns[column]) for column in columns],
        "typical": _rows(answers, gallery, rows[:TYPICAL], columns),
        "edge": _rows(answers, gallery, rows[edge:], columns),
        "rows": rows.tolist(),
    }


def _rows(
    answers: PoolAnswers, gallery: Gallery, rows: Codes, columns: Sequence[int]
) -> list[dict[str, Any]]:
    return [
        {
            "row": int(row),
            "score": float(answers.scores[row]),
            "p_value": None if answers.sure is None else float(answers.sure.p_values[row]),
            "answer": answers.labels[answers.answers[row]],
            "known": answers.labels[answers.known[row]],
            "cells": gallery.cells(row, columns) if gallery.pixels is None else [],
            "image": gallery.image(row),
        }
        for row in rows
    ]


def findings_context(classifier: Any, findings: Findings, gallery: Gallery) -> dict[str, Any]:
    """Return what only the report shows."""
    pool = findings.pool
    is_new = np.isin(np.arange(len(pool.X)), pool.new)
    order = _newest_first(pool)
    hardest = np.argsort(np.abs(pool.scores - _cut(pool)), kind="stable")
    columns = gallery.columns(is_new)
    return {
        "findings": findings,
        "classifier": type(classifier).__name__,
        "first_columns": [str(gallery.frame.columns[column]) for column in columns],
        "newest": _rows(pool, gallery, order[:FIRST_ROWS], columns),
        "hardest": _rows(pool, gallery, hardest[:FIRST_ROWS], columns),
        "priors": _priors(findings),
        "figures": _figures(findings, is_new),
    }


def _newest_first(pool: PoolAnswers) -> Codes:
    """Return rows by p-value, the smallest first, those of one p-value by score."""
    first = -pool.scores if pool.sure is None else pool.sure.p_values
    return np.lexsort((-pool.scores, first))


def _cut(pool: PoolAnswers) -> float:
    """Return the score at which rows begin to look new: 0, or where the share is matched."""
    if not pool.was_fitted_on or len(pool.new) in (0, len(pool.X)):
        return 0.0
    known = np.delete(pool.scores, pool.new)
    return float(0.5 * (pool.scores[pool.new].min() + known.max()))


def _priors(findings: Findings) -> Any:
    if findings.labeled is None:
        return None
    n_known = len(findings.pool.labels) - 1
    counts = np.bincount(findings.labeled.codes, minlength=n_known)
    return counts / counts.sum()


def _figures(findings: Findings, is_new: NDArray[np.bool_]) -> dict[str, str | None]:
    pool, estimate = findings.pool, findings.proportion
    priors = _priors(findings)
    n_labeled = 0 if findings.labeled is None else len(findings.labeled)
    kind = np.append(np.zeros(n_labeled, dtype=np.intp), 1 + is_new)[findings.map.rows]
    group_of = np.full(n_labeled + len(pool.X), -1)
    group_of[n_labeled:] = pool.groups.assignment
    labeled_scores = None if findings.held_out is None else findings.held_out.labeled_score
    return {
        "priors": figures.priors_figure(pool.labels[:-1], priors, estimate, pool.labels[-1])
        if priors is not None and estimate is not None
        else None,
        "quality": figures.quality_figure(findings.quality) if findings.quality else None,
        "scores": figures.scores_figure(
            labeled_scores, pool.scores[~is_new], pool.scores[is_new], _cut(pool)
        ),
        "map": figures.map_figure(findings.map, kind, pool.groups, group_of[findings.map.rows]),
        "sensitivity": figures.sensitivity_figure(findings.sensitivity, estimate)
        if findings.sensitivity is not None and estimate is not None
        else None,
    }
