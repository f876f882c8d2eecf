"""EVM: the extreme value machine, how far other classes are decides how far a row reaches."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from eulac.contenders.open_set_classifier import (
    Array,
    OpenSetClassifier,
    OpenSetEvidence,
    OpenSetModel,
    OpenSetParameters,
)
from eulac.contenders.simulated_openness import simulated_openness_threshold
from eulac.data.lac_sample import LacSample
from eulac.data.requirements import require_at_least, require_range
from eulac.maths.kernels import squared_distances
from eulac.maths.weibull import Weibull, fit_weibull

__all__ = ["EvmClassifier", "EvmModel", "cover_greedily", "fit_evm"]

COINCIDE = 1e-6
"""Rows closer than this, relative to the largest distance or the scale, are in one place: smaller
distances are mostly rounding."""

SMALLEST = 1e-300

THRESHOLDS = np.sinh(np.linspace(-9.0, 9.0, 361))
"""Candidates for the threshold: 0.05 apart around zero, ever wider to both sides."""

N_DRAWS = 20
DELTA_OF_TWO_CLASSES = 0.5


class EvmClassifier(OpenSetClassifier):
    """Extreme value machine: rows reach as far as the margins to other classes let them.

    Each labeled row has a Weibull distribution fitted to half its distances to the nearest rows
    of other classes; its probability of including a row at distance d is
    ``exp(-(d / scale) ** shape)``. The rows that cover their class are kept, as extreme vectors.
    A class includes a row as its most generous extreme vector does, and a row is new where no
    class includes it with probability `delta` or more. Learns from labeled rows only.

    Departs from its paper, and from the code of its authors, in these:

    - `delta` is chosen by simulated openness, and down to values far below the smallest float: in
      many dimensions even known rows lie well beyond the margins. Probabilities are compared by
      ``log(-log(p))``, which does not tie where they vanish.
    - Above `cover_threshold`, `delta` takes its place: no labeled row is new.
    - Rows of another class in the very same place are no margin and left out. The tail is clipped
      to the rows there are, so that small classes can be fitted.

    Zhang et al. report less: their AUCs come out with the reversed Weibull distribution of the
    authors' code on unscaled features, most of whose probabilities are exactly zero, and their
    accuracies, but for pendigits, with ``delta=0.9``.

    Parameters
    ----------
    tail_size : int, default=50
        Distances per Weibull distribution, fewer where other classes have fewer rows.
    cover_threshold : float, default=0.5
        A row is covered by an extreme vector that includes it with this probability; 1 keeps all
        rows.
    n_average : int, default=1
        A class includes a row with the mean of this many largest probabilities (1: the largest,
        as in the paper; the authors' code: 4).
    delta : float, optional
        Smallest probability of a row that is not new. Chosen by simulated openness if not given,
        which takes three classes; 0.5 for two.
    known_proportion, scale, threshold, ... : see `OpenSetClassifier`

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `OpenSetClassifier`
    threshold_ : float
        The largest ``log(-log(p))`` of a row that is not new, ``log(-log(delta))``.
    model_ : EvmModel

    References
    ----------
    Rudd, Jain, Scheirer and Boult, "The Extreme Value Machine", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 40, 2018; as a contender: Zhang et al., NeurIPS 2020,
    appendix C.1.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(90, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    >>> EvmClassifier(delta=0.5).fit(X, y).predict([[0, 6], [6, 6]])
    array([ 2, -2])
    """

    labeled_matrices = 5

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        tail_size: int = 50,
        cover_threshold: float = 0.5,
        n_average: int = 1,
        delta: float | None = None,
        **shared: Unpack[OpenSetParameters],
    ) -> None:
        super().__init__(known_proportion, **shared)
        self.tail_size = tail_size
        self.cover_threshold = cover_threshold
        self.n_average = n_average
        self.delta = delta

    def _search(self, sample: LacSample, seed: int) -> float:
        """Return the ``log(-log(p))`` above which a row is new."""
        require_at_least("tail_size", self.tail_size, 1)
        require_at_least("n_average", self.n_average, 1)
        require_range("cover_threshold", self.cover_threshold, 0.0, 1.0)
        if self.delta is not None:
            require_range("delta", self.delta, 0.0, 1.0)
            return _log_log(self.delta)
        if sample.n_known_classes == 2:
            return _log_log(DELTA_OF_TWO_CLASSES)
        # Half of the rows train there: half the tail reaches as far into the other classes. With
        # all of it, rows reach further than those of the final fit, and `delta` is too strict.
        return simulated_openness_threshold(
            partial(self._fit_rows, tail_size=(self.tail_size + 1) // 2),
            sample.X_labeled,
            sample.y_labeled,
            THRESHOLDS,
            n_draws=N_DRAWS,
            random_state=seed,
        )

    def _fit_model(self, sample: LacSample, settings: float, seed: int) -> OpenSetModel:
        rows = sample.X_labeled, sample.y_labeled
        return self._fit_rows(*rows, tail_size=self.tail_size, threshold=settings)

    def _fit_rows(self, X: Array, y: NDArray[np.intp], **options: Any) -> "EvmModel":
        return fit_evm(
            X, y, cover_threshold=self.cover_threshold, n_average=self.n_average, **options
        )


@dataclass(frozen=True, eq=False)
class EvmModel:
    """Extreme vectors with codes 0..K-1, and how far each of them reaches.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0]]), np.array([0, 0, 1])
    >>> fit_evm(X, y, cover_threshold=1.0).probabilities(np.array([[0.5], [3.0]])).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    vectors: Array
    codes: NDArray[np.intp]
    weibull: Weibull
    n_average: int
    threshold: float

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return ``-log(-log(p))`` of each class, and minus their largest."""
        distances = np.sqrt(squared_distances(X, self.vectors))
        hazards = _log_hazard(self.weibull, distances)
        of_class = np.empty((len(X), self.codes[-1] + 1))
        for code in range(of_class.shape[1]):
            of_class[:, code] = _hazard_of_class(hazards[:, self.codes == code], self.n_average)
        return OpenSetEvidence(-of_class, of_class.min(axis=1))

    def probabilities(self, X: Array) -> Array:
        """Return the probability with which each class includes each row."""
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-np.exp(-self.evidence(X).known))


def _log_log(probability: float) -> float:
    """Return ``log(-log(p))``, minus infinity of 1 and infinity of 0."""
    with np.errstate(divide="ignore"):
        return float(np.log(-np.log(probability)))


def fit_evm(
    X: Array,
    y: NDArray[np.intp],
    *,
    tail_size: int = 50,
    cover_threshold: float = 0.5,
    n_average: int = 1,
    threshold: float = np.inf,
) -> EvmModel:
    """Return the extreme value machine of rows with codes 0..K-1; see `EvmClassifier`.

    `threshold` is the ``log(-log(p))`` above which a row is new. None of the given rows is, if
    `n_average` is 1.
    """
    distances = np.sqrt(squared_distances(X, X))
    weibull = _fit_margins(distances, y, tail_size)
    by_row = Weibull(weibull.shape[:, None], weibull.scale[:, None])
    covers = _log_hazard(by_row, distances) <= min(_log_log(cover_threshold), threshold)
    covers &= y[:, None] == y
    np.fill_diagonal(covers, True)
    chosen = cover_greedily(covers)
    chosen = chosen[np.argsort(y[chosen], kind="stable")]
    reach = Weibull(weibull.shape[chosen], weibull.scale[chosen])
    return EvmModel(X[chosen], y[chosen], reach, n_average, threshold)


def cover_greedily(covers: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return items that together cover all, each chosen to cover most of what is left.

    Parameters
    ----------
    covers : bool array of shape (n, n)
        Whether the item of a row covers that of a column; each must cover itself.

    Returns
    -------
    int array
        Chosen items in ascending order; of equals the first was taken.

    Examples
    --------
    >>> cover_greedily(np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1]], dtype=bool))
    array([1])
    """
    is_covered_by = np.ascontiguousarray(covers.T)
    gains = covers.sum(axis=1)
    is_left = np.ones(len(covers), dtype=bool)
    chosen = []
    while is_left.any():
        pick = int(gains.argmax())
        newly = covers[pick] & is_left
        is_left &= ~newly
        gains -= is_covered_by[newly].sum(axis=0)
        chosen.append(pick)
    return np.sort(np.array(chosen, dtype=np.intp))


