"""A stream's report in the text format that Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from eulac.landmark.newest_rows import StreamReport

__all__ = ["stream_metrics"]


Values = Mapping[tuple[tuple[str, str], ...], float]


class _Metric(NamedTuple):
    """A number by its labels, and what it is."""

    name: str
    kind: str
    help: str
    values: Values


def stream_metrics(report: StreamReport, known_classes: Iterable[Any], stream: str = "") -> str:
    """Return what a monitored stream looks like as lines for Prometheus.

    Write them to a file that its node exporter collects, whole or not at all, as
    `eulac monitor --metrics` does.

    Parameters
    ----------
    report : StreamReport
        Of the last update.
    known_classes : iterable
        Known labels in sorted order.
    stream : str, default=""
        Name of the stream, a label of every metric where there is one.

    Returns
    -------
    text : str

    Examples
    --------
    >>> import numpy as np
    >>> from eulac import StreamEulacClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal([[0, 0], [4, 0]] * 60, 0.5), np.resize([5, 7], 120)
    >>> stream = StreamEulacClassifier(window=200, random_state=0)
    >>> stream = stream.fit(X, y, rng.normal([[0, 0], [4, 0]] * 100, 0.5))
    >>> report = stream.update(rng.normal([[0, 0], [4, 0]] * 10, 0.5))
    >>> print(stream_metrics(report, stream.known_classes_).splitlines()[2])
    eulac_rows_seen_total 20
    """
    own = (("stream", stream),) if stream else ()
    lines = (_lines(metric, own) for metric in _metrics(report, known_classes))
    return "".join(f"{line}\n" for part in lines for line in part)


def _metrics(report: StreamReport, known_classes: Iterable[Any]) -> Iterator[_Metric]:
    proportion, risk, evidence = report.proportion, report.risk, report.evidence
    shares = zip(known_classes, proportion.per_class, strict=True)
    by_class: Values = {(("known_class", str(label)),): float(share) for label, share in shares}
    new = proportion.augmented_interval
    yield _Metric("rows_seen_total", "counter", "Rows of the stream so far.", {(): report.n_seen})
    yield _Metric("window_rows", "gauge", "Rows the fit rests on.", {(): report.n_window})
    yield _interval(
        "new_share",
        "Share of the window that is of classes never labeled.",
        proportion.augmented_proportion,
        new,
    )
    yield _Metric("known_class_share", "gauge", "Share of each known class.", by_class)
    yield _interval("error", "Label-free error on the window.", risk.value, risk.interval)
    capital = "Logarithm of the capital that bets on a change."
    yield _Metric("alarm_log_capital", "gauge", capital, {(): evidence.log_capital})
    p_value = "P-value of no change, valid at any time."
    yield _Metric("alarm_p_value", "gauge", p_value, {(): evidence.p_value})
    said = "1 once rows unlike any before have come."
    yield _Metric("alarm", "gauge", said, {(): float(evidence.alarm)})


def _interval(name: str, help_text: str, value: float, interval: tuple[float, float]) -> _Metric:
    named = {"estimate": value, "low": interval[0], "high": interval[1]}
    values: Values = {(("bound", bound),): float(number) for bound, number in named.items()}
    return _Metric(name, "gauge", help_text, values)


def _lines(metric: _Metric, own: tuple[tuple[str, str], ...]) -> Iterator[str]:
    name = f"eulac_{metric.name}"
    yield f"# HELP {name} {metric.help}"
    yield f"# TYPE {name} {metric.kind}"
    for labels, value in metric.values.items():
        said = ",".join(f'{key}="{_escaped(text)}"' for key, text in (*own, *labels))
        braces = f"{{{said}}}" if said else ""
        yield f"{name}{braces} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
