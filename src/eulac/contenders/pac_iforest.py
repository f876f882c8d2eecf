"""PAC-iForest: isolation forests, *new* above a score that most new rows exceed.

The distribution of scores of new rows is what is left of the unlabeled scores when the labeled
ones are taken out in proportion; its quantile is the threshold, with a promise about its recall.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.isotonic import isotonic_regression
from sklearn.utils.validation import check_is_fitted

from eulac.contenders.base import Array, Evidence, OpenSetClassifier
from eulac.contenders.rbf_svm import OvrMachines, SvmSettings, fit_ovr_machines, search_ovr_svm
from eulac.data.checks import require_at_least, require_choice, require_range

__all__ = ["PacIForestClassifier", "RecallGuarantee"]

Rows = NDArray[np.intp]

FORESTS = ("per_class", "pooled")
FEWEST_ROWS_OF_A_FOREST = 10
FEWEST_ROWS_OF_A_TREE = 8
FARTHEST = 1e30
"""Trees see 32 bits; in units of the labeled range nothing needs to be farther out."""


class PacIForestClassifier(OpenSetClassifier):
    """Isolation forests on labeled rows; a threshold that finds a promised share of new rows.

    Anomaly scores F of unlabeled rows are a mixture of those of known and new rows, so that
    ``F_new = (F_unlabeled - (1 - a) F_labeled) / a`` with a the augmented proportion. Rows above
    the largest score with ``F_new`` at most `missed_share` are new; support vector machines tell
    the others apart. With enough rows the recall of new rows is guaranteed (`guarantee_`), if
    the augmented proportion is not under-estimated.

    There is a forest for each class, as in the authors' programs, and a row is as anomalous as
    the forest says that finds it least so. (One forest for all rows is much worse at finding new
    ones, and does not reach the AUC reported by Zhang et al., which these do.) Scores of labeled
    rows are out of bag: trees score rows they did not see.

    Departs from its paper where classes are small: a tree sees a fifth of the rows, but at least
    8, or half of a class if that is less; classes of fewer than 10 rows share a forest, and have
    none if together they still are fewer, unless no other class has one. The least anomalous
    forest counts for labeled rows too, as in the authors' later program (JMLR 2022); in the first
    it was that of their own class, which makes labeled rows look newer than unlabeled ones and
    rejects too many. Zhang et al. do not say what augmented proportion they used; here it is
    estimated. If it is 0, nothing is new.

    Parameters
    ----------
    known_proportion : see `EulacClassifier`
        Over-estimates of the augmented proportion are safe, under-estimates are not.
    missed_share : float in [0, 1], default=0.3
        Share of the new rows that may be taken for known.
    forests : {"per_class", "pooled"}, default="per_class"
        A forest for each known class, or one for all labeled rows.
    n_estimators : int, default=1000
        Trees of a forest.
    subsample : float in [0, 1], default=0.2
        Share of the rows that a tree is grown on.
    isotonic : bool, default=False
        Whether to make the estimated distribution of new rows a monotone one first.
    confidence : float in [0, 1], default=0.95
        Probability of what `guarantee_` says.
    bandwidth, cost : float, optional
        Of the support vector machines; what is left open is searched.
    scale : {"minmax", "standard"} or None, default="minmax"
        Scaling of the features, learned on the labeled rows.
    threshold : {"paper", "label_free"}, default="paper"
        Where to call a row new: as described, or where cross-validated label-free risk is
        smallest.
    n_jobs : int, optional
    random_state : int, RandomState instance or None

    Attributes
    ----------
    classes_ : array of shape (n_known_classes + 1,)
        Known labels in sorted order, then the augmented label.
    guarantee_ : RecallGuarantee or None
        What is promised of the threshold; None if it is not the method's own.
    proportion_ : ProportionEstimate
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
    >>> classifier = PacIForestClassifier(
    ...     2 / 3, n_estimators=50, bandwidth=0.2, cost=1.0, random_state=0
    ... )
    >>> classifier.fit(X, y).predict(centers)
    array([ 0,  1, -2])
    >>> print(classifier.guarantee_)
    At least 14% of the new rows are called new, with probability 0.95, if no more than 33% of
    all rows are new.
    """

    needs_unlabeled = True

    def __init__(
        self,
        known_proportion="auto",
        *,
        missed_share=0.3,
        forests="per_class",
        n_estimators=1000,
        subsample=0.2,
        isotonic=False,
        confidence=0.95,
        bandwidth=None,
        cost=None,
        scale="minmax",
        threshold="paper",
        n_jobs=None,
        random_state=None,
    ):
        self.known_proportion = known_proportion
        self.missed_share = missed_share
        self.forests = forests
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.isotonic = isotonic
        self.confidence = confidence
        self.bandwidth = bandwidth
        self.cost = cost
        self.scale = scale
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def guarantee_(self) -> "RecallGuarantee | None":
        """What is promised of the recall of new rows."""
        check_is_fitted(self)
        is_own = self.threshold == "paper" and not self.closed_set_
        return self.model_.guarantee if is_own else None

    def _search(self, sample, seed) -> SvmSettings | None:
        """Return settings of the machines, which one class does not need."""
        require_range("missed_share", self.missed_share, 0.0, 1.0)
        require_range("subsample", self.subsample, 0.0, 1.0)
        require_range("confidence", self.confidence, 0.0, 1.0)
        require_choice("forests", self.forests, FORESTS)
        require_at_least("n_estimators", self.n_estimators, 1)
        if sample.n_known_classes == 1:
            return None
        return search_ovr_svm(
            sample.X_labeled,
            sample.y_labeled,
            bandwidth=self.bandwidth,
            cost=self.cost,
            random_state=seed,
        )

    def _fit_model(self, sample, settings: SvmSettings | None, seed):
        X, y = sample.X_labeled, sample.y_labeled
        forests, clean = self._fit_forests(X, y, seed)
        share = self.proportion_.augmented_proportion
        return PacIForestModel(
            forests,
            fit_ovr_machines(X, y, settings) if sample.n_known_classes > 1 else None,
            pac_threshold(
                clean,
                forests.score(sample.X_unlabeled),
                share,
                self.missed_share,
                isotonic=self.isotonic,
            ),
            RecallGuarantee(
                self.missed_share, share, len(X), len(sample.X_unlabeled), self.confidence
            ),
        )

    def _fit_forests(self, X, y, seed) -> "tuple[IsolationForests, Array]":
        """Return the forests, and the scores of the labeled rows by trees that did not see them."""
        low, span = X.min(axis=0), np.ptp(X, axis=0)
        forests = IsolationForests((), low, np.where(span > 0, span, 1.0))
        X = forests.as_seen_by_trees(X)
        groups = _groups(y) if self.forests == "per_class" else [np.arange(len(y))]
        seeds = np.random.SeedSequence(seed).generate_state(len(groups))
        trees, scores = [], np.empty((len(X), len(groups)))
        for column, (rows, forest_seed) in enumerate(zip(groups, seeds, strict=True)):
            forest = IsolationForest(
                n_estimators=self.n_estimators,
                max_samples=_rows_of_a_tree(len(rows), self.subsample),
                n_jobs=self.n_jobs,
                random_state=int(forest_seed),
            ).fit(X[rows])
            trees.append(IsolationTrees.of(forest))
            scores[:, column] = trees[-1].score(X)
            scores[rows, column] = trees[-1].out_of_bag_score(X[rows], forest.estimators_samples_)
        return IsolationForests(tuple(trees), forests.low, forests.span), scores.min(axis=1)


@dataclass(frozen=True, eq=False)
class PacIForestModel:
    """Forests for newness, machines for the known classes (none for a single one)."""

    forests: "IsolationForests"
    machines: OvrMachines | None
    threshold: float
    guarantee: "RecallGuarantee"

    def evidence(self, X: Array) -> Evidence:
        """Return decision values of the machines, and anomaly scores."""
        known = np.zeros((len(X), 1)) if self.machines is None else self.machines.decision(X)
        return Evidence(known, self.forests.score(X))


@dataclass(frozen=True, eq=False)
class IsolationTrees:
    """The trees of a forest, the path length to each of their nodes, and a typical one."""

    trees: tuple
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

    def score(self, X: NDArray[np.float32]) -> Array:
        """Return anomaly scores by all trees: bigger for rows that are isolated sooner."""
        total = np.zeros(len(X))
        for tree, length in zip(self.trees, self.lengths, strict=True):
            total += length[tree.apply(X)]
        return self._anomaly(total / len(self.trees))

    def out_of_bag_score(self, X: NDArray[np.float32], bags: list[Rows]) -> Array:
        """Return scores by the trees that were not grown on a row; by all if there are none.

        `X` are the rows the forest was fitted on, `bags` those each tree has seen.
        """
        total, n_trees = np.zeros(len(X)), np.zeros(len(X))
        for tree, length, bag in zip(self.trees, self.lengths, bags, strict=True):
            outside = np.ones(len(X), dtype=bool)
            outside[bag] = False
            total += np.where(outside, length[tree.apply(X)], 0.0)
            n_trees += outside
        scores = self._anomaly(total / np.maximum(n_trees, 1))
        return scores if n_trees.all() else np.where(n_trees > 0, scores, self.score(X))

    def _anomaly(self, length: Array) -> Array:
        return 2.0 ** (-length / self.typical)


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
        X = self.as_seen_by_trees(X)
        return np.min([forest.score(X) for forest in self.forests], axis=0)


@dataclass(frozen=True)
class RecallGuarantee:
    """What is promised of the share of new rows that are called new.

    Both empirical distributions are close to the true ones with probability `confidence`
    (Dvoretzky-Kiefer-Wolfowitz), hence that of the new rows within `slack`. This is the theorem of
    Liu et al. with samples of unequal size. It supposes scores by a detector that has not seen the
    rows, of which out-of-bag scores are an approximation.

    Attributes
    ----------
    missed_share : float
        Share of the new rows that the threshold is meant to miss.
    augmented_proportion : float
        At least the share of new rows among all.
    n_labeled, n_unlabeled : int
    confidence : float

    Examples
    --------
    >>> guarantee = RecallGuarantee(0.3, 0.5, n_labeled=500, n_unlabeled=1000, confidence=0.95)
    >>> round(guarantee.recall, 3)
    0.54
    >>> print(RecallGuarantee(0.3, 0.1, n_labeled=500, n_unlabeled=1000, confidence=0.95))
    Nothing is promised of the share of new rows that are called new: with 10% of the rows new,
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
        if self.augmented_proportion == 0.0:
            return math.inf
        deviation = math.sqrt(self._rate / self.n_unlabeled)
        deviation += (1.0 - self.augmented_proportion) * math.sqrt(self._rate / self.n_labeled)
        return deviation / self.augmented_proportion

    @property
    def recall(self) -> float:
        """Smallest share of the new rows that are called new; zero says nothing."""
        return max(0.0, 1.0 - self.missed_share - self.slack)

    @property
    def is_vacuous(self) -> bool:
        """Whether nothing is promised."""
        return self.recall == 0.0

    @property
    def rows_needed(self) -> float:
        """Number of rows that each sample must exceed for a promise of more than nothing."""
        share, aim = self.augmented_proportion, 1.0 - self.missed_share
        if share == 0.0 or aim == 0.0:
            return math.inf
        return self._rate * ((2.0 - share) / (share * aim)) ** 2

    @property
    def _rate(self) -> float:
        tail = 1.0 - math.sqrt(self.confidence)
        return 0.5 * math.log(2.0 / tail) if tail > 0.0 else math.inf

    def __str__(self) -> str:
        share = f"{self.augmented_proportion:.0%}"
        if self.augmented_proportion == 0.0:
            return "No row is taken to be new, so none is called new and nothing is promised."
        if not self.is_vacuous:
            return (
                f"At least {self.recall:.0%} of the new rows are called new, with probability "
                f"{self.confidence:g}, if no more than {share} of all rows are new."
            )
        needed = self.rows_needed
        how_many = f"more than {needed:.0f} rows" if needed < math.inf else "more than any rows"
        return (
            "Nothing is promised of the share of new rows that are called new: with "
            f"{share} of the rows new, that takes {how_many} in each sample."
        )


def augmented_distribution(clean: Array, mixed: Array, share: float) -> tuple[Array, Array, Array]:
    """Return all distinct scores, how often they occur, and the estimated CDF of new rows there.

    Parameters
    ----------
    clean, mixed : arrays
        Scores of labeled and of unlabeled rows.
    share : float
        Share of new rows among the unlabeled ones, above zero.

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

    Minus infinity if it is larger everywhere; plus infinity if no row is new. Parameters as in
    `augmented_distribution`; `isotonic` replaces its CDF by the nearest monotone one.

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
    """Return the mean depth at which a row is isolated from `n_rows` in a random tree.

    Examples
    --------
    >>> average_path_length(np.array([1, 2, 3])).round(3)
    array([0.   , 1.   , 1.207])
    """
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


def _rows_of_a_tree(n_rows: int, subsample: float) -> int:
    """Return the size of the subsamples; two rows are the least that a tree can separate."""
    fewest = max(2, min(FEWEST_ROWS_OF_A_TREE, n_rows // 2))
    return min(n_rows, max(round(subsample * n_rows), fewest))
