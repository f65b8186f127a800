"""Cases on simulated targets, side by side over the cores of this machine.

Kernels are compiled, verified there by the vectors, called and counted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from subprocess import SubprocessError
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.msgpack import Decoder

from ciphermark.contract import Algorithm, Failure, FailureKind, Question
from ciphermark.contract.others import Metric, SimulatedCase, SimulatedTarget, Simulation
from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.files.reading import UNREADABLE
from ciphermark.run.targets import firmware, flash, intervals, object_files
from ciphermark.run.targets.firmware import Call, Outcome, Row
from ciphermark.run.targets.intervals import Block, Interval
from ciphermark.run.targets.object_files import Group, Object
from ciphermark.run.targets.pipelines.pipeline import Pipeline
from ciphermark.run.targets.rv32i import operations
from ciphermark.run.targets.simulator import Measured, Runner, Simulator
from ciphermark.run.targets.target import FOLDER, TARGETS, Folder, Target
from ciphermark.run.targets.toolchain import (
    Toolchain,
    cached_toolchain,
    compiler_line,
    is_too_large,
    kernel_sources,
)
from ciphermark.run.targets.verification import Bench, Verdict

Found = TypeVar("Found")

REFERENCE = "rv32i"
"""The target whose instructions are counted by kinds, for models of processors."""

BACKEND: Folder = "reference"
"""That of most cases, whose kernels have a folder of their own, of that name."""

MOST_CALLS = 4000
"""Of one image, so that a program that hangs does not take everything with it."""


class Asked(NamedTuple):
    """What all targets are asked."""

    facts: Mapping[str, Algorithm]
    questions: Sequence[Question]
    homes: dict[tuple[str, str], set[str]]
    """Names of the groups that have an algorithm by a backend."""
    right: Mapping[SimulatedCase, int]
    """Digests of what the same calls wrote here; of the case with the target `host`."""


class _Refusal(Exception):
    """Why calls of an image have no figures."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind=kind, message=message)


