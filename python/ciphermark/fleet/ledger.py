"""What a fleet was asked, and what of it is done: files beside the runs, or for those of a shared
filesystem in the user's data folder, each written whole.

NOTES/fleets/20261122-160000-7f3a/fleet.json            what was asked
                                 machines/ID.json      what was found out about a machine
                                 done/ID.JOB.run.json  the run that a job of a machine has become
                                 done/ID.JOB.piece.json   the same, where it waits for others
                                 pieces/               runs of jobs that become one run together
                                 simulated/            what was counted of simulated targets
                                 lock                  held while the fleet runs

A job is done when its file names a run and that run is there. The file is written first: whenever
the client dies, a job has either become one run, or will be measured again, and never two runs.
Runs that are kept together, as those of a study's workloads, wait among the fleet's pieces until
all of them are there.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ciphermark.contract.others import SimulatedTarget, Simulation
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.atomic import replaced_file
from ciphermark.files.reading import UNREADABLE
from ciphermark.fleet.request import FleetRequest
from ciphermark.record.layout import new_run_id, run_ids
from ciphermark.record.store import Store

if TYPE_CHECKING:
    from ciphermark.fleet.jobs import Job, Measured
    from ciphermark.record.run import Run
    from ciphermark.record.table import Table


FOLDER = "fleets"

T = TypeVar("T")


class FleetFacts(msgspec.Struct, kw_only=True, frozen=True):
    """What was asked."""

    fleet: str
    """Identifier, of the form of a run's."""
    started_unix_ns: int
    command: str
    ciphermark_version: str
    even_unfit: bool
    request: FleetRequest


class MachineFacts(msgspec.Struct, kw_only=True):
    """What is known of one machine, and what has become of it."""

    machine_id: str
    host: str
    """What people call it; a `machine_name` may be that of many."""
    machine_name: str
    machine_kind: str
    cpu_name: str
    verdict: str = ""
    """Of `ciphermark doctor`, before it was measured."""
    jobs: list[str] = []
    """Names of its jobs, in their order."""
    cases: int = 0
    """Of all its jobs."""
    trouble: str = ""
    """Why it is not measured, one sentence; empty where nothing is wrong."""


class Done(msgspec.Struct, kw_only=True, frozen=True):
    """A job that has become a run, or a piece of one."""

    job: str
    machine_id: str
    machine_kind: str
    run: str
    """Empty where there was nothing to measure."""
    cases: int
    errors: int
    piece: bool = False
    """Whether the run waits among the pieces for the others that it is kept with."""


class SimulatedPart(msgspec.Struct, frozen=True):
    """Some cases of a simulated target, with what came of them."""

    part: str
    target: SimulatedTarget
    simulations: list[Simulation]


