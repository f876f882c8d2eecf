"""Modules whose extra is not installed have no doctests to run."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/eulac/deep/*"]
