import subprocess
import sys

import pytest

import eulac


def test_all_public_names_exist():
    for name in eulac.__all__:
        assert getattr(eulac, name) is not None


def test_every_public_name_is_listed_once_and_has_a_home():
    assert sorted(eulac.__all__) == sorted(eulac._HOMES)
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
