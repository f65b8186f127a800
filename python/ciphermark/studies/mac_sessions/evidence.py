"""Which rows of a run stand for what the paper asks, and for which of its builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ciphermark.contract.others import BesideFigure
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import Evidence, Figure, field, least, of_execution, quotient
from ciphermark.studies.mac_sessions.others import CRYPTEST, PROVIDERS
from ciphermark.studies.mac_sessions.paper import (
    BY_ALGORITHM,
    FUNCTIONS,
    LARGEST,
    SESSIONS,
    Function,
)
from ciphermark.studies.simulations import Simulations
from ciphermark.view.findings import NotTestable
from ciphermark.workloads.loaded import of_one_execution

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow


LIBRARY, STAND_IN = "cryptopp", "kernels"
"""Providers."""

SWITCH = "CIPHERMARK_CRYPTOPP_OFF"
"""The variable by which the features that Crypto++ must not use are named."""

_VECTORS = {"sse2", "asimd"}
"""Features without which nothing but plain C++ is left."""

_PLAIN_PATHS = {"portable", "table", "reference"}


class Build(msgspec.Struct, frozen=True):
    """One of the three."""

    title: str
    of_library: Callable[[set[str]], bool]
    """Whether a library without these features is this build."""
    of_kernels: Callable[[str], bool]
    """Whether a code path of the kernels uses no more than this build may."""

    def has(self, row: SessionRow) -> bool:
        """Whether a row was measured of this build."""
        if row.provider == STAND_IN:
            return self.of_kernels(row.backend)
        return self.of_library(hidden(row))


def hidden(row: SessionRow) -> set[str]:
    """The features that Crypto++ was told to leave alone; of another library none."""
    return {*row.switches.get(SWITCH, "").split(",")} - {""}


def _has_no_cipher(path: str) -> bool:
    return not any(it in path for it in ("aes", "sha", "crypto", "pmull"))


PLAIN = Build("plain C/C++", lambda off: bool(off & _VECTORS), lambda path: path in _PLAIN_PATHS)
SIMD = Build("SIMD, no AES or SHA", lambda off: bool(off) and not off & _VECTORS, _has_no_cipher)
FULL = Build("everything", lambda off: not off, lambda path: True)
BUILDS = (PLAIN, SIMD, FULL)


NOT_VALID = "? no attempt was valid; the last one is shown"
"""Of a figure, below a table."""

ONCE, PER_MESSAGE = "reused-key", "rekeyed"
"""When the key is set up, as patterns of the plan."""

IN_PIECES = "incremental"
"""Once, and the message comes in pieces."""


class Asked(NamedTuple):
    """100 sessions of a function on all CPUs."""

    function: Function
    message_bytes: int
    build: Build = FULL
    pattern: str = ONCE


class Measured(Evidence[Asked]):
    """The rows of a run by function, size, build and CPUs; figures are absolute cycles per byte."""

    def __init__(self, run: Run, rows: Iterable[SessionRow]) -> None:
        self.run, self.context, self.beside = run, run.context, run.beside
        self.simulations = Simulations(run)
        self.elsewhere = _elsewhere(run)
        """The same study on other machines, where the user has put their runs beside this one."""
        macs = [row for row in rows if row.operation == "mac"]
        self.rows = [row for row in macs if row.offload == "none"]
        self._offloaded = [row for row in macs if row.offload != "none"]
        with_figures = [row for row in self.rows if row.absolute_cycles_per_byte is not None]
        providers = {row.provider for row in with_figures}
        self.library = LIBRARY if LIBRARY in providers or not providers else STAND_IN
        """The provider whose figures are shown: what is not there is stood in for."""
        known = [row for row in with_figures if row.algorithm in BY_ALGORITHM]
        self._special = [row for row in known if row.profile or row.life or self._on_siblings(row)]
        """Rows that no figure of the paper has."""
        self._with_figures = [row for row in known if row not in self._special]
        of_sessions = self._of(SESSIONS, None, ONCE)
        self.cores = sorted({row.cores for row in of_sessions})
        """Numbers of CPUs that the workload of 100 sessions ran on."""

    @property
    def is_stood_in_for(self) -> bool:
        """Whether the kernels of ciphermark stand for Crypto++."""
        return self.library == STAND_IN

    @property
    def sizes(self) -> list[int]:
        """Sizes of messages of figures 4–7, bytes, ascending."""
        return sorted({row.message_bytes or 0 for row in self.loaded()})

    def loaded(self, pattern: str = ONCE) -> list[SessionRow]:
        """Rows of 100 sessions on all CPUs."""
        return self._of(SESSIONS, max(self.cores, default=0), pattern)

    def row(
        self, function: Function, message_bytes: int, build: Build = FULL, pattern: str = ONCE
    ) -> SessionRow | None:
        """That of 100 sessions on all CPUs."""
        return _best(self.loaded(pattern), function, message_bytes, build)

    def alone(
        self,
        function: Function,
        message_bytes: int,
        provider: str | None = None,
        pattern: str = ONCE,
    ) -> SessionRow | None:
        """That of one session on one CPU, also by another provider."""
        return _best(self._of(1, 1, pattern, provider), function, message_bytes, FULL)

    def on_cores(self, function: Function, message_bytes: int) -> dict[int, SessionRow]:
        """Those of 100 sessions by the number of CPUs, ascending."""
        found = {
            cores: _best(self._of(SESSIONS, cores, ONCE), function, message_bytes, FULL)
            for cores in self.cores
        }
        return {cores: row for cores, row in found.items() if row is not None}

    def mixed(self, function: Function) -> SessionRow | None:
        """That of 100 sessions whose messages have the lengths of a mix."""
        return self._one_special(function, lambda row: bool(row.profile))

    def of_lives(self, function: Function) -> SessionRow | None:
        """That of 100 sessions that end, and others take their place."""
        return self._one_special(function, lambda row: row.life is not None)

    def on_siblings(self, function: Function) -> SessionRow | None:
        """That of 100 sessions on the threads of one core."""
        return self._one_special(function, self._on_siblings)

    def offloaded(self) -> list[tuple[SessionRow, SessionRow]]:
        """Rows whose work a device does, each with that of the same sessions without it."""
        whole = [row for row in self._of(SESSIONS, None, ONCE) if not row.switches]
        beside = {_question(row): row for row in whole}
        return [
            (beside[_question(row)], row)
            for row in self._offloaded
            if row.absolute_cycles_per_byte is not None and _question(row) in beside
        ]

    def figure(self, what: Asked) -> Estimate | None:
        looks = _looks(self.loaded(what.pattern), what.function, what.message_bytes, what.build)
        return least(map(absolute, looks)) if looks else None

    def lacks(self, what: Asked) -> NotTestable:
        reason = self._why_none(what.function, what.message_bytes)
        asked = f"{what.function.name} at {what.message_bytes} bytes"
        return NotTestable(f"{asked} has no figure ({what.build.title}): {reason}")

    def _of(
        self, sessions: int, cores: int | None, pattern: str, provider: str | None = None
    ) -> list[SessionRow]:
        """Rows of so many sessions on so many CPUs, or on any, by the library that is shown unless
        another is named."""
        return [
            row
            for row in self._with_figures
            if (_asked(row), row.pattern) == (sessions, pattern)
            and cores in (None, row.cores)
            and row.provider == (provider or self.library)
        ]

    def _one_special(
        self, function: Function, is_meant: Callable[[SessionRow], bool]
    ) -> SessionRow | None:
        rows = [
            row
            for row in self._special
            if row.algorithm == function.algorithm
            and row.provider == self.library
            and is_meant(row)
        ]
        return _longest(rows) if rows else None

    def _on_siblings(self, row: SessionRow) -> bool:
        """Whether all of several CPUs are threads of one core."""
        cores = self.context.engine_hello.environment.state.core_cpus or []
        return len(row.cpus) > 1 and any(set(row.cpus) <= set(core) for core in cores)

    def _why_none(self, function: Function, message_bytes: int) -> str:
        failed = [
            f"{row.provider}: {row.error.message}"
            for row in self.rows
            if (row.algorithm, row.message_bytes) == (function.algorithm, message_bytes)
            and row.error
        ]
        return "; ".join(dict.fromkeys(failed)) or "not in this run"


def _elsewhere(run: Run) -> list[Measured]:
    from ciphermark.workload import rows

    others = [it for it in run.also if it.context.plan_name == run.context.plan_name]
    return [Measured(other, rows(other)) for other in others]


def _question(row: SessionRow) -> tuple[str, int | None, int, int]:
    """What sessions do, and on how many CPUs, whoever does their work."""
    return row.algorithm, row.message_bytes, _asked(row), row.cores


def _asked(row: SessionRow) -> int:
    """Sessions that the plan has; an attempt that was repeated may have fewer."""
    return row.attempts[0].sessions if row.attempts else row.sessions


def _best(
    rows: list[SessionRow], function: Function, message_bytes: int, build: Build
) -> SessionRow | None:
    """Returns the row of the quickest code path that the build may use."""
    looks = _looks(rows, function, message_bytes, build)
    return min(looks, key=lambda row: absolute(row).value, default=None)


def _looks(
    rows: list[SessionRow], function: Function, message_bytes: int, build: Build
) -> list[SessionRow]:
    """Returns a row for each code path that the build may use: of several looks the longest."""
    by_path: dict[str, list[SessionRow]] = {}
    for row in rows:
        is_asked = (row.algorithm, row.message_bytes) == (function.algorithm, message_bytes)
        if is_asked and build.has(row):
            by_path.setdefault(row.backend, []).append(row)
    return [_longest(alike) for alike in by_path.values()]


def _longest(rows: list[SessionRow]) -> SessionRow:
    """A valid one before others, then the one with the longest window."""
    return max(rows, key=lambda row: (row.valid, row.window_ms or 0))


def absolute(row: SessionRow) -> Figure:
    """Absolute cycles per byte of a row that has figures."""
    return _of_row(row, "absolute_cycles_per_byte")


def apparent(row: SessionRow) -> Figure:
    return _of_row(row, "apparent_cycles_per_byte")


def _of_row(row: SessionRow, name: str) -> Figure:
    cycles = field(row, name)
    if cycles is None:
        raise NotTestable(f"{row.algorithm} has no {name}")
    return of_execution(cycles, row)


class Leader(NamedTuple):
    """The quickest and the slowest function at one size."""

    message_bytes: int
    fastest: Function
    cycles: float
    second: Function
    second_cycles: float
    slowest: Function
    slowest_cycles: float


def leaders(measured: Measured, build: Build) -> Iterator[Leader]:
    """Who leads at each size, of the functions that have a figure there."""
    for size in measured.sizes:
        costs = {
            function: absolute(row).value
            for function in FUNCTIONS
            if (row := measured.row(function, size, build))
        }
        if len(costs) > 1:
            first, second, *_ = order = sorted(costs, key=costs.__getitem__)
            last = order[-1]
            yield Leader(size, first, costs[first], second, costs[second], last, costs[last])


def per_second(count: int | None, row: SessionRow) -> float | None:
    """How often something happened within the window."""
    if count is None or not row.window_ms:
        return None
    return count / row.window_ms * 1e3


NS = "ns/byte"

LIKE = {CRYPTEST: (LARGEST, IN_PIECES)}
"""Bytes of messages here, and the pattern, whose cost is like that of a program: `cryptest` feeds
2048 bytes again and again into one message that does not end, so that nothing of it is paid once a
message. Other programs are given whole messages of the same size."""


def by_program(beside: list[BesideFigure], program: str) -> dict[str, float]:
    """Nanoseconds per byte of each algorithm that has a figure."""
    return {
        it.algorithm: it.ns_per_byte
        for it in beside
        if it.program == program and it.ns_per_byte is not None
    }


class Beside(NamedTuple):
    """A figure of a library's own benchmark, and that of one session here."""

    figure: BesideFigure
    function: Function
    like_bytes: int
    """Bytes of the messages here."""
    here: Estimate | None
    """Nanoseconds per byte."""

    @property
    def ratio(self) -> Figure | None:
        """Quotient of here over there."""
        there = self.figure.ns_per_byte
        return quotient(self.here, of_one_execution(there)) if self.here and there else None


def own_benchmarks(measured: Measured) -> list[Beside]:
    """Each figure of the libraries' own benchmarks with ours, which is of one session."""
    found = []
    for figure in measured.beside:
        if figure.program in PROVIDERS:
            function = BY_ALGORITHM[figure.algorithm]
            size, pattern = LIKE.get(figure.program, (figure.message_bytes, ONCE))
            row = measured.alone(function, size, PROVIDERS[figure.program], pattern)
            cost = absolute(row).times(1e9 / row.core_hz) if row and row.core_hz else None
            found.append(Beside(figure, function, size, cost))
    return found
