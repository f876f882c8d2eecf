"""Load model files that were crafted to cost much, or damaged, and print the slowest.

python tools/load_times.py --crafted 200 --mutated 2000
"""

import argparse
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from eulac.exceptions import ModelFileError
from eulac.persistence.files import load
from persistence.crafted_files import crafted, write_models
from persistence.forging import forged
from persistence.test_mutations import damaged, forgery

LIMIT = 5.0


def main():
    """Print how files end, the slowest of each kind, and the largest memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crafted", type=int, default=200)
    parser.add_argument("--mutated", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as place:
        honest = write_models(Path(place))
        contents = [path.read_bytes() for path in honest]
        for path in honest:
            load(path)  # everything is imported by now
        before = _memory()
        print(f"honest files of {', '.join(f'{len(one):,}' for one in contents)} bytes")
        path = Path(place, "changed.eulac")
        changes = {"crafted": _crafted, "mutated": _mutated}
        n_slow = 0
        for name, n_files in (("crafted", options.crafted), ("mutated", options.mutated)):
            ends, times, sizes = Counter(), [], []
            for number in range(n_files):
                path.write_bytes(contents[number % len(contents)])
                changes[name](path, rng)
                sizes.append(path.stat().st_size)
                start = time.process_time()
                ends[_end(path)] += 1
                times.append(time.process_time() - start)
            n_slow += sum(one > LIMIT for one in times)
            told = ", ".join(f"{n} {end}" for end, n in sorted(ends.items()))
            slowest = int(np.argmax(times))
            print(
                f"{name}: {n_files} files, {told}; {max(times):.2f} s of one processor at "
                f"most, for {sizes[slowest]:,} bytes; the largest had {max(sizes):,}",
                flush=True,
            )
        print(f"memory grew by {(_memory() - before) / 1e6:.0f} MB at most")
    sys.exit(1 if n_slow else 0)


def _crafted(path, rng):
    crafted(path, rng)


def _mutated(path, rng):
    if rng.random() < 0.5:
        path.write_bytes(damaged(path.read_bytes(), rng))
    else:
        forged(path, forgery(rng))


def _end(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            load(path)
        except ModelFileError:
            return "refused"
        except Exception as error:
            return f"ended in {type(error).__name__}"
    return "loaded"


def _memory():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
