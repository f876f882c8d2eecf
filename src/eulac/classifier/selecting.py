"""Which rows are new, at most a given share of them wrongly: what classifiers say of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from eulac.data.any_rows import FitRows
from eulac.exceptions import SelectionWarning, warn_caller
from eulac.proportion.estimate import ProportionEstimate
from eulac.risk.chosen_answers import choose_answers
from eulac.risk.held_out import HeldOut
from eulac.risk.new_selection import NewCalibration, new_log_odds, selected_rows
from eulac.risk.weights import labeled_weights

__all__ = ["SelectionMixin"]

Array = NDArray[np.float64]


class SelectionMixin:
    """Rows selected as new by a classifier that keeps what it said of rows it had not seen.

    Needed: `held_out_probabilities_`, `held_out_codes_`, `fit_rows_`, `proportion_`, `classes_`,
    `closed_set_` and `predict_proba`.
    """

    classes_: NDArray[Any]
    closed_set_: bool
    fit_rows_: FitRows
    held_out_probabilities_: Any
    held_out_codes_: Any
    proportion_: ProportionEstimate

    def new_p_values(self, X: Any = None) -> Array:
        """Return for each row how likely a row of a known class looks at least as new.

        Small values speak for a new row. Of rows of a known class, at most a share of about `p` has
        a p-value of `p` or less: labeled rows that were held out tell, weighted by `proportion_`
        where the known classes' priors have moved.

        Parameters
        ----------
        X : rows as in `predict`, optional
            By default the pool of the fit: the unlabeled rows in `X`, then those in `X_unlabeled`.
            Rows of the pool are scored by models that have not seen them, wherever they stand.

        Returns
        -------
        p_values : array of shape (n_rows,)

        Notes
        -----
        Labeled and pool rows of one fold are scored by the same model, which has seen neither: for
        them p-values are valid up to the mixing of folds. Fresh rows are scored by the model of
        all rows, labeled ones by models of fewer: that both look alike is an approximation, and
        measured (`eulac benchmark run selection`). Known classes that look other in deployment
        than in the labels void both; `SelectionWarning` says where that is suspected.
        """
        check_is_fitted(self)
        self._require_something_to_select()
        self._warn_of_drift()
        scores = new_log_odds(self._unseen_probabilities(X))
        return self._known_calibration().p_values(scores)

    def select_new(
        self, X: Any = None, alpha: float = 0.1, *, known_proportion: float | None = None
    ) -> NDArray[np.bool_]:
        """Return which rows are new, on average at most a share `alpha` of them wrongly.

        Benjamini and Hochberg's procedure on `new_p_values`, its level divided by an upper bound
        of the share of known rows.

        Parameters
        ----------
        X : rows as in `predict`, optional
            By default the pool of the fit, as in `new_p_values`.
        alpha : float, default=0.1
            Bound of the false discovery rate: the expected share of known rows among those
            selected.
        known_proportion : float, optional
            Upper bound of the share of known rows among these rows; by default the upper end of
            the interval of `proportion_`. For a batch that may have more known rows than the pool
            had, pass 1.

        Returns
        -------
        selected : bool array of shape (n_rows,)

        Examples
        --------
        >>> import numpy as np
        >>> from eulac import KernelEulacClassifier
        >>> rng = np.random.default_rng(1)
        >>> X, pool = rng.normal(0, 1, (100, 2)), rng.normal(0, 1, (60, 2))
        >>> pool[40:] += 9
        >>> clf = KernelEulacClassifier(0.7, random_state=0).fit(X, np.arange(100) % 2, pool)
        >>> selected = clf.select_new(alpha=0.1)
        >>> int(selected[40:].sum()), bool(selected[:40].sum() <= 4)
        (20, True)
        """
        p_values = self.new_p_values(X)
        known = self.proportion_.interval[1] if known_proportion is None else known_proportion
        return selected_rows(p_values, alpha, known)

    def choose_answers(
        self, X: Any = None, *, cost: Any = None, precision: float | None = None
    ) -> NDArray[Any]:
        """Return labels with the smallest expected cost, or with a wanted precision of *new*.

        Parameters
        ----------
        X : rows as in `predict`, optional
            By default the pool of the fit, as in `new_p_values`.
        cost : array of shape (n_classes, n_classes), optional
            What it costs to give a row of each class, rows of the matrix, each answer, its columns;
            both follow `classes_`.
        precision : float, optional
            As many rows are called new as this share of them is so, on average; see `select_new`.

        Returns
        -------
        labels : array of shape (n_rows,)
        """
        check_is_fitted(self)
        self._require_something_to_select()
        if precision is not None:
            self._warn_of_drift()
        codes = choose_answers(
            self._unseen_probabilities(X),
            cost=cost,
            precision=precision,
            calibration=self._known_calibration(),
            known_share=self.proportion_.interval[1],
        )
        return np.asarray(self.classes_[codes])

    @property
    def held_out_(self) -> HeldOut:
        """Probabilities of labeled and unlabeled rows by models that have not seen them.

        With the codes and weights of labeled rows, `sample_weight` among them: what label-free
        metrics are computed from.
        """
        check_is_fitted(self)
        self._require_something_to_select()
        codes, rows = self.held_out_codes_, self.held_out_probabilities_
        known = codes >= 0
        importance = self.fit_rows_.importance
        weights = labeled_weights(codes[known], self.proportion_.per_class, importance)
        interval = self.proportion_.interval
        return HeldOut(rows[known], rows[~known], codes[known], weights, interval)

    def _known_calibration(self) -> NewCalibration:
        """Return scores of the labeled rows by models that have not seen them."""
        held_out = self.held_out_
        return NewCalibration(new_log_odds(held_out.labeled), held_out.weights)

    def _unseen_probabilities(self, X: Any) -> Array:
        """Return P(class) of rows; of the pool's, or by default the pool, those held out."""
        if X is None:
            return np.asarray(self.held_out_probabilities_[self.held_out_codes_ < 0])
        probabilities = np.array(self.predict_proba(X))
        places = self.fit_rows_.places(X, unlabeled=True)
        in_pool = places >= 0
        probabilities[in_pool] = self.held_out_probabilities_[places[in_pool]]
        return probabilities

    def predict_proba(self, X: Any) -> Array:
        """Return P(class), the augmented one last."""
        raise NotImplementedError

    def _require_something_to_select(self) -> None:
        if self.closed_set_:
            raise ValueError(
                "selecting new rows needs a classifier fitted with unlabeled rows; this one saw "
                "none, so that it cannot tell how new a row looks. Pass `X_unlabeled` to `fit`."
            )

    def _warn_of_drift(self) -> None:
        if self.proportion_.doubts_condition:
            warn_caller(
                "known classes may look in deployment other than in the labels, so labeled "
                "rows do not stand for known rows there: the share of wrong ones among rows "
                "selected as new is not controlled. Label some rows of the pool and fit again.",
                SelectionWarning,
            )
