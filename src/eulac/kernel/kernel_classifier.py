"""Kernel EULAC behind scikit-learn's interface."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from eulac.classifier.fit_tasks import fit_tasks
from eulac.classifier.input_rows import (
    in_given_order,
    open_sample,
    scaled_rows,
    scaled_sample,
)
from eulac.classifier.known_proportion import estimate_proportion
from eulac.classifier.options import DECISIONS, GRIDS, SCALERS, SHIFTS, Progress
from eulac.classifier.table_fitting import GivenRows, TableClassifier
from eulac.data import requirements
from eulac.data.lac_sample import LacSample
from eulac.data.validation import rows_by_name
from eulac.drift.moved_risk import risk_after_drift
from eulac.drift.two_readings import DRIFTS
from eulac.exceptions import ManyRowsWarning, warn_caller
from eulac.kernel.kernel_model import KernelModel, fit_kernel_model
from eulac.maths.free_memory import require_free
from eulac.maths.kernels import GaussianKernel, LinearKernel, median_distance
from eulac.risk.decision_rule import warn_if_trivial
from eulac.solvers.search import SELECTIONS, SearchSettings, choose_solver

__all__ = ["KernelEulacClassifier"]

Array = NDArray[np.float64]

KERNELS = ("gaussian", "linear")
KERNEL_SHIFTS = (*SHIFTS, "base++")
"""Also the paper's biased variant, which only this classifier has."""


MANY_ROWS = 10_000
"""Above, there are better families: a kernel matrix has a number for each pair of rows."""


def warn_of_many_rows(n_rows: int) -> None:
    """Say what to use instead of a kernel machine of very many rows, before the work begins."""
    if n_rows > MANY_ROWS:
        warn_caller(
            f"a kernel machine of {n_rows:,} rows takes {8 * n_rows**2 / 1e9:,.1f} GB for each of "
            "its matrices, and a time that grows with the third power of the rows. Use "
            "EulacClassifier, which learns from a part of a large table and answers all of it, or "
            "LandmarkEulacClassifier, which learns from every row in a time that grows as they do.",
            ManyRowsWarning,
        )


