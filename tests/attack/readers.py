"""`python -m attack.readers`: gives mutated files to each reader of imports, of TOML and of lists.

    make fuzz-readers INPUTS_OF_READERS=10000                            every reader, and a table
    PYTHONPATH=tests python -m attack.readers --only botan --seed 1 --input 371    one input again

Each input is derived from the seed, its reader and its number alone. A reader takes it or refuses
it in one sentence, within a second of processor time and a GiB of memory.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [path for path in (str(TESTS), str(TESTS.parent / "python")) if path not in sys.path]

from attack import hostile  # noqa: E402
from attack.kinds import text  # noqa: E402

MOST_SECONDS = 1.0
"""Processor time of an input."""

MOST_BYTES = 1 << 30
"""Memory of the process, before or while it reads."""

MOST_LETTERS = 1000
"""Letters of a refusal."""

MOST_LINES = 60
"""Lines of a sample that most inputs begin with."""

MOST_FAILURES = 3
"""Inputs with a fault of which a reader prints each; then it ends."""

CHUNK = 2000
"""Inputs that a process reads before others have their turn."""


@dataclass
class Outcome:
    """Result of some inputs of a reader."""

    name: str
    inputs: int = 0
    taken: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    memory: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Adds those of further inputs."""
        self.inputs += other.inputs
        self.taken += other.taken
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.memory = max(self.memory, other.memory)
        self.failures += other.failures

    def line(self) -> str:
        """Returns its line of the table."""
        return (
            f"{self.name:24}{self.inputs:10,}{self.taken:10,}{self.seconds:10.0f}"
            f"{self.slowest * 1000:10.0f}{self.memory >> 20:10}{len(self.failures):7}"
        )


HEAD = (
    f"{'reader':24}{'inputs':>10}{'taken':>10}{'CPU s':>10}{'most ms':>10}{'most MiB':>10}  faults"
)


@dataclass(frozen=True)
class Reader:
    """A function that reads a file, and sound files for it."""

    samples: list[str]
    read: Callable[[Path], Any]
    ending: str = "toml"


@cache
def readers() -> dict[str, Reader]:
    """Returns all readers by name."""
    from ciphermark.answers.advice import uses
    from ciphermark.answers.protocols import nodes, protocols
    from ciphermark.farm import ssh
    from ciphermark.files import toml_file
    from ciphermark.plan import planfile, profile_file, simulation
    from ciphermark.run.targets import target
    from ciphermark.studies import statements
    from ciphermark.workloads.imported.readers import formats, openssl_loops

    package = Path(planfile.__file__).parents[1]

    def files(*patterns: str) -> list[str]:
        found = [it for pattern in patterns for it in sorted(package.glob(pattern))]
        return [it.read_text("utf-8") for it in found]

    def as_kind(what: str, kind: type) -> Callable[[Path], Any]:
        return partial(toml_file.read_as, what=what, kind=kind)

    catalogue = "answers/protocols/catalogue"
    plans = [*files("plan/defaults/*.toml", "studies/*.toml"), *text.samples("plan-sessions")[:1]]
    of_toml = {
        "plan": Reader(plans, planfile.read),
        "profile": Reader(files("profiles/*.toml"), profile_file.read_toml),
        "node": Reader(files(f"{catalogue}/nodes/*.toml"), nodes.read),
        "protocol": Reader(files(f"{catalogue}/protocols/*.toml"), protocols.read),
        "target": Reader(files("targets/*.toml"), target.read),
        "use": Reader(files("answers/advice/catalogue/*.toml"), uses.read),
        "bounds": Reader(
            files("answers/advice/catalogue/bounds/*.toml"), as_kind("the bounds", uses._Bounds)
        ),
        "statements": Reader(
            files("studies/*/statements.toml"), as_kind("the statements", statements.Document)
        ),
        "simulation": Reader(
            files("plan/simulation.toml"), as_kind("the plan", simulation.SimulationFile)
        ),
        "loops": Reader(
            files("workloads/imported/readers/openssl_loops.toml"),
            as_kind("the loops", openssl_loops.Loops),
        ),
    }
    of_lists = {
        "profile-csv": Reader(text.samples("profiles-csv"), profile_file.read_csv, "csv"),
        "known": Reader(text.samples("known"), _known, "csv"),
        "hosts": Reader(["me@box\n# two\nother python=/usr/bin/python3\n"], ssh.read_hosts, "txt"),
    }
    outputs = [it for kind in ("imports", "imports-json") for it in text.samples(kind)]
    of_imports = {
        name: Reader([it for it in outputs if one.found_in(it)], partial(_imported, name), "txt")
        for name, one in formats.FORMATS.items()
    }
    return of_imports | of_toml | of_lists


def _known(path: Path) -> object:
    from ciphermark.answers.models import predictions
    from test_text_file import processors

    return predictions.read_figures(path, processors(), "mine")


def _imported(name: str, path: Path) -> object:
    """Reads a file; makes runs of some, and of few the tables in which they would be stored."""
    from ciphermark.record import tables
    from ciphermark.workload import rows, rows_table
    from ciphermark.workloads.imported.readers import formats
    from imports_example import imported_runs

    size = path.stat().st_size
    wanted = formats.find(name) if size % 4 else None
    if size % 8:
        return formats.read(path, formats.content_of(path), wanted, None)
    runs = imported_runs(path, format=wanted, clock_hz=2.2e9)
    for run in runs if size % 16 == 0 and size < 20_000 else ():
        rows_table(rows(run), "imported")
        tables.CASE_RECORDS.table(run.cases)
        tables.IMPORTED.table(run.imported)
    return runs


