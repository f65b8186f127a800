"""The post's statements about functions, asked of its own table and of this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import (
    ONE,
    all_of,
    any_of,
    each,
    in_turn,
    is_above,
    is_below,
    is_within,
    of_row,
    opposite,
    quotient,
    shown,
)
from ciphermark.studies.gateway.evidence import (
    CBC_OF_AES,
    INSTRUCTIONS,
    LIBRARY,
    SHARE,
    SHUFFLES,
    Measured,
    camellia,
    gain,
    is_faster,
    pair_of_ends,
    reasons,
    setting,
    speed_of,
)
from ciphermark.studies.gateway.paper import (
    AMD,
    ATOM,
    BOXES,
    CBC,
    CIPHERS,
    GCM,
    HASHES,
    POST,
    PRINTED,
    Machine,
    named,
)
from ciphermark.view import figures
from ciphermark.view.findings import NotTestable, Open, Verdict
from ciphermark.workloads.single.code_paths import MATTERS
from ciphermark.workloads.single.ratio import cycles_per_byte

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row


PLAIN = ("camellia-256-cbc", "camellia-128-cbc", "md5")
"""Functions for which OpenSSL 1.0.2 and today's have no code with special instructions: its own
assembler works on general registers (crypto/camellia/asm, crypto/md5/asm; from memory)."""


SCALAR = ("scalar", "portable", "table", "reference", "default")
"""Code paths that are such code, or may be where nobody could look."""


TIE = 0.05
"""Share by which figures of a tie may differ."""


DEARER = 1.10
"""A hash that does not take so many times as long from memory does not show how fast that is."""


ALIKE = 0.05
"""Share by which both may differ and still count as the same."""


CAMELLIA_WINS = "Camellia is this many times as fast as AES"


KEY_BITS = (256, 128)


BY_SPEED = ("md5", "sha1", "sha256", "sha512")


BIGGER_CORE = 3.0
"""“Three or four times as fast.”"""


def gcm_is_slower(machines: list[Machine]) -> Verdict:
    """Judges GCM against CBC by both lengths of keys."""
    slower, told = [], []
    for machine in machines:
        for bits in KEY_BITS:
            gcm, cbc = (machine.firm(f"aes-{bits}-{mode}") for mode in ("gcm", "cbc"))
            slower.append(is_above(quotient(cbc, gcm), 1.0))
            told.append(f"AES-{bits}: GCM {shown(gcm, 4)}, CBC {shown(cbc, 4)} MB/s")
    return all_of(slower), ". ".join(told)


def md5_is_fastest(machines: list[Machine]) -> Verdict:
    """Of all functions of the post, by its nearest rivals."""
    holds, told = [], []
    for machine in machines:
        speeds = {it: machine.firm(it) for it in POST}
        md5 = speeds.pop("md5")
        rivals = sorted(speeds, key=lambda it: -speeds[it].value)[:3]
        holds += [is_above(quotient(md5, it), 1.0) for it in speeds.values()]
        each = ", ".join(f"{named(it)} {shown(speeds[it])}" for it in rivals)
        told.append(f"{machine.title}: MD5 {shown(md5)} MB/s; the fastest others {each}")
    return all_of(holds), "; ".join(told)


def hashes_in_order(machines: list[Machine]) -> Verdict:
    """Each against the next."""
    return _in_order(machines, list(pairwise(BY_SPEED)))


def longer_keys_cost(machines: list[Machine]) -> Verdict:
    """Each cipher with both lengths of keys."""
    pairs = [(it, it.replace("128", "256")) for it in CIPHERS if "128" in it]
    return _in_order(machines, pairs)


def _in_order(machines: list[Machine], pairs: Sequence[tuple[str, str]]) -> Verdict:
    """Whether the first of each pair is the faster one, on every machine."""
    holds, told = [], []
    for machine in machines:
        ratios = [quotient(machine.firm(one), machine.firm(other)) for one, other in pairs]
        holds += [is_above(it, 1.0) for it in ratios]
        each = ", ".join(
            f"{named(one)}/{named(other)} {shown(ratio)}"
            for (one, other), ratio in zip(pairs, ratios, strict=True)
        )
        told.append(f"{machine.title}: {each}")
    return all_of(holds), "; ".join(told)


def units(_: object) -> Verdict:
    """By the arithmetic alone."""
    one = POST["aes-128-gcm"][0]
    two = round(2 * one, 2)
    return (
        two == 38.98 and 300 < 8 * two < 330,
        f"2 × {one:.2f} = {two:.2f} MB/s; × 8 bit = {8 * two:.1f} Mbit/s, by MB of 10^6 bytes as "
        "`openssl speed` counts; the other way round, 2 × 100 Mbit/s are 25 MB/s",
    )


def boxes_split(_: object) -> Verdict:
    """By who is ahead at each function."""
    ahead = {it: POST[it][0] > POST[it][1] for it in POST}
    expected = {it: it in GCM or (it in HASHES and it != "sha512") for it in POST}
    factors = {it: max(POST[it]) / min(POST[it]) for it in POST}
    groups = {"GCM": GCM, "CBC": CBC, "hashes": HASHES}
    told = "; ".join(f"{name}: {_who(members, factors)}" for name, members in groups.items())
    return ahead == expected, told


def _who(members: tuple[str, ...], factors: dict[str, float]) -> str:
    leader: Callable[[str], str] = lambda it: BOXES[POST[it][0] < POST[it][1]].title  # noqa: E731
    return ", ".join(f"{named(it)} {leader(it)} ×{factors[it]:.2f}" for it in members)


def tie(_: object) -> Verdict:
    """By CBC and a hash one after the other, of every key size and hash."""
    ratios = {
        f"{named(cipher)} + {named(mac)}": _one_after_the_other(0, cipher, mac)
        / _one_after_the_other(1, cipher, mac)
        for cipher in CBC
        if cipher.startswith("aes")
        for mac in HASHES
    }
    inside = sum(abs(it - 1) <= TIE for it in ratios.values())
    lowest, highest = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    return inside == len(ratios), (
        f"speed of the Atom / of the AMD {ratios[lowest]:.2f} ({lowest}) to {ratios[highest]:.2f} "
        f"({highest}); {inside} of {len(ratios)} combinations within {figures.percent(TIE, 1)}"
    )


def _one_after_the_other(place: int, *functions: str) -> float:
    return in_turn(PRINTED[place].firm(it) for it in functions).value


def clock_matters_little(measured: Measured) -> Verdict:
    """By functions of plain code: whether cycles tell the machines apart more than clocks do."""
    told, holds = [], []
    for function in PLAIN:
        row = measured.firm_row(function, provider=LIBRARY)
        if row.backend not in SCALAR:
            continue
        for box, published in zip(BOXES, POST[function], strict=True):
            by_clock = (row.core_hz or math.nan) / box.clock_hz
            by_cycles = speed_of(row).times(1 / published / by_clock)
            more = max(by_clock, 1 / by_clock)
            holds.append(any_of((is_above(by_cycles, more), is_below(by_cycles, 1 / more))))
            told.append(
                f"{named(function)} against {box.title}: clock {figures.times(by_clock)}, cycles "
                f"{figures.times(by_cycles.value)}"
            )
    if not told:
        raise NotTestable("no function of plain code was measured")
    return all_of(holds), "; ".join(told)


def clock_matters_little_printed(_: object) -> Verdict:
    """By the boxes: the higher clock makes plain code faster nowhere by as much as it is higher,
    and in the median slower."""
    ratios = sorted((POST[it][0] / POST[it][1], it) for it in PLAIN)
    told = ", ".join(f"{named(it)} {ratio:.2f}" for ratio, it in ratios)
    clock = ATOM.clock_hz / AMD.clock_hz
    middle = ratios[len(ratios) // 2][0]
    return ratios[-1][0] < clock and middle < 1, (
        f"speed of the Atom / of the AMD: {told}; of their clocks {clock:.2f}"
    )


def memory_explains(measured: Measured) -> Verdict:
    """By what it costs to have the messages in memory instead of the nearest cache."""
    found = {}
    for function in HASHES:
        far = measured.firm_row(function, buffers="stream", provider=LIBRARY)
        near = measured.firm_row(function, provider=LIBRARY)
        found[named(function)] = measured.ratio_of(far, near)
    return each(found, is_above, DEARER, "cycles from memory / from the nearest cache")


def memory_explains_printed(_: object) -> Verdict:
    """By what the clocks of the boxes leave for memory to explain."""
    clocks = ATOM.clock_hz / BOXES[1].clock_hz
    atom, amd = PRINTED
    left = {named(it): quotient(atom.firm(it), amd.firm(it)).times(1 / clocks) for it in HASHES}
    what = f"speed of the Atom / of the AMD, over the clocks' {clocks:.2f}"
    holds, told = each(left, is_above, DEARER, what)
    return holds, f"{told}; the benchmark has its 1024 bytes in the nearest cache"


def same_at_both_ends(measured: Measured) -> Verdict:
    """By the ratios of all ciphers that have one."""
    ratios = {
        named(function): measured.ratio_of(*pair[::-1])
        for function in CIPHERS
        if (pair := pair_of_ends(measured, function))
    }
    if not ratios:
        raise NotTestable("no cipher has figures of both ends")
    return each(ratios, is_within, ALIKE, "receiver / sender")


def nothing_similar(measured: Measured) -> Verdict:
    """By every feature that was hidden from every library."""
    found = [it for it in measured.ablations() if it.ratio is not None]
    if not found:
        raise NotTestable(_why_none(measured))
    judged = [is_faster(measured, it) for it in found]
    faster = [it for it, pays in zip(found, judged, strict=True) if pays]
    open_ = [it for it in judged if isinstance(it, Open)]
    told = (
        f"{figures.counted(len(found), 'function')} with a feature hidden: "
        f"{len(faster)} faster by more than {SHARE}, {len(open_)} open"
    )
    for it in faster:
        told += (
            f"; {it.algorithm} by {it.provider} without {it.feature} "
            f"{shown(gain(measured, it))} times as fast ({setting(measured, it)})"
        )
    return opposite(any_of(judged)), told


def _why_none(measured: Measured) -> str:
    why = reasons(measured.ablations())
    return why[0] if why else "no library here has a switch that hides a feature"


def optimised_is_slower(measured: Measured) -> Verdict:
    """By AES-CBC with both key sizes, as the post measured it: SSSE3 hidden or not."""
    found = {
        named(function): quotient(
            ONE,
            measured.ratio_of(
                measured.without(function, SHUFFLES), measured.without(function, INSTRUCTIONS)
            ),
        )
        for function in CBC_OF_AES
    }
    what = "without AES instructions, hiding SSSE3 makes OpenSSL this many times as fast"
    holds, told = each(found, is_above, MATTERS, what)
    by = " ".join(f"{name}={value}" for name, value in measured.hiding(SHUFFLES).items())
    return holds, f"{told}; by {by}"


def camellia_wins_printed(boxes: list[Machine]) -> Verdict:
    """By the four pairs of the post's table."""
    found = {
        f"{box.title} {named(aes)}": quotient(box.firm(other), box.firm(aes))
        for box in boxes
        for aes, other in zip(CBC_OF_AES, camellia(CBC), strict=True)
    }
    return each(found, is_above, 1.0, CAMELLIA_WINS)


