"""How the site is built: Markdown pages, API pages from docstrings, a gallery of examples."""

import ast
import importlib
import inspect
import os
import sys
from dataclasses import is_dataclass
from itertools import groupby, pairwise
from pathlib import Path

import eulac

sys.path.insert(0, str(Path(__file__).parent))  # for linked_names

project = "eulac"
author = "The eulac developers"
copyright = "The eulac developers"
version = release = eulac.__version__

extensions = [
    "linked_names",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
# Links to other libraries need their inventories: on servers that build the site, not offline.
if os.environ.get("READTHEDOCS") or os.environ.get("GITHUB_ACTIONS"):
    extensions.append("sphinx.ext.intersphinx")
intersphinx_mapping = {
    "python": ("https://docs.python.org/3", None),
    "numpy": ("https://numpy.org/doc/stable", None),
    "scipy": ("https://docs.scipy.org/doc/scipy", None),
    "sklearn": ("https://scikit-learn.org/stable", None),
    "pandas": ("https://pandas.pydata.org/docs", None),
    "pyarrow": ("https://arrow.apache.org/docs", None),
}
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["gallery/*.py", "gallery/*.ipynb", "pictures/*.py"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]
autosummary_generate = True
templates_path = ["templates"]
autodoc_typehints = "none"  # they stand in the lists of parameters, in words
numpydoc_show_class_members = False
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": "gallery/backreferences",
    # Pages that make their data are run and shown; the other scripts need datasets, and hours.
    "filename_pattern": r"[/\\]plot_",
    "ignore_pattern": r"(^|[/\\])(?!plot_)\w+\.py$",
    "within_subsection_order": "ExampleTitleSortKey",
    "min_reported_time": 5,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # a page that loads scripts from elsewhere
    "capture_repr": (),
}
html_theme = "furo"
html_title = "eulac"
html_static_path = ["static"]
html_css_files = ["site.css"]
# Docstrings refer to parameters with single backticks, which are no references.
default_role = "code"
suppress_warnings = ["config.cache", "myst.xref_missing"]

RESULTS = {
    "Selection": "eulac.any_classifier.tried_candidates",
    "HeldOut": "eulac.risk.held_out",
    "ContingencyTable": "eulac.risk.contingency",
    "ClassQuality": "eulac.risk.class_quality",
    "OperatingCurve": "eulac.risk.operating_curve",
    "ReliabilityCurve": "eulac.risk.reliability",
    "BatchEstimate": "eulac.evaluation.batch_estimate",
    "StreamReport": "eulac.landmark.newest_rows",
    "TableModel": "eulac.tables.table_model",
}
BASES = {
    "OpenSetClassifier": "eulac.contenders.open_set_classifier",
    "DeepClassifier": "eulac.deep.network_classifier",
    "CalibratedClassifier": "eulac.deep.labeled_classifier",
    "GeneratingClassifier": "eulac.deep.generator",
    "ScoreProportion": "eulac.proportion.on_scores",
}
WARNINGS = importlib.import_module("eulac.exceptions").__all__
# Every name that has a place in the API, and its address there.
PLACES = {name: f"eulac.{name}" for name in eulac.HOMES}
PLACES |= {name: f"{module}.{name}" for name, module in {**RESULTS, **BASES}.items()}
PLACES |= {name: f"eulac.exceptions.{name}" for name in WARNINGS}
linked_names = PLACES

INTRODUCTION = """# API

Everything in `eulac` itself is public, and all of it is listed here, by the room it is at home in.
What lies below (`eulac.risk`, `eulac.maths`, ...) is documented in its docstrings and may move.
Start with `EulacClassifier`. At the end stand [what calls give back](#what-calls-give-back),
[what several classifiers share](#what-several-classifiers-share) and
[warnings](#warnings-and-errors).

```{eval-rst}
.. currentmodule:: eulac
```
"""

CONSTANTS = {}

SECTION = """
## {title}

```{{eval-rst}}
.. autosummary::
   :toctree: generated
   :nosignatures:

{names}
```
"""


