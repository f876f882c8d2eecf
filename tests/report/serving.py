"""A server of the review page, for as long as a test takes."""

import threading
from contextlib import contextmanager


@contextmanager
def serving(server):
    """Answer requests in a thread of its own, and end it."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
