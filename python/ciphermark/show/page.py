"""What the report says, in words and tables; how it looks is in `templates`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ciphermark.analyse.row import Row
from ciphermark.record import contract
from ciphermark.show import figures
from ciphermark.show.machine import caption, processor
from ciphermark.show.method import method
from ciphermark.show.problems import failures, unsettled
from ciphermark.show.sections import Line, Section, lines, packet_bytes, sections, sizes

if TYPE_CHECKING:
    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.record.run import Context, Run

SOUND: set[contract.Status] = {"acceptable", "recommended"}
"""Statuses of algorithms that may lead a list; what is broken is no bargain at any price."""


@dataclass(frozen=True)
class Cell:
    """One cell of a table that can be sorted."""

    text: str
    order: float | str | None = None
    """What it is sorted by; nothing sorts last."""
    note: str = ""
    """Smaller, beside the text: an interval, a status."""
    mark: str = ""
    """Class that says how it is drawn: `number`, `number unsettled`."""


@dataclass(frozen=True)
class Fact:
    """One thing to know at a glance."""

    name: str
    value: str
    note: str


def page(
    run: Run, rows: list[Row], cards: list[CostCard], doctor_line: str | None
) -> dict[str, Any]:
    """All that the template needs but the plots."""
    context = run.context
    arranged = sections(context, rows, cards)
    return {
        "title": f"What cryptography costs on {processor(context.hello.environment.machine)}",
        "origin": _origin(context),
        "facts": _facts(context, rows),
        "doctor": doctor_line,
        "interrupted": context.interrupted,
        "packet_size": _packet_size(arranged),
        "leaders": list(_leaders(arranged)),
        "summary_heads": _summary_heads(arranged),
        "summary": [_summary_row(line, arranged) for line in lines(arranged)],
        "sections": [section.title for section in arranged],
        "section_of": [section.title for section in arranged for _ in section.lines],
        "cost_cards": [_cost_row(line, line.card) for line in lines(arranged) if line.card],
        "caption": caption(context),
        "unsettled": unsettled(rows),
        "failures": failures(rows),
        "precision": f"{100 * context.precision:g} %",
        "implementations": list(_implementations(rows)),
        "method": method(context, rows),
        "notes": context.notes,
        "warnings": [warning.message for warning in run.warnings],
        "machine": _machine(context.hello.environment.machine),
        "features": context.hello.environment.machine.cpu_features,
        "state": _state(context),
        "clocks": _clocks(context.hello.environment.clocks),
        "providers": context.hello.providers,
        "engine": _engine(context.hello.engine),
    }


def _origin(context: Context) -> list[str]:
    return [
        f"machine {context.machine_name}",
        f"run {context.run}",
        figures.date(context.started_unix_ns),
        f"{context.command}, version {context.ciphermark_version}",
    ]


def _facts(context: Context, rows: list[Row]) -> list[Fact]:
    clocks = context.hello.environment.clocks
    failed = sum(row.error is not None for row in rows)
    measured = len(rows) - failed
    settled = sum(row.converged for row in rows)
    answers = f"{figures.counted(failed, 'case')} failed" if failed else "every answer was right"
    return [
        Fact(
            "Core clock",
            figures.clock(context.core_hz),
            f"spread {figures.percent(clocks.core_hz_spread, 1)} at the start",
        ),
        Fact(
            "Core cycles",
            context.cycle_source,
            f"residual {figures.percent(clocks.cycle_residual, 1)}",
        ),
        Fact("Verified", figures.counted(measured, "case"), answers),
        Fact(
            f"Settled to ±{100 * context.precision:g} %",
            figures.percent(settled / measured, 3) if measured else "none",
            f"{settled} of {measured}",
        ),
        Fact("Took", f"{context.elapsed_s:.0f} s", _effort(context)),
    ]


def _effort(context: Context) -> str:
    if context.bye is None:
        return "did not end by itself"
    samples = figures.grouped(context.bye.samples, separator=figures.NARROW_SPACE)
    return f"{context.bye.rounds} rounds, {samples} samples"


def _leaders(arranged: list[Section]) -> Iterable[dict[str, str]]:
    """The cheapest sound implementation of each section, at the message that a packet carries."""
    packet = packet_bytes(sizes(arranged))
    for section in arranged:
        candidates = [
            (row.cycles_per_byte, line, row)
            for line in section.lines
            if line.algorithm.status in SOUND
            and (row := line.by_size.get(packet or 0))
            and row.cycles_per_byte is not None
        ]
        if candidates:
            cycles, line, row = min(candidates, key=lambda candidate: candidate[0])
            yield {
                "section": section.title,
                "algorithm": line.algorithm.title,
                "implementation": line.implementation,
                "cycles": _number(cycles),
                "throughput": _number(row.mbytes_per_second),
            }


def _packet_size(arranged: list[Section]) -> str:
    packet = packet_bytes(sizes(arranged))
    return figures.message_size(packet) if packet else ""


def _number(value: float | None) -> str:
    return "" if value is None else figures.significant(value, separator=figures.NARROW_SPACE)


def _summary_heads(arranged: list[Section]) -> list[dict[str, str]]:
    """Heading, unit, and whether the column holds numbers, in the order of `_summary_row`."""
    packet = packet_bytes(sizes(arranged))
    heads = [("Algorithm", "", ""), ("Operation", "", ""), ("Implementation", "", "")]
    heads += [(figures.message_size(size), "cycles/byte", "number") for size in sizes(arranged)]
    heads += [
        ("Per message", "cycles", "number"),
        ("Per byte", "cycles", "number"),
        ("Key setup", "cycles", "number"),
    ]
    if packet:
        heads.append((f"At {figures.message_size(packet)}", "MB/s", "number"))
    return [{"name": name, "unit": unit, "mark": mark} for name, unit, mark in heads]


def _summary_row(line: Line, arranged: list[Section]) -> list[Cell]:
    measured = sizes(arranged)
    packet = packet_bytes(measured)
    card, setup = line.card, line.setup
    cells = [_name(line), Cell(line.operation, line.operation)]
    cells.append(Cell(line.implementation, line.implementation))
    cells += [_figure(row := line.by_size.get(size), row and row.cycles_per_byte) for size in measured]
    cells.append(_estimate(card and (card.a, card.a_low, card.a_high)))
    cells.append(_estimate(card and (card.b, card.b_low, card.b_high)))
    cells.append(_figure(setup, setup and setup.cycles_per_message))
    if packet:
        row = line.packet_row(packet)
        smaller = row is not None and row.message_bytes != packet
        note = f"at {figures.message_size(row.message_bytes)}" if smaller else ""
        cells.append(_figure(row, row and row.mbytes_per_second, note))
    return cells


def _name(line: Line) -> Cell:
    algorithm = line.algorithm
    return Cell(algorithm.title, algorithm.title, algorithm.status, f"status {algorithm.status}")


def _figure(row: Row | None, value: float | None, note: str = "") -> Cell:
    if row is None or value is None:
        return Cell("", mark="number")
    if row.converged:
        return Cell(_number(value), value, note, "number")
    return Cell(f"~{_number(value)}", value, note, "number unsettled")


def _estimate(estimate: tuple[float, float, float] | None) -> Cell:
    if estimate is None:
        return Cell("", mark="number")
    interval = figures.half_width(*estimate, separator=figures.NARROW_SPACE)
    return Cell(_number(estimate[0]), estimate[0], interval, "number")


def _cost_row(line: Line, card: CostCard) -> list[Cell]:
    fitted = f"{figures.message_size(card.sizes[0])} to {figures.message_size(card.sizes[-1])}"
    worst = f"at {figures.message_size(card.largest_residual_bytes)}"
    return [
        _name(line),
        Cell(line.operation),
        Cell(line.implementation),
        Cell(_number(card.a), mark="number"),
        Cell(f"{_number(card.a_low)} to {_number(card.a_high)}", mark="number"),
        Cell(_number(card.b), mark="number"),
        Cell(f"{_number(card.b_low)} to {_number(card.b_high)}", mark="number"),
        Cell(fitted, mark="number"),
        Cell(figures.percent(card.largest_residual), note=worst, mark="number"),
        Cell(card.piecewise or ""),
    ]


def _implementations(rows: list[Row]) -> Iterable[list[str]]:
    """What ran: implementation, evidence for the backend, constant time, how it was verified."""
    alike: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.error is None:
            alike.setdefault((row.algorithm, row.provider, row.backend), []).append(row)
    words = {True: "yes", False: "no", None: "not stated"}
    for (algorithm, provider, backend), cases in alike.items():
        others = sorted({name for row in cases for name in row.agrees_with})
        yield [
            algorithm,
            provider,
            backend,
            cases[0].backend_evidence,
            words[cases[0].constant_time],
            str(max(row.vectors_passed for row in cases)),
            ", ".join(others) or "no other provider has it",
        ]


def _machine(machine: contract.Machine) -> dict[str, str]:
    identity = {"family": machine.cpu_family, "model": machine.cpu_model}
    identity |= {"stepping": machine.cpu_stepping}
    known = [f"{name} {value}" for name, value in identity.items() if value is not None]
    caches = {"L1d": machine.l1d_cache_bytes, "L2": machine.l2_cache_bytes}
    caches |= {"L3": machine.l3_cache_bytes}
    sizes_known = [f"{name} {figures.message_size(size)}" for name, size in caches.items() if size]
    memory = machine.memory_bytes
    return _known(
        {
            "Processor": machine.cpu_name,
            "Vendor": machine.cpu_vendor,
            "Identity": ", ".join(known),
            "Microcode": machine.microcode,
            "Architecture": machine.architecture,
            "CPUs online": machine.cpus_online,
            "Physical cores": machine.cores_physical,
            "Caches": ", ".join(sizes_known),
            "Memory": memory and f"{figures.significant(memory / 2**30)} GiB",
            "Virtualisation": machine.virtualisation,
            "Operating system": machine.operating_system,
            "Kernel": machine.kernel,
            "Machine": f"{machine.machine_name} ({machine.machine_id})",
        }
    )


def _state(context: Context) -> dict[str, str]:
    state = context.hello.environment.state
    steal, during = state.steal_share_since_boot, context.bye and context.bye.steal_share
    turbo = {True: "on", False: "off"}
    return _known(
        {
            "Measured on CPU": state.cpu,
            "CPUs allowed": ", ".join(map(str, state.cpus_allowed)),
            "SMT siblings": ", ".join(map(str, state.smt_siblings)) or "none",
            "Governor": state.governor or "not shown by the kernel",
            "Turbo": turbo.get(state.turbo, "not shown by the kernel"),
            "Load at the start": state.load_1min,
            "Steal since boot": None if steal is None else figures.percent(steal),
            "Steal during the run": None if during is None else figures.percent(during),
            "Cycle counter (PMU)": "usable" if state.pmu.usable else state.pmu.reason,
            "perf_event_paranoid": state.perf_event_paranoid,
            "Clock source": state.clocksource,
        }
    )


def _clocks(clocks: contract.Clocks) -> dict[str, str]:
    return {
        "Core cycles": clocks.cycle_source,
        "Residual": figures.percent(clocks.cycle_residual),
        "Core clock": f"{figures.clock(clocks.core_hz)}, spread {figures.percent(clocks.core_hz_spread)}",
        "Wall clock": f"{clocks.wall_source}, {figures.significant(clocks.wall_ticks_per_ns)} ticks/ns",
        "Empty slice": f"{figures.significant(clocks.slice_cost_ns)} ns, subtracted",
        "Reading the wall clock": f"{figures.significant(clocks.wall_read_ns)} ns",
        "Reading the thread's CPU clock": f"{figures.significant(clocks.thread_cpu_read_ns)} ns",
        "Calibration": f"{figures.grouped(clocks.chain_additions)} dependent additions",
    }


def _engine(engine: contract.EngineBuild) -> dict[str, str]:
    return {
        "ciphermark-engine": engine.version,
        "Target": engine.target,
        "Compiler": engine.rustc,
        "Profile": engine.profile,
        "Flags": engine.rustflags or "none beside the profile's",
    }


def _known(facts: dict[str, Any]) -> dict[str, str]:
    """The facts that are known, as text."""
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}
