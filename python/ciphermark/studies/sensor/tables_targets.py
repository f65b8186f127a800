"""Tables of the simulated targets themselves: their caches, compilers and flags."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.studies.evidence import field, over
from ciphermark.studies.sensor.evidence import Measured, printed
from ciphermark.studies.sensor.paper import (
    AVR,
    COMPILERS,
    IDEA,
    M16C,
    MD5,
    NAMES,
    OTHERWISE_COMPILED,
    PXA250_200,
    PXA250_400,
    RC4,
    RC5,
    SA1110,
    SHA1,
    TARGETS,
    XSCALE,
    cells,
    name,
)
from ciphermark.studies.sensor.paper import Cell as TableRow
from ciphermark.view.findings import Cell, Column, Table, columns
from ciphermark.workloads.simulation.row import METRICS


def first_calls(measured: Measured) -> Table:
    """The caches of SA-1110 and PXA250, simulated."""
    xscale = f"{name(PXA250_400).removesuffix(' 400')}"
    table = Table(
        title="Caches of SA-1110 and PXA250, simulated: a first call with empty caches",
        columns=[
            *columns("function", "bytes", "action"),
            *columns("code", "data", group=f"{name(SA1110)}, lines of"),
            *columns("cached", "first call", group="cycles", decimals=0),
            *columns("code", "data", group=f"{xscale}, lines of"),
            *columns(
                "cached",
                "first call, 400 MHz",
                "first call, 200 MHz",
                group="cycles of it",
                decimals=0,
            ),
            *columns("here", "published", group="200 MHz / 400 MHz", decimals=2),
        ],
        notes=[
            "lines of 32 bytes that a call fetches into empty caches with 32 ways, first in "
            "first out; memory answers after the same time at every clock",
            "cached: by the model of the pipeline, the same at both clocks",
        ],
    )
    published = printed().in_cycles(XSCALE).ratios(PXA250_200, PXA250_400)
    for cell in cells():
        row = _first_call(measured, cell, published.get(cell))
        if any(value is not None for value in row[:-1]):
            table.rows.append([*cell.names, *row])
    evicted = [
        found.evictions
        for target in (SA1110, *XSCALE)
        for cell in cells()
        if (found := measured.one(target, cell.work)) and found.evictions is not None
    ]
    if evicted:
        table.notes.append(
            f"lines that were evicted: {max(evicted)} at most"
            + ("; so a second call misses nothing" if max(evicted) == 0 else "")
        )
    return table


def _first_call(measured: Measured, cell: TableRow, published: float | None) -> list[Cell]:
    work = cell.work
    on_arm, on_xscale = (measured.one(it, work) for it in (SA1110, PXA250_400))
    quick, slow = (measured.first_call(it, work) for it in XSCALE)
    return [
        *(field(on_arm, it) for it in ("instruction_misses", "data_misses", "value")),
        measured.first_call(SA1110, work),
        *(field(on_xscale, it) for it in ("instruction_misses", "data_misses", "value")),
        quick,
        slow,
        over(slow, quick),
        published,
    ]


def compiled(measured: Measured) -> Table:
    """Compiler and flags of each target, beside the paper's."""
    table = Table(
        title="How each target was compiled",
        columns=[
            *columns("target", "flags", "files that needed others", "the paper's compiler"),
            *columns("compiler", "which files", detail=True),
        ],
        notes=["the paper states no flags but those of the M16C"],
    )
    for target in (*TARGETS, *OTHERWISE_COMPILED.values()):
        told = measured.compiled(target)
        if told is not None:
            files = ", ".join(f"{file} {flags}" for file, flags in sorted(told.other_flags.items()))
            shown = NAMES.get(target, told.title)
            table.rows.append(
                [
                    shown,
                    told.flags,
                    len(told.other_flags),
                    COMPILERS.get(target),
                    told.compiler,
                    files or None,
                ]
            )
    return table


