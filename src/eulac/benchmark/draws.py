"""From a `Draw` to rows: tables scaled as in the paper, and a place for what methods share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from eulac.benchmark.simulated_drift import moved_split
from eulac.benchmark.trial import Draw
from eulac.data.dataset_specs import DATASETS
from eulac.data.datasets import load_dataset
from eulac.data.folds import in_canonical_order
from eulac.data.lac_sample import LacSample
from eulac.data.preprocessing import fit_columns
from eulac.data.splits import (
    LacSplit,
    draw_known_classes,
    draw_parts_split,
    draw_shift_environment,
    draw_split,
    min_max_scale,
)
from eulac.data.synthetic import GaussianMixtureTask, make_gaussian_task
from eulac.data.tables import read_table

__all__ = ["MIXTURE", "OpenDraw", "TableSource", "load_rows", "mixture_task"]

MIXTURE = "gaussians"
"""Name of the mixture with known posterior."""

Rows = tuple[NDArray[Any], NDArray[Any]]


class TableSource(NamedTuple):
    """A table of the user's: where it lies and which column holds the labels."""

    path: str
    label_column: str | None


@lru_cache(maxsize=1)
def load_rows(name: str, source: TableSource | None = None) -> Rows:
    """Return features scaled to [0, 1] and true labels of a named dataset or a user's table.

    "digits" are the digits bundled with scikit-learn. The last table asked for is kept.

    Examples
    --------
    >>> X, y = load_rows("digits")
    >>> X.shape, float(X.max())
    ((1797, 64), 1.0)
    """
    if source is not None:
        return _user_rows(source)
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
    else:
        dataset = load_dataset(name)
        X, y = dataset.X, dataset.y
    return min_max_scale(X), y


def mixture_task() -> GaussianMixtureTask:
    """Return the mixture of the theory experiment: overlapping classes, so that errors remain."""
    return make_gaussian_task(n_known_classes=3, separation=2.0, known_proportion=0.6)


@dataclass(frozen=True, eq=False)
class OpenDraw:
    """A draw with its rows; what methods share is done when the first of them asks.

    Examples
    --------
    >>> opened = OpenDraw(Draw("digits", conditions={"n_labeled": 60, "n_unlabeled": 90}))
    >>> opened.split.sample
    LacSample(60 labeled rows of 5 known classes, 90 unlabeled rows, 64 features)
    """

    draw: Draw
    source: TableSource | None = None

    @cached_property
    def split(self) -> LacSplit:
        """The labeled, unlabeled and test rows."""
        draw = self.draw
        sizes = {
            name: value
            for name, value in draw.conditions
            if name in ("n_labeled", "n_unlabeled", "n_test")
        }
        if draw.dataset == MIXTURE:
            rows = {"n_labeled": 500, "n_unlabeled": 1000, "n_test": 1000} | sizes
            return mixture_task().draw(**rows, random_state=draw.sample_seed)
        X, y = load_rows(draw.dataset, self.source)
        options: dict[str, Any] = {"random_state": draw.sample_seed, **sizes}
        if draw.condition("shift_intensity") is not None:
            options["shift_intensity"] = draw.condition("shift_intensity")
            if draw.condition("known_proportion") is not None:  # not the paper's environment
                options["known_proportion"] = draw.condition("known_proportion")
                options["known_classes"] = draw_known_classes(y, random_state=draw.class_seed)
            return draw_shift_environment(X, y, **options)
        options["known_classes"] = draw_known_classes(y, random_state=draw.class_seed)
        if draw.condition("parts"):
            n_first_part = DATASETS[draw.dataset].n_first_part
            return draw_parts_split(X, y, int(n_first_part or 0), **options)
        options["known_proportion"] = draw.condition("known_proportion")
        split = draw_split(X, y, **options)
        moved = draw.condition("moved")
        return split if moved is None else moved_split(split, moved, draw.sample_seed)

    @cached_property
    def canonical_sample(self) -> tuple[LacSample, int]:
        """The sample as a classifier with this draw's `fit_seed` orders it, and its inner seed."""
        sample = self.split.sample
        seed = int(check_random_state(self.draw.fit_seed).randint(2**31 - 1))
        # Plus zero: -0.0 and 0.0 are one value to a classifier, and must be one here.
        labeled, unlabeled = (
            np.asarray(X, dtype=np.float64) + 0.0 for X in (sample.X_labeled, sample.X_unlabeled)
        )
        plain = replace(sample, X_labeled=labeled, X_unlabeled=unlabeled)
        return in_canonical_order(plain, seed), seed

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what `make` gives, made when the first method of this draw asks for it."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, Any]:
        return {}

    def describe(self) -> dict[str, Any]:
        """Return what the record says of the draw."""
        split, draw = self.split, self.draw
        return {
            "seeds": {"classes": draw.class_seed, "rows": draw.sample_seed, "fit": draw.fit_seed},
            "known_classes": split.known_classes.tolist(),
            "n_labeled": split.sample.n_labeled,
            "n_unlabeled": split.sample.n_unlabeled,
            "n_test": len(split.y_test),
            "message": split.message,
        }


def _user_rows(source: TableSource) -> Rows:
    table = read_table(source.path, label_column=source.label_column)
    if table.labels is None:
        raise ValueError(
            f"a benchmark needs the true label of every row; {Path(source.path).name} was read "
            "without labels. Name the column with `--label-column`."
        )
    kept = ~table.unlabeled
    # Columns of any kind become numbers as they do in `eulac fit`.
    features = table.features[kept]
    X = fit_columns({source.path: features}).transform(features, source.path)
    labels = table.labels[kept]
    y = np.array(labels.tolist())
    return min_max_scale(X), y
