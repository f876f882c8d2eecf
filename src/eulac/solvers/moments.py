"""Square loss in a feature space: sums over rows are all the fit needs.

With features phi the minimizer of Eq. (8) has ``(S / (2 n_u) + 2 penalty I) w = g`` where S sums
``phi phi'`` over unlabeled rows and g collects class means. Sums add over chunks and workers,
subtract as a window slides on and shrink as old rows are forgotten. The right side is linear in
the class shares, so one factorization per penalty serves every proportion.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.data.reading.drafts import replacing
from eulac.maths.linear_systems import solve_shifted

__all__ = ["LacMoments", "moment_coefficients"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LacMoments:
    """Sums over labeled and unlabeled rows that determine the fit.

    Attributes
    ----------
    second : array of shape (n_features, n_features)
        Sum of ``phi phi'`` over unlabeled rows.
    unlabeled_sum : array of shape (n_features,)
    n_unlabeled : float
        Not whole where old rows are forgotten little by little.
    class_sums : array of shape (n_known_classes, n_features)
    class_counts : array of shape (n_known_classes,)
        Rows of each class, each as often as it counts.

    Examples
    --------
    Two chunks on two machines, put together:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> features, codes = rng.normal(size=(8, 3)), np.array([0, 1, -1, -1, 0, -1, 1, -1])
    >>> one = LacMoments.of(features[:4], codes[:4], n_known=2)
    >>> two = LacMoments.of(features[4:], codes[4:], n_known=2)
    >>> whole = LacMoments.of(features, codes, n_known=2)
    >>> merged = LacMoments.merge([one, two])
    >>> merged
    LacMoments(3 features, 4 labeled rows of 2 known classes, 4 unlabeled rows)
    >>> share = np.array([0.3, 0.2])
    >>> bool(np.allclose(merged.solve(share, penalty=0.1), whole.solve(share, penalty=0.1)))
    True
    """

    second: Array
    unlabeled_sum: Array
    n_unlabeled: float
    class_sums: Array
    class_counts: Array

    @classmethod
    def of(
        cls,
        features: NDArray[Any],
        codes: NDArray[np.intp],
        n_known: int,
        importance: Array | None = None,
    ) -> "LacMoments":
        """Return the moments of rows: codes 0..n_known-1 for labeled ones, -1 for unlabeled.

        With `importance` a row counts as that many, which need not be a whole number.
        """
        hidden = codes < 0
        rows = features if hidden.all() else features[hidden]
        known = features[~hidden].astype(np.float64, copy=False)
        members = (np.arange(n_known)[:, None] == codes[~hidden]).astype(np.float64)
        first, n_rows = rows.sum(axis=0, dtype=np.float64), float(len(rows))
        if importance is not None:
            members, counts = members * importance[~hidden], importance[hidden]
            first, n_rows = counts @ rows, float(counts.sum())
            rows = np.sqrt(counts)[:, None] * rows
        return cls(
            # A matrix times its own transpose: BLAS computes half of it.
            (rows.T @ rows).astype(np.float64, copy=False),
            first,
            n_rows,
            members @ known,
            members.sum(axis=1),
        )

    @classmethod
    def zeros(cls, n_features: int, n_known: int) -> "LacMoments":
        """Return the moments of no rows."""
        empty = np.zeros((0, n_features)), np.zeros(0, dtype=np.intp)
        return cls.of(*empty, n_known=n_known)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.unlabeled_sum)

    @property
    def n_known_classes(self) -> int:
        """Number of known classes, K."""
        return len(self.class_counts)

    @property
    def class_means(self) -> Array:
        """Mean features of each known class; zero for a class without rows."""
        return self.class_sums / np.maximum(self.class_counts, 1e-300)[:, None]

    @property
    def labeled_frequency(self) -> Array:
        """Share of each known class among the labeled rows."""
        return self.class_counts / max(float(self.class_counts.sum()), 1e-300)

    def __add__(self, other: "LacMoments") -> "LacMoments":
        _require_same_shape(self, other)
        return LacMoments(*(a + b for a, b in zip(_parts(self), _parts(other), strict=True)))

    def __sub__(self, other: "LacMoments") -> "LacMoments":
        _require_same_shape(self, other)
        return LacMoments(*(a - b for a, b in zip(_parts(self), _parts(other), strict=True)))

    def decayed(self, factor: float) -> "LacMoments":
        """Return the moments with unlabeled rows counting `factor` times as much.

        Labeled rows say what the known classes are, which does not age.
        """
        if not 0 <= factor <= 1:
            raise ValueError(f"`factor` must lie in [0, 1]; got {factor!r}.")
        return replace(
            self,
            second=factor * self.second,
            unlabeled_sum=factor * self.unlabeled_sum,
            n_unlabeled=factor * self.n_unlabeled,
        )

    @staticmethod
    def merge(moments: Iterable["LacMoments"]) -> "LacMoments":
        """Return the sum of moments, added in pairs: as exact as it gets."""
        parts = list(moments)
        if not parts:
            raise ValueError("at least one set of moments is needed to merge; got none.")
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            odd = parts[-1:] if len(parts) % 2 else []
            parts = [one + two for one, two in pairs] + odd
        return parts[0]

    def with_class(self, place: int, class_sum: Array, count: float) -> "LacMoments":
        """Return the moments with one known class more, in the given place among them."""
        return replace(
            self,
            class_sums=np.insert(self.class_sums, place, class_sum, axis=0),
            class_counts=np.insert(self.class_counts, place, count),
        )

    def solve(self, per_class: Array, penalty: float) -> Array:
        """Return coefficients of the K + 1 scores, shape ``(n_features, K + 1)``.

        Parameters
        ----------
        per_class : array of shape (n_known_classes,)
            Share of each known class among the unlabeled rows.
        penalty : float
        """
        return moment_coefficients(self.solved_means(penalty), per_class)

    def solved_means(self, penalty: float) -> Array:
        """Return the inverse system times all class means and the mean of unlabeled rows.

        Coefficients for any proportion are combinations of these columns
        (`moment_coefficients`). Without unlabeled rows there is nothing to fit: zeros.
        """
        if self.n_unlabeled <= 0:
            return np.zeros((self.n_features, self.n_known_classes + 1))
        means = np.vstack([self.class_means, self.unlabeled_sum / self.n_unlabeled])
        return solve_shifted(self.second / (2 * self.n_unlabeled), 2 * penalty, means.T)

    def density_ratios(self, ridge: float) -> Array:
        """Return coefficients of each known class's density over that of unlabeled rows.

        Least squares: ``(S / n_u + ridge I)^-1 mean_k``, shape ``(n_features, K)``.
        """
        return 0.5 * self.solved_means(ridge / 4)[:, :-1]

    def save(self, path: Path | str) -> None:
        """Write the moments as numbers only; the file is there whole or not at all."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        with replacing(Path(path)) as draft, draft.open("wb") as stream:
            np.savez(stream, **arrays)

    @classmethod
    def load(cls, path: Path | str) -> "LacMoments":
        """Read moments written by `save`."""
        with np.load(path, allow_pickle=False) as stored:
            parts = {field.name: stored[field.name] for field in fields(cls)}
        return cls(**{**parts, "n_unlabeled": float(parts["n_unlabeled"])})

    def __repr__(self) -> str:
        return (
            f"LacMoments({self.n_features} features, {self.class_counts.sum():g} labeled rows of "
            f"{self.n_known_classes} known classes, {self.n_unlabeled:g} unlabeled rows)"
        )


def moment_coefficients(solved_means: Array, per_class: Array) -> Array:
    """Return the coefficients of all scores for given class shares.

    A labeled class pulls its own score up and the augmented one down by its share; unlabeled rows
    pull known scores down and the augmented one up.

    Examples
    --------
    >>> import numpy as np
    >>> moment_coefficients(np.array([[1.0, 2.0]]), np.array([0.5]))
    array([[-0.5,  0.5]])
    """
    known = solved_means[:, :-1] * per_class
    half = 0.5 * solved_means[:, -1:]
    return np.hstack([known - half, half - known.sum(axis=1, keepdims=True)])


def _parts(moments: LacMoments) -> list[Any]:
    return [getattr(moments, field.name) for field in fields(moments)]


def _require_same_shape(one: LacMoments, two: LacMoments) -> None:
    if one.class_sums.shape != two.class_sums.shape:
        raise ValueError(
            f"moments must be of the same classes and features; got {one!r} and {two!r}. Use one "
            "frozen feature map for all rows."
        )
