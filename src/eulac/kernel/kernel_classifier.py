"""Kernel EULAC behind scikit-learn's interface."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from eulac.classifier.answering import AnswersMixin
from eulac.classifier.fit_warnings import step_counter
from eulac.classifier.grids import GRIDS
from eulac.classifier.input_rows import open_sample
from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.kernel.kernel_model import fit_kernel_model
from eulac.maths.kernels import GaussianKernel, LinearKernel, median_distance
from eulac.proportion.choose_proportion import choose_proportion
from eulac.proportion.estimate import ProportionEstimate
from eulac.proportion.proportion_warnings import warn_of_doubtful_proportion
from eulac.risk.decision_rule import warn_if_trivial
from eulac.solvers.choose_solver import choose_solver
from eulac.solvers.search import SELECTIONS, SearchSettings

__all__ = ["KernelEulacClassifier"]

SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}
KERNELS = ("gaussian", "linear")
SHIFTS = ("auto", True, False, "base++")
DECISIONS = ("matched", "largest")


class KernelEulacClassifier(AnswersMixin, ClassifierMixin, BaseEstimator):
    """Classify into the known classes or *augmented*, learning from unlabeled rows too.

    Kernel EULAC (Zhang et al., NeurIPS 2020): minimizes an unbiased estimate of the risk under
    the distribution of the unlabeled rows, in which classes nobody labeled may appear. Bandwidth
    and penalty are chosen by cross-validated label-free risk. Inductive: predicts any new row.

    Parameters
    ----------
    known_proportion : "auto", float, sequence of floats or proportion estimator, default="auto"
        Share of known classes among the unlabeled rows: estimated, given (one number, or one per
        known class), or an object such as `BestBinProportion`.
    shift : {"auto", True, False, "base++"}, default="auto"
        Whether the known classes' priors among each other may differ from the labeled ones
        (generalized class shift): estimated, kept, or estimated and used only where they moved
        significantly. "auto" concerns estimated proportions; a given one is taken as it is.
        "base++" is the paper's biased variant: moved priors for the known scores only.
    loss : {"square", "logistic", "double_hinge"}, default="square"
        The square loss has exact cross validation at one factorization per candidate; the others
        refit on every fold.
    kernel : {"gaussian", "linear"}, default="gaussian"
    bandwidth : float or sequence of floats, optional
        Gaussian bandwidth (or several to choose from) instead of the grid's.
    penalty : float or sequence of floats, optional
        Weight of the squared norms (or several to choose from) instead of the grid's.
    grid : {"half_decades", "paper"}, default="half_decades"
        What is searched where `bandwidth` or `penalty` is left open.
    selection : {"zero_one", "surrogate"}, default="zero_one"
        Held-out risk that chooses: estimated test error, or the loss that is minimized.
    decision : {"matched", "largest"}, default="matched"
        "matched" calls as many held-out unlabeled rows augmented as the proportion says there
        are, and sends rows far from all data to the augmented class; "largest" lets the largest
        score win, as in the paper.
    offset : float in [0, 1], default=0.0
        Constant part of the scores, minus for known classes and plus for the augmented one; 0 is
        the paper's form.
    scale : {"minmax", "standard"} or None, default="minmax"
        Scaling of the features, learned on all rows given to `fit`.
    cv : int, default=5
        Number of folds.
    unlabeled_label : scalar, default=-1
        What marks an unlabeled row in `y`.
    augmented_label : scalar, default="auto"
        What augmented rows are called: -2 for numbers and "augmented" for strings by default.
    n_jobs : int, optional
        Number of cores `fit` may use; BLAS is held to it. None means 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the proportion estimate.

    Attributes
    ----------
    classes_ : array of shape (n_known_classes + 1,)
        Known labels in sorted order, then the augmented label: the columns of all outputs.
    known_classes_ : array of shape (n_known_classes,)
    proportion_ : ProportionEstimate
    risk_ : RiskEstimate
        Label-free estimate of the test error, from held-out rows.
    cv_results_ : dict of arrays
        One entry per candidate: bandwidth, penalty, both held-out risks.
    held_out_probabilities_ : array of shape (n_rows, n_classes)
        For each row of `X`, then of `X_unlabeled`, by fits that have not seen it.
    model_ : KernelModel
        Expansion, decision rule and what they were chosen from.
    n_features_in_ : int

    Examples
    --------
    Three groups, of which the third was never labeled.

    >>> import numpy as np
    >>> from eulac import KernelEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> centers = np.array([[0, 0], [4, 0], [2, 4]])
    >>> X = rng.normal(centers[[0] * 40 + [1] * 40], 0.5)
    >>> y = np.repeat(["left", "right"], 40)
    >>> X_deploy = rng.normal(centers[[0] * 30 + [1] * 30 + [2] * 60], 0.5)
    >>> clf = KernelEulacClassifier(random_state=0).fit(X, y, X_unlabeled=X_deploy)
    >>> clf.predict(centers)
    array(['left', 'right', 'augmented'], dtype='<U9')
    >>> bool(abs(clf.proportion_.total - 0.5) < 0.05)
    True
    """

    def __init__(
        self,
        known_proportion="auto",
        *,
        shift="auto",
        loss="square",
        kernel="gaussian",
        bandwidth=None,
        penalty=None,
        grid="half_decades",
        selection="zero_one",
        decision="matched",
        offset=0.0,
        scale="minmax",
        cv=5,
        unlabeled_label=-1,
        augmented_label="auto",
        n_jobs=None,
        random_state=None,
    ):
        self.known_proportion = known_proportion
        self.shift = shift
        self.loss = loss
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.penalty = penalty
        self.grid = grid
        self.selection = selection
        self.decision = decision
        self.offset = offset
        self.scale = scale
        self.cv = cv
        self.unlabeled_label = unlabeled_label
        self.augmented_label = augmented_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, X_unlabeled=None, *, progress: Callable[[int, int], Any] | None = None):
        """Learn from labeled and unlabeled rows.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
        y : array of shape (n_rows,)
            Labels; unlabeled rows carry `unlabeled_label` (-1).
        X_unlabeled : array or data frame, optional
            Further unlabeled rows.
        progress : callable, optional
            Called as ``progress(done, total)`` while candidates are tried.

        Returns
        -------
        self
        """
        self._check_parameters()
        sample, seed, places = open_sample(self, X, y, X_unlabeled, n_folds=self.cv)
        sample = self._with_scaled_rows(sample)
        self.proportion_ = self._estimate_proportion(sample, seed)
        settings = self._settings(sample, seed)
        model = fit_kernel_model(
            sample,
            self.proportion_,
            settings,
            n_folds=self.cv,
            rule_options={"matched": self.decision == "matched", "closed_set": self.closed_set_},
            random_state=seed,
            on_kernel=step_counter(progress, len(settings.kernels)),
        )
        # From the order of the fit to that of the rows given; stand-ins are left out.
        order = np.argsort(places)
        self.model_ = replace(model, held_out=model.held_out[: len(places)][order])
        self.risk_, self.cv_results_ = self.model_.risk, self.model_.cv_results
        warn_if_trivial(self.model_.answer_shares, self.classes_)
        return self

    @property
    def held_out_probabilities_(self):
        """P(class) of each row of `X`, then of `X_unlabeled`, by fits that have not seen it.

        Folds are of one size: some unlabeled rows, fewer than folds, are in every fit.
        """
        check_is_fitted(self)
        return self._calibrated(self.model_.held_out)

    def _check_parameters(self) -> None:
        requirements.require_choice("kernel", self.kernel, KERNELS)
        requirements.require_choice("shift", self.shift, SHIFTS)
        requirements.require_choice("grid", self.grid, tuple(GRIDS))
        requirements.require_choice("selection", self.selection, SELECTIONS)
        requirements.require_choice("decision", self.decision, DECISIONS)
        requirements.require_choice("scale", self.scale, (*SCALERS, None))
        requirements.require_range("offset", self.offset, 0.0, 1.0)
        requirements.require_at_least("cv", self.cv, 2)
        choose_solver(self.loss)
        for name in ("bandwidth", "penalty"):
            requirements.as_candidates(name, getattr(self, name), default=())

    def _with_scaled_rows(self, sample: LacSample) -> LacSample:
        """Learn the scale; return the sample on it."""
        rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
        self.scaler_ = None if self.scale is None else SCALERS[self.scale]().fit(rows)
        rows = self._scaled(rows)
        requirements.require_spread(rows)
        labeled, unlabeled = np.split(rows, [sample.n_labeled])
        return sample.with_rows(X_labeled=labeled, X_unlabeled=unlabeled)

    def _estimate_proportion(self, sample: LacSample, seed: int) -> ProportionEstimate:
        given = 1.0 if self.closed_set_ else self.known_proportion
        chosen = choose_proportion(
            given, self._moved_priors(), random_state=seed, n_jobs=self.n_jobs
        )
        estimate = chosen.estimate(sample)
        if not self.closed_set_:
            warn_of_doubtful_proportion(estimate)
        return estimate

    def _moved_priors(self):
        """Return what the proportion estimator is told about priors."""
        if self.closed_set_:
            return False
        return True if self.shift == "base++" else self.shift

    def _settings(self, sample: LacSample, seed: int) -> SearchSettings:
        grid = GRIDS[self.grid]
        penalties = requirements.as_candidates("penalty", self.penalty, grid.penalties)
        if self.kernel == "linear":
            kernels = [LinearKernel()]
        else:
            rows = np.vstack([sample.X_labeled, sample.X_unlabeled])
            median = max(median_distance(rows, random_state=seed), requirements.SMALLEST)
            default = [factor * median for factor in grid.bandwidth_factors]
            bandwidths = requirements.as_candidates("bandwidth", self.bandwidth, default)
            kernels = [GaussianKernel(bandwidth) for bandwidth in bandwidths]
        return SearchSettings(
            kernels,
            penalties,
            choose_solver(self.loss),
            self.selection,
            float(self.offset),
            self.n_jobs,
            self.proportion_.total if self.shift == "base++" else None,
        )

    def _scaled(self, X):
        """Scale; far is far, so what would overflow when squared is moved in."""
        X = requirements.moderate(X)
        return X if self.scaler_ is None else requirements.moderate(self.scaler_.transform(X))

    def _decision(self, X, *, single_precision=False):
        """Decision values with one column per entry of `classes_`."""
        check_is_fitted(self)
        X = self._scaled(validate_data(self, X, dtype=np.float64, reset=False))
        if single_precision:
            return self.model_.decide_in_single_precision(X)
        return self.model_.decide(X)

    def _quick_decision(self, X):
        return self._decision(X, single_precision=True)

    def _calibrated(self, decision):
        """Return the softmax of the decision, its factor fitted by the unbiased log loss."""
        return self.model_.rule.probabilities(decision)
