import subprocess
import sys

import pytest

import eulac

WITHOUT_LIBRARIES = """
import sys

class WithoutLibraries:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, *rest):
        return None if name.split(".")[0] in MISSING else self.finder.find_spec(name, *rest)

sys.meta_path[:] = [WithoutLibraries(finder) for finder in sys.meta_path]
"""


def without(*libraries):
    """Return code that makes libraries look as if they were not installed."""
    return f"MISSING = {libraries!r}" + WITHOUT_LIBRARIES


def test_all_public_names_exist():
    for name in eulac.__all__:
        assert getattr(eulac, name) is not None


def test_only_names_of_rooms_with_large_libraries_may_be_missing():
    rooms = {home.split(".")[1] for name, home in eulac.HOMES.items() if name not in eulac.__all__}
    assert rooms <= {"deep", "distributed"}


@pytest.mark.parametrize(
    ("name", "library", "title", "extra"),
    [
        ("DeepEulacClassifier", "torch", "PyTorch", "deep"),
        ("fit_dask", "dask", "Dask", "dask"),
        ("predict_batches", "pyarrow", "pyarrow", "parquet"),
    ],
)
def test_what_needs_a_library_says_so_where_it_is_missing(name, library, title, extra):
    code = without(library) + (
        f"try:\n    from eulac import {name}\nexcept ImportError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == (
        f"eulac.{name} needs {title}, which is not installed. "
        f"Install it with: pip install 'eulac[{extra}]'."
    )


def test_without_extras_the_package_can_be_looked_at():
    code = without("torch", "dask", "pyarrow") + (
        "from eulac import *\n"
        "import inspect, eulac\n"
        "names = [name for name, _ in inspect.getmembers(eulac)]\n"
        "print([hasattr(eulac, name) for name in ('DeepEulacClassifier', 'fit_dask')])\n"
        "print('EulacClassifier' in names)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[False, False]\nTrue"


def test_every_public_name_is_listed():
    assert set(eulac.__all__) <= set(eulac.HOMES)
    assert set(eulac.__all__) <= set(dir(eulac))


def test_version_is_that_of_the_installed_package():
    assert eulac.__version__.count(".") >= 1


def test_unknown_attributes_are_named():
    with pytest.raises(AttributeError, match="'no_such_name'"):
        _ = eulac.no_such_name


def test_import_leaves_optional_libraries_alone():
    optional = {"torch", "dask", "pyarrow", "matplotlib"}
    code = f"import sys, eulac; print(sorted({optional} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