class TargetSimulation:
    """One target, ready for cases."""

    counted: Metric = "cycles-simulated"
    """What the cycles are that the runner tells."""

    def __init__(self, toolchain: Toolchain, asked: Asked, runner: Runner | None = None) -> None:
        """Compiles all, unless it has its own `runner`. Raises `WorkError`."""
        self.target = toolchain.target
        self._toolchain = toolchain
        self._asked = asked
        self._bench = Bench(toolchain, runner)
        self._objects = {} if runner else {it.source: it for it in self._looked_at()}
        processor = self.target.processor
        self._has_pipeline = processor is not None and processor.pipeline is not None

    def run(
        self, cases: Sequence[SimulatedCase], on_done: Callable[[int], None]
    ) -> Iterator[Simulation]:
        """What becomes of the cases; `on_done` is told how many more were done."""
        for groups, own in self._images(cases):
            try:
                found = self._run_image(groups, own)
            except _Refusal as refusal:
                found = [Simulation(case=case, error=refusal.failure) for case in own]
            yield from found
            on_done(len(own))

    def _images(
        self, cases: Sequence[SimulatedCase]
    ) -> Iterator[tuple[list[Group], list[SimulatedCase]]]:
        """Groups of an image with their cases: one group where memory is small, else all."""
        by_name = {group.name: group for group in self._bench.groups}
        by_home: dict[frozenset[str], list[SimulatedCase]] = {}
        homes = self._homes(cases)
        for case in cases:
            home = frozenset(homes.get((case.algorithm, case.backend), set()))
            by_home.setdefault(home.intersection(by_name), []).append(case)
        if self.target.data_bytes is None:
            names = sorted(set().union(*by_home))
            together = [case for own in by_home.values() for case in own]
            for at in range(0, len(together), MOST_CALLS):
                yield [by_name[it] for it in names], together[at : at + MOST_CALLS]
            return
        for home, own in by_home.items():
            yield [by_name[it] for it in sorted(home)], own

    def _homes(self, cases: Iterable[SimulatedCase]) -> Mapping[tuple[str, str], set[str]]:
        """As this machine has them, and where it lacks a kernel, as a target with room for all."""
        known = self._asked.homes
        has_room = self.target.data_bytes is None
        if not has_room or all((it.algorithm, it.backend) in known for it in cases):
            return known
        return homes(self._bench, self._bench.rows(self._bench.groups)) | known

    def _run_image(
        self, groups: Sequence[Group], cases: Sequence[SimulatedCase]
    ) -> list[Simulation]:
        if not groups:
            raise _Refusal("unsupported", f"no kernel of {self.target.title} has it")
        try:
            verdict, rows = self._verify(groups)
            known, made = self._calls(cases, rows)
            measured = self._measure(groups, made)
            outcomes = firmware.outcomes(measured.lines, made)
        except WorkError as error:
            raise self._refusal(error) from None
        # Of each call there is one of a kernel that does nothing before it.
        baselines, counted = measured.intervals[::2], measured.intervals[1::2]
        pipeline = Pipeline(self.target) if self._has_pipeline else None
        if not len(baselines) == len(counted) == len(made):
            raise _Refusal("failed", f"{len(counted)} of {len(made)} calls were counted")
        found = {
            call.case: self._judged(call, outcome, verdict)
            or self._figure(call, interval.beyond(baseline), measured.blocks, pipeline, verdict)
            for call, outcome, interval, baseline in zip(
                made, outcomes, counted, baselines, strict=True
            )
        }
        self._add_code(found.values(), made, groups, rows)
        return [found.get(case) or known[case] for case in cases]

    def _refusal(self, error: WorkError) -> Exception:
        """What is raised where an image could not be made or run."""
        if is_too_large(error):
            return _Refusal(
                "unsupported", f"the program does not fit the memory of {self.target.title}"
            )
        return _Refusal(_kind(error), str(error))

    def _calls(
        self, cases: Sequence[SimulatedCase], rows: Sequence[Row]
    ) -> tuple[dict[SimulatedCase, Simulation], list[Call]]:
        """The calls of cases, and the failures of those that no row has."""
        failed: dict[SimulatedCase, Simulation] = {}
        made = []
        for case in cases:
            call = firmware.call_of(case, rows, self._asked.facts[case.algorithm])
            if call is None:
                lacking = f"the kernel {case.algorithm} {case.backend} has no {case.operation}"
                failed[case] = _failed(case, "unsupported", lacking)
            else:
                made.append(call)
        return failed, made

    def _verify(self, groups: Sequence[Group]) -> tuple[Verdict, list[Row]]:
        """The vectors, asked on the target: once for the same build and the same vectors."""
        rows = self._bench.rows(groups)
        own = {row.algorithm for row in rows}
        asked = [it for it in self._asked.questions if it.algorithm in own]
        content = msgspec.json.encode([[it.symbol for it in groups], asked])
        name = f"verified-{hashlib.sha256(content).hexdigest()[:16]}"
        return self._kept(name, _VERDICTS, lambda: self._bench.verify(groups, asked)), rows

    def _looked_at(self) -> list[Object]:
        """What the target's tools say of all objects; places of sources are those of this tree."""
        kernels = self._toolchain.kernels

        def look() -> dict[str, Object]:
            found = object_files.look_at(self._toolchain)
            return {str(it.source.relative_to(kernels)): it for it in found}

        found = self._kept("objects", _OBJECTS, look)
        return [it._replace(source=kernels / name) for name, it in found.items()]

    def _kept(self, name: str, decoder: Decoder[Found], find: Callable[[], Found]) -> Found:
        """What was found before of the same build, else what is found now."""
        file = self._toolchain.folder / f"{name}.msgpack"
        known = rebuildable.read_bytes(file)
        if known is not None:
            with contextlib.suppress(*UNREADABLE):  # of another version
                return decoder.decode(known)
        found = find()
        rebuildable.write_bytes(file, msgspec.msgpack.encode(found, enc_hook=str))
        return found

    def _measure(self, groups: Sequence[Group], made: Sequence[Call]) -> Measured:
        name = groups[0].name if len(groups) == 1 else "all"
        symbols = [group.symbol for group in groups]
        image = self._toolchain.link("measure", name, symbols, firmware.data(made))
        wants_edges = self._has_pipeline or self.target.name == REFERENCE
        return self._bench.runner.measure(image, edges=wants_edges)

    def _judged(self, call: Call, outcome: Outcome, verdict: Verdict) -> Simulation | None:
        """The failure of a call, or None where nothing is wrong with it."""
        case, row = call.case, call.row
        wrong = [it for it in verdict.failed if _place(it.row) == _place(row)]
        if wrong:
            return _failed(case, "wrong-answer", f"wrong on the target: {wrong[0]}")
        if outcome.kind == "left_out":
            return _failed(case, "unsupported", self._no_room(row))
        if outcome.kind != "done":
            return _failed(case, "failed", f"the kernel refused the call with {outcome.told}")
        if outcome.told != self._asked.right[at_host(case)]:
            return _failed(case, "disagreement", "the answer differs from that of this machine")
        if _place(row) not in verdict.passed_of:
            return _failed(case, "unsupported", f"no vector of {row} fits {self.target.title}")
        return None

    def _figure(
        self,
        call: Call,
        interval: Interval,
        blocks: dict[int, Block],
        pipeline: Pipeline | None,
        verdict: Verdict,
    ) -> Simulation:
        """What a call took, by the metric of the target, and what models are made of."""
        trace = intervals.trace(interval, blocks)
        simulation = Simulation(
            case=call.case,
            metric="instructions",
            value=interval.instructions,
            instructions=interval.instructions,
            loads=interval.loads,
            stores=interval.stores,
            instruction_misses=interval.instruction_misses,
            data_misses=interval.data_misses,
            evictions=interval.evictions,
            stack_bytes=interval.stack_bytes,
            context_bytes=call.row.context_bytes,
            vectors_passed=verdict.passed_of[_place(call.row)],
        )
        if interval.cycles is not None:
            simulation.metric, simulation.value = self.counted, interval.cycles
        elif pipeline is not None:
            simulation.metric, simulation.value = "cycles-model", pipeline.cycles(trace)
        if self.target.name == REFERENCE:
            simulation.operations = operations.counts(trace)
        return simulation

    def _add_code(
        self,
        found: Iterable[Simulation],
        made: Sequence[Call],
        groups: Sequence[Group],
        rows: Sequence[Row],
    ) -> None:
        for simulation, call in zip(found, made, strict=True):
            if simulation.error is None:
                group = groups[call.row.group]
                own = [it for it in rows if it.group == call.row.group and it.is_of(call.row)]
                simulation.code_bytes = self._flash(group, own)

    def _flash(self, group: Group, rows: Sequence[Row]) -> int:
        """Bytes that an algorithm's operations take alone. Where a linker cannot drop what they do
        not need, as of rows whose constants were not folded, all of the files that they need."""
        source = group.source
        needed = object_files.linked(self._objects.values(), self._objects[source])

        def find() -> int:
            numbers = [row.number for row in rows]
            array = dict(object_files.definitions(source))[group.symbol]
            try:
                files = [it.source for it in needed]
                return flash.bytes_of(self._toolchain, source, array, numbers, files)
            except (WorkError, flash.RowsRemain):
                return sum(it.code_bytes for it in needed)

        name = f"flash-{group.name}-{rows[0].algorithm}-{rows[0].backend}"
        return self._kept(name, _COUNTS, find)

    def _no_room(self, row: Row) -> str:
        return (
            f"context, key, message and answer do not fit {self.target.title}: of "
            f"{self.target.memory_bytes} bytes the context alone takes {row.context_bytes}"
        )