def optimisation(measured: Measured) -> Table:
    """The rows of Table 3 by two optimisations, of targets with the same instructions."""
    pairs = {
        (target, other): [_flag(measured, it) for it in (target, other)]
        for target, other in OTHERWISE_COMPILED.items()
        if measured.compiled(target) and measured.compiled(other)
    }
    table = Table(
        title="Effect of the optimisation: Table 3 by two flags",
        columns=[
            *columns("function", "bytes", "action"),
            *(
                Column(heading=heading, group=_pair_named(measured, target), decimals=decimals)
                for (target, _), flags in pairs.items()
                for heading, decimals in ((flags[0], 0), (flags[1], 0), ("ratio", 2))
            ),
        ],
        notes=[
            "ratio: the second flag over the first. The ATmega1284P has the ATmega128's core and "
            "instructions",
        ],
    )
    for cell in cells():
        costs = [[measured.cost(it, cell.work) for it in both] for both in pairs]
        if any(cost is not None for both in costs for cost in both):
            row = [value for one, other in costs for value in (one, other, over(other, one))]
            table.rows.append([*cell.names, *row])
    return table


def _flag(measured: Measured, target: str) -> str:
    """`-O2`, with the target's own name where it has another."""
    told = measured.compiled(target)
    optimise = told.flags.split()[-1] if told else ""
    return f"{optimise} ({told.title})" if told and target == "atmega1284p" else optimise


def _pair_named(measured: Measured, target: str) -> str:
    return f"{name(target)}, {METRICS[measured.metric(target)]}"


SECURED_BY = {
    "RC5 for both": (RC5,),
    "RC5, MD5": (RC5, MD5),
    "RC5, SHA-1": (RC5, SHA1),
    "IDEA, MD5": (IDEA, MD5),
    "RC4, MD5": (RC4, MD5),
}
"""What encrypts a message, and what its tag is made by."""


def memory(measured: Measured) -> Table:
    """Flash and RAM of encryption with a tag: why sensor networks took one cipher for both."""
    small = [it for it in (*AVR, M16C, "cortex-m0", "cortex-m4") if it in measured.targets]
    table = Table(
        title="Memory of encryption and a tag on a node, bytes",
        columns=[
            Column(heading="target"),
            *columns(*SECURED_BY, group="flash: code and tables"),
            *columns(*SECURED_BY, group="RAM: key and state, deepest stack"),
        ],
        notes=[
            "a cipher for both needs a CBC-MAC, whose code is not counted, nor is HMAC's; RAM: "
            "contexts of both functions, and the larger of the two stacks",
            "ciphermark protocol has flash and RAM of whole protocols",
        ],
    )
    for target in small:
        parts = [[_memory_of(measured, target, it) for it in both] for both in SECURED_BY.values()]
        flash = [_total(code for code, _, _ in both) for both in parts]
        ram = [_ram(both) for both in parts]
        if any(it is not None for it in flash):
            table.rows.append([name(target), *flash, *ram])
    return table


Parts = tuple[int | None, int | None, int | None]
"""Code, context and stack."""


def _memory_of(measured: Measured, target: str, algorithm: str) -> Parts:
    found = measured.of_algorithms(target, (algorithm,)).get(algorithm, [])
    sizes = [
        [size for it in found if (size := getattr(it, field)) is not None]
        for field in ("code_bytes", "context_bytes", "stack_bytes")
    ]
    code, context, stack = (max(each, default=None) for each in sizes)
    return code, context, stack


def _ram(parts: list[Parts]) -> int | None:
    contexts, stacks = (_total(it[place] for it in parts) for place in (1, 2))
    if contexts is None or stacks is None:
        return None
    return contexts + max(stack or 0 for _, _, stack in parts)


def _total(sizes: Iterable[int | None]) -> int | None:
    every = [*sizes]
    known = [it for it in every if it is not None]
    return sum(known) if len(known) == len(every) else None