class Ledger:
    """The files of one fleet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def fleet(self) -> str:
        return self.folder.name

    @property
    def pieces(self) -> Path:
        """A folder of runs that wait for others of their machine."""
        return self.folder / "pieces"

    def begin(self, facts: FleetFacts) -> None:
        """Writes what is asked. Raises WorkError."""
        self._write(self.folder / "fleet.json", facts)

    def facts(self) -> FleetFacts:
        """What was asked. Raises WorkError when it cannot be read."""
        file = self.folder / "fleet.json"
        return _read(file, FleetFacts, "begin another fleet")

    def tell(self, machine: MachineFacts) -> None:
        """Writes what is known of a machine."""
        self._write(self.folder / "machines" / f"{_safe(machine.machine_id)}.json", machine)

    def machines(self) -> list[MachineFacts]:
        """All that are known, by their hosts."""
        found = self._read_all("machines", MachineFacts)
        return sorted(found, key=lambda it: (it.host, it.machine_id))

    def intend(self, done: Done) -> None:
        """Says which run a job becomes; to be called before that is stored."""
        self._write(self._file(done), done)

    def forget(self, done: Done) -> None:
        """A job is to be measured again; the run that it became stays."""
        self._file(done).unlink(missing_ok=True)

    def done(self, is_stored: Callable[[Done], bool]) -> list[Done]:
        """The jobs whose runs are there."""
        return [it for it in self._read_all("done", Done) if not it.run or is_stored(it)]

    def keep_simulated(self, name: str, found: SimulatedPart) -> None:
        """Writes what was simulated of a target."""
        self._write(self.folder / "simulated" / f"{_safe(name)}.json", found)

    def simulated(self) -> list[SimulatedPart]:
        """What was simulated already."""
        return self._read_all("simulated", SimulatedPart)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """While the fleet runs; nothing is left of one that was not begun. Raises UsageError when
        it runs already."""
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise UsageError(
                f"fleet {self.fleet} is running already: see ciphermark fleet show {self.fleet}"
            ) from None
        try:
            yield
        finally:
            if not self._is_begun:
                shutil.rmtree(self.folder, ignore_errors=True)
            os.close(descriptor)

    @property
    def _is_begun(self) -> bool:
        return (self.folder / "fleet.json").exists()

    def _file(self, done: Done) -> Path:
        kind = "piece" if done.piece else "run"
        return self.folder / "done" / f"{_safe(done.machine_id)}.{_safe(done.job)}.{kind}.json"

    def _write(self, file: Path, content: object) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replaced_file(file) as partial:
                partial.write_bytes(msgspec.json.format(msgspec.json.encode(content)))
        except OSError as error:
            raise WorkError(
                f"the state of the fleet could not be written to {file} ({error.strerror}); make "
                "room there, or name another folder with --runs DIR"
            ) from error

    def _read_all(self, folder: str, kind: type[T]) -> list[T]:
        files = sorted((self.folder / folder).glob("[!.]*.json"))
        return [_read(file, kind, f"type rm {file}, and {_CURES[folder]}") for file in files]


_CURES = {
    "machines": "its machine is asked again",
    "done": "its job is measured again, and the run that was stored of it stays",
    "simulated": "its cases are simulated again",
}
"""What comes of removing a damaged file, which nobody but the user does."""


def _read(file: Path, kind: type[T], cure: str) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, *UNREADABLE) as error:
        raise WorkError(f"{file} cannot be read ({error}): {cure}") from None


def fleets(runs: Path) -> list[str]:
    """Identifiers of the fleets beside these runs, newest first."""
    return run_ids(runs / FOLDER)


def resolve(runs: Path, name: str) -> Ledger:
    """The fleet meant by `last`, an identifier, or a part of one. Raises UsageError."""
    known = fleets(runs)
    if not known:
        raise UsageError(f"no fleet has run into {runs}; begin with ciphermark fleet run --local 2")
    found = known[:1] if name == "last" else [it for it in known if it == name]
    found = found or [it for it in known if name in it]
    if len(found) != 1:
        meant = f"means {len(found)} fleets" if found else "is no fleet"
        raise UsageError(f"{name!r} {meant}; those there are: {', '.join((found or known)[:5])}")
    return Ledger(runs / FOLDER / found[0])


def _safe(name: str) -> str:
    """As a part of a file's name: an identity comes from another machine."""
    return re.sub(r"[^A-Za-z0-9-]", "_", name)[:100]


