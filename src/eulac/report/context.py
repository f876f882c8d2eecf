"""What the template of the page is given: findings as texts, figures and rows to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.report import figures
from eulac.report.decisions import FORMAT, VERSION, pool_fingerprint
from eulac.report.findings import Findings, PoolAnswers
from eulac.report.group_steps import group_steps
from eulac.report.row_display import Gallery

__all__ = ["PageTexts", "Served", "findings_context", "pool_context"]

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


@dataclass(frozen=True)
class Served:
    """A page that is served: where it saves, decisions it goes on from, where it asks for rows."""

    save: str
    start: Any = None
    ask: str | None = None


def pool_context(
    answers: PoolAnswers, gallery: Gallery, texts: PageTexts, served: Served | None = None
) -> dict[str, Any]:
    """Return what both pages show: the groups, and what the script needs of them."""
    found = answers.groups
    groups = [
        _group(answers, gallery, rows, str(number + 1), float(found.steadiness[number]))
        for number, rows in enumerate(found.typical_rows)
    ]
    steps = group_steps(found)
    others = [_group(answers, gallery, step.rows, step.title, None) for step in steps.others]
    alone = answers.new[found.assignment[answers.new] == -1]
    return {
        "texts": texts,
        "answers": answers,
        "groups": groups,
        "other_groups": others,
        "served": served,
        "n_alone": len(alone),
        "steps": {"low": found.interval[0], "high": found.interval[1]},
        "worth": figures.worth_figure(found) if len(found.worth) > 1 else None,
        "known_labels": [str(label) for label in answers.labels[:-1]],
        "review": {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": pool_fingerprint(answers.X),
            "n_rows": len(answers.X),
            "groups": [group["rows"] for group in groups],
            "others": [group["rows"] for group in others],
            "level": found.n_classes,
            "levels": steps.levels,
            "reserved": answers.reserved,
            "numbers": not isinstance(answers.labels[0], str),
            "save": None if served is None else served.save,
            "start": None if served is None else served.start,
            "ask": None if served is None else served.ask,
        },
    }


def _group(
    answers: PoolAnswers, gallery: Gallery, rows: Codes, title: str, steadiness: float | None
) -> dict[str, Any]:
    inside = np.zeros(len(answers.X), dtype=bool)
    inside[rows] = True
    edge = max(TYPICAL, len(rows) - EDGE)
    columns = gallery.columns(inside)
    known = answers.known[rows]
    likeliest = np.bincount(known, minlength=len(answers.labels)).argmax() if len(rows) else 0
    return {
        "number": title,
        "size": len(rows),
        "share": len(rows) / len(answers.X),
        "steadiness": steadiness,
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
