"""The engine on another machine, with the interface of the one here."""

from __future__ import annotations

import contextlib
import math
import secrets
import time
from collections.abc import Callable, Generator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ciphermark import contract
from ciphermark.errors import StillRunning, WorkError
from ciphermark.plan.cpu_sets import Limits
from ciphermark.run.engine import Engine, decoded, sentence_of
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.remote import client
from ciphermark.run.remote.connection import Connection, Gone
from ciphermark.run.remote.fitting import bring_engine
from ciphermark.run.remote.limits import Surroundings
from ciphermark.run.remote.pending import Pending, Shelf
from ciphermark.run.remote.run import RemoteRun, Start

if TYPE_CHECKING:
    from ciphermark.record.recorder import Begun

Tell = Callable[[str], None]

FOLDER = "ciphermark"
"""What the names of our folders begin with."""

ROOM_KIB = 48 * 1024
"""For the engine, at most 16 MB, and the events of some minutes: a survey writes 15 MB."""

_SPARE_SECONDS = 300
"""For verification and calibration, beyond the budget: as the engine gives its workers."""
_SPARE_SECONDS_PER_CASE = 1
"""A case is verified in 0.03 s on a server, and on a box that is as slow as they come in 1 s."""


class RemoteEngine(Engine):
    """An engine that is copied to a box, and removed with all that it wrote by `close`."""

    def __init__(self, name: str, own: Path | None, tell: Tell) -> None:
        """Logs in to the box. `own` is the engine to copy, else one that fits is chosen; `tell` is
        given sentences for the user.

        Raises UsageError where the box cannot be reached or measured on.
        """
        self.name = client.check_destination(name)
        self._own, self._tell = own, tell
        self._shelf = Shelf()
        self._delivered: dict[str, Pending] = {}
        """Runs that are kept there and whose events are all here, but not stored yet."""
        self._left = False
        """Whether a run there goes on without us."""
        self._is_ready = False
        waiting = self._shelf.take()
        self._connection = self._log_in([it.folder for it in waiting])
        try:
            self.waiting = self._there(waiting)
            """Runs of earlier calls on this box, to be collected before anything else."""
        except BaseException:
            self._connection.drop()
            raise
        self.path = Path(f"{self.name}:{self._connection.box.folder}/engine")
        self._paths = _NothingKept()  # type: ignore[assignment]

    def _log_in(self, wanted: list[str]) -> Connection:
        new = f"{FOLDER}.{secrets.token_hex(8)}"
        return Connection(self.name, dict.fromkeys(wanted), new, ROOM_KIB)

    def _there(self, waiting: list[Pending]) -> list[Pending]:
        """Those that this box has; what it has lost is forgotten, what others have is left."""
        here = Path(self._connection.box.found).name
        found = []
        for it in waiting:
            if it.folder == here and it.stored:
                self._forget(it)
            elif it.folder == here:
                found.append(it)
            elif it.name == self.name and not here and not self._is_elsewhere(it):
                self._shelf.remove(it.run)
                if not it.stored:
                    self._tell(f"the results of `{it.command}` are no longer on {self.name}")
            else:
                self._shelf.release(it.run)
        return found

    def _is_elsewhere(self, pending: Pending) -> bool:
        """Whether the name led to another machine when the run began; says so."""
        box = self._connection.box
        if pending.stored or not pending.identity or pending.identity == box.identity:
            return False
        self._tell(
            f"{self.name} is {box.node} now, and `{pending.command}` measured on {pending.node}: "
            f"its results are collected when {self.name} is {pending.node} again"
        )
        return True

    def _ready(self) -> Connection:
        """The connection, once the engine is there and has been seen to start."""
        if not self._is_ready:
            bring_engine(self._connection, self._own, self._tell)
            self._is_ready = True
        return self._connection

    # ---- questions

    def remember(
        self, providers: list[contract.Provider], seen: list[contract.Implementation]
    ) -> None:
        """What is kept of code paths is of libraries here."""

    def limits(self) -> Limits:
        return self._surroundings.limits

    def may_be_real_time(self) -> bool:
        return self._surroundings.may_be_real_time

    def may_bound_cpu(self) -> bool:
        return self._surroundings.may_bound_cpu

    @cached_property
    def _surroundings(self) -> Surroundings:
        return Surroundings(self._connection)

    def _ask(
        self,
        arguments: list[str],
        accepted: tuple[int, ...] = (0,),
        seconds: int = 120,
    ) -> bytes:
        """What a command of the engine prints."""
        done = self._ready().ask("ask", seconds, *arguments, seconds=seconds + 30)
        if done.returncode not in accepted or not done.stdout:
            raise sentence_of(_code(done.returncode), done.stderr, self.path)
        return done.stdout

    # ---- runs

    def measure(
        self,
        plan: contract.Plan,
        interrupts: Interrupts,
        begun: Callable[[], Begun] | None = None,
    ) -> Generator[contract.Event, None, None]:
        """Runs a plan there and yields the events as they come.

        With `begun` the run outlives a lost connection: it is tried to reach again, and where that
        does not succeed in time `StillRunning` is raised, and the next call has the run `waiting`.
        """
        self._ready()
        run, seconds = secrets.token_hex(8), _most_seconds(plan)
        pending = self._pending(run, seconds, begun()) if begun is not None else None
        if pending is not None:
            self._shelf.put(pending)
        start = Start(msgspec.json.encode(plan), seconds, keeps=pending is not None)
        yield from self._events(run, start, pending, interrupts)

    def collect(
        self, pending: Pending, interrupts: Interrupts
    ) -> Generator[contract.Event, None, None]:
        """The events of a run of an earlier call, from the first on, until it has ended."""
        yield from self._events(pending.run, None, pending, interrupts)

    def _pending(self, run: str, seconds: int, begun: Begun) -> Pending:
        return Pending(
            name=self.name,
            folder=Path(self._connection.box.folder).name,
            run=run,
            identity=self._connection.box.identity,
            node=self._connection.box.node,
            command=begun.command,
            ends_unix_s=time.time() + seconds,
            begun=msgspec.Raw(msgspec.json.encode(begun)),
        )

    def _events(
        self, run: str, start: Start | None, pending: Pending | None, interrupts: Interrupts
    ) -> Generator[contract.Event, None, None]:
        remote = RemoteRun(self._connection, run, start, self._tell)
        is_worth_keeping = has_ended = False
        try:
            for event in decoded(remote.lines(interrupts), self.path):
                is_worth_keeping = pending is not None
                yield event
            has_ended = True
        except StillRunning as why:
            self._left = True
            raise StillRunning(_how_to_collect(pending, why)) from None
        except Gone:
            raise
        except WorkError:
            has_ended = True  # not as it should, and what came until then is stored
            raise
        finally:
            self._connection = remote.connection
            if has_ended and is_worth_keeping and pending is not None:
                self._delivered[run] = pending
            elif not self._left:
                self._shelf.remove(run)
        if remote.code != 0:
            raise sentence_of(_code(remote.code), remote.words, self.path)

    def stored(self) -> None:
        """What was measured is stored: the box may forget it."""
        for pending in self._delivered.values():
            self._forget(pending)
        self._delivered.clear()

    def _forget(self, pending: Pending) -> None:
        """Noted first, so that nothing is stored twice; what cannot be reached is told later."""
        self._shelf.put(msgspec.structs.replace(pending, stored=True))
        with contextlib.suppress(WorkError):
            self._connection.ask("forget", pending.run)
            self._shelf.remove(pending.run)

    def close(self) -> None:
        """Removes everything there, but what is still to be collected."""
        if self._left or self._delivered:
            self._connection.drop()
        elif not self._connection.close():
            folder = self._connection.box.folder
            self._tell(
                f"{self.name} could not be asked to remove {folder}; it will remove the "
                "folder by itself"
            )


def _most_seconds(plan: contract.Plan) -> int:
    """After which the box ends an engine that has not ended by itself."""
    return math.ceil(plan.budget_s) + _SPARE_SECONDS + _SPARE_SECONDS_PER_CASE * len(plan.cases)


def _how_to_collect(pending: Pending | None, why: Exception) -> str:
    if pending is None:
        return str(why)
    left = max(0, math.ceil((pending.ends_unix_s - time.time()) / 60))
    return (
        f"{why}; the measurement goes on there, for {left} min at most, and is kept: type "
        f"{pending.command} again, which collects it"
    )


class _NothingKept:
    """Instead of `PathCache`: code paths of a box are looked for when they are wanted."""

    def complete(self, provider: object, algorithms: object) -> None:
        """None are known."""

    def known(self, provider: object) -> list[contract.Implementation]:
        return []

    def keep(self, provider: object, found: object, looked: object = ()) -> None:
        """Forgets."""


def _code(shell: int) -> int:
    """A shell has 128 and the number of the signal where a process here has minus the number."""
    return 128 - shell if shell > 128 else shell
