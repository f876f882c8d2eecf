"""What `make release-check` does: build, install the wheel elsewhere, use it, check what it says.

Nothing of the repository is on the path where the wheel is used.
"""

import email
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = ("eulac/py.typed", "eulac/__init__.pyi", "eulac/report/templates/page.html")
SMALL_FIT = """
import numpy as np
from eulac import KernelEulacClassifier, load, save
rng = np.random.default_rng(0)
X, pool = rng.normal(0, 1, (80, 2)), rng.normal(0, 1, (60, 2))
pool[40:] += 9
clf = KernelEulacClassifier(0.7, random_state=0).fit(X, np.arange(80) % 2, pool)
save(clf, "model.eulac")
assert (load("model.eulac").predict([[9.0, 9.0]]) == -2).all()
"""
TUTORIAL = ROOT / "docs/tutorial.md"


def run(*command: str, cwd: Path) -> str:
    """Run a command without the repository in sight; show what it printed if it fails."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:200]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_contents(wheel: Path) -> str:
    """Return the version of a wheel that has what it needs, and says what the repository says."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        missing = [name for name in NEEDED if name not in names]
        assert not missing, f"the wheel lacks {missing}"
        assert all(name.startswith(("eulac/", "eulac-")) for name in names), names
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(about))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = metadata["Version"]
    assert (metadata["Name"], version) == (project["name"], project["version"])
    assert metadata["License-Expression"] == project["license"]
    cited = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None, "CITATION.cff names no version"
    assert cited[1] == version, f"CITATION.cff says {cited[1]}"
    notes = f"## {version}"
    assert notes in (ROOT / "CHANGELOG.md").read_text(), f"CHANGELOG.md has no {notes!r}"
    return version


def use(wheel: Path, folder: Path) -> None:
    """Install a wheel in an empty environment; run the demo and the tutorial with it there."""
    environment = folder / "environment"
    run(sys.executable, "-m", "venv", str(environment), cwd=folder)
    python, command = environment / "bin/python", environment / "bin/eulac"
    limits = ("-c", str(ROOT / "constraints.txt"))
    run(str(python), "-m", "pip", "install", "-q", *limits, f"{wheel}[report]", cwd=folder)
    where = run(str(python), "-c", "import eulac; print(eulac.__file__)", cwd=folder).strip()
    assert where.startswith(str(environment)), f"eulac is imported from {where}"
    assert "known proportion" in run(str(command), "demo", "--seed", "1", cwd=folder)
    run(str(python), "-c", SMALL_FIT, cwd=folder)
    run(str(python), str(ROOT / "examples/make_birds.py"), cwd=folder)
    for words in tutorial():
        run(str(command), *words, cwd=folder)
    assert (folder / "report.html").stat().st_size > 10_000


def tutorial() -> list[list[str]]:
    """Return the commands of the tutorial, up to the one that needs names given in a browser."""
    typed = re.findall(r"^\$ eulac (.+)$", TUTORIAL.read_text(), re.MULTILINE)
    words = [shlex.split(line) for line in typed]
    return words[: [line[0] for line in words].index("promote")]


def main() -> None:
    """Build, look inside, install, use."""
    with tempfile.TemporaryDirectory(prefix="eulac-release-") as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(ROOT), cwd=folder)
        built = sorted((folder / "dist").iterdir())
        run(sys.executable, "-m", "twine", "check", "--strict", *map(str, built), cwd=folder)
        wheel = next(path for path in built if path.suffix == ".whl")
        version = check_contents(wheel)
        use(wheel, folder)
    print(f"eulac {version}: {', '.join(path.name for path in built)} are ready.")


if __name__ == "__main__":
    main()
