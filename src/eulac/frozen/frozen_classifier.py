"""K-or-new answers from the scores of a classifier that is deployed already."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.answering import LacClassifier
from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.input_rows import in_given_order, open_sample
from eulac.classifier.options import DECISIONS, SHIFTS
from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.data.validation import checked_rows
from eulac.frozen.frozen_model import (
    FrozenModel,
    FrozenSample,
    closed_estimate,
    estimate_frozen,
    fit_frozen_model,
)
from eulac.frozen.score_features import (
    ScorePlaces,
    ScoreTable,
    matched_columns,
    require_probabilities,
    split_columns,
)
from eulac.frozen.score_proportion import warn_of_weak_score
from eulac.risk.decision_rule import warn_if_trivial

__all__ = ["FrozenEulacClassifier"]

Array = NDArray[np.float64]

SCORES = ("probabilities", "logits")


class FrozenEulacClassifier(LacClassifier):
    """Answer with a known class or *augmented* from the scores of a classifier that stays as it is.

    For a model that is deployed and may not be retrained. `X` is not features but what that model
    says of rows: a column per known class, and perhaps one more, of any score of oddness. Labeled
    rows must be ones that model was not trained on. Their scores are compared with those of the
    pool; the known share follows from an exponential tilt of the held-out comparison, shares of the
    classes and answers from it. Inductive: answers any row that model has scored.

    Parameters
    ----------
    scores : {"probabilities", "logits"}, default="probabilities"
        What the columns hold. Logits tell more, because their total is lost in probabilities.
    oddness_column : int, optional
        Place of a column that is bigger for odder rows: a distance, a reconstruction error, an
        anomaly score. On any scale. Default: there is none.
    column_labels : "auto" or sequence, default="auto"
        Label of each score column, in their order. "auto" finds the assignment that fits the
        labeled rows best.
    known_proportion : "auto", float or sequence of floats, default="auto"
        Known share of the unlabeled rows, or the share of each known class. "auto" estimates it
        from the scores.
    decision : {"matched", "largest"}, default="matched"
        "matched" calls as many held-out unlabeled rows augmented as the proportion says there
        are; "largest" lets the largest probability win.
    n_folds : int, default=5
        Of the held-out comparison.
    shift, unlabeled_label, augmented_label, random_state
        As in `EulacClassifier`.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_, held_out_probabilities_, held_out_labels_
        As in `EulacClassifier`. `proportion_.diagnostics` has "separation", how well the scores
        tell new rows from known ones, and "weak_score".
    columns_ : int array of shape (n_known_classes,)
        Score column of each known class, oddness left out.
    model_ : FrozenModel
    n_features_in_ : int

    Notes
    -----
    Scores can tell of new rows only what they see of them. Where new rows score as known ones do,
    the interval of `proportion_` begins at zero, and `WeakScoreWarning` says so. A pool without
    any new row looks the same, and is warned of too.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from eulac import FrozenEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [6, 0], [3, -8]])
    >>> def rows(codes):
    ...     return rng.normal(centers[codes], 1.0)
    >>> y_train = np.resize([0, 1], 200)
    >>> deployed = LogisticRegression().fit(rows(y_train), y_train)
    >>> def score(X):  # what the deployed model says, and how far a row is from what it knows
    ...     odd = np.min([np.hypot(*(X - c).T) for c in centers[:2]], axis=0)
    ...     return np.column_stack([deployed.predict_proba(X), odd])
    >>> y_held_out, pool = np.resize([0, 1], 300), rows(np.resize([0, 1, 2], 600))
    >>> clf = FrozenEulacClassifier(oddness_column=-1, random_state=0)
    >>> clf = clf.fit(score(rows(y_held_out)), y_held_out, score(pool))
    >>> bool(abs(clf.proportion_.total - 2 / 3) < 0.05)
    True
    >>> clf.predict(score(centers)).tolist()
    [0, 1, -2]
    """

    def __init__(
        self,
        scores: str = "probabilities",
        *,
        oddness_column: int | None = None,
        column_labels: Any = "auto",
        known_proportion: Any = "auto",
        shift: Any = "auto",
        decision: str = "matched",
        n_folds: int = 5,
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.scores = scores
        self.oddness_column = oddness_column
        self.column_labels = column_labels
        self.decision = decision
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, None, random_state)

    def fit(self, X: Any, y: Any, X_unlabeled: Any = None) -> Self:
        """Compare scores of labeled rows with those of unlabeled ones.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Scores of rows the frozen classifier was not trained on.
        y : array of shape (n_rows,)
            Labels; `unlabeled_label` marks rows without.
        X_unlabeled : array, optional
            Scores of further unlabeled rows.

        Returns
        -------
        self
        """
        self._check_parameters()
        options: dict[str, Any] = {"n_folds": self.n_folds, "by_name": False}  # places tell scores
        sample, seed, order = open_sample(self, X, y, X_unlabeled, **options)
        rows, places = self._score_rows(sample, seed)
        with fit_tasks(self):
            if self.closed_set_:
                self.proportion_ = closed_estimate(rows)
            else:
                self.proportion_ = estimate_frozen(rows, self.known_proportion, self.shift)
                warn_of_weak_score(self.proportion_)
            model = fit_frozen_model(
                rows,
                places,
                self.proportion_,
                matched=self.decision == "matched",
                closed_set=self.closed_set_,
            )
        self.model_: FrozenModel = replace(model, held_out=in_given_order(model.held_out, order))
        self.risk_ = self.model_.risk
        self.held_out_probabilities_ = self.model_.held_out_probabilities()
        warn_if_trivial(self.model_.answer_shares[: len(self.classes_)], self.classes_)
        return self

    def _check_parameters(self) -> None:
        requirements.require_choice("scores", self.scores, SCORES)
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("decision", self.decision, DECISIONS)
        requirements.require_at_least("n_folds", self.n_folds, 2)

    def _score_rows(self, sample: LacSample, seed: int) -> tuple[FrozenSample, ScorePlaces]:
        """Return the rows of the fit as the model takes them; sets `columns_`."""
        self._require_a_column_per_class(sample)
        X = np.vstack([sample.X_labeled, sample.X_unlabeled])
        table = self._split(X)
        labeled = table.log_probabilities[: sample.n_labeled]
        if isinstance(self.column_labels, str) and self.column_labels == "auto":
            self.columns_ = matched_columns(labeled, sample.y_labeled)
        else:
            self.columns_ = self._named_columns()
        places = ScorePlaces.of(table.newness)
        ordered = ScoreTable(table.log_probabilities[:, self.columns_], table.newness)
        return FrozenSample.of(sample, ordered, places, self.n_folds, seed), places

    def _require_a_column_per_class(self, sample: LacSample) -> None:
        n_known, n_columns = sample.n_known_classes, self.n_features_in_
        odd = self.oddness_column is not None
        if odd and not -n_columns <= self.oddness_column < n_columns:
            raise ValueError(
                f"`oddness_column` must be the place of one of the {n_columns} columns of `X`; got "
                f"{self.oddness_column!r}."
            )
        if n_columns != n_known + odd:
            raise ValueError(
                f"`X` must have a score column for each of the {n_known} labels in `y`"
                f"{' and one of oddness' if odd else ''}, {n_known + odd} in all; got {n_columns}. "
                "Leave out columns of classes without a labeled row and divide probabilities by "
                "their sums, label rows of them, or set `oddness_column`."
            )

    def _named_columns(self) -> NDArray[np.intp]:
        named, known = self.codec_.encode(self.column_labels), self.known_classes_.tolist()
        if sorted(named.tolist()) != list(range(self.codec_.n_known_classes)):
            raise ValueError(
                f"`column_labels` must name each label of `y` once, {known}; got "
                f"{list(self.column_labels)!r}."
            )
        return np.argsort(named)

    def _split(self, X: Array) -> ScoreTable:
        logits = self.scores == "logits"
        if not logits:
            require_probabilities(X, self.oddness_column)
        return split_columns(X, logits=logits, oddness_column=self.oddness_column)

    def _decision(self, X: Any) -> Array:
        check_is_fitted(self)
        table = self._split(checked_rows(self, X))
        ordered = ScoreTable(table.log_probabilities[:, self.columns_], table.newness)
        return self.model_.decide(ordered)

    def _calibrated(self, decision: Array) -> Array:
        return self.model_.rule.probabilities(decision)
