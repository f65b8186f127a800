"""The instruction that the post blames, PSHUFB of SSSE3: its rate here, and what the table implies.

OpenSSL's AES with SSSE3 (vpaes) looks its tables up by shuffles, most of which wait for another.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from ciphermark.contract.others import BesideFigure
from ciphermark.run.speed_tools import pinned
from ciphermark.studies.evidence import field, over, quotient
from ciphermark.studies.gateway.evidence import INSTRUCTIONS, LIBRARY, Measured
from ciphermark.studies.gateway.paper import AMD, ATOM, BOXES, POST, Machine, named
from ciphermark.view.findings import Cell, Column, NotTestable, Table, Verdict

PROGRAM = "rates of instructions"
CHAIN, SIDE_BY_SIDE, ADDITION = "one after the other", "side by side", "addition"
"""PSHUFB whose results the next waits for, those that wait for nothing, and a cycle."""

BLOCK_BYTES = 16
A_BLOCK = 118
"""PSHUFB in a block of AES-128 by vpaes-x86_64.pl, of nine rounds of 12 and a last one of 10: from
memory, unverified."""

AES, CAMELLIA = "aes-128-cbc", "camellia-128-cbc"
GAIN = 1.02
"""From which on SSSE3 has brought something."""

_SOURCE = r"""
#include <stdio.h>
#include <time.h>
#include <tmmintrin.h>

#define TIMES 2000000L
#define EIGHT(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
#define CHAINED(i) x0 = _mm_shuffle_epi8(x0, m); __asm__ volatile("" : "+x"(x0));
#define APART(i) x##i = _mm_shuffle_epi8(x##i, m); __asm__ volatile("" : "+x"(x##i));
/* Of a register: some processors add constants without executing anything. */
#define ADDED(i) __asm__ volatile("add %1, %0" : "+r"(n) : "r"(k));

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#define TIMED(name, STEPS) \
    { \
        double least = 0; \
        for (int round = 0; round < 9; round++) { \
            const double began = now(); \
            for (long i = 0; i < TIMES; i++) { STEPS } \
            const double took = (now() - began) / (8.0 * TIMES); \
            if (round == 0 || took < least) least = took; \
        } \
        printf("%s %.6f\n", name, least); \
    }

int main(void)
{
    const __m128i m = _mm_set1_epi8(3);
    __m128i x0 = m, x1 = m, x2 = m, x3 = m, x4 = m, x5 = m, x6 = m, x7 = m;
    unsigned long n = 0, k = 3;
    TIMED("chain", EIGHT(CHAINED))
    TIMED("apart", EIGHT(APART))
    TIMED("add", EIGHT(ADDED))
    return (int)(n & 0);
}
"""

_NAMES = {"chain": CHAIN, "apart": SIDE_BY_SIDE, "add": ADDITION}


def rates(cpu: int) -> list[BesideFigure]:
    """Time of one instruction in each way, by a program that is compiled for it."""
    try:
        told, reason = _measured(cpu), ""
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        told, reason = {}, f"no rate of pshufb: {error}"
    return [
        BesideFigure(
            program=PROGRAM,
            detail=name,
            algorithm="pshufb" if name != ADDITION else "add",
            message_bytes=BLOCK_BYTES,
            ns_per_byte=told[key] / BLOCK_BYTES if key in told else None,
            reason=reason,
        )
        for key, name in _NAMES.items()
    ]


def _measured(cpu: int) -> dict[str, float]:
    """Nanoseconds by key."""
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        source, program = Path(folder) / "rates.c", Path(folder) / "rates"
        source.write_text(_SOURCE, "utf-8")
        command = ["cc", "-std=gnu99", "-O2", "-mssse3", "-o", str(program), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        ran = subprocess.run(
            [*pinned(cpu), str(program)], check=True, capture_output=True, text=True, timeout=60
        )
    return {key: float(ns) for key, ns in (line.split() for line in ran.stdout.splitlines())}


def cycles(measured: Measured, name: str) -> float | None:
    """Of one PSHUFB, an addition that waits for another being one cycle."""
    told = {it.detail: it.ns_per_byte for it in measured.run.beside if it.program == PROGRAM}
    return over(told.get(name), told.get(ADDITION))


def table(measured: Measured) -> Table:
    """What a block of AES-128-CBC takes, what that leaves for a shuffle, and the rate here."""
    here = _block_here(measured)
    boxes = [_block(place) for place in range(len(BOXES))]
    shown_ = Table(
        title=(
            "Gain from SSSE3: the rate of PSHUFB here, and the cycles that the post's table "
            "leaves for it"
        ),
        columns=[
            Column(heading=it) for it in ("figure", *(box.title for box in BOXES), "this machine")
        ],
        notes=[
            f"vpaes executes {A_BLOCK} PSHUFB a block (from memory); at most: a block's cycles "
            "divided by that",
            "the Atom is printed with SSSE3, the AMD without; this machine runs without AES "
            "instructions",
            "Camellia has no code with SSSE3: where SSSE3 helps AES, AES gains on Camellia",
        ],
    )
    ratios = [POST[AES][place] / POST[CAMELLIA][place] for place in range(len(BOXES))]
    own = [measured.figure(it) for it in (AES, CAMELLIA)]
    atom = next(place for place, box in enumerate(BOXES) if box is ATOM)
    most: list[Cell] = [boxes[place] / A_BLOCK if place == atom else None for place in (0, 1)]
    camellia = measured.row(CAMELLIA, provider=LIBRARY)
    beside = over(field(camellia, "cycles_per_byte"), here and here / BLOCK_BYTES)
    if not any(own):
        return shown_
    shown_.rows = [
        ["cycles of a block of AES-128-CBC", *boxes, here],
        ["at most a PSHUFB, cycles", *most, over(here, A_BLOCK)],
        ["PSHUFB one after the other, cycles", None, None, cycles(measured, CHAIN)],
        ["PSHUFB side by side, cycles", None, None, cycles(measured, SIDE_BY_SIDE)],
        ["speed of AES-128-CBC / Camellia-128-CBC", *ratios, beside],
    ]
    shown_.notes += dict.fromkeys(
        it.reason for it in measured.run.beside if it.program == PROGRAM and it.reason
    )
    return shown_


def _block(place: int) -> float:
    return BLOCK_BYTES * BOXES[place].clock_hz / (POST[AES][place] * 1e6)


def _block_here(measured: Measured) -> float | None:
    """By SSSE3, as the processor has it without its AES instructions."""
    try:
        row = measured.without(AES, INSTRUCTIONS)
    except NotTestable:
        return None
    return row.cycles_per_byte and BLOCK_BYTES * row.cycles_per_byte


def gains_printed(boxes: list[Machine]) -> Verdict:
    """By what AES has gained on Camellia on the box with SSSE3, against the one without."""
    atom, amd = (boxes[BOXES.index(box)] for box in (ATOM, AMD))
    told, gains = [], []
    for bits in (128, 256):
        names = f"aes-{bits}-cbc", f"camellia-{bits}-cbc"
        ratios = [_ratio(box, *names) for box in (atom, amd)]
        gains.append(ratios[0] / ratios[1])
        told.append(
            f"{named(names[0])} / {named(names[1])}: {ratios[0]:.3f} on the Atom, "
            f"{ratios[1]:.3f} on the AMD, ×{gains[-1]:.3f}"
        )
    return all(gain >= GAIN for gain in gains), "; ".join(told)


def _ratio(box: Machine, one: str, other: str) -> float:
    return quotient(box.firm(one), box.firm(other)).value
