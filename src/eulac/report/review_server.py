"""The page of a review, served to this computer alone: every change is saved as it is made.

Only 127.0.0.1 is listened on. The address holds a secret, so that other pages and users cannot
guess it, and requests that name another host are refused.
"""

import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from eulac.data.reading.drafts import replacing
from eulac.report.context import Served
from eulac.report.decisions import Decisions

__all__ = ["HOST", "ReviewServer", "kept_decisions"]

HOST = "127.0.0.1"

LARGEST = 50_000_000
"""Bytes of decisions that are taken."""


def kept_decisions(path: Path, fingerprint: str) -> dict[str, Any] | None:
    """Return the decisions a review goes on from, None where there is no such file.

    Parameters
    ----------
    path : Path
    fingerprint : str
        Of the pool.
    """
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    if Decisions.from_json(text, str(path)).fingerprint != fingerprint:
        raise ValueError(
            f"{path} must hold decisions about this pool; it is about another. Choose another file "
            "with `--decisions`."
        )
    content: dict[str, Any] = json.loads(text)
    return content


class ReviewServer(ThreadingHTTPServer):
    """A server of one page, which saves what the page decides.

    Parameters
    ----------
    page : callable
        From `Served` to the text of the page.
    path : Path
        Where decisions are saved.
    fingerprint : str
        Of the pool; decisions about another one are refused.
    port : int, default=0
        0 takes one that is free.
    ask : callable, optional
        From what the page has been told, as JSON, to the row it asks about next.
    """

    daemon_threads = True

    def __init__(
        self,
        page: Callable[[Served], str],
        path: Path,
        fingerprint: str,
        port: int = 0,
        ask: Callable[[bytes], bytes] | None = None,
    ) -> None:
        secret = secrets.token_urlsafe(18)
        self.home, self.save, self.next = (f"/{secret}/{end}" for end in ("", "decisions", "next"))
        self.page, self.path, self.fingerprint, self.ask = page, path, fingerprint, ask
        super().__init__((HOST, port), _Handler)

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_address[1]}{self.home}"

    def text(self) -> bytes:
        """Return the page, which goes on from what is saved."""
        start = kept_decisions(self.path, self.fingerprint)
        ask = None if self.ask is None else self.next
        return self.page(Served(self.save, start, ask)).encode()

    def keep(self, content: bytes) -> None:
        """Save decisions, refusing what is not right."""
        decisions = Decisions.from_json(content)
        if decisions.fingerprint != self.fingerprint:
            raise ValueError("the decisions are about another pool. Reload the page.")
        with replacing(self.path) as draft:
            draft.write_bytes(content)


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer

    def do_GET(self) -> None:
        if self._is_welcome(self.server.home):
            self._answer(HTTPStatus.OK, self.server.text(), "text/html")

    def do_POST(self) -> None:
        asks = self.server.ask is not None and self.path == self.server.next
        if not self._is_welcome(self.server.next if asks else self.server.save):
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"too many decisions")
            return
        content = self.rfile.read(int(length))
        try:
            body = self._asked(content) if asks else self._kept(content)
        except (ValueError, OSError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error).encode())
        else:
            self._answer(HTTPStatus.OK, body, "application/json" if asks else "text/plain")

    def _kept(self, content: bytes) -> bytes:
        self.server.keep(content)
        return b"saved"

    def _asked(self, content: bytes) -> bytes:
        assert self.server.ask is not None
        return self.server.ask(content)

    def _is_welcome(self, path: str) -> bool:
        """Refuse other paths, other hosts (a name that was made to lead here) and other pages."""
        here = f"{HOST}:{self.server.server_address[1]}"
        origin = self.headers.get("Origin", f"http://{here}")
        if self.path != path or self.headers.get("Host") != here or origin != f"http://{here}":
            self._answer(HTTPStatus.NOT_FOUND, b"not here")
            return False
        return True

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: only the command line prints."""
