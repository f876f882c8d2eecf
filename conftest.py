"""Modules whose extra is not installed have no doctests to run; a missing browser is said aloud."""

from importlib.util import find_spec

NEEDED = {
    "torch": "src/eulac/deep/*",
    "dask": "src/eulac/distributed/dask_*",
    "pyarrow": "src/eulac/distributed/*",
    "polars": "src/eulac/distributed/polars_*",
}
collect_ignore_glob = [modules for library, modules in NEEDED.items() if find_spec(library) is None]


def pytest_terminal_summary(terminalreporter):
    """Say in capitals that the page was not tested in a browser."""
    skipped = terminalreporter.stats.get("skipped", [])
    unseen = [report for report in skipped if "test_browser" in str(report.longrepr)]
    if unseen:
        title, remedy = "THE PAGE WAS NOT TESTED IN A BROWSER", "chromium and chromium-driver"
        terminalreporter.section(title, sep="!", red=True, bold=True)
        terminalreporter.write_line(
            f"{len(unseen)} tests were skipped. To run them, install {remedy}."
        )
