import http.client
import json

import pytest

from eulac.report.decisions import Decisions, pool_fingerprint
from eulac.report.review_server import HOST, ReviewServer, kept_decisions
from report.serving import serving

POOL = [[1.0, 2.0], [3.0, 4.0]]
OTHER = [[1.0, 2.0], [3.0, 5.0]]


@pytest.fixture
def server(tmp_path):
    path, fingerprint = tmp_path / "d.json", pool_fingerprint(POOL)
    server = ReviewServer(lambda served: json.dumps([served.save, served.start]), path, fingerprint)
    with serving(server):
        yield server


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection(HOST, server.server_address[1], timeout=30)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_what_is_decided_is_saved_and_the_page_goes_on_from_it(server):
    assert ask(server, "GET", server.home) == (200, json.dumps([server.save, None]))
    told = json.loads(Decisions.from_names(POOL, {"owl": [1]}).to_json()) | {"level": 3}
    assert ask(server, "POST", server.save, json.dumps(told)) == (200, "saved")
    assert json.loads(ask(server, "GET", server.home)[1]) == [server.save, told]
    assert kept_decisions(server.path, server.fingerprint) == told


def test_it_listens_on_this_computer_only_and_its_address_is_secret(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_address[1]}{server.home}"
    assert len(server.home) > 20
    for path in ("/", "/decisions", server.home + "x", server.save):
        assert ask(server, "GET", path)[0] == 404
    assert ask(server, "POST", "/decisions", "{}")[0] == 404


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_other_hosts_and_other_pages_are_refused(header, server):
    assert ask(server, "GET", server.home, **header)[0] == 404
    text = Decisions.from_names(POOL, {"owl": [1]}).to_json()
    assert ask(server, "POST", server.save, text, **header)[0] == 404
    assert not server.path.exists()


def test_what_is_not_right_is_not_saved(server):
    wrong = Decisions.from_names(OTHER, {"owl": [1]}).to_json()
    assert ask(server, "POST", server.save, wrong) == (
        400,
        "the decisions are about another pool. Reload the page.",
    )
    status, words = ask(server, "POST", server.save, "{")
    assert (status, "it is not JSON" in words) == (400, True)
    assert ask(server, "POST", server.save, "", **{"Content-Length": "9" * 12})[0] == 413
    assert not server.path.exists()


def test_a_review_does_not_go_on_from_decisions_about_another_pool(tmp_path):
    path = tmp_path / "d.json"
    path.write_text(Decisions.from_names(OTHER, {"owl": [1]}).to_json())
    with pytest.raises(ValueError, match=r"it is about another\. Choose another file"):
        kept_decisions(path, pool_fingerprint(POOL))


def test_a_page_may_ask_for_the_next_row_where_there_is_somebody_to_ask(server):
    assert ask(server, "POST", server.next, "{}")[0] == 404
    server.ask = lambda content: b"[" + content + b"]"
    assert ask(server, "POST", server.next, "{}") == (200, "[{}]")
    assert ask(server, "GET", server.next)[0] == 404
    assert ask(server, "POST", server.next, "{}", Origin="http://evil.example")[0] == 404


def test_what_cannot_be_asked_is_said(server):
    def refuse(content):
        raise ValueError("no such row. Reload the page.")

    server.ask = refuse
    assert ask(server, "POST", server.next, "{}") == (400, "no such row. Reload the page.")
