"""How the site is built: Markdown pages, API pages from docstrings, a gallery of examples."""

import ast
import os
from itertools import groupby, pairwise
from pathlib import Path

import eulac

project = "eulac"
author = "The eulac developers"
copyright = "The eulac developers"
version = release = eulac.__version__

extensions = [
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

INTRODUCTION = """# API

Everything in `eulac` itself is public, and all of it is listed here, by the room it is at home in.
What lies below (`eulac.risk`, `eulac.maths`, ...) is documented in its docstrings and may move.
Start with `EulacClassifier`.

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


def api_page():
    """Return the page of all public names: a section a room, under its own first sentence."""
    by_room = sorted(eulac.HOMES.items(), key=lambda item: item[1].split(".")[1])
    page = INTRODUCTION
    for room, members in groupby(by_room, key=lambda item: item[1].split(".")[1]):
        source = Path(eulac.__file__).parent / room / "__init__.py"
        about = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))
        title = about.splitlines()[0].removesuffix(".")
        page += SECTION.format(title=title, names="\n".join(f"   {name}" for name, _ in members))
    return page


def constant_docs():
    """Return what stands below each public constant in its module, by its full name."""
    found = {}
    for name, home in eulac.HOMES.items():
        if not name.isupper():
            continue
        source = Path(eulac.__file__).parents[1] / (home.replace(".", "/") + ".py")
        body = ast.parse(source.read_text(encoding="utf-8")).body
        for assigned, text in pairwise(body):
            if isinstance(assigned, ast.Assign) and assigned.targets[0].id == name:
                found[f"eulac.{name}"] = text.value.value
    return found


def describe_constants(app, what, name, obj, options, lines):
    """Let a constant say what it is for, instead of what any number or text is."""
    if name in CONSTANTS:
        lines[:] = [CONSTANTS[name]]


def setup(app):
    """Write the page before pages are looked for."""
    Path(__file__).with_name("api.md").write_text(api_page(), encoding="utf-8")
    CONSTANTS.update(constant_docs())
    app.connect("autodoc-process-docstring", describe_constants)
