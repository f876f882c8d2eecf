"""How the site is built: Markdown pages, API pages from docstrings, a gallery of examples."""

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
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["gallery/*.py", "gallery/*.ipynb"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]
autosummary_generate = True
numpydoc_show_class_members = False
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    # Those that draw from data at hand are run and shown; tables need datasets, and hours.
    "filename_pattern": r"[/\\]plot_",
    "ignore_pattern": r"(^|[/\\])(?!plot_)\w+\.py$",
    "min_reported_time": 5,
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),
}
html_theme = "furo"
html_title = "eulac"
# Docstrings refer to parameters with single backticks, which are no references.
default_role = "code"
suppress_warnings = ["config.cache", "myst.xref_missing"]
