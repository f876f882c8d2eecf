"""The page in a real browser: no errors, no requests, and the loop from names to a refit."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from eulac.report.asked_rows import AskedRows
from eulac.report.context import PageTexts
from eulac.report.decision_files import read_decisions
from eulac.report.decisions import pool_fingerprint
from eulac.report.findings import Settings, answer_pool
from eulac.report.page import gallery_of, review_page, write_report
from eulac.report.promotion import promote
from eulac.report.review_server import ReviewServer
from report.serving import serving

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
WAIT = 60

pytestmark = pytest.mark.skipif(
    not (CHROMIUM.exists() and DRIVER.exists()), reason="chromium or chromedriver is not installed"
)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(downloads):
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(fitted, mixture, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    settings = Settings(map="pca", n_groups=3, n_folds=2)
    return write_report(fitted, mixture[2], path, settings=settings)


@pytest.fixture
def opened(browser, page):
    emulate(browser)
    browser.get(page.as_uri())
    browser.execute_script("localStorage.clear()")
    browser.get(page.as_uri())
    wait_until(lambda: each(browser, "[data-name]"))
    return browser


def one(browser, selector):
    return browser.find_element("css selector", selector)


def each(browser, selector):
    return browser.find_elements("css selector", selector)


def visible(browser, selector):
    return [found for found in each(browser, selector) if found.is_displayed()]


def name_group(browser, index, name):
    field = each(browser, "[data-name]")[index]
    field.clear()
    field.send_keys(name)


def downloaded(browser, folder):
    """Press the button and return the file, when it is whole."""
    for old in folder.iterdir():
        old.unlink()
    one(browser, "#download").click()
    wait_until(lambda: (folder / "decisions.json").exists())
    return folder / "decisions.json"


def wait_until(is_done):
    deadline = time.monotonic() + WAIT
    while not is_done():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def emulate(browser, *, width=1280, dark=False):
    # Without motion nothing scrolls away under a click.
    wishes = {
        "prefers-color-scheme": "dark" if dark else "light",
        "prefers-reduced-motion": "reduce",
    }
    features = [{"name": name, "value": value} for name, value in wishes.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def test_it_opens_without_errors_and_asks_nothing_of_any_network(browser, page):
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.get(page.as_uri())
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"].endswith("WillBeSent")]
    assert page.as_uri() in sent
    assert all(url.startswith(("data:", "blob:")) for url in sent if url != page.as_uri())


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(opened, width):
    emulate(opened, width=width)
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width
    figures = each(opened, "figure > svg")
    shown = [figure for figure in figures if figure.is_displayed()]
    assert len(shown) >= 5
    assert all(0 < figure.size["width"] <= width for figure in shown)


def test_colors_follow_the_system_and_the_button(opened):
    def paper():
        return opened.execute_script("return getComputedStyle(document.body).backgroundColor")

    emulate(opened, dark=False)
    light = paper()
    emulate(opened, dark=True)
    dark = paper()
    assert light == "rgb(255, 255, 255)"
    assert light != dark
    one(opened, "#theme").click()
    assert paper() == light
    emulate(opened, dark=False)
    one(opened, "#theme").click()
    assert paper() == dark


def test_named_groups_are_counted_merged_and_rejected(opened):
    tally = one(opened, "#tally")
    name_group(opened, 0, "cow")
    assert tally.text.startswith("1 of 3 groups named as 1 class, 0 rejected, 2 undecided")
    name_group(opened, 1, "cow")
    states = [state.text for state in visible(opened, "[data-state]")]
    assert states == ["named, merged", "named, merged", "undecided"]
    each(opened, "[data-reject]")[2].click()
    assert tally.text.startswith("2 of 3 groups named as 1 class, 1 rejected, 0 undecided")
    name_group(opened, 2, "dog")  # typing a name takes the rejection back
    assert tally.text.startswith("3 of 3 groups named as 2 classes, 0 rejected")


def test_a_name_that_means_new_cannot_be_downloaded(opened):
    name_group(opened, 0, "augmented")
    assert "already means new" in one(opened, "[data-problem]").text
    assert not one(opened, "#download").is_enabled()
    name_group(opened, 0, "cow")
    assert one(opened, "#download").is_enabled()


def test_the_downloaded_file_is_accepted_by_promote(opened, downloads, fitted, mixture):
    X, y, pool, truth = mixture
    groups = opened.execute_script(
        "return JSON.parse(document.getElementById('review-data').textContent).groups"
    )
    for index, rows in enumerate(groups):
        labels, counts = np.unique(truth[rows], return_counts=True)
        name_group(opened, index, labels[counts.argmax()])
    out = each(opened, "[data-row]")[0]
    out.click()
    row = int(out.get_attribute("data-row"))
    decisions = read_decisions(downloaded(opened, downloads))
    decisions.require_pool(pool)
    named = np.concatenate(list(decisions.named().values()))
    assert set(decisions.named()) >= {"cow", "dog"}
    assert row not in named
    assert len(named) == sum(map(len, groups)) - 1
    promoted = promote(fitted, X, y, pool, decisions)
    assert {"ant", "bee", "cow", "dog"} <= set(promoted.known_classes_.tolist())
    assert np.mean(promoted.predict(pool) == truth) > 0.9


def test_work_is_kept_over_a_reload_and_read_back_from_a_file(opened, page, downloads):
    name_group(opened, 0, "cow")
    each(opened, "[data-reject]")[1].click()
    path = downloaded(opened, downloads)
    opened.get(page.as_uri())
    assert each(opened, "[data-name]")[0].get_attribute("value") == "cow"
    one(opened, "#clear").click()
    assert each(opened, "[data-name]")[0].get_attribute("value") == ""
    one(opened, "#restore").send_keys(str(path))
    wait_until(lambda: each(opened, "[data-name]")[0].get_attribute("value") == "cow")
    assert one(opened, "#tally").text.startswith("1 of 3 groups named as 1 class, 1 rejected")


def test_fewer_and_more_groups_keep_names_and_are_what_is_downloaded(opened, downloads):
    for index, name in enumerate(("cow", "dog", "eel")):
        name_group(opened, index, name)
    one(opened, "#finer").click()
    assert one(opened, "#level").text == "4 groups"
    names = [field.get_attribute("value") for field in visible(opened, "[data-name]")]
    assert len(names) == 4
    assert set(names) == {"cow", "dog", "eel"}
    for _ in range(2):
        one(opened, "#coarser").click()
    assert one(opened, "#level").text == "2 groups"
    assert not one(opened, "#coarser").is_enabled()
    decided = read_decisions(downloaded(opened, downloads))
    assert len(decided.groups) == 2
    assert set(decided.named()) < {"cow", "dog", "eel"}
    one(opened, "#finer").click()
    names = [field.get_attribute("value") for field in visible(opened, "[data-name]")]
    assert names == ["cow", "dog", "eel"]


def test_changes_can_be_taken_back_one_by_one(opened):
    assert not one(opened, "#undo").is_enabled()
    name_group(opened, 0, "cow")
    visible(opened, '[data-decide="unsure"]')[1].click()
    visible(opened, '[data-decide="known"]')[2].click()
    told = "1 of 3 groups named as 1 class, 0 rejected, 1 not sure, 1 known after all, 0 undecided."
    assert one(opened, "#tally").text == told
    one(opened, "#undo").click()
    one(opened, "#undo").click()
    assert one(opened, "#tally").text == "1 of 3 groups named as 1 class, 0 rejected, 2 undecided."
    one(opened, "#undo").click()
    assert (
        one(opened, "#tally").text == "0 of 3 groups named as 0 classes, 0 rejected, 3 undecided."
    )
    assert not one(opened, "#undo").is_enabled()


def test_enter_goes_to_the_next_name(opened):
    name_group(opened, 0, "cow\n")
    opened.switch_to.active_element.send_keys("dog")
    assert each(opened, "[data-name]")[1].get_attribute("value") == "dog"


def test_a_file_of_other_groups_is_refused(opened, tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"format": "eulac-decisions", "fingerprint": "sha256:0", "groups": []}')
    one(opened, "#restore").send_keys(str(path))
    wait_until(lambda: "no decisions about these groups" in one(opened, "#tally").text)


def test_everything_can_be_reached_and_has_a_name(opened):
    unnamed = opened.execute_script(
        "return Array.from(document.querySelectorAll('button, input, a')).filter(e => !("
        "e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label'))).length"
    )
    assert unnamed == 0
    jumps = opened.execute_script(
        "const n = Array.from(document.querySelectorAll('h1,h2,h3,h4'), e => +e.tagName[1]);"
        "return n.filter((level, i) => i && level > n[i - 1] + 1).length"
    )
    assert jumps == 0
    assert opened.get_log("browser") == []


@pytest.fixture(params=[3])
def served(fitted, mixture, tmp_path, request):
    settings = Settings(n_groups=request.param)
    answers = answer_pool(fitted, mixture[2], settings)
    gallery = gallery_of(fitted, answers, mixture[2])
    texts = PageTexts("Name them", "m.eulac", "pool.csv")
    server = ReviewServer(
        lambda asked: review_page(answers, gallery, texts, asked),
        tmp_path / "decisions.json",
        pool_fingerprint(mixture[2]),
        ask=AskedRows(answers, gallery).reply,
    )
    with serving(server):
        yield server


def test_a_served_page_saves_by_itself_and_goes_on_where_it_was_left(browser, served):
    emulate(browser)
    browser.get_log("browser")
    browser.get(served.url)
    name_group(browser, 0, "cow")
    visible(browser, '[data-decide="unsure"]')[1].click()
    wait_until(lambda: one(browser, "#saved").text == "Saved.")
    wait_until(served.path.exists)
    wait_until(lambda: len(read_decisions(served.path).rows_of("unsure")))
    assert set(read_decisions(served.path).named()) == {"cow"}
    one(browser, "#finer").click()
    wait_until(lambda: len(read_decisions(served.path).groups) == 4)
    browser.get(served.url)
    assert one(browser, "#level").text == "4 groups"
    assert one(browser, "#tally").text.startswith(("1 of 4", "2 of 4"))
    assert browser.get_log("browser") == []


def test_changes_that_never_pause_are_saved_while_they_go_on(browser, served):
    emulate(browser)
    browser.get(served.url)
    wait_until(served.path.exists)
    browser.execute_script("""
        const field = document.querySelector("[data-name]");
        window.typing = setInterval(function () {
          field.value += "a";
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }, 20);
    """)
    wait_until(lambda: len(max(read_decisions(served.path).named(), key=len, default="")) > 5)
    browser.execute_script("clearInterval(window.typing)")
    last = each(browser, "[data-name]")[0].get_attribute("value")
    wait_until(lambda: set(read_decisions(served.path).named()) == {last})


def row_asked(browser):
    return int(one(browser, "#ask-where").text.split(",")[0].removeprefix("Row "))


def answer_row(browser, name):
    """Type a name for the row that is asked about, and wait for the next."""
    before = row_asked(browser)
    one(browser, "#ask-name").send_keys(name + "\n")
    wait_until(lambda: row_asked(browser) != before)
    return before


@pytest.mark.parametrize("served", [1], indirect=True)
def test_single_rows_are_asked_about_and_suggestions_are_taken_over_if_one_says_so(
    browser, served, mixture
):
    truth = mixture[3]
    emulate(browser)
    browser.get_log("browser")
    browser.get(served.url)
    name_group(browser, 0, "dog")  # as its typical rows are; others of the group are cows
    one(browser, "#ask-start").click()
    wait_until(lambda: one(browser, "#ask-where").text)
    first = row_asked(browser)
    visible(browser, '[data-say="unsure"]')[0].click()
    wait_until(lambda: row_asked(browser) != first)
    told = {}
    for _ in range(8):
        row = row_asked(browser)
        told[row] = str(truth[row])
        answer_row(browser, told[row])
    wait_until(lambda: "9 rows answered" in one(browser, "#ask-told").text)
    assert "rather cow, now dog" in one(browser, "#ask-suggested").text
    wait_until(served.path.exists)
    wait_until(lambda: len(json.loads(served.path.read_text()).get("asked", ())) == 9)
    decided = read_decisions(served.path)
    assert decided.rows_of("unsure").tolist() == [first]
    assert decided.named()["cow"].tolist() == sorted(r for r in told if told[r] == "cow")
    one(browser, "#ask-take").click()
    wait_until(lambda: len(read_decisions(served.path).named()["cow"]) > 20)
    named = read_decisions(served.path).named()
    assert np.mean(truth[named["dog"]] == "dog") > 0.9
    assert np.mean(truth[named["cow"]] == "cow") > 0.9
    browser.get(served.url)  # it goes on from what is saved
    assert "9 single rows answered" in one(browser, "#tally").text
    one(browser, "#ask-start").click()
    wait_until(lambda: one(browser, "#ask-where").text)
    assert row_asked(browser) not in told
    assert browser.get_log("browser") == []


def test_an_answer_about_a_row_can_be_taken_back(browser, served):
    emulate(browser)
    browser.get(served.url)
    name_group(browser, 0, "cow")
    one(browser, "#ask-start").click()
    wait_until(lambda: one(browser, "#ask-where").text)
    row = answer_row(browser, "dog")
    assert "1 single rows answered" in one(browser, "#tally").text
    one(browser, "#undo").click()
    wait_until(lambda: row_asked(browser) == row)
    assert "single rows" not in one(browser, "#tally").text
    one(browser, "#ask-name").send_keys("augmented\n")
    assert "already means new" in one(browser, "#ask-problem").text