class FleetStore:
    """Stores what machines have measured, and knows what is stored already."""

    def __init__(self, ledger: Ledger, store: Store) -> None:
        self.ledger = ledger
        self._store = store
        self._pieces = Store(ledger.pieces)
        self._pieces.take_along()
        self._kept = {False: store.kept(), True: self._pieces.kept()}
        """Identifiers of runs, and of pieces."""
        self._done = ledger.done(self._is_stored)

    def is_run(self, job: Job, jobs: list[Job]) -> bool:
        """Whether a job becomes a run alone."""
        return sum(it.makes == job.makes for it in jobs) == 1

    def known(self, facts: MachineFacts, jobs: list[Job]) -> dict[str, Done]:
        """Which of a machine's jobs are done already, by this hardware."""
        own = [it for it in self._done if it.machine_id == facts.machine_id]
        same = [it for it in own if it.machine_kind == facts.machine_kind]
        whole = {it.job: it for it in same if not it.piece}
        pieces = {it.job: it for it in same if it.piece}
        found = {job.name: whole.get(job.makes) or pieces.get(job.name) for job in jobs}
        return {name: done for name, done in found.items() if done is not None}

    def other_hardware(self, facts: MachineFacts) -> str | None:
        """The kind that a machine had when jobs of it were done before, where that was another;
        they are forgotten."""
        others = [
            it
            for it in self._done
            if it.machine_id == facts.machine_id and it.machine_kind != facts.machine_kind
        ]
        self._drop(others)
        return others[0].machine_kind if others else None

    def drop_pieces(self, machine_id: str) -> None:
        """Forgets what waits for further jobs of a machine, which will not fit it any more."""
        self._drop([it for it in self._done if it.machine_id == machine_id and it.piece])

    def keep(self, facts: MachineFacts, job: Job, measured: Measured, alone: bool) -> Done:
        """Stores what was measured: as a run, or as a piece of one. Raises WorkError."""
        run: Run | None = measured.run
        done = Done(
            job=job.name,
            machine_id=facts.machine_id,
            machine_kind=facts.machine_kind,
            run="",
            cases=len(run.cases) if run is not None else 0,
            errors=measured.errors,
            piece=not alone,
        )
        if run is None:
            return self._noted(done)
        return self._saved(done, run, measured.rows, [])

    def piece(self, done: Done) -> Run:
        """What waits among the pieces."""
        return self._pieces.load(done.run)

    def join(
        self,
        jobs: list[Job],
        done: dict[str, Done],
        targets: list[SimulatedTarget],
        simulations: list[Simulation],
    ) -> Done:
        """Makes one run of all jobs of a name, the first with the others within, instead of
        the pieces. Raises WorkError."""
        pieces = [done[job.name] for job in jobs]
        found = [it for it in pieces if it.run]
        first, *also = [self.piece(it) for it in found]
        tables = [self._pieces.rows(it.run) for it in found]
        first.also, first.targets, first.simulations = also, targets, simulations
        whole = Done(
            job=jobs[0].makes,
            machine_id=found[0].machine_id,
            machine_kind=found[0].machine_kind,
            run="",
            cases=sum(it.cases for it in found),
            errors=sum(it.errors for it in found),
        )
        saved = self._saved(whole, first, tables[0], tables[1:])
        self._drop(pieces)
        return saved

    def _saved(self, done: Done, run: Run, rows: Table, also_rows: list[Table]) -> Done:
        """Says first which run it becomes, then stores that."""
        kept = self._kept[done.piece]
        while run.context.run in kept:  # machines that began in the same second
            run.context.run = new_run_id(run.context.started_unix_ns)
        named = msgspec.structs.replace(done, run=run.context.run)
        store = self._pieces if done.piece else self._store
        try:
            self.ledger.intend(named)
        except WorkError:
            store.save(run, rows, also_rows)  # on the same full disk, it may be kept elsewhere
            raise
        store.save(run, rows, also_rows)
        kept.add(run.context.run)
        self._done.append(named)
        return named

    def _drop(self, forgotten: list[Done]) -> None:
        """Jobs that are to be measured again or are kept otherwise; runs in the store stay."""
        for done in forgotten:
            self.ledger.forget(done)
            self._done.remove(done)
            if done.piece and done.run:
                shutil.rmtree(self._pieces.folder(done.run), ignore_errors=True)

    def _noted(self, done: Done) -> Done:
        self.ledger.intend(done)
        self._done.append(done)
        return done

    def _is_stored(self, done: Done) -> bool:
        return done.run in self._kept[done.piece]
