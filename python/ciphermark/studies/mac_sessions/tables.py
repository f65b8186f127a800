"""The tables of the study."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ciphermark.contract.others import BesideFigure
from ciphermark.plan.profiles import PROFILES
from ciphermark.run.word_size import NARROW, WIDE
from ciphermark.studies.evidence import field, over, value
from ciphermark.studies.mac_sessions.evidence import (
    BUILDS,
    FULL,
    LIBRARY,
    NOT_VALID,
    NS,
    PER_MESSAGE,
    PLAIN,
    SIMD,
    SWITCH,
    Build,
    Measured,
    apparent,
    by_program,
    leaders,
    own_benchmarks,
    per_second,
)
from ciphermark.studies.mac_sessions.machines import across_machines, by_machine, correlations
from ciphermark.studies.mac_sessions.others import CRYPTEST, OPENSSL
from ciphermark.studies.mac_sessions.paper import (
    BY_ALGORITHM,
    FUNCTIONS,
    LARGEST,
    PACKET,
    SESSIONS,
    SMALLEST,
    VMACS,
    Function,
)
from ciphermark.studies.mac_sessions.phone import PHONE, SIZES, TITLE, instructions
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, Table, columns
from ciphermark.workloads.energy import exceeds_idle

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.sessions.row import SessionRow


SHOWN = {SMALLEST, PACKET, LARGEST}
"""Sizes that a terminal has room for."""


def by_size(measured: Measured) -> Table:
    """All functions at all sizes in the three builds."""
    table = Table(
        title=(
            f"Absolute cycles/byte of {SESSIONS} sessions on {_cpus(measured)} by build "
            "(figures 4–7)"
        ),
        columns=[Column(heading="function")],
        notes=_how_built(measured),
    )
    for build in BUILDS:
        table.columns += [_column(size, build) for size in measured.sizes]
    for function in FUNCTIONS:
        rows = [measured.row(function, size, build) for build in BUILDS for size in measured.sizes]
        table.doubtful += [
            (len(table.rows), place)
            for place, row in enumerate(rows, 1)
            if row is not None and not row.valid
        ]
        costs = [field(row, "absolute_cycles_per_byte") for row in rows]
        table.rows.append([function.name, *costs])
    table.notes += _objections(measured)
    return table


def by_energy(measured: Measured) -> Table:
    """Functions ranked by joules beside cycles; without rows where no meter was read."""
    table = Table(
        title=f"Energy beside cycles of {SESSIONS} sessions on {_cpus(measured)}, by size",
        columns=[
            *columns("bytes", "function", "nJ/byte"),
            *columns("±", "W", detail=True),
            Column(heading="cycles/byte"),
            *columns("by energy", "by cycles", group="place"),
        ],
        notes=["energy without what the idle machine takes; place 1 is the least"],
    )
    for size in measured.sizes:
        ranked = [(it, row) for it in FUNCTIONS if (row := measured.row(it, size)) is not None]
        joules = {
            function.algorithm: own
            for function, row in ranked
            if row.energy is not None
            and (own := row.energy.joules_per_byte) is not None
            and exceeds_idle(own)
        }
        by_joules = {name: cost.value for name, cost in joules.items()}
        cycles = {
            function.algorithm: cost
            for function, row in ranked
            if (cost := row.absolute_cycles_per_byte) is not None
        }
        known = [it for it in ranked if it[0].algorithm in joules]
        for function, row in sorted(known, key=lambda it: by_joules[it[0].algorithm]):
            cost, half = by_joules[function.algorithm], joules[function.algorithm].half
            if not row.valid:
                table.doubtful += [(len(table.rows), column) for column in (2, 5)]
            table.rows.append(
                [
                    *(size, function.name, 1e9 * cost, None if half is None else 1e9 * half),
                    None if row.energy is None else row.energy.watts.value,
                    row.absolute_cycles_per_byte,
                    *(_place(by_joules, function), _place(cycles, function)),
                ]
            )
    return table


def crossings(measured: Measured) -> Table:
    """Which function is the fastest, and which the slowest, from which size on."""
    table = Table(
        title="Crossing points: the fastest and the slowest function from which size on",
        columns=columns("build", "from", "fastest", "c/B", "next", "c/B", "slowest", "c/B"),
        notes=["a line for each size at which the fastest or the slowest function changes"],
    )
    for build in BUILDS:
        before = None
        for leader in leaders(measured, build):
            if (leader.fastest, leader.slowest) != before:
                table.rows.append(
                    [
                        *(build.title, figures.message_size(leader.message_bytes)),
                        *(leader.fastest.name, leader.cycles),
                        *(leader.second.name, leader.second_cycles),
                        *(leader.slowest.name, leader.slowest_cycles),
                    ]
                )
            before = (leader.fastest, leader.slowest)
    return table


def gains(measured: Measured) -> Table:
    """What vectors, and instructions for AES and SHA, bring for long messages."""
    table = Table(
        title=f"Gain from hardware at {figures.message_size(LARGEST)}",
        columns=[
            Column(heading="function"),
            *(Column(heading="c/B", group=build.title) for build in BUILDS),
            *columns("SIMD", "everything", group="times as fast"),
        ],
        notes=["times as fast: compared with plain C/C++"],
    )
    for function in FUNCTIONS:
        rows = [measured.row(function, LARGEST, build) for build in (PLAIN, SIMD, FULL)]
        plain, *others = costs = [field(row, "absolute_cycles_per_byte") for row in rows]
        table.rows.append([function.name, *costs, *(over(plain, cost) for cost in others)])
    return table


def both_keys(measured: Measured) -> Table | None:
    """The key set up once for each session and once for each message; None without the latter."""
    sizes = sorted({row.message_bytes or 0 for row in measured.loaded(PER_MESSAGE)})
    if not sizes:
        return None
    table = Table(
        title="Absolute cycles/byte with the key set up once per session and once per message",
        columns=[Column(heading="function")],
        notes=[
            f"{SESSIONS} sessions on {_cpus(measured)}, {FULL.title}; the paper says that “key "
            "setup time is considered”, but not how often a key is set up",
        ],
    )
    for size in sizes:
        group = figures.message_size(size)
        headings = ("session", "message", "ratio")
        table.columns += [Column(heading=heading, group=group) for heading in headings]
    for function in FUNCTIONS:
        cells: list[Cell] = []
        for size in sizes:
            once = measured.row(function, size)
            each = measured.row(function, size, pattern=PER_MESSAGE)
            costs = [field(row, "absolute_cycles_per_byte") for row in (once, each)]
            cells += [*costs, over(costs[1], costs[0])]
        table.rows.append([function.name, *cells])
    return table


def _cpus(measured: Measured) -> str:
    """`2 CPUs`."""
    return figures.counted(max(measured.cores, default=0), "CPU")


def _column(size: int, build: Build) -> Column:
    return Column(heading=figures.message_size(size), group=build.title, detail=size not in SHOWN)


def _how_built(measured: Measured) -> list[str]:
    """What stands for each build."""
    if measured.is_stood_in_for:
        return [
            "Crypto++ is not installed here: ciphermark's kernels replace it, in each build by "
            "the fastest of the code paths that the build allows (plain C/C++: portable, table, "
            "reference)"
        ]
    hidden = {
        build: row.switches.get(SWITCH)
        for row in measured.rows
        if row.provider == LIBRARY
        for build in BUILDS
        if build.has(row)
    }
    switched = [f"{build.title}: {SWITCH}={off}" for build, off in hidden.items() if off]
    return [
        "Crypto++ as installed, with features hidden from it; "
        + (", ".join(switched) or "nothing was hidden from it"),
        "code that its compiler made of C++ is the same in all builds (on x86-64 it may use "
        "SSE2), and so are Crypto++'s choices at compile time",
    ]


def _objections(measured: Measured) -> list[str]:
    """How many figures have no valid attempt, and why; how many have fewer sessions."""
    rows = measured.loaded()
    notes = []
    if invalid := [row for row in rows if not row.valid]:
        kinds = Counter(objection.kind for row in invalid for objection in row.objections)
        reasons = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        notes.append(f"{NOT_VALID} ({len(invalid)} of {len(rows)} cases: {reasons})")
    if fewer := sum(row.sessions < SESSIONS for row in rows):
        notes.append(f"cases that were repeated with fewer sessions: {fewer}")
    return notes


CYCLES = "cycles/byte"
OF_SESSIONS = "over the sessions"


def by_cores(measured: Measured) -> Table:
    """The three figures of a workload, and what the paper suspects behind them."""
    table = Table(
        title=(
            f"VMAC-AES128, {SESSIONS} sessions of messages of {figures.message_size(PACKET)}, by "
            "number of CPUs (figures 8–11)"
        ),
        columns=[
            *columns("function", "CPUs"),
            Column(heading="sessions", detail=True),
            Column(heading="wall", group=CYCLES),
            *columns("absolute", "apparent", group=CYCLES, digits=4),
            Column(heading="estimated", group=CYCLES, digits=4, detail=True),
            Column(heading="parallelism", digits=4),
            *columns("preemptions", "migrations", group="per second"),
            Column(heading="Jain", group=OF_SESSIONS, digits=4),
            Column(heading="spread", group=OF_SESSIONS),
            Column(heading="MHz", detail=True),
        ],
        notes=[
            "wall: the median session; absolute and apparent: the workload",
            "estimated: absolute, from the apparent figure and the kernel's accounts of the CPUs",
            "parallelism: CPUs busy with the sessions; preemptions and migrations: of all threads",
            "Jain's index of bytes done; spread: (90th − 10th percentile) / median of CPU time",
            "the paper does not state the size of the messages of its figures 8–11",
        ],
    )
    for function in VMACS:
        for cores, row in measured.on_cores(function, PACKET).items():
            if not row.valid:
                table.doubtful.append((len(table.rows), 1))
            table.rows.append([function.name, cores, row.sessions, *_of_workload(row)])
    return table


def _of_workload(row: SessionRow) -> list[Cell]:
    return [
        row.wall_cycles_per_byte,
        row.absolute_cycles_per_byte,
        row.apparent_cycles_per_byte,
        row.estimated_cycles_per_byte,
        row.parallelism,
        per_second(row.preemptions, row),
        per_second(row.migrations, row),
        row.fairness,
        row.cpu_spread,
        over(row.core_hz, 1e6),
    ]


def by_offload(measured: Measured) -> Table:
    """The same sessions without a device and with one, and what each figure has of its work."""
    table = Table(
        title=f"{SESSIONS} sessions whose MACs a device computes",
        columns=[
            Column(heading="function"),
            Column(heading="message", detail=True),
            *columns("work by", "CPUs"),
            *columns("absolute", "apparent", "device", group=CYCLES, digits=4),
            Column(heading="MB/s"),
        ],
        notes=[
            "absolute: CPU time of the sessions alone; apparent: elapsed time, the device's work "
            "included",
            "device: CPU time of its own threads, polling included, by the clock of the "
            "sessions' CPUs",
        ],
    )
    shown: dict[int, SessionRow] = {}
    for beside, row in measured.offloaded():
        shown |= {beside.case: beside, row.case: row}
    for row in sorted(shown.values(), key=lambda it: (it.algorithm, it.message_bytes or 0)):
        if not row.valid:
            table.doubtful.append((len(table.rows), 4))
        table.rows.append(_cells(row))
    return table


def _cells(row: SessionRow) -> list[Cell]:
    busy = row.device_cpus
    return [
        BY_ALGORITHM[row.algorithm].name,
        figures.message_size(row.message_bytes or 0),
        row.device or "the CPU that calls",
        row.cores,
        row.absolute_cycles_per_byte,
        row.apparent_cycles_per_byte,
        None if busy is None else busy * apparent(row).value,
        row.mbytes_per_second,
    ]


def lengths_and_lives(measured: Measured) -> Table | None:
    """The two conditions that the paper's workload has and its figures fix; None without them."""
    table = Table(
        title=f"Mixed lengths and lives: absolute cycles/byte of {SESSIONS} sessions",
        columns=[
            Column(heading="function"),
            *columns("measured", "interpolated", "ratio", group=MIX),
            *columns("without end", "0.05 to 0.4 s", "ratio", group=LIVES),
        ],
        notes=[
            "interpolated: the cost of a message of each length of the mix between those of the "
            "sizes that were measured alone, a straight line from one to the next",
            "a session that ends gives up its key; the one that takes its place sets up another",
        ],
    )
    for function in FUNCTIONS:
        mixed, lived = measured.mixed(function), measured.of_lives(function)
        if mixed is None and lived is None:
            continue
        of_mix = [field(mixed, "absolute_cycles_per_byte"), _interpolated(measured, function)]
        endless = measured.row(function, PACKET) if lived else None
        of_lives = [field(row, "absolute_cycles_per_byte") for row in (endless, lived)]
        place = len(table.rows)
        table.doubtful += [
            (place, column)
            for column, row in ((1, mixed), (4, endless), (5, lived))
            if row is not None and not row.valid
        ]
        table.rows.append(
            [function.name, *of_mix, over(*of_mix), *of_lives, over(*reversed(of_lives))]
        )
    return table if table.rows else None