def _path(kind: type, text: str) -> Path:
    return Path(text)


# Made when this is imported: msgspec 0.22 crashes where two threads are the first to decode a type.
_VERDICTS = Decoder(Verdict, dec_hook=_path)
_OBJECTS = Decoder(dict[str, Object], dec_hook=_path)
_COUNTS = Decoder(int)


def at_host(case: SimulatedCase) -> SimulatedCase:
    """The same call on this machine, of the reference: all backends give the same answer, and this
    machine may lack the instructions of one."""
    return msgspec.structs.replace(case, target="host", backend=BACKEND)


def _failed(case: SimulatedCase, kind: FailureKind, message: str) -> Simulation:
    return Simulation(case=case, error=Failure(kind=kind, message=message))


def _place(row: Row) -> tuple[int, int]:
    return row.group, row.number


def _kind(error: WorkError) -> FailureKind:
    return "timeout" if "did not end in" in str(error) else "failed"


Watch = Callable[[str, int, int], None]
"""Is told the title of a target, how many of its cases are done, and how many it has."""


class Simulated(NamedTuple):
    """What came of all cases."""

    targets: list[SimulatedTarget]
    simulations: list[Simulation]
    """None of targets that cannot be simulated here."""

    def beside(self, other: Simulated) -> Simulated:
        """Both, this first."""
        return Simulated([*self.targets, *other.targets], [*self.simulations, *other.simulations])


def simulate(
    targets: Sequence[Target],
    cases: Sequence[SimulatedCase],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    watch: Watch,
) -> Simulated:
    """Simulates cases; those that are done when the user stops are what is returned.

    Raises `WorkError` where this machine's own compiler is missing, by whose answers those of
    targets are judged.
    """
    needed = [narrowed(it, [case for case in cases if case.target == it.name]) for it in targets]
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as images:
        asked = ask_here(cases, facts, questions, Path(images), needed)
        return _on_all(needed, cases, asked, Path(images), watch)


_FOLDERS: dict[str, tuple[Folder, ...]] = {BACKEND: (BACKEND,)} | dict.fromkeys(
    ("portable", "table", "doubles"), (BACKEND, "portable")
)
"""Folders that kernels of a backend are made of; of other backends all."""


