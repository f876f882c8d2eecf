import subprocess
import sys
from importlib.util import find_spec

import pytest

import eulac

HAS_TORCH = find_spec("torch") is not None

WITHOUT_TORCH = """
import sys

class WithoutTorch:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *rest):
        return None if name.split(".")[0] == "torch" else self.finder.find_spec(name, *rest)

sys.meta_path[:] = [WithoutTorch(finder) for finder in sys.meta_path]
"""


def test_all_public_names_exist():
    for name in eulac.__all__:
        if HAS_TORCH or ".deep." not in eulac.HOMES[name]:
            assert getattr(eulac, name) is not None


def test_what_needs_torch_says_so_where_it_is_missing():
    code = WITHOUT_TORCH + (
        "try:\n    from eulac import DeepEulacClassifier\n"
        "except ImportError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == (
        "eulac.DeepEulacClassifier needs PyTorch, which is not installed. "
        "Install it with: pip install 'eulac[deep]'."
    )


def test_without_torch_the_package_can_be_looked_at():
    code = WITHOUT_TORCH + (
        "from eulac import *\n"
        "import inspect, eulac\n"
        "names = [name for name, _ in inspect.getmembers(eulac)]\n"
        "print(hasattr(eulac, 'DeepEulacClassifier'), 'EulacClassifier' in names)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False True"


def test_every_public_name_is_listed():
    assert set(eulac.__all__) <= set(eulac.HOMES)
    assert set(eulac.__all__) <= set(dir(eulac))


def test_version_is_that_of_the_installed_package():
    assert eulac.__version__.count(".") >= 1


def test_unknown_attributes_are_named():
    with pytest.raises(AttributeError, match="'no_such_name'"):
        _ = eulac.no_such_name


def test_import_leaves_optional_libraries_alone():
    code = "import sys, eulac; print(sorted({'torch', 'dask', 'matplotlib'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
