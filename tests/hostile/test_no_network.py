"""Importing, fitting, answering and storing open no connection."""

import subprocess
import sys

SCRIPT = """
import sys
sys.path[:0] = sys.argv[2:]

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "urllib.Request"):
        raise RuntimeError(f"a connection: {event} {arguments}")

sys.addaudithook(refuse)
from easy_mixture import easy_masked
import eulac
_, X, y = easy_masked()
model = eulac.KernelEulacClassifier(0.6, bandwidth=2.0, penalty=0.1).fit(X, y)
eulac.load(eulac.save(model, sys.argv[1])).predict(X)
import socket
try:
    socket.create_connection(("localhost", 9))
except RuntimeError as error:
    print("seen:", error)
"""


def test_no_connection_is_opened(tmp_path):
    arguments = [sys.executable, "-c", SCRIPT, str(tmp_path / "model.eulac"), *sys.path]
    result = subprocess.run(arguments, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-500:]
    assert result.stdout.startswith("seen: a connection: socket.")  # the hook itself works