def narrowed(target: Target, cases: Iterable[SimulatedCase]) -> Target:
    """The target with only those folders of kernels that these cases may need: the others take a
    compiler several times as long."""
    wanted: set[str] = {BACKEND}
    for backend in {case.backend for case in cases}:
        wanted |= set(_FOLDERS.get(backend, target.kernels))
    return msgspec.structs.replace(
        target, kernels=tuple(it for it in target.kernels if it in wanted)
    )


def _on_all(
    targets: Sequence[Target],
    cases: Sequence[SimulatedCase],
    asked: Asked,
    images: Path,
    watch: Watch,
) -> Simulated:
    found: dict[str, tuple[SimulatedTarget, list[Simulation]]] = {}
    workers = os.cpu_count() or 1
    jobs = max(1, workers // len(targets))
    with ThreadPoolExecutor(workers) as pool:
        waiting = {}
        for target in targets:
            own = [case for case in cases if case.target == target.name]
            place = images / target.name
            waiting[pool.submit(_on_target, target, own, asked, place, jobs, watch)] = target.name
        for future in as_completed(waiting):
            found[waiting[future]] = future.result()
    ordered = [found[target.name] for target in targets]
    return Simulated([it for it, _ in ordered], [it for _, own in ordered for it in own])


def _on_target(
    target: Target,
    cases: Sequence[SimulatedCase],
    asked: Asked,
    images: Path,
    jobs: int,
    watch: Watch,
) -> tuple[SimulatedTarget, list[Simulation]]:
    images.mkdir()
    told = SimulatedTarget(
        target=target.name,
        title=target.title,
        compiler="",
        flags=" ".join([*target.flags, target.optimise]),
        runner="",
        description=_description(target),
    )
    found: list[Simulation] = []
    watch(target.title, 0, len(cases))
    try:
        toolchain = ready(target, images, jobs)
        told.compiler = compiler_line(target)
        told.runner = Simulator(target, toolchain.kernels, toolchain.folder).version()
        bench = TargetSimulation(toolchain, asked)
        told.other_flags = toolchain.other_flags()
        for one in bench.run(cases, lambda more: watch(target.title, more, len(cases))):
            found.append(one)
    except WorkError as error:
        told.reason = str(error)
    except (OSError, SubprocessError) as error:  # the other targets go on
        told.reason = f"{target.title} could not be simulated: {error}"
    return told, found


def _description(target: Target) -> str:
    """Returns the text of its file; of a target under other flags it names the one it varies."""
    name, _, flags = target.name.partition("@")
    text = (FOLDER / f"{name}.toml").read_text("utf-8")
    is_first = flags and "variant_of" not in text
    return f'variant_of = "{name}"\n{text}' if is_first else text


def ready(target: Target, images: Path, jobs: int) -> Toolchain:
    """The tools of a target, all there. Raises `WorkError` with what has to be installed."""
    try:
        toolchain = cached_toolchain(target, images, jobs)
    except WorkError:
        raise WorkError(Toolchain(target, kernel_sources(), images).lacking()) from None
    if missing := toolchain.missing():
        raise WorkError(missing)
    return toolchain


def ask_here(
    cases: Sequence[SimulatedCase],
    facts: Mapping[str, Algorithm],
    questions: Sequence[Question],
    images: Path,
    targets: Iterable[Target],
) -> Asked:
    """Makes all calls on this machine once, for the answers; `images` is a folder for programs.

    Raises `WorkError` where this machine's own compiler is missing.
    """
    folders = tuple(dict.fromkeys(folder for target in targets for folder in target.kernels))
    host = msgspec.structs.replace(TARGETS.named("host"), kernels=folders)
    place = images / host.name
    place.mkdir()
    toolchain = ready(host, place, os.cpu_count() or 1)
    bench = Bench(toolchain)
    rows = bench.rows(bench.groups)
    wanted = list(dict.fromkeys(at_host(case) for case in cases))
    found = (firmware.call_of(case, rows, facts[case.algorithm]) for case in wanted)
    made = [call for call in found if call is not None]
    symbols = [group.symbol for group in bench.groups]
    image = toolchain.link("measure", "all", symbols, firmware.data(made))
    lines = Simulator(host, toolchain.kernels, toolchain.folder).measure(image).lines
    outcomes = firmware.outcomes(lines, made)
    right = {
        call.case: outcome.told
        for call, outcome in zip(made, outcomes, strict=True)
        if outcome.kind == "done" and outcome.told is not None
    }
    return Asked(facts, questions, homes(bench, rows), right)


def homes(bench: Bench, rows: Iterable[Row]) -> dict[tuple[str, str], set[str]]:
    """Names of the groups that have an algorithm by a backend."""
    homes: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        name = bench.groups[row.group].name
        homes.setdefault((row.algorithm, row.backend), set()).add(name)
    return homes
