"""Modules whose extra is not installed have no doctests to run; a missing browser is said aloud."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/eulac/deep/*"]


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