PROFILE = "imix"
MIX, LIVES = f"lengths of the profile {PROFILE}", "1 KiB, lives"


def _interpolated(measured: Measured, function: Function) -> float | None:
    """Cycles per byte of the mix by the costs of single sizes; None where one of its lengths is
    outside of them."""
    costs = {
        size: cost * size
        for size in measured.sizes
        if (cost := field(measured.row(function, size), "absolute_cycles_per_byte")) is not None
    }
    weights = {part.ends[0]: part.weight for part in PROFILES.named(PROFILE).parts}
    if len(costs) < 2 or min(weights) < min(costs) or max(weights) > max(costs):
        return None
    cycles = np.interp([*weights], [*costs], [*costs.values()])
    return float(cycles @ [*weights.values()]) / sum(
        size * weight for size, weight in weights.items()
    )


def by_threads(measured: Measured) -> Table | None:
    """The threads of one core beside one CPU and two cores; None where no core has several."""
    table = Table(
        title=f"Two threads of one core: apparent cycles/byte of {SESSIONS} sessions, 1 KiB",
        columns=[
            Column(heading="function"),
            *columns("one CPU", "threads of one core", "as many cores", digits=4),
            *columns("threads", "cores", group="times one CPU"),
        ],
    )
    for function in FUNCTIONS:
        threads = measured.on_siblings(function)
        if threads is None:
            continue
        by_number = measured.on_cores(function, PACKET)
        rows = [by_number.get(1), threads, by_number.get(threads.cores)]
        one, *several = costs = [field(row, "apparent_cycles_per_byte") for row in rows]
        table.doubtful += [
            (len(table.rows), column)
            for column, row in enumerate(rows, 1)
            if row is not None and not row.valid
        ]
        table.rows.append([function.name, *costs, *(over(one, it) for it in several)])
    return table if table.rows else None