def _fit_margins(distances: Array, y: NDArray[np.intp], tail_size: int) -> Weibull:
    """Weibull distribution of half the distances of each row to the nearest of other classes."""
    apart = np.where(distances > COINCIDE * distances.max(), 0.5 * distances, np.inf)
    margins = np.where(y[:, None] != y, apart, np.inf)
    # A row that has all of the other classes on top of it: the nearest row of any class instead,
    # or any number where all rows are in one place.
    is_buried = np.isinf(margins).all(axis=1)
    margins[is_buried, 0] = np.nan_to_num(apart[is_buried].min(axis=1), posinf=1.0)
    n_tail = min(tail_size, len(y))
    tails = np.partition(margins, n_tail - 1, axis=1)[:, :n_tail]
    return fit_weibull(tails, np.isfinite(tails))


def _log_hazard(weibull: Weibull, distances: Array) -> Array:
    """``log(-log(p))`` of the probability of including a row at each distance."""
    return weibull.log_hazard(np.where(distances > COINCIDE * weibull.scale, distances, SMALLEST))


def _hazard_of_class(hazards: Array, n_average: int) -> Array:
    """``log(-log(p))`` of the mean p of the extreme vectors of a class that include a row best."""
    n_average = min(n_average, hazards.shape[1])
    best = np.partition(hazards, n_average - 1, axis=1)[:, :n_average]
    least = best.min(axis=1)
    # The mean of exp(-exp(h)) as exp(-exp(least)) times a mean of numbers up to 1, one of which
    # is 1; beyond 700 the exponential overflows and only the least counts.
    excess = np.exp(np.minimum(best, 700.0)) - np.exp(np.minimum(least, 700.0))[:, None]
    with np.errstate(divide="ignore", under="ignore"):
        return np.logaddexp(least, np.log(-np.log1p(np.expm1(-excess).mean(axis=1))))
