"""Loops of Lightning and Accelerate train with the losses of this library, where they are there."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `deep`")

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, of what each of them would rather have


@pytest.mark.parametrize("name", ["lightning", "accelerate"])
def test_their_loops_find_new_digits(name, monkeypatch):
    pytest.importorskip(name, reason=f"needs {name}: `make test-engines` installs it")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    assert importlib.import_module(f"{name}_loop").main() > 0.95


def test_two_processes_of_accelerate_find_them_too():
    pytest.importorskip("accelerate", reason="needs accelerate: `make test-engines` installs it")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    told = subprocess.run(
        [*command, "accelerate_loop.py"],
        cwd=EXAMPLES,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert len(told) == 1
    assert float(told[0].split()[-1]) > 0.95