def word_size(beside: list[BesideFigure]) -> Table | None:
    """Both builds of the portable kernels; None where nobody has asked for them."""
    asked = [it for it in beside if it.program in (NARROW, WIDE)]
    if not asked:
        return None
    narrow, wide = by_program(beside, NARROW), by_program(beside, WIDE)
    table = Table(
        title="Word size: portable kernels of ciphermark in a 32-bit and a 64-bit build, 64 KiB",
        columns=[
            Column(heading="function"),
            *(
                Column(heading=heading, group=group)
                for group in (NARROW, WIDE)
                for heading in (NS, "place")
            ),
            Column(heading="32-bit/64-bit"),
        ],
        notes=["place: 1 is the fastest of its build; CPU time, both builds in turn on one core"],
    )
    for function in FUNCTIONS:
        one, other = (found.get(function.algorithm) for found in (narrow, wide))
        table.rows.append(
            [
                function.name,
                *(one, _place(narrow, function)),
                *(other, _place(wide, function)),
                over(one, other),
            ]
        )
    table.notes += dict.fromkeys(
        f"{it.program}: {it.reason or it.detail.rpartition(', ')[0]}" for it in asked
    )
    return table


def harness(measured: Measured) -> Table | None:
    """The harness against the libraries' own benchmarks; None where nobody has asked them."""
    pairs = own_benchmarks(measured)
    if not pairs:
        return None
    reasons = [f"{it.figure.program}: {it.figure.reason}" for it in pairs if it.figure.reason]
    return Table(
        title="The harness against the libraries' own benchmarks, one core",
        columns=[
            *columns("program", "function"),
            *columns("bytes", NS, group="there"),
            *columns("bytes", NS, group="here"),
            Column(heading="here/there"),
        ],
        rows=[
            [
                it.figure.program,
                it.function.name,
                *(it.figure.message_bytes, it.figure.ns_per_byte),
                *(it.like_bytes, value(it.here), value(it.ratio)),
            ]
            for it in pairs
        ],
        notes=[
            "here: CPU time of one session on one CPU, by the same library",
            f"{CRYPTEST} feeds 2048 bytes repeatedly into one endless message, and rounds to "
            "MiB/s; here the same pieces make messages of 64 KiB, each of which ends",
            f"{OPENSSL} begins and ends each message, as here, in a loop without nonces or checks",
            *dict.fromkeys(reasons),
        ],
    )


