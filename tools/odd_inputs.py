"""Fit every public estimator to odd inputs, and print the ends that are neither sound nor ours.

python tools/odd_inputs.py --cases 2000 --seed 1
python tools/odd_inputs.py --every deep head  # each change and each question, of some or of all
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile.odd_inputs import ASKED, CHANGES, ESTIMATORS, draw_case, run_case


def main():
    """Print each ugly end with its case, and how many cases there were."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000, help="of the ten thousand of the test")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", nargs="*", choices=list(ESTIMATORS), help="all changes instead")
    parser.add_argument("--seconds", type=float, default=np.inf, help="of one processor, at most")
    options = parser.parse_args()
    n_ugly = n_cases = 0
    for number, case in enumerate(_cases(options)):
        if time.process_time() > options.seconds:
            break
        n_cases += 1
        end = run_case(*case, seed=0 if options.every is not None else number)
        if end is not None:
            n_ugly += 1
            print(f"{number} {case}: {end}", flush=True)
    seconds = time.process_time()
    print(f"{n_cases} cases, {n_ugly} ugly, {seconds:.0f} s of one processor", flush=True)
    sys.exit(1 if n_ugly else 0)


def _cases(options):
    if options.every is None:
        rng = np.random.default_rng(options.seed)
        return [draw_case(rng) for _ in range(options.cases)]
    names = options.every or ESTIMATORS
    changed = [(name, change, None, "nothing") for name in names for change in CHANGES]
    return changed + [(name, "nothing", None, asked) for name in names for asked in ASKED]


if __name__ == "__main__":
    main()
