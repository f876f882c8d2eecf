"""PAC-iForest: isolation forests, *new* above a score that most new rows exceed.

The distribution of scores of new rows is what is left of the unlabeled scores when the labeled
ones are taken out in proportion; its quantile is the threshold, with a promise about its recall.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.isotonic import isotonic_regression
from sklearn.utils.validation import check_is_fitted

from eulac.contenders.open_set_classifier import (
    Array,
    OpenSetClassifier,
    OpenSetEvidence,
    OpenSetModel,
    OpenSetParameters,
)
from eulac.contenders.rbf_svm import OvrMachines, SvmSettings, fit_ovr_machines, search_ovr_svm
from eulac.data.lac_sample import LacSample
from eulac.data.requirements import require_at_least, require_choice, require_range
from eulac.proportion.estimate import ProportionEstimate

__all__ = ["PacIForestClassifier", "RecallGuarantee"]

Rows = NDArray[np.intp]

FORESTS = ("per_class", "pooled")
SUBSAMPLE = 0.2
FEWEST_ROWS_OF_A_FOREST = 10
FEWEST_ROWS_OF_A_TREE = 16
FARTHEST = 1e30
"""Trees see 32 bits; in units of the labeled range nothing needs to be farther out."""


class PacIForestClassifier(OpenSetClassifier):
    """Isolation forests on labeled rows; a threshold that finds a promised share of new rows.

    Anomaly scores of unlabeled rows mix those of known and new rows, so that the distribution
    of the latter is ``F_new = (F_unlabeled - (1 - a) F_labeled) / a`` with a the augmented
    proportion. Rows above the largest score with ``F_new`` at most `missed_share` are new: that
    share of the new rows is missed on purpose. Support vector machines tell the others apart.

    There is a forest for each class, as in the authors' programs, and the one that finds a row
    least anomalous counts. Scores of labeled rows are out of bag, by trees that did not see them.

    Departs from the paper where classes are small: a tree sees a fifth of the rows, but at least
    16, or four fifths of a class if that is less; classes of fewer than 10 rows share a forest,
    and have none if together they still are fewer, unless no other class has one. The augmented
    proportion is estimated; if it is 0, nothing is new. The accuracies Zhang et al. report are
    near those of ``missed_share=0.7``, not of 0.3, which would be their detection ratio of 0.7.

    Parameters
    ----------
    known_proportion : see `OpenSetClassifier`
        Over-estimates of the augmented proportion are safe, under-estimates are not.
    missed_share : float in [0, 1], default=0.3
        Share of the new rows that may be taken for known.
    forests : {"per_class", "pooled"}, default="per_class"
        A forest for each known class, or one for all labeled rows, which finds far less.
    n_estimators : int, default=1000
        Trees of a forest.
    isotonic : bool, default=False
        Whether to make the estimated distribution of new rows a monotone one first.
    confidence : float in [0, 1], default=0.95
        Probability of what `guarantee_` says.
    bandwidth, cost : float, optional
        Of the support vector machines; what is left open is searched.
    n_jobs : int, optional
    scale, threshold, ... : see `OpenSetClassifier`

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_ : see `OpenSetClassifier`
    guarantee_ : RecallGuarantee or None
        What is promised of the threshold; None if it is not the method's own.
    threshold_ : float
        Largest anomaly score of a row that is not new.
    model_ : PacIForestModel

    References
    ----------
    Liu, Garrepalli, Dietterich, Fern, Hendrycks, "Open Category Detection with PAC Guarantees",
    ICML 2018; with support vector machines as a contender: Zhang et al., NeurIPS 2020,
    appendix C.1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [0, 6]])
    >>> y = np.repeat([0, 1, -1, -1, -1], 100)
    >>> X = rng.normal(centers[np.repeat([0, 1, 0, 1, 2], 100)], 0.5)
    >>> settings = {"n_estimators": 50, "bandwidth": 0.2, "cost": 1.0, "random_state": 0}
    >>> classifier = PacIForestClassifier(2 / 3, missed_share=0.05, **settings).fit(X, y)
    >>> classifier.predict(centers)
    array([ 0,  1, -2])
    >>> print(classifier.guarantee_)
    At least 48% of the new rows are called new, with probability 0.95, if no more than 33% of
    all rows are new.
    """

    needs_unlabeled = True
    labeled_matrices = 2
    fewest_known_classes = 1

    def __init__(
        self,
        known_proportion: Any = "auto",
        *,
        missed_share: float = 0.3,
        forests: str = "per_class",
        n_estimators: int = 1000,
        isotonic: bool = False,
        confidence: float = 0.95,
        bandwidth: Any = None,
        cost: Any = None,
        n_jobs: int | None = None,
        **shared: Unpack[OpenSetParameters],
    ) -> None:
        super().__init__(known_proportion, **shared)
        self.missed_share = missed_share
        self.forests = forests
        self.n_estimators = n_estimators
        self.isotonic = isotonic
        self.confidence = confidence
        self.bandwidth = bandwidth
        self.cost = cost
        self.n_jobs = n_jobs

    @property
    def guarantee_(self) -> "RecallGuarantee | None":
        """What is promised of the recall of new rows."""
        check_is_fitted(self)
        is_own = self.threshold == "paper" and not self.closed_set_
        return cast(PacIForestModel, self.model_).guarantee if is_own else None

    def _search(self, sample: LacSample, seed: int) -> SvmSettings | None:
        """Return settings of the machines, which one class does not need."""
        require_range("missed_share", self.missed_share, 0.0, 1.0)
        require_range("confidence", self.confidence, 0.0, 1.0)
        require_choice("forests", self.forests, FORESTS)
        require_at_least("n_estimators", self.n_estimators, 1)
        if sample.n_known_classes == 1:
            return None
        given = {"bandwidth": self.bandwidth, "cost": self.cost}
        return search_ovr_svm(sample.X_labeled, sample.y_labeled, **given, random_state=seed)

    def _fit_model(
        self, sample: LacSample, settings: SvmSettings | None, seed: int
    ) -> OpenSetModel:
        X, y, unlabeled = sample.X_labeled, sample.y_labeled, sample.X_unlabeled
        groups = _groups(y) if self.forests == "per_class" else [np.arange(len(y))]
        options = {"n_estimators": self.n_estimators, "n_jobs": self.n_jobs}
        forests, clean = fit_forests(X, groups, seed, **options)
        estimate = cast(ProportionEstimate, self.proportion_)
        share, missed = estimate.augmented_proportion, self.missed_share
        threshold = pac_threshold(
            clean, forests.score(unlabeled), share, missed, isotonic=self.isotonic
        )
        promise = RecallGuarantee(missed, share, len(X), len(unlabeled), self.confidence)
        machines = None if settings is None else fit_ovr_machines(X, y, settings)
        return PacIForestModel(forests, machines, threshold, promise)


@dataclass(frozen=True, eq=False)
class PacIForestModel:
    """Forests for what is new, machines for the known classes (none for a single one)."""

    forests: "IsolationForests"
    machines: OvrMachines | None
    threshold: float
    guarantee: "RecallGuarantee"

    def evidence(self, X: Array) -> OpenSetEvidence:
        """Return decision values of the machines, and anomaly scores."""
        known = np.zeros((len(X), 1)) if self.machines is None else self.machines.decision(X)
        return OpenSetEvidence(known, self.forests.score(X))


@dataclass(frozen=True, eq=False)
class IsolationTrees:
    """The trees of a forest, the path length to each of their nodes, and a typical one."""

    trees: tuple[Any, ...]
    lengths: tuple[Array, ...]
    typical: float

    @classmethod
    def of(cls, forest: IsolationForest) -> "IsolationTrees":
        """Return the trees of a fitted forest."""
        trees = tuple(estimator.tree_ for estimator in forest.estimators_)
        # A leaf of several rows stands for the tree that would have been grown from them.
        lengths = tuple(
            tree.compute_node_depths() - 1.0 + average_path_length(tree.n_node_samples)
            for tree in trees
        )
        return cls(trees, lengths, float(average_path_length(np.array([forest.max_samples_]))[0]))

    def score(self, X: NDArray[np.float32], bags: list[Rows] | None = None) -> Array:
        """Return anomaly scores: bigger for rows that are isolated sooner.

        With `bags`, the rows of `X` each tree was grown on: by trees that did not see a row; by
        all of them where there are none.
        """
        total, total_outside, n_outside = np.zeros((3, len(X)))
        for i, (tree, length) in enumerate(zip(self.trees, self.lengths, strict=True)):
            reached = length[tree.apply(X)]
            total += reached
            if bags is not None:
                outside = np.ones(len(X), dtype=bool)
                outside[bags[i]] = False
                total_outside += np.where(outside, reached, 0.0)
                n_outside += outside
        mean_outside = total_outside / np.maximum(n_outside, 1)
        mean = np.where(n_outside > 0, mean_outside, total / len(self.trees))
        return 2.0 ** (-mean / self.typical)


@dataclass(frozen=True, eq=False)
class IsolationForests:
    """Forests over rows in units of the labeled range; the least anomalous answer counts."""

    forests: tuple[IsolationTrees, ...]
    low: Array
    span: Array

    def as_seen_by_trees(self, X: Array) -> NDArray[np.float32]:
        """Return rows in 32 bits; splits do not mind the units, digits do."""
        with np.errstate(over="ignore"):
            X = (X - self.low) / self.span
        return np.clip(X, -FARTHEST, FARTHEST).astype(np.float32)

    def score(self, X: Array) -> Array:
        """Return the smallest anomaly score of each row."""
        seen = self.as_seen_by_trees(X)
        return np.min([forest.score(seen) for forest in self.forests], axis=0)


def fit_forests(
    X: Array, groups: list[Rows], seed: int, **options: Any
) -> tuple[IsolationForests, Array]:
    """Return a forest for each group of rows, and scores of all rows, out of bag in their own."""
    span = np.ptp(X, axis=0)
    view = IsolationForests((), X.min(axis=0), np.where(span > 0, span, 1.0))
    X32 = view.as_seen_by_trees(X)
    forests, scores = [], np.empty((len(X), len(groups)))
    seeds = np.random.SeedSequence(seed).generate_state(len(groups))
    for column, rows in enumerate(groups):
        size = _rows_of_a_tree(len(rows))
        forest = IsolationForest(max_samples=size, random_state=int(seeds[column]), **options)
        forest.fit(X32[rows])
        trees = IsolationTrees.of(forest)
        scores[:, column] = trees.score(X32)
        scores[rows, column] = trees.score(X32[rows], forest.estimators_samples_)
        forests.append(trees)
    return replace(view, forests=tuple(forests)), scores.min(axis=1)


@dataclass(frozen=True)
class RecallGuarantee:
    """What is promised of the share of new rows that are called new.

    Both empirical distributions of scores are near the true ones with probability `confidence`
    (Dvoretzky, Kiefer, Wolfowitz), and so is that of the new rows: the theorem of Liu et al., for
    samples of unequal size. It supposes a detector that has not seen the rows, to which
    out-of-bag scores come close, and an augmented proportion that is not under-estimated.

    Attributes
    ----------
    missed_share : float
        Share of the new rows that the threshold is meant to miss.
    augmented_proportion : float
        At least the share of new rows among the unlabeled ones.
    n_labeled, n_unlabeled : int
    confidence : float

    Examples
    --------
    >>> RecallGuarantee(0.3, 0.5, n_labeled=500, n_unlabeled=1000, confidence=0.95).recall
    0.540...
    >>> print(RecallGuarantee(0.3, 0.1, n_labeled=500, n_unlabeled=1000, confidence=0.95))
    Nothing is promised of the share of new rows that are called new: with 10% of all rows new,
    that takes more than 1610 rows in each sample.
    """

    missed_share: float
    augmented_proportion: float
    n_labeled: int
    n_unlabeled: int
    confidence: float

    @property
    def slack(self) -> float:
        """How much more than `missed_share` may be missed."""
        labeled, unlabeled = (
            _deviation(n, self.confidence) for n in (self.n_labeled, self.n_unlabeled)
        )
        share = self.augmented_proportion
        return (unlabeled + (1.0 - share) * labeled) / share if share > 0.0 else math.inf

    @property
    def recall(self) -> float:
        """Smallest share of the new rows that are called new; 0 promises nothing."""
        return max(0.0, 1.0 - self.missed_share - self.slack)

    @property
    def rows_needed(self) -> float:
        """Rows that each sample must exceed for a promise of more than nothing."""
        share, aim = self.augmented_proportion, 1.0 - self.missed_share
        if share == 0.0 or aim == 0.0:
            return math.inf
        return (_deviation(1, self.confidence) * (2.0 - share) / (share * aim)) ** 2

    def __str__(self) -> str:
        if self.augmented_proportion == 0.0:
            return "No row is taken to be new: none is called new, and nothing is promised."
        share = f"{self.augmented_proportion:.0%} of all rows"
        if self.recall > 0.0:
            return (
                f"At least {self.recall:.0%} of the new rows are called new, with probability "
                f"{self.confidence:g}, if no more than {share} are new."
            )
        return (
            "Nothing is promised of the share of new rows that are called new: with "
            f"{share} new, that takes more than {self.rows_needed:.0f} rows in each sample."
        )


def _deviation(n_rows: int, confidence: float) -> float:
    """Return how far an empirical CDF is off at most, with probability sqrt(confidence)."""
    tail = 1.0 - math.sqrt(confidence)
    return math.sqrt(0.5 * math.log(2.0 / tail) / n_rows) if tail > 0.0 else math.inf


def augmented_distribution(clean: Array, mixed: Array, share: float) -> tuple[Array, Rows, Array]:
    """Return all distinct scores, how often they occur, and the estimated CDF of new rows there.

    From the scores of labeled and of unlabeled rows, a share of which is new.

    Examples
    --------
    >>> augmented_distribution(np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    (array([1., 2., 3., 4.]), array([2, 2, 1, 1]), array([0. , 0. , 0.5, 1. ]))
    """
    scores, counts = np.unique(np.concatenate([clean, mixed]), return_counts=True)
    of_clean = np.searchsorted(np.sort(clean), scores, side="right") / len(clean)
    of_mixed = np.searchsorted(np.sort(mixed), scores, side="right") / len(mixed)
    return scores, counts, (of_mixed - (1.0 - share) * of_clean) / share


def pac_threshold(
    clean: Array, mixed: Array, share: float, missed_share: float, *, isotonic: bool = False
) -> float:
    """Return the largest score at which the CDF of new rows is at most `missed_share`.

    Minus infinity if it is larger everywhere; plus infinity if no row is new. With `isotonic` the
    CDF is replaced by the nearest monotone one first.

    Examples
    --------
    >>> pac_threshold(np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0]), 0.5, 0.3)
    2.0
    """
    if share == 0.0:
        return np.inf
    scores, counts, cdf = augmented_distribution(clean, mixed, share)
    if isotonic:
        cdf = isotonic_regression(cdf, sample_weight=counts.astype(float), y_min=0.0, y_max=1.0)
    passing = scores[cdf <= missed_share + 1e-12]
    return float(passing[-1]) if len(passing) else -np.inf


def average_path_length(n_rows: NDArray[np.intp]) -> Array:
    """Return the mean depth at which a row is isolated from `n_rows` in a random tree."""
    n = np.maximum(n_rows, 2.0)
    length = 2.0 * (np.log(n - 1.0) + np.euler_gamma) - 2.0 * (n - 1.0) / n
    return np.where(n_rows <= 1, 0.0, np.where(n_rows == 2, 1.0, length))


def _groups(y: NDArray[np.intp]) -> list[Rows]:
    """Return the rows of each forest, in an order that does not depend on the names of classes."""
    classes, first, counts = np.unique(y, return_index=True, return_counts=True)
    large = counts >= FEWEST_ROWS_OF_A_FOREST
    order = np.argsort(first)
    groups = [np.flatnonzero(y == classes[k]) for k in order[large[order]]]
    rest = np.flatnonzero(np.isin(y, classes[~large]))
    if len(rest) >= FEWEST_ROWS_OF_A_FOREST or not groups:
        groups.append(rest)
    return groups


def _rows_of_a_tree(n_rows: int) -> int:
    """Return the size of the subsamples; two rows are the least that a tree can separate."""
    return max(2, round(SUBSAMPLE * n_rows), min(FEWEST_ROWS_OF_A_TREE, 4 * n_rows // 5))