def machines(measured: Measured) -> Table:
    """Figures 4 to 7 of everything, a machine beside the other."""
    named = by_machine(measured)
    names, every = [name for name, _ in named], [it for _, it in named]
    builds = (FULL, PLAIN)
    has_phone = measured.simulations.has(PHONE)
    table = Table(
        title="Machines beside each other: absolute cycles per byte, 100 sessions on all CPUs",
        columns=[
            *columns("function", "bytes"),
            *(Column(heading=name, group=build.title) for build in builds for name in names),
            *([Column(heading="instructions", group=TITLE)] if has_phone else []),
        ],
        notes=[
            f"rank correlation of {orders.one} and {orders.other}: {correlations(orders.by_size)}"
            for orders in across_machines(measured)
        ],
    )
    if not measured.elsewhere and not has_phone:
        return table
    for function in FUNCTIONS:
        for size in sorted({*SIZES, *(size for it in every for size in it.sizes)}):
            rows = [it.row(function, size, build) for build in builds for it in every]
            costs = [field(row, "absolute_cycles_per_byte") for row in rows]
            if has_phone:
                costs.append(instructions(measured.simulations, function, size))
            if any(costs):
                table.rows.append([function.name, size, *costs])
    if has_phone:
        table.notes.append(
            "instructions: of our kernels in plain C, compiled by "
            f"{measured.simulations.compiler(PHONE)}; they have no time"
        )
    return table


def _place(costs: dict[str, float], function: Function) -> int | None:
    """Counted from 1, the fastest."""
    if function.algorithm not in costs:
        return None
    return 1 + sum(it < costs[function.algorithm] for it in costs.values())


def tables(run: Run, rows: list[SessionRow]) -> list[Table]:
    """Those that have rows."""
    measured = Measured(run, rows)
    made = [
        by_size(measured),
        by_energy(measured),
        crossings(measured),
        gains(measured),
        by_cores(measured),
        by_offload(measured),
        both_keys(measured),
        lengths_and_lives(measured),
        by_threads(measured),
        word_size(run.beside),
        harness(measured),
        machines(measured),
    ]
    shown = [table for table in made if table and table.rows]
    for table in shown:
        if table.doubtful and not any(note.startswith(NOT_VALID) for note in table.notes):
            table.notes.append(NOT_VALID)
    return shown
