"""An alarm for rows unlike any before, with a stated rate of false alarms.

Each row of a stream is ranked, by how new it looks, among the reference rows and all stream rows
before it that look like the same known class. As long as nothing changes these ranks are
independent and uniform, whatever the data (conformal p-values). Bets that pay when small ones pile
up multiply a capital that is fair until then; since every moment may be the one of the change, a
little is kept to start betting at each of them. Capital above ``1 / rate`` raises the alarm. By
Ville's inequality a stream in which nothing changes, however long, raises it with probability
`rate` at most.
"""

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from eulac.data import requirements

__all__ = ["AlarmEvidence", "StreamMonitor", "online_p_values"]

Array = NDArray[np.float64]

NEW_SHARES = np.array([0.03, 0.1, 0.3, 1.0])
POWERS = np.array([0.1, 0.3, 0.6])
"""Bets: a share of rows has p-values of density ``power * p^(power - 1)``, the others uniform."""


@dataclass(frozen=True)
class AlarmEvidence:
    """What the monitor holds after some rows.

    Attributes
    ----------
    log_capital : float
        Natural logarithm; its start is 0.
    p_value : float
        One over the largest capital so far, at most 1: valid at any time.
    alarm : bool
    """

    log_capital: float
    p_value: float
    alarm: bool


class StreamMonitor:
    """Watch scores of a stream for an excess of large ones.

    Parameters
    ----------
    reference_scores : array of shape (n_reference,)
        Of rows the score was not learned from; bigger means newer.
    reference_groups : int array of shape (n_reference,)
        The known class each looks most like. Rows are compared within groups, so that classes
        which become more frequent do not look new.
    false_alarm_rate : float, default=0.01
        Bound on the probability that the alarm is ever raised while stream rows come from where
        the reference rows do.
    random_state : int, optional
        Breaks ties.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> monitor = StreamMonitor(rng.normal(size=300), np.zeros(300, dtype=int), random_state=0)
    >>> monitor.update(rng.normal(size=200), np.zeros(200, dtype=int)).alarm
    False
    >>> monitor.update(rng.normal(2.0, 1.0, size=200), np.zeros(200, dtype=int)).alarm
    True
    """

    def __init__(
        self,
        reference_scores: Array,
        reference_groups: NDArray[np.intp],
        *,
        false_alarm_rate: float = 0.01,
        random_state: Any = None,
    ):
        requirements.require_range("false_alarm_rate", false_alarm_rate, 1e-12, 1.0)
        self.false_alarm_rate = false_alarm_rate
        self._rng = np.random.default_rng(random_state)
        self._seen: dict[int, list[float]] = {}
        for group in np.unique(reference_groups):
            rows = reference_scores[reference_groups == group]
            self._seen[int(group)] = sorted(rows.tolist())
        self._log_bets = np.full((len(NEW_SHARES), len(POWERS)), -np.inf)
        self._n_updates = 0
        self._largest = 0.0

    def update(self, scores: Array, groups: NDArray[np.intp]) -> AlarmEvidence:
        """Take the next rows and return the evidence of a change so far."""
        if not len(scores):
            return self._evidence(self._log_capital())
        p = online_p_values(self._seen, scores, groups, self._rng)
        self._n_updates += 1
        # The part of the capital set aside for a change just now: these shares sum to one.
        fresh = -np.log(self._n_updates * (self._n_updates + 1.0))
        gains = POWERS * p[:, None] ** (POWERS - 1.0)
        factors = 1.0 + NEW_SHARES[:, None] * (gains[:, None, :] - 1.0)
        self._log_bets = np.logaddexp(self._log_bets, fresh) + np.log(factors).sum(axis=0)
        return self._evidence(self._log_capital())

    def _log_capital(self) -> float:
        # What is set aside for changes still to come adds up to 1 / (n_updates + 1).
        in_play = logsumexp(self._log_bets) - np.log(self._log_bets.size)
        return float(np.logaddexp(in_play, -np.log(self._n_updates + 1.0)))

    def _evidence(self, log_capital: float) -> AlarmEvidence:
        self._largest = max(self._largest, log_capital)
        alarm = self._largest >= -np.log(self.false_alarm_rate)
        return AlarmEvidence(log_capital, float(np.exp(-self._largest)), bool(alarm))


def online_p_values(
    seen: dict[int, list[float]],
    scores: Array,
    groups: NDArray[np.intp],
    rng: np.random.Generator,
) -> Array:
    """Return the rank of each score from above, among those of its group before it, in (0, 1].

    The scores join `seen`, sorted lists by group. A score in a group of its own says nothing: its
    p-value is random.

    Examples
    --------
    >>> import numpy as np
    >>> seen, rng = {0: [float(score) for score in range(99)]}, np.random.default_rng(0)
    >>> p = online_p_values(seen, np.array([200.0, -1.0]), np.zeros(2, int), rng)
    >>> bool(p[0] <= 0.01), bool(p[1] > 0.99)
    (True, True)
    """
    p = np.empty(len(scores))
    ties = 1.0 - rng.random(len(scores))  # never zero
    for index, (score, group) in enumerate(zip(scores.tolist(), groups.tolist(), strict=True)):
        before = seen.setdefault(group, [])
        low, high = bisect_left(before, score), bisect_right(before, score)
        n_above, n_equal = len(before) - high, high - low
        p[index] = (n_above + ties[index] * (n_equal + 1)) / (len(before) + 1)
        insort(before, score)
    return p
