"""Runs that `ciphermark-engine bench` has written on another machine, read without trusting them.

A file has a line with the plan (`contract.BenchHead`) and a line for each event of the engine.
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError, WorkError, shortened
from ciphermark.files.reading import UNREADABLE
from ciphermark.record.layout import run_id
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Run, Summary
from ciphermark.record.run_folder import check_parts

BEGIN = b'{"ciphermark_bench":'

MOST_LINES = 1_000_000
"""Ten times the events of the longest survey."""

MOST_CASES = 20_000
"""Cases of a plan of the workbench, at most."""

MOST_INTEGER = 2**53
"""Numbers of events are smaller: nanoseconds of a hundred days, bytes of a large memory."""

MOST_UNIX_NS = 2**63 - 1
"""Latest Unix time that fits in 64 bits: in the year 2262."""

MOST_NOTES, MOST_OF_NOTE = 20, 300
"""Notes of a file, and characters of each."""

_PLAN_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_MACHINE_ID = re.compile(r"[0-9a-f]{16}")
_MACHINE_NAME = re.compile(r"[a-z0-9-]{1,200}")

_EVENT: Any = contract.Event
"""A union, which is no type to a type checker."""

T = TypeVar("T")


class _Fault(Exception):
    """A line that is not as the engine writes it."""


def is_bench(content: bytes) -> bool:
    """Returns whether a file begins like such a run."""
    return content.startswith(BEGIN)


def read(path: Path, content: bytes, command: str, machine: Summary | str | None) -> Run:
    """Returns the run of a file; `machine` is the one that the user names instead of that in it.

    Raises `UsageError` with the line that is not as the engine writes it. A file that ends early
    is a run that was interrupted.
    """
    lines = content.split(b"\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        raise UsageError(f"{path} has more than {MOST_LINES:,} lines; nothing was imported")
    at = 0
    try:
        head = _decoded(lines[0], contract.BenchHead)
        _check_head(head)
        digest = hashlib.sha256(content).hexdigest()
        recorder = Recorder(
            command, head.plan_name, head.plan, head.algorithms, [_origin(path, digest, head)]
        )
        events = _Events(head.plan)
        # What follows the last line end was cut within a line, or is nothing.
        for at in range(1, len(lines) - 1):
            event = _decoded(lines[at], _EVENT)
            events.check(event)
            recorder.feed(event)
    except _Fault as fault:
        raise UsageError(f"{path}, line {at + 1}: {fault}; nothing was imported") from None
    try:
        run = recorder.finish()
    except WorkError:
        raise UsageError(f"{path} ends before it was measured; nothing was imported") from None
    run.context.notes += [shortened(note, MOST_OF_NOTE) for note in head.notes[:MOST_NOTES]]
    run.context.run = run_id(run.context.started_unix_ns, digest[:4])
    _call(run, machine)
    check_parts(run, lambda part, wrong: UsageError(f"{path}: its {part} are wrong: {wrong}"))
    return run


def _origin(path: Path, digest: str, head: contract.BenchHead) -> str:
    command = shortened(head.command)
    return f"imported from {path.name} (SHA-256 {digest[:16]}), written by {command}"


def _decoded(line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except UNREADABLE as error:
        raise _Fault(f"is no line of ciphermark-engine bench ({error})") from None


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise _Fault(what)


def _check_head(head: contract.BenchHead) -> None:
    """Raises `_Fault` for values that no plan of the engine has."""
    theirs, ours = head.ciphermark_bench, contract.SCHEMA
    _must(
        theirs.major == ours.major,
        f"is of format {theirs.major}.{theirs.minor}, and this ciphermark reads {ours.major}.x: "
        "import it with a ciphermark of the version of that engine",
    )
    plan = head.plan
    _must(plan.workload == "single", f"has the workload {plan.workload}, and bench measures single")
    _must(_PLAN_NAME.fullmatch(head.plan_name) is not None, "has no name of a plan")
    _must(0 < len(plan.cases) <= MOST_CASES, f"has {len(plan.cases)} cases")
    _must(0 < plan.precision <= 1, f"has the precision {plan.precision}")
    names = [it.name for it in head.algorithms]
    _must(len({*names}) == len(names), "has an algorithm twice")
    for place, case in enumerate(plan.cases):
        _must(case.case == place, f"numbers case {place} as {case.case}")
        named = shortened(case.algorithm)
        _must(case.algorithm in names, f"tells nothing of the algorithm {named}")
        _must(case.sessions is None and case.packets is None, f"has a load in case {place}")
    _check_numbers(plan.sampling, "a plan")
    for case in plan.cases:
        _check_numbers(case, f"case {case.case}")


def _check_numbers(of: msgspec.Struct, what: str) -> None:
    """Raises `_Fault` for numbers that are not finite, or larger than any that is measured."""
    for name, value in msgspec.structs.asdict(of).items():
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int):
                _must(0 <= number < MOST_INTEGER, f"{what} has {name} {shortened(str(number))}")
            if isinstance(number, float):
                _must(math.isfinite(number), f"{what} has {name} {number}")


class _Events:
    """Events in the order in which the engine writes them."""

    def __init__(self, plan: contract.Plan) -> None:
        self._cases = plan.cases
        self._has_begun = False
        self._has_ended = False

    def check(self, event: contract.Event) -> None:
        """Raises `_Fault` for one that cannot come now."""
        _must(not self._has_ended, "follows the end of the run")
        if isinstance(event, contract.Hello):
            _must(not self._has_begun, "begins the run anew")
            self._has_begun = True
            _check_hello(event)
            return
        _must(self._has_begun, "comes before the machine is described")
        match event:
            case contract.Sample():
                self._of_case(event.case)
                _check_numbers(event, "a sample")
                _must(event.messages > 0 and event.core_hz > 0, "has a sample of nothing")
            case contract.CaseReady():
                own = self._of_case(event.case.case)
                _must(event.case == own, f"has another case {own.case} than the plan")
                _must(event.vectors_passed < MOST_INTEGER, "has too many test vectors")
            case contract.CaseError():
                self._of_case(event.case)
            case contract.Warning() | contract.Progress():
                _check_numbers(event, "an event")
            case contract.Bye():
                self._has_ended = True
                _check_numbers(event, "the end")
            case _:
                raise _Fault("is of another workload than bench measures")

    def _of_case(self, number: int) -> contract.Case:
        _must(0 <= number < len(self._cases), f"has case {number}, which the plan does not have")
        return self._cases[number]


def _check_hello(hello: contract.Hello) -> None:
    machine, clocks = hello.environment.machine, hello.environment.clocks
    _must(_MACHINE_ID.fullmatch(machine.machine_id) is not None, "has no identifier of a machine")
    _must(_MACHINE_NAME.fullmatch(machine.machine_name) is not None, "has no name of a machine")
    _must(0 <= hello.started_unix_ns <= MOST_UNIX_NS, "has no date")
    _check_numbers(clocks, "the clocks")
    _must(clocks.core_hz > 0, f"has the clock {clocks.core_hz}")
    _check_numbers(hello.environment.state, "the state")


def _call(run: Run, machine: Summary | str | None) -> None:
    """Gives the machine of the run the name that the user has for it."""
    if machine is None:
        return
    context, own = run.context, run.context.engine_hello.environment.machine
    if isinstance(machine, Summary):
        names = (machine.machine_id, machine.machine_name)
    else:
        names = (hashlib.sha256(machine.encode()).hexdigest()[:16], machine)
    context.machine_id, context.machine_name = own.machine_id, own.machine_name = names
