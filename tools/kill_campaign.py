"""Kill commands at random moments, 40 times each, and print what they left behind.

python tools/kill_campaign.py --kills 40
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from eulac.data import row_chunks
from hostile.kills import JOBS, campaign, write_inputs


def main():
    """Print a line for each kind of work, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=40, help="kills of each kind of work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[job.name for job in JOBS], help="one kind of work")
    options = parser.parse_args()
    row_chunks.CHUNK_ROWS = 20
    outcomes = []
    with tempfile.TemporaryDirectory() as place:
        inputs = Path(place, "inputs")
        inputs.mkdir()
        write_inputs(inputs)
        for job in (job for job in JOBS if options.only in (None, job.name)):
            folder = Path(place, job.name)
            folder.mkdir()
            found = campaign(job, inputs, folder, options.kills, seed=options.seed)
            outcomes.append(found)
            print(
                f"{job.name}: {found.n_kills} kills, {found.n_drafts} of them left a draft, "
                f"{found.n_finished} runs to the end, {len(found.damaged)} files damaged",
                flush=True,
            )
            print(*found.damaged[:5], sep="\n", end="\n" if found.damaged else "", flush=True)
    n_damaged = sum(len(found.damaged) for found in outcomes)
    print(f"all: {sum(found.n_kills for found in outcomes)} kills, {n_damaged} damaged")
    sys.exit(n_damaged > 0)


if __name__ == "__main__":
    main()
