import subprocess
import sys

import pytest

from eulac.maths import free_memory

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, 3 * 10**9))
from eulac.maths.free_memory import free_bytes
print(free_bytes())
"""


def test_a_limit_of_the_process_counts():
    pytest.importorskip("resource", reason="limits are those of POSIX")
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, check=True, text=True
    )
    assert 0 < int(ran.stdout) < 3 * 10**9


def test_a_container_may_use_what_its_limit_leaves(tmp_path, monkeypatch):
    monkeypatch.setattr(free_memory, "CONTROL_GROUP", tmp_path)
    (tmp_path / "memory.current").write_text("300\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory._of_container() is None
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.stat").write_text("anon 200\nactive_file 30\ninactive_file 70\n")
    assert free_memory._of_container() == 800  # files that were read are given up
    assert free_memory.free_bytes() <= 800


def test_work_beyond_what_is_free_is_refused_with_both_numbers():
    free_memory.require_free(1, "a fit", "Use fewer rows.")
    with pytest.raises(MemoryError, match=r"a fit needs about 1,000,000.0 GB .* free. Use fewer"):
        free_memory.require_free(10**15, "a fit", "Use fewer rows.")
