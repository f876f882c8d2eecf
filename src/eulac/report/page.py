"""One self-contained HTML page about a classifier and a pool: what is new, how sure, what to do."""

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eulac.data.reading.drafts import replacing, require_new_file
from eulac.report.findings import PoolAnswers, Settings, answer_pool, examine
from eulac.report.row_display import Gallery, display_table

try:
    import jinja2

    from eulac.report.context import PageTexts, Served, findings_context, pool_context
except ModuleNotFoundError as error:
    if error.name is None or error.name.split(".")[0] not in ("jinja2", "matplotlib"):
        raise
    raise ImportError(
        f"the report needs {error.name}, which is not installed. Install it with: "
        "pip install 'eulac[report]'."
    ) from error

__all__ = ["REVIEW_TITLE", "gallery_of", "review_page", "write_report", "write_review"]

REVIEW_TITLE = "Name what is new"


def write_report(
    classifier: Any,
    X: Any,
    path: str | os.PathLike[str],
    *,
    X_labeled: Any = None,
    y_labeled: Any = None,
    display: Any = None,
    image_shape: Sequence[int] | None = None,
    feature_names: Sequence[str] | None = None,
    settings: Settings | None = None,
    title: str = "What is new in this pool",
    model: str = "MODEL.eulac",
    pool: str = "POOL.csv",
    overwrite: bool = False,
) -> Path:
    """Write one HTML page about a fitted classifier and a pool of rows; return its path.

    Nothing is fetched from anywhere: figures, styles and scripts are in the file. New-looking rows
    are shown in groups that can be named, merged and rejected in the browser; the decisions file it
    downloads goes to `promote`.

    Parameters
    ----------
    classifier : fitted classifier
    X : array or data frame of shape (n_rows, n_features)
        The pool.
    path : str or path
        The page.
    X_labeled, y_labeled : arrays, optional
        Labeled rows of the fit, for errors by class, the test of moved classes and the map. A
        kernel classifier carries its own.
    display : data frame, optional
        What to show of each row, for instance the table before it was encoded.
    image_shape : (height, width) or (height, width, 3), optional
        Show rows as images.
    feature_names : sequence of str, optional
    settings : Settings, optional
        Map, number of groups, folds and seed.
    title, model, pool : str
        Heading, and how the files are called in the command the page proposes.
    overwrite : bool, default=False
        Replace an existing page.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> from eulac import KernelEulacClassifier, write_report
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 2)), np.repeat(["a", "b"], 40)
    >>> X[40:, 0] += 6
    >>> pool = np.vstack([X[::2] + 0.1, rng.normal([3, 6], 0.5, size=(40, 2))])
    >>> clf = KernelEulacClassifier(known_proportion=0.5, random_state=0).fit(X, y, pool)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(clf, pool, f"{folder}/report.html").read_text()
    >>> "What is new in this pool" in page
    True
    """
    check_is_fitted(classifier)
    require_new_file(Path(path), overwrite=overwrite)
    names = _feature_names(classifier, X, feature_names)
    findings = examine(classifier, X, X_labeled, y_labeled, settings=settings, feature_names=names)
    gallery = _gallery(findings.pool, X, display, names, image_shape)
    texts = PageTexts(title, model, pool)
    context = pool_context(findings.pool, gallery, texts)
    context |= findings_context(classifier, findings, gallery)
    return _save(Path(path), _render(context))


def write_review(
    classifier: Any,
    X: Any,
    path: str | os.PathLike[str],
    *,
    X_labeled: Any = None,
    y_labeled: Any = None,
    display: Any = None,
    image_shape: Sequence[int] | None = None,
    feature_names: Sequence[str] | None = None,
    settings: Settings | None = None,
    title: str = REVIEW_TITLE,
    model: str = "MODEL.eulac",
    pool: str = "POOL.csv",
    overwrite: bool = False,
) -> Path:
    """Write the page with nothing but the groups of new-looking rows; return its path.

    Parameters
    ----------
    classifier, X, path, X_labeled, y_labeled, display, image_shape, feature_names, settings
        As in `write_report`.
    title, model, pool, overwrite
        As in `write_report`.

    Returns
    -------
    path : Path
    """
    check_is_fitted(classifier)
    require_new_file(Path(path), overwrite=overwrite)
    answers = answer_pool(classifier, X, settings, X_labeled, y_labeled)
    gallery = gallery_of(classifier, answers, X, display, image_shape, feature_names)
    return _save(Path(path), review_page(answers, gallery, PageTexts(title, model, pool)))


def gallery_of(
    classifier: Any,
    answers: PoolAnswers,
    X: Any,
    display: Any = None,
    image_shape: Sequence[int] | None = None,
    feature_names: Sequence[str] | None = None,
) -> Gallery:
    """Return the rows of a pool, ready to be shown; parameters are those of `write_report`."""
    names = _feature_names(classifier, X, feature_names)
    return _gallery(answers, X, display, names, image_shape)


def review_page(
    answers: PoolAnswers, gallery: Gallery, texts: PageTexts, served: Served | None = None
) -> str:
    """Return the text of the page of a review, to be a file or to be served."""
    return _render({**pool_context(answers, gallery, texts, served), "findings": None})


def _render(context: dict[str, Any]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["percent"] = lambda value, digits=1: _percent(value, digits)
    return environment.get_template("page.html").render(context)


def _save(path: Path, text: str) -> Path:
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return path


def _template(name: str) -> str:
    return files("eulac.report").joinpath("templates", name).read_text(encoding="utf-8")


def _percent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None or np.isnan(value) else f"{100 * value:.{digits}f} %"


def _feature_names(classifier: Any, X: Any, given: Any) -> Any:
    if given is not None:
        return given
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    return getattr(classifier, "feature_names_in_", None)


def _gallery(answers: PoolAnswers, X: Any, display: Any, names: Any, image_shape: Any) -> Gallery:
    frame = display_table(X if display is None else display, len(answers.X), names)
    named = getattr(getattr(display, "index", None), "name", None) is not None
    return Gallery.of(answers.X, frame, image_shape, named=named)
