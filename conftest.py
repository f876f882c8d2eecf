"""What needs an extra that is not installed is not collected; a missing browser is said aloud."""

from importlib.util import find_spec

NEEDED = {
    "torch": ["src/eulac/deep/*", "tests/deep/*", "tests/hostile/*odd_inputs.py"],
    "dask": ["src/eulac/distributed/dask_*"],
    "pyarrow": ["src/eulac/distributed/*"],
    "polars": ["src/eulac/distributed/polars_*"],
}
collect_ignore_glob = [
    module
    for library, modules in NEEDED.items()
    if find_spec(library) is None
    for module in modules
]


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
