"""The conda recipe says what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def listed(section):
    """Return the entries of a list in the recipe, spaces left out."""
    block = re.search(rf"^ *{section}:\n((?: +- .*\n)+)", RECIPE, re.MULTILINE)[1]
    return [line.strip().removeprefix("- ").replace(" ", "") for line in block.splitlines()]


def test_version_python_and_license_agree():
    assert f'version: "{PROJECT["version"]}"' in RECIPE
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in RECIPE
    assert f"license: {PROJECT['license']}\n" in RECIPE
    assert PROJECT["description"] in RECIPE


def test_requirements_and_the_command_agree():
    python, *requirements = listed("run")
    assert python.startswith("python>=")
    assert requirements == PROJECT["dependencies"]
    [entry] = listed("entry_points")
    assert entry == f"eulac={PROJECT['scripts']['eulac']}"