class KernelEulacClassifier(TableClassifier):
    """Classify into the known classes or *augmented*, learning from unlabeled rows too.

    Kernel EULAC (Zhang et al., NeurIPS 2020): minimizes an unbiased estimate of the risk under
    the distribution of the unlabeled rows, in which classes nobody labeled may appear. Bandwidth
    and penalty are chosen by cross-validated label-free risk. Inductive: predicts any new row.

    Parameters
    ----------
    known_proportion
        As in `EulacClassifier`.
    shift : {"auto", True, False, "base++"}, default="auto"
        As in `EulacClassifier`; "base++" is the paper's biased variant: moved priors for the known
        scores only.
    drift : {"auto", True, False}, default="auto"
        As in `EulacClassifier`.
    loss : str, default="square"
        A convex loss of `maths/losses.py`, such as "logistic" or "double_hinge". The square loss
        has exact cross validation at one factorization per candidate; the others refit on every
        fold.
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
    n_folds, unlabeled_label, augmented_label, random_state
        As in `EulacClassifier`.
    n_jobs : int, optional
        Number of cores `fit` may use; BLAS is held to it. None means 1.

    Attributes
    ----------
    classes_, known_classes_, proportion_, risk_, held_out_probabilities_, held_out_labels_
        As in `EulacClassifier`. Folds are of one size: some unlabeled rows, fewer than folds, are
        in every fit.
    cv_results_ : dict of arrays
        One entry per candidate: bandwidth, penalty, both held-out risks.
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
        known_proportion: Any = "auto",
        *,
        shift: Any = "auto",
        drift: Any = "auto",
        loss: str = "square",
        kernel: str = "gaussian",
        bandwidth: Any = None,
        penalty: Any = None,
        grid: str = "half_decades",
        selection: str = "zero_one",
        decision: str = "matched",
        offset: float = 0.0,
        n_folds: int = 5,
        scale: str | None = "minmax",
        unlabeled_label: Any = -1,
        augmented_label: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.penalty = penalty
        self.grid = grid
        self.selection = selection
        self.decision = decision
        self.offset = offset
        self.scale = scale
        self.drift = drift
        markers = unlabeled_label, augmented_label
        super().__init__(known_proportion, shift, n_folds, *markers, n_jobs, random_state)

    most_labeled_rows = MANY_ROWS // 2
    """Of a table file, unless more are asked for."""

    def _fit(self, rows: GivenRows, progress: Progress) -> None:
        self._check_parameters()
        sample, seed, places = open_sample(self, *rows, n_folds=self.n_folds)
        self._require_one_weight(sample)
        _require_memory(sample)
        warn_of_many_rows(sample.n_labeled + sample.n_unlabeled)
        self.scaler_, sample = scaled_sample(self.scale, sample)
        shift = True if self.shift == "base++" else self.shift
        rule = {"matched": self.decision == "matched", "closed_set": self.closed_set_}
        with fit_tasks(self, self._n_kernels(), "kernel", progress) as tasks:
            self.proportion_ = estimate_proportion(self, sample, seed, shift=shift)
            model = fit_kernel_model(
                sample,
                self.proportion_,
                self._settings(sample, seed),
                n_folds=self.n_folds,
                rule_options=rule,
                random_state=seed,
                progress=tasks.report,
            )
        self.model_: KernelModel = replace(model, held_out=in_given_order(model.held_out, places))
        samples = np.split(self._calibrated(model.held_out), [sample.n_labeled])
        self.risk_ = risk_after_drift(self.model_.risk, self.proportion_, samples)
        self.cv_results_ = self.model_.cv_results
        warn_if_trivial(self.model_.answer_shares, self.classes_)

    @property
    def held_out_probabilities_(self) -> Array:  # type: ignore[override]
        """P(class) of each row of `X`, then of `X_unlabeled`, by fits that have not seen it."""
        check_is_fitted(self)
        return self._calibrated(self.model_.held_out)

    def _check_parameters(self) -> None:
        requirements.require_choice("kernel", self.kernel, KERNELS)
        requirements.require_choice("shift", self.shift, KERNEL_SHIFTS)
        requirements.require_choice("drift", self.drift, DRIFTS)
        requirements.require_choice("grid", self.grid, tuple(GRIDS))
        requirements.require_choice("selection", self.selection, SELECTIONS)
        requirements.require_choice("decision", self.decision, DECISIONS)
        requirements.require_choice("scale", self.scale, (*SCALERS, None))
        requirements.require_range("offset", self.offset, 0.0, 1.0)
        requirements.require_at_least("n_folds", self.n_folds, 2)
        choose_solver(self.loss)
        for name in ("bandwidth", "penalty"):
            requirements.as_candidates(name, getattr(self, name), default=())

    def _require_one_weight(self, sample: LacSample) -> None:
        """Refuse row weights where the augmented score has one weight for all rows."""
        if self.shift == "base++" and sample.importance is not None:
            raise ValueError(
                "`sample_weight` must be the same for all rows with shift='base++', whose "
                "augmented score knows one weight; got rows that weigh differently. Use "
                "shift=True."
            )

    def _n_kernels(self) -> int:
        if self.kernel == "linear":
            return 1
        default = GRIDS[self.grid].bandwidth_factors
        return len(requirements.as_candidates("bandwidth", self.bandwidth, default))

    def _settings(self, sample: LacSample, seed: int) -> SearchSettings:
        grid = GRIDS[self.grid]
        penalties = requirements.as_candidates("penalty", self.penalty, grid.penalties)
        if self.kernel == "linear":
            kernels: list[Any] = [LinearKernel()]
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

    def _decision(self, X: Any) -> Array:
        rows = self._opened(X)
        return self.model_.decide(rows)

    def _quick_decision(self, X: Any) -> Array:
        rows = self._opened(X)
        return self.model_.decide_in_single_precision(rows)

    def _opened(self, X: Any) -> Array:
        """Return new rows checked and scaled."""
        check_is_fitted(self)
        return scaled_rows(self.scaler_, rows_by_name(self, X))

    def _calibrated(self, decision: Array) -> Array:
        """Return the softmax of the decision, its factor fitted by the unbiased Brier risk."""
        return self.model_.rule.probabilities(decision)


def _require_memory(sample: LacSample) -> None:
    """Refuse a fit whose kernel matrices would not fit in memory, before it begins."""
    n_rows = sample.n_labeled + sample.n_unlabeled
    # Distances, the kernel and its factor at once, each a matrix of doubles over all rows.
    require_free(
        3 * 8 * n_rows**2,
        f"a kernel fit of {n_rows:,} rows",
        "Pass fewer unlabeled rows, or use LandmarkEulacClassifier (`--method landmark`), whose "
        "memory does not grow with their number.",
    )
