"""The ledger of a fleet: one file that says which run each machine has become.

NOTES/fleets/REQUEST/fleet.json    the request, and the result of each machine
                     lock          held while the fleet runs

REQUEST is a hash of the plan and options: the same command finds the ledger of a fleet that is not
complete, and goes on. The ledger of a complete fleet is removed. A run is named there before it is
stored, and its machine is done when that run is stored: whenever the client dies, a machine has
either become one run or is measured again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec

import ciphermark
from ciphermark.command.options import MannerOptions
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.atomic import replaced_file
from ciphermark.files.reading import UNREADABLE
from ciphermark.plan import selection
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.record.layout import new_run_id
from ciphermark.record.store import Store

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.record.table import Table


class Request(msgspec.Struct, kw_only=True, frozen=True):
    """Survey that every machine of a fleet measures: a plan file and options as they were typed."""

    plan: PlanFile
    plan_name: str
    options: dict[str, str] = {}
    """Options of `plan.selection.from_options`."""
    manners: dict[str, str] = {}
    """Options of `plan.manner.from_options`."""
    seed: int | None = None
    """Seed of keys, messages and order on all machines; None before one is chosen."""

    def selection(self) -> Selection:
        """Returns the selection of the options. Raises UsageError for those without meaning."""
        options: dict[str, Any] = {**self.options}
        manners = MannerOptions(**self.manners).read()
        chosen = selection.from_options(**options, manners=manners)
        chosen.seed = self.seed
        return chosen


class MachineLine(msgspec.Struct, kw_only=True):
    """Machine of a fleet, with its result."""

    host: str
    """Name that people use; several machines may have the same `machine`."""
    machine_id: str
    machine: str = ""
    cpu_name: str = ""
    verdict: str = ""
    """Verdict of `ciphermark doctor` before measuring."""
    state: Literal["done", "trouble"] = "done"
    cases: int = 0
    errors: int = 0
    run: str = ""
    trouble: str = ""
    """Reason why it was not measured, one sentence."""


class Fleet(msgspec.Struct, kw_only=True):
    """Content of a ledger."""

    fleet: str
    """Identifier, in the form of a run's."""
    started_unix_ns: int
    request: Request
    machines: dict[str, MachineLine] = {}
    """Machines by their `machine_id`."""


class Ledger:
    """Results of the machines of a fleet; each run is stored once."""

    def __init__(self, store: Store, request: Request) -> None:
        self._store = store
        self._request = request
        asked = msgspec.json.encode([ciphermark.__version__, request])
        self.folder = store.notes / "fleets" / hashlib.sha256(asked).hexdigest()[:16]
        self._file = self.folder / "fleet.json"
        self._kept: set[str] = set()
        self.fleet = self._new()

    @property
    def machines(self) -> list[MachineLine]:
        """Machines by their hosts."""
        return sorted(self.fleet.machines.values(), key=lambda it: (it.host, it.machine_id))

    def is_done(self, machine_id: str) -> bool:
        """Returns whether the run of a machine is stored."""
        line = self.fleet.machines.get(machine_id)
        return line is not None and line.state == "done" and line.run in self._kept

    def note(self, line: MachineLine) -> None:
        """Writes the result of a machine. Raises WorkError."""
        self.fleet.machines[line.machine_id] = line
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replaced_file(self._file) as partial:
                partial.write_bytes(msgspec.json.format(msgspec.json.encode(self.fleet)))
        except OSError as error:
            raise WorkError(
                f"the state of the fleet could not be written to {self._file} ({error.strerror}); "
                "make room there, or name another folder with --runs DIR"
            ) from error

    def finish(self) -> None:
        """Removes the ledger when all machines that came are done."""
        if all(it.state == "done" for it in self.machines):
            self._file.unlink(missing_ok=True)

    def keep(self, line: MachineLine, run: Run, rows: Table) -> None:
        """Names the run of a machine, then stores it. Raises WorkError."""
        while run.context.run in self._kept:  # machines that began in the same second
            run.context.run = new_run_id(run.context.started_unix_ns)
        line.run = run.context.run
        try:
            self.note(line)
        finally:  # on the same full disk, it may be kept elsewhere
            self._store.save(run, rows)
        self._kept.add(line.run)

    @contextlib.contextmanager
    def held(self, again: bool = False) -> Iterator[None]:
        """Holds the lock of the fleet and reads its ledger.

        `again` begins anew. Raises UsageError when the fleet is running already, and WorkError when
        the ledger is damaged.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise UsageError(
                "this fleet is running already: wait until it has ended, or stop it with Ctrl-C"
            ) from None
        try:
            self._kept = self._store.kept()
            known = None if again else self._read()
            self.fleet = known or self.fleet
            yield
        finally:
            if not self._file.exists():
                shutil.rmtree(self.folder, ignore_errors=True)
            os.close(descriptor)

    def _new(self) -> Fleet:
        began, request = time.time_ns(), self._request
        if request.seed is None:
            request = msgspec.structs.replace(request, seed=secrets.randbits(53))
        return Fleet(fleet=new_run_id(began), started_unix_ns=began, request=request)

    def _read(self) -> Fleet | None:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=Fleet)
        except FileNotFoundError:
            return None
        except (OSError, *UNREADABLE) as error:
            raise WorkError(
                f"{self._file} cannot be read ({error}): type rm {self._file}, and all machines "
                "are measured again"
            ) from None
