"""The new share and the error of a batch of unlabeled rows, without a label of its time.

The labeled rows of the fit were held out while it went on, and their scores are kept. Known rows of
a batch score as they did, so that what exceeds them is new: an exponential tilt of the labeled
scores says how much, whatever share was new in the fit. The error of the answers follows from that
share as in the fit itself.

Scores know the new classes of the fit. One that came later may score as known. So where the labeled
rows themselves are at hand, the share is read off rows, too, as a fit would read it: where that
finds clearly less known, it is believed.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eulac.any_classifier.default_proportion import without_left_out
from eulac.classifier.own_rows import held_out_rows
from eulac.data.any_rows import in_name_order, n_rows
from eulac.data.encoded_rows import encoded_rows
from eulac.data.labels import UNLABELED
from eulac.data.lac_sample import LacSample
from eulac.data.lac_table import LacTable, in_value_order
from eulac.data.validation import require_same_columns
from eulac.drift.moved_risk import less_sure
from eulac.drift.tilt import exponential_tilt, tilt_error
from eulac.drift.two_readings import TwoReadingsProportion
from eulac.exceptions import ProportionDisagreementWarning, warn_caller
from eulac.proportion.best_bin import SPREAD_SHARE, best_bin
from eulac.proportion.estimate import ProportionEstimate, error_reaching, estimate_with_error
from eulac.proportion.known_priors import choose_priors, known_priors
from eulac.proportion.reduction import known_log_odds
from eulac.risk.weights import sample_weights
from eulac.risk.zero_one import RiskEstimate, zero_one_risk

__all__ = ["BatchEstimate", "estimate_batch"]

Array = NDArray[np.float64]

FEWEST_ROWS = 20
"""Of a batch: fewer tell nothing about a share."""


@dataclass(frozen=True, eq=False)
class BatchEstimate:
    """What a batch holds, and how often the answers to it err.

    Attributes
    ----------
    n_rows : int
    n_held_out : int
        Rows of the fit's own pool among them, which models answered that have not seen them.
    proportion : ProportionEstimate
        Known share of the batch, divided among the known classes. Its interval is of the share in
        these very rows, not in the traffic they came from.
    risk : RiskEstimate
        Label-free error of the answers. Its interval is of the traffic the rows came from: which of
        them came is part of it.
    answer_shares : array of shape (n_known_classes + 1,)
        Share of rows given each answer, the augmented one last.
    """

    n_rows: int
    n_held_out: int
    proportion: ProportionEstimate
    risk: RiskEstimate
    answer_shares: Array


def estimate_batch(
    classifier: Any,
    X: Any,
    *,
    X_labeled: Any = None,
    y_labeled: Any = None,
    shift: Any = "auto",
    n_resamples: int = 40,
    random_state: int = 0,
) -> BatchEstimate:
    """Return the new share of a batch of rows and the error of the answers to it.

    Known classes are taken to look as in the labels; how frequent they are, and how much is new,
    may differ from the fit. Where the fit was unsure of its own pool, because known classes may
    have moved or new ones look known, intervals of a batch are no narrower than the fit's. A batch
    that is the pool of the fit gets the estimates of the fit: they rest on more, and the same rows
    have one share.

    Parameters
    ----------
    classifier : fitted classifier
        One that keeps `held_out_probabilities_` of its labeled rows.
    X : rows
        The batch, 20 rows or more.
    X_labeled, y_labeled : rows and their labels, optional
        Labeled rows of the fit. With them, new classes that the fit has not met are seen, too.
    shift : {"auto", True, False}, default="auto"
        Whether frequencies of the known classes among each other are those of the labeled rows.
    n_resamples : int, default=40
        Behind the intervals.
    random_state : int, default=0

    Returns
    -------
    estimate : BatchEstimate
        Its `proportion` and `risk` have intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import LinearEulacClassifier, estimate_batch
    >>> rng = np.random.default_rng(0)
    >>> def rows(codes):
    ...     return rng.normal(5.0 * np.eye(3)[codes], 1.0)
    >>> y = np.arange(120) % 2
    >>> clf = LinearEulacClassifier(random_state=0)
    >>> clf = clf.fit(rows(y), y, X_unlabeled=rows(np.repeat([0, 1, 2], 60)))
    >>> tuesday = estimate_batch(clf, rows(np.repeat([0, 1, 2], [40, 40, 120])))
    >>> bool(abs(tuesday.proportion.augmented_proportion - 0.6) < 0.1)
    True
    """
    labeled, y = _labeled(classifier)
    batch, n_held_out = _probabilities(classifier, X)
    if len(batch) < FEWEST_ROWS:
        raise ValueError(
            f"a batch must have {FEWEST_ROWS} rows or more to tell its share of new ones; got "
            f"{len(batch)}. Put several together."
        )
    sample = LacSample(labeled, y, batch, classifier.codec_, classifier.fit_rows_.importance)
    answers, augmented = batch.argmax(axis=1), sample.n_known_classes
    shares = np.bincount(answers, minlength=augmented + 1) / len(answers)
    if _is_pool(classifier, X):
        return BatchEstimate(
            len(batch), n_held_out, classifier.proportion_, classifier.risk_, shares
        )
    estimate = _with_doubts(
        _proportion(sample, shift, n_resamples, random_state),
        getattr(classifier, "proportion_", None),
    )
    if X_labeled is not None or y_labeled is not None:
        if X_labeled is None:
            raise ValueError("`y_labeled` needs its rows; got none. Pass `X_labeled`, too.")
        rows = _by_rows(classifier, X_labeled, y_labeled, X, random_state)
        estimate = _beside_rows(estimate, rows, getattr(classifier, "proportion_", None))
    risk = zero_one_risk(
        labeled.argmax(axis=1),
        y,
        sample_weights(sample, estimate.per_class),
        answers,
        augmented=augmented,
        proportion_error=estimate.standard_error,
    )
    own = getattr(classifier, "risk_", None)
    error = float(np.hypot(risk.standard_error, less_sure(labeled, batch)))
    risk = replace(risk, standard_error=max(error, 0.0 if own is None else own.standard_error))
    return BatchEstimate(len(batch), n_held_out, estimate, risk, shares)


def _with_doubts(estimate: ProportionEstimate, of_fit: Any) -> ProportionEstimate:
    """Return the estimate of a batch, no surer than that of the fit.

    Held-out scores of labeled rows stand for known rows of the batch. How far they may fail to, the
    fit has found out on its own pool: known classes may have moved, new rows may look known. The
    same part of what looks known, and of what looks new, is doubted here, beside the chance of what
    rows the batch has.
    """
    if not isinstance(of_fit, ProportionEstimate):
        return estimate
    share, fit = estimate.total, of_fit.total
    below = share * (1.0 - of_fit.interval[0] / fit) if fit > 0.0 else 0.0
    above = (1.0 - share) * ((of_fit.interval[1] - fit) / (1.0 - fit)) if fit < 1.0 else 1.0 - share
    low = max(share - float(np.hypot(below, share - estimate.interval[0])), 0.0)
    high = min(share + float(np.hypot(above, estimate.interval[1] - share)), 1.0)
    error = error_reaching((low, high), share, estimate.standard_error)
    return replace(estimate, interval=(low, high), standard_error=error)


def _by_rows(
    classifier: Any, X_labeled: Any, y_labeled: Any, X: Any, random_state: int
) -> ProportionEstimate:
    """Return the known share of a batch as a fit would read it off the rows."""
    require_same_columns(X, X_labeled, "X_labeled")
    codes = _known_codes(classifier, y_labeled, n_rows(X_labeled))
    X_labeled, X = (in_name_order(classifier, rows) for rows in (X_labeled, X))
    if hasattr(classifier, "left_out_columns_"):
        X_labeled, X = (without_left_out(classifier, rows) for rows in (X_labeled, X))
    table = in_value_order(LacTable.from_masked(X_labeled, codes, X_unlabeled=X), random_state)
    sample = table.sample(encoded_rows(table.X, random_state))
    return TwoReadingsProportion(random_state=random_state).estimate(sample)


def _known_codes(classifier: Any, y_labeled: Any, n_labeled: int) -> NDArray[np.intp]:
    """Return the codes of labels, one of a known class for each row."""
    if y_labeled is None or np.shape(y_labeled) != (n_labeled,):
        raise ValueError(
            f"`y_labeled` must have a label for each row of `X_labeled`, {n_labeled} of them; got "
            f"{'none' if y_labeled is None else f'shape {np.shape(y_labeled)}'}."
        )
    known = classifier.known_classes_
    labels = np.asarray(y_labeled)
    if not np.isin(labels, known).all():
        other = labels[~np.isin(labels, known)][0]
        raise ValueError(
            f"`y_labeled` must hold classes of the fit, {known.tolist()}; got {str(other)!r}. Pass "
            "the labeled rows the classifier was fitted to."
        )
    return np.asarray(classifier.codec_.encode(labels))


def _beside_rows(
    estimate: ProportionEstimate, by_rows: ProportionEstimate, of_fit: Any
) -> ProportionEstimate:
    """Return the estimate, or what rows say where they find clearly less known.

    Any score counts new rows that look known as known: the lower share is the better one. Scores of
    a fit in whose pool nothing may have been new have met no new class: what rows leave open is
    open then.
    """
    told = {**estimate.diagnostics, "by_rows": by_rows.total, "by_scores": estimate.total}
    if by_rows.total >= estimate.interval[0] or estimate.total <= 0.0:
        met_none = isinstance(of_fit, ProportionEstimate) and of_fit.interval[1] >= 1.0
        low = min(estimate.interval[0], by_rows.interval[0] if met_none else 1.0)
        interval = low, estimate.interval[1]
        error = error_reaching(interval, estimate.total, estimate.standard_error)
        return replace(estimate, interval=interval, standard_error=error, diagnostics=told)
    share = by_rows.total
    warn_caller(
        f"by the scores of the fit {1.0 - estimate.total:.0%} of these rows are new, by the rows "
        f"themselves {1.0 - share:.0%}: classes may have come that the fit has not met. It answers "
        "most of their rows as known. Fit again with these rows as the pool.",
        ProportionDisagreementWarning,
    )
    interval = by_rows.interval[0], max(estimate.interval[1], by_rows.interval[1])
    return replace(
        estimate,
        per_class=estimate.per_class * (share / estimate.total),
        interval=interval,
        standard_error=error_reaching(interval, share, by_rows.standard_error),
        method="batch_rows",
        diagnostics=told,
    )


def _labeled(classifier: Any) -> tuple[Array, NDArray[np.intp]]:
    """Return held-out probabilities of the labeled rows, and their codes."""
    name = type(classifier).__name__
    probabilities = getattr(classifier, "held_out_probabilities_", None)
    if probabilities is None or not hasattr(classifier, "held_out_codes_"):
        raise ValueError(
            "a batch without fresh labels needs a classifier that keeps held-out answers of its "
            f"labeled rows; {name} keeps none. Pass fresh labeled rows (`--labeled`), or fit an "
            "EulacClassifier."
        )
    if classifier.closed_set_:
        raise ValueError(
            f"this {name} was fitted without unlabeled rows and knows no new class, so that no "
            "share of new rows can be told. Fit it with a pool."
        )
    codes = classifier.held_out_codes_
    is_labeled = codes != UNLABELED
    return probabilities[is_labeled], codes[is_labeled]


def _is_pool(classifier: Any, X: Any) -> bool:
    """Whether a batch is the pool of the fit, which has estimates of its own."""
    known = getattr(classifier, "fit_rows_", None)
    return known is not None and hasattr(classifier, "risk_") and known.is_pool(X)


def _probabilities(classifier: Any, X: Any) -> tuple[Array, int]:
    """Return probabilities of a batch; rows of the fit's pool are answered held-out."""
    probabilities = np.array(classifier.predict_proba(X))
    found, held_out = held_out_rows(classifier, X)
    if found.any():
        probabilities[found] = held_out
    return probabilities, int(found.sum())


def _proportion(
    sample: LacSample, shift: Any, n_resamples: int, random_state: int
) -> ProportionEstimate:
    """Return the known share by a tilt of scores; its distance to a best bin is part of the error.

    The rows of the sample are probabilities.
    """
    found = known_priors(sample, sample.X_labeled, sample.X_unlabeled, random_state=random_state)
    priors = choose_priors(found, shift)
    weights = priors.weights(sample.y_labeled, sample.importance)
    known, unlabeled = known_log_odds((sample.X_labeled, sample.X_unlabeled))
    tilt = exponential_tilt(-known, -unlabeled, weights)
    options: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
    error = tilt_error(tilt, -known, -unlabeled, weights, **options)
    by_bin = min(best_bin(known, unlabeled, weights)[0], 1.0)
    return estimate_with_error(
        tilt.known_proportion,
        priors.used,
        float(np.hypot(error, SPREAD_SHARE * abs(by_bin - tilt.known_proportion))),
        method="batch_tilt",
        n_labeled=sample.n_labeled,
        n_unlabeled=sample.n_unlabeled,
        diagnostics={"best_bin": by_bin, **priors.diagnostics()},
    )
