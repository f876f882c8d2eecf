"""Gaussian mixtures with known posterior: tasks on which every claim can be checked exactly.

Draws are independent and identically distributed, with random class counts, so that statements on
expectation hold for them. Draws of real tables, with exact class counts, are in `splits`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.special import softmax

from eulac.data.labels import AUGMENTED, LabelCodec
from eulac.data.lac_sample import LacSample
from eulac.data.splits import LacSplit, shift_priors

__all__ = ["GaussianMixtureTask", "make_gaussian_task"]

_TOLERANCE = 1e-9  # shares are sums and quotients of floats


@dataclass(frozen=True, eq=False, repr=False)
class GaussianMixtureTask:
    """Round Gaussian components: one per known class, the others together the augmented class.

    Parameters
    ----------
    means : array-like of shape (n_components, n_features)
        Those of the known classes first. The components after them have equal shares.
    scale : float
        Standard deviation of every feature within a component, positive.
    per_class : array-like of shape (n_known_classes,)
        Share of each known class in unlabeled and test rows; what lacks to 1 is augmented.
    labeled_priors : array-like of shape (n_known_classes,)
        Share of each known class in labeled rows.

    Examples
    --------
    >>> task = GaussianMixtureTask(
    ...     means=[[0.0], [4.0], [8.0]], scale=1.0, per_class=[0.3, 0.3], labeled_priors=[0.5, 0.5]
    ... )
    >>> task
    GaussianMixtureTask(2 known classes, 1 augmented components, 1 features, 60.0% known)
    >>> task.bayes_predict([[0.1], [4.2], [9.0]])
    array([0, 1, 2])
    >>> task.draw(n_labeled=50, n_unlabeled=100, random_state=0)
    LacSplit(50 labeled rows of 2 known classes, 100 unlabeled rows (59.0% known), 0 test rows)
    """

    means: NDArray[np.float64]
    scale: float
    per_class: NDArray[np.float64]
    labeled_priors: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("means", "per_class", "labeled_priors"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
        _check_shares("per_class", self.per_class)
        _check_shares("labeled_priors", self.labeled_priors)
        if self.means.ndim != 2 or len(self.means) < self.n_known_classes:
            raise ValueError(
                f"`means` must have a row for each of the {self.n_known_classes} known classes; "
                f"got shape {self.means.shape}."
            )
        if not 0 < self.scale < np.inf:
            raise ValueError(f"`scale` must be positive; got {self.scale!r}.")
        if len(self.labeled_priors) != self.n_known_classes or not _is_one(self.labeled_priors):
            raise ValueError(
                f"`labeled_priors` must be {self.n_known_classes} shares with sum 1; "
                f"got {self.labeled_priors.tolist()}."
            )
        if len(self.means) == self.n_known_classes and not _is_one(self.per_class):
            raise ValueError(
                f"`per_class` must sum to 1 when `means` has no augmented component; got "
                f"{self.per_class.tolist()}. Add a row to `means`."
            )

    @property
    def n_known_classes(self) -> int:
        """Number of known classes, K."""
        return len(self.per_class)

    @property
    def known_proportion(self) -> float:
        """Share of known rows in the test distribution."""
        return float(self.per_class.sum())

    @property
    def component_priors(self) -> NDArray[np.float64]:
        """Share of each component in the test distribution, shape (n_components,)."""
        n_augmented = len(self.means) - self.n_known_classes
        rest = max(0.0, 1 - self.known_proportion) / max(1, n_augmented)
        priors = np.append(self.per_class, np.full(n_augmented, rest))
        return np.asarray(priors / priors.sum())

    def posterior(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities under the test distribution, the augmented class last.

        Examples
        --------
        >>> task = make_gaussian_task(n_known_classes=2)
        >>> task.posterior(task.means[:1]).round(2)
        array([[1., 0., 0.]])
        """
        with np.errstate(divide="ignore"):  # a class of share 0 has log share -inf, rightly
            logits = np.log(self.component_priors)
        logits = logits - cdist(X, self.means, "sqeuclidean") / (2 * self.scale**2)
        components = softmax(logits, axis=1)
        augmented = components[:, self.n_known_classes :].sum(axis=1)
        return np.column_stack([components[:, : self.n_known_classes], augmented])

    def bayes_predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the code of the most probable class of each row; K is the augmented class."""
        return np.argmax(self.posterior(X), axis=1)

    def bayes_error(self, n_draws: int = 100_000, random_state: Any = None) -> float:
        """Return the error of `bayes_predict` on test rows, the mean of 1 - max posterior.

        Its standard error is at most ``0.5 / sqrt(n_draws)``.

        Examples
        --------
        >>> round(make_gaussian_task(separation=2.0).bayes_error(random_state=0), 2)
        0.2
        """
        rng = np.random.default_rng(random_state)
        X, _ = self._draw_rows(n_draws, self.component_priors, rng)
        return float(np.mean(1 - self.posterior(X).max(axis=1)))

    def draw(
        self, n_labeled: int, n_unlabeled: int, n_test: int = 0, random_state: Any = None
    ) -> LacSplit:
        """Return independent rows. Labels are 0..K-1; a class may, by chance, get no labeled row.

        Examples
        --------
        >>> split = make_gaussian_task().draw(60, 100, n_test=4, random_state=3)
        >>> split.y_test
        array([-2, -2,  1,  2])
        """
        rng = np.random.default_rng(random_state)
        codec = LabelCodec(np.arange(self.n_known_classes), AUGMENTED)
        X_labeled, y_labeled = self._draw_rows(n_labeled, self.labeled_priors, rng)
        X_unlabeled, y_unlabeled = self._draw_rows(n_unlabeled, self.component_priors, rng)
        X_test, y_test = self._draw_rows(n_test, self.component_priors, rng)
        sample = LacSample(X_labeled, y_labeled, X_unlabeled, codec)
        return LacSplit(sample, codec.decode(y_unlabeled), X_test, codec.decode(y_test))

    def _draw_rows(
        self, n_rows: int, priors: NDArray[np.float64], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        components = rng.choice(len(priors), size=n_rows, p=priors)
        noise = rng.standard_normal((n_rows, self.means.shape[1]))
        X = self.means[components] + self.scale * noise
        return X, np.minimum(components, self.n_known_classes)

    def __repr__(self) -> str:
        n_components, n_features = self.means.shape
        return (
            f"GaussianMixtureTask({self.n_known_classes} known classes, "
            f"{n_components - self.n_known_classes} augmented components, {n_features} features, "
            f"{self.known_proportion:.1%} known)"
        )


def make_gaussian_task(
    n_known_classes: int = 3,
    n_augmented_classes: int = 2,
    n_features: int = 2,
    separation: float = 4.0,
    known_proportion: float = 0.6,
    shift_intensity: float = 0.0,
    random_state: Any = 0,
) -> GaussianMixtureTask:
    """Return a task whose components, of unit scale, lie at least `separation` apart.

    Labeled rows have equal class shares; the known classes among unlabeled and test rows follow
    `shift_priors`.

    Parameters
    ----------
    n_known_classes, n_augmented_classes, n_features : int
    separation : float, default=4.0
        Least distance between two means, at least 0.
    known_proportion : float, default=0.6
        In [0, 1]; 1 without augmented classes.
    shift_intensity : float, default=0.0
        In [0, 1).
    random_state : int, Generator or None, default=0

    Returns
    -------
    task : GaussianMixtureTask

    Examples
    --------
    >>> make_gaussian_task(n_known_classes=4, shift_intensity=0.5).per_class
    array([0.075, 0.125, 0.175, 0.225])
    """
    if n_features < 1:
        raise ValueError(f"`n_features` must be at least 1; got {n_features!r}.")
    if not 0 <= separation < np.inf:
        raise ValueError(f"`separation` must be at least 0; got {separation!r}.")
    if not 0 <= known_proportion <= 1:
        raise ValueError(f"`known_proportion` must lie in [0, 1]; got {known_proportion!r}.")
    rng = np.random.default_rng(random_state)
    return GaussianMixtureTask(
        means=_means_apart(n_known_classes + n_augmented_classes, n_features, separation, rng),
        scale=1.0,
        per_class=known_proportion * shift_priors(n_known_classes, shift_intensity),
        labeled_priors=shift_priors(n_known_classes, 0.0),
    )


def _means_apart(
    n_means: int, n_features: int, separation: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return points in random directions, further out whenever one comes too close to another."""
    means = np.empty((0, n_features))
    radius = max(separation, 1.0)
    while len(means) < n_means:
        direction = rng.standard_normal((1, n_features))
        candidate = radius * direction / np.linalg.norm(direction)
        if np.all(cdist(candidate, means) >= separation):
            means = np.vstack([means, candidate])
        else:
            radius *= 1.05
    return rng.permutation(means)  # else the augmented ones would lie outermost


def _check_shares(name: str, shares: NDArray[np.float64]) -> None:
    if shares.ndim != 1 or not np.all(shares >= 0) or not shares.sum() <= 1 + _TOLERANCE:
        raise ValueError(
            f"`{name}` must be shares, at least 0 and with sum at most 1; got {shares.tolist()}."
        )


def _is_one(shares: NDArray[np.float64]) -> bool:
    return bool(abs(shares.sum() - 1) <= _TOLERANCE)