def mutated(seed: int, name: str, number: int) -> bytes:
    """Returns an input of a reader."""
    lots = random.Random(f"{seed} {name} {number}")
    sound = lots.choice(readers()[name].samples)
    lines = sound.splitlines(keepends=True)
    if len(lines) > MOST_LINES and lots.random() < 0.9:
        head, first = lots.randrange(MOST_LINES // 2), lots.randrange(len(lines))
        sound = "".join(lines[:head] + lines[max(head, first) :][: MOST_LINES // 2])
    if lots.random() < 0.4:
        return hostile.data(lots, sound.encode())
    return hostile.text(lots, sound)


def one(name: str, content: bytes, folder: Path) -> tuple[bool, float]:
    """Gives a reader one input; returns whether it was taken, and its seconds of processor time.

    Raises whatever a reader may not raise.
    """
    from ciphermark.errors import UsageError, WorkError

    reader = readers()[name]
    path = folder / f"file.{reader.ending}"
    path.write_bytes(content)
    began = time.process_time()
    taken = True
    try:
        with _bounded_time():
            reader.read(path)
    except (UsageError, WorkError) as refusal:
        taken = False
        assert "\n" not in str(refusal), f"a refusal of several lines: {refusal}"
        assert len(str(refusal)) < MOST_LETTERS, f"a refusal of {len(str(refusal))} letters"
    return taken, time.process_time() - began


def _folder() -> tempfile.TemporaryDirectory[str]:
    """Makes a folder in memory where there is one: a disk takes longer than the readers."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="readers-", dir=memory)


class TooLong(BaseException):
    """The bound of processor time is over."""


@contextmanager
def _bounded_time() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise TooLong(f"more than {MOST_SECONDS:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def some(seed: int, name: str, numbers: range) -> Outcome:
    """Gives a reader these inputs."""
    outcome = Outcome(name)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, most))
    with _folder() as folder:
        _warm_up(name, Path(folder))
        for number in numbers:
            content = mutated(seed, name, number)
            try:
                taken, seconds = one(name, content, Path(folder))
                outcome.taken += taken
                outcome.seconds += seconds
                outcome.slowest = max(outcome.slowest, seconds)
            except (Exception, TooLong) as error:
                outcome.failures.append((number, _sentence(error)))
            outcome.inputs += 1
            outcome.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
            if outcome.memory > MOST_BYTES:
                outcome.failures.append((number, f"took {outcome.memory >> 20} MiB of memory"))
            if len(outcome.failures) >= MOST_FAILURES:
                break
    return outcome


def _warm_up(name: str, folder: Path) -> None:
    """Makes what is kept from the first file on, which takes longer than a file may."""
    reader = readers()[name]
    for sample in reader.samples:
        path = folder / f"sound.{reader.ending}"
        path.write_text(sample + "\n" * (-len(sample.encode()) % 16), "utf-8")
        reader.read(path)


def _sentence(error: BaseException) -> str:
    ours = [it for it in traceback.extract_tb(error.__traceback__) if "ciphermark" in it.filename]
    place = f" ({ours[-1].filename.rpartition('/')[2]}:{ours[-1].lineno})" if ours else ""
    return f"{type(error).__name__}: {error}"[:400] + place


def run(seed: int, names: list[str], inputs: int, seconds: float, lanes: int) -> list[Outcome]:
    """Gives all readers so many inputs each, or as many as fit, in chunks one after another."""
    outcomes = {name: Outcome(name) for name in names}
    chunks = (
        (name, range(first, min(first + CHUNK, inputs)))
        for first in range(0, inputs, CHUNK)
        for name in names
    )
    deadline = time.monotonic() + seconds
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(lanes, mp_context=context, max_tasks_per_child=None) as pool:
        for group in iter(lambda: list(itertools.islice(chunks, lanes)), []):
            wanted = [it for it in group if len(outcomes[it[0]].failures) < MOST_FAILURES]
            tasks = [pool.submit(some, seed, *it) for it in wanted]
            for done in as_completed(tasks):
                outcome = done.result()
                outcomes[outcome.name].add(outcome)
                for number, sentence in outcome.failures:
                    again = f"--only {outcome.name} --seed {seed} --input {number}"
                    print(f"{outcome.name} {number}: {sentence}\n    again: {again}", flush=True)
            if time.monotonic() > deadline:
                break
    return list(outcomes.values())


def main() -> int:
    """Returns 1 where a reader has a fault."""
    parser = argparse.ArgumentParser(prog="python -m attack.readers", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0, help="at most")
    parser.add_argument("--only", default=",".join(readers()), help="readers, comma-separated")
    parser.add_argument("--input", type=int, dest="number", help="this one alone")
    parser.add_argument("--lanes", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    names = given.only.split(",")
    if unknown := set(names) - set(readers()):
        parser.error(f"no such reader: {', '.join(sorted(unknown))}")
    if given.number is not None:
        content = mutated(given.seed, names[0], given.number)
        print(content[:4000], f"{len(content)} bytes", sep="\n")
        with _folder() as folder:
            _warm_up(names[0], Path(folder))
            print(one(names[0], content, Path(folder)))
        return 0
    outcomes = run(given.seed, names, given.inputs, 60 * given.minutes, given.lanes)
    total = Outcome("all")
    print(f"\nseed {given.seed}\n{HEAD}")
    for outcome in outcomes:
        print(outcome.line())
        total.add(outcome)
    print(total.line())
    return int(bool(total.failures))


if __name__ == "__main__":
    sys.exit(main())