EXCEPTIONS = """
## Warnings and errors

```{eval-rst}
.. automodule:: eulac.exceptions
   :members:
   :member-order: bysource
```
"""


def api_page():
    """Return the page of all public names: a section a room, under its own first sentence."""
    by_room = sorted(eulac.HOMES.items(), key=lambda item: item[1].split(".")[1])
    page = INTRODUCTION
    for room, members in groupby(by_room, key=lambda item: item[1].split(".")[1]):
        source = Path(eulac.__file__).parent / room / "__init__.py"
        about = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))
        title = about.splitlines()[0].removesuffix(".")
        page += SECTION.format(title=title, names=indented(name for name, _ in members))
    for title, names in (
        ("What calls give back", RESULTS),
        ("What several classifiers share", BASES),
    ):
        places = (PLACES[name].removeprefix("eulac.") for name in names)
        page += SECTION.format(title=title, names=indented(f"~{place}" for place in places))
    return page + EXCEPTIONS


def indented(names):
    """Return a line for each name, below a directive."""
    return "\n".join(f"   {name}" for name in names)


def constant_docs():
    """Return what stands below each public constant in its module, by its full name."""
    texts = {}
    for name, home in eulac.HOMES.items():
        if not name.isupper():
            continue
        source = Path(eulac.__file__).parents[1] / (home.replace(".", "/") + ".py")
        body = ast.parse(source.read_text(encoding="utf-8")).body
        for assigned, text in pairwise(body):
            if isinstance(assigned, ast.Assign) and assigned.targets[0].id == name:
                texts[f"eulac.{name}"] = text.value.value
    return texts


def describe_constants(app, what, name, obj, options, lines):
    """Let a constant say what it is for, instead of what any number or text is."""
    if name in CONSTANTS:
        lines[:] = [CONSTANTS[name]]


class Unshown:
    """What stands for a default that is too long to show."""

    def __repr__(self):
        return "..."


def shorten_defaults(app, what, name, obj, options, signature, returns):
    """Leave long defaults out of the head of a function: the list of parameters tells them."""
    if what != "function" and not is_dataclass(obj):
        return None
    known = inspect.signature(obj)
    shown = []
    for one in known.parameters.values():
        long = len(repr(one.default)) > 60
        default = Unshown() if long else one.default
        shown.append(one.replace(annotation=one.empty, default=default))
    return str(known.replace(parameters=shown, return_annotation=known.empty)), None


def found(fullname):
    """Return what an address leads to."""
    module, _, name = fullname.rpartition(".")
    return getattr(importlib.import_module(module), name)


def members_of(fullname):
    """Return (name, kind, module) of each public method and property of a class."""
    listed, owner = [], found(fullname)
    for member in dir(owner):
        value = inspect.getattr_static(owner, member)
        code = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if not member.startswith("_") and inspect.isfunction(code):
            kind = "property" if isinstance(value, property) else "method"
            listed.append((member, kind, code.__module__))
    return listed


def own_members(fullname):
    """Return (name, kind) of what our own code gives a class: the usual calls, then the others."""
    own = [(member, kind) for member, kind, module in members_of(fullname) if module[:5] == "eulac"]
    usual = ("fit", "fit_predict", "predict", "predict_proba", "score", "forward", "estimate")
    rank = {member: place for place, member in enumerate(usual)}
    return sorted(own, key=lambda item: (item[1] == "property", rank.get(item[0], len(usual))))


def inherited_members_of(fullname):
    """Return what a class has from scikit-learn."""
    return [member for member, _, module in members_of(fullname) if module.startswith("sklearn")]


autosummary_context = {"own_members": own_members, "inherited_members_of": inherited_members_of}


def setup(app):
    """Write the page before pages are looked for."""
    Path(__file__).with_name("api.md").write_text(api_page(), encoding="utf-8")
    CONSTANTS.update(constant_docs())
    app.connect("autodoc-process-docstring", describe_constants)
    app.connect("autodoc-process-signature", shorten_defaults)
