"""`python -m attack`: makes tries, prints failures with what repeats them, and a table."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Before numpy is imported, which starts threads else: copies are made of this process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [path for path in (str(TESTS), str(TESTS.parent / "python")) if path not in sys.path]


def main() -> int:
    """Returns 1 when a try failed."""
    from attack import faults, runner, setting
    from attack.kinds import KINDS

    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--tries", type=int, default=10**9, help="at most so many")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, comma-separated")
    parser.add_argument("--try", type=int, dest="number", help="this one alone, with --only KIND")
    parser.add_argument("--lanes", type=int, default=len(os.sched_getaffinity(0)),
                        help="processes that make tries side by side")  # fmt: skip
    parser.add_argument("--folder", type=Path, help="keep what is made here")
    given = parser.parse_args()
    only = given.only.split(",")
    if unknown := set(only) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    if "reads" in only and (code := faults.again_with_failing()) is not None:
        return code
    with _own_folder(given.folder) as folder:
        made = setting.made(folder)
        setting.import_all()
        if given.number is not None:
            runner.separate()
            result = runner.tried(made, given.seed, only[0], given.number, keep=True)
            print(f"{result.failure or 'passed'}: {result.sentence}", *result.said, sep="\n")
            return int(bool(result.failure))
        results = runner.run(
            made, given.seed, only, seconds=60 * given.minutes, most=given.tries, lanes=given.lanes,
            show=lambda text: print(text, flush=True),
        )  # fmt: skip
        runner.remove_tries(folder)
    print(f"\nseed {given.seed}\n{results.table()}")
    return int(results.failed > 0)


@contextlib.contextmanager
def _own_folder(asked: Path | None) -> Iterator[Path]:
    """The folder that was asked for, or one that is removed in the end.

    No TemporaryDirectory: each copy of this process that makes a try would remove it when it ends.
    """
    if asked is not None:
        yield asked
        return
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