def camellia_wins(measured: Measured) -> Verdict:
    """By OpenSSL without AES instructions, in the version of AES that it then takes."""
    found = {}
    for aes, other in zip(CBC_OF_AES, camellia(CBC), strict=True):
        beside = measured.firm_row(other, provider=LIBRARY)
        for hidden in (SHUFFLES, INSTRUCTIONS):
            row = measured.without(aes, hidden)
            found[f"{named(aes)} ({row.backend})"] = measured.ratio_of(row, beside)
    return each(found, is_above, 1.0, CAMELLIA_WINS)


def bigger_core(measured: Measured) -> Verdict:
    """By cycles per byte, in which equal clocks are equal."""
    place = next(number for number, box in enumerate(PRINTED) if box.title == ATOM.title)
    found, with_all = {}, []
    for function in CBC_OF_AES:
        there = Estimate.exact(ATOM.clock_hz / (POST[function][place] * 1e6))
        bare = _per_byte(measured.without(function, INSTRUCTIONS))
        found[named(function)] = quotient(there, bare)
        by_itself = quotient(there, _per_byte(measured.firm_row(function, provider=LIBRARY)))
        with_all.append(shown(by_itself))
    what = "cycles/byte of the Atom / here without AES instructions"
    holds, told = each(found, is_above, BIGGER_CORE, what)
    return holds, f"{told}; with them {', '.join(with_all)}"


def _per_byte(row: Row) -> Estimate:
    return of_row(cycles_per_byte(row), row)
