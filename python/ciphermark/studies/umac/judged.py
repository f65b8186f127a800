"""The page's statements, judged by a run: what its text says, and what its tables show.

A statement about an order holds where the intervals of the figures are apart, all that it speaks
of; where one has no interval, none is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ciphermark.show.findings import Claim, NotTestable, Statement, judge
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.umac import page
from ciphermark.studies.umac.figures import Figure, Measured, Way, ratio
from ciphermark.studies.umac.page import (
    HASH127,
    LONG,
    PENTIUM,
    POWERPC,
    SIZES,
    TAG_BYTES,
    Function,
    uhash,
    umac,
)
from ciphermark.studies.umac.tabulated import ladder

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

OF_TAGS = tuple(size for size in SIZES if size != 4096)
"""Sizes of the page's first four tables."""

ROUNDED = 0.05
"""Cycles per byte by which a printed figure may differ from the measured one."""

PROPORTIONAL = 0.2
"""Share by which time may differ from what is proportional to the tag; on the page, for 256 KB, it
is 0.07 at most."""

NO_PAD = 0.05
"""Share of a UMAC's time that is nothing, as it is in figures that are rounded to a tenth."""

HALF = 1.5
"""“At least 50 %.”"""

PENTIUM4_CYCLES = 1.1

Decide = Callable[[Measured], tuple[bool | None, str]]


def _each(make: Callable[[int, int], Function], platform: str = PENTIUM) -> str:
    """The gains of words of 2 bytes that the page's tables show for 256 KB."""
    gains = [
        page.published(make(4, tag), LONG, platform) / page.published(make(2, tag), LONG, platform)
        for tag in TAG_BYTES
    ]
    return f"{min(gains):.1f} to {max(gains):.1f}"


def _factor(slow: Function, fast: Function, message_bytes: int) -> float | None:
    """How many times as fast one is as the other, at least, by the page's rounded figures; of
    messages that lay in the same place."""
    one, other = page.published(slow, message_bytes), page.published(fast, message_bytes)
    if one is None or other is None or (slow is page.HASH127_RC6 and message_bytes == LONG):
        return None
    return (one - ROUNDED) / (other + ROUNDED)


TABLES = "the first four tables"
MORE = "the text above the tables"
NOTES = "Notes, second paragraph"

UMAC_2_FASTER = Statement(
    claim="umac-2-faster-than-umac-4",
    text="In every table UMAC-2/l is faster than UMAC-4/l, at every size",
    place=f"{TABLES}, Pentium III",
    published="8 byte tags: 10.7, 2.2, 1.2, 0.9 against 12.6, 3.0, 2.1, 1.8 cycles/byte",
)
UHASH_2_FASTER = Statement(
    claim="uhash-2-faster-than-uhash-4",
    text="In every table UHASH-2/l is faster than UHASH-4/l, at every size",
    place=f"{TABLES}, Pentium III and PowerPC",
    published="8 bytes: 7.7, 1.7, 1.1, 0.9 against 8.3, 2.4, 2.0, 1.8 cycles/byte (Pentium III)",
)
TWO_BYTES_GAIN = Statement(
    claim="two-byte-words-gain",
    text=(
        "“Some architectures support SIMD parallelism for 2-byte words”: for long messages these "
        "bring as much as on the Pentium III, for all lengths of output"
    ),
    place=f"{MORE}; {TABLES}, 256 KB",
    published=(
        f"UHASH-4/l takes {_each(uhash)} times as long as UHASH-2/l on the Pentium III, "
        f"{_each(uhash, POWERPC)} times on the PowerPC"
    ),
)
PROPORTIONAL_TIME = Statement(
    claim="time-proportional-to-tag",
    text=(
        "“Longer or shorter outputs can be produced with proportionally longer or shorter "
        f"computation time”: for 256 KB l bytes take l/4 times as long as 4, to ±{PROPORTIONAL:.0%}"
    ),
    place=MORE,
    published="256 KB: UMAC-4 2.0, 2.9, 3.9 times, UMAC-2 1.8, 2.8, 3.8 times the time of 4 bytes",
)
PAD_VANISHES = Statement(
    claim="pad-vanishes-with-length",
    text=(
        "UMAC costs more than the UHASH in it by its pad at 43 bytes, and for 256 KB at most "
        f"{NO_PAD:.0%} more"
    ),
    place=TABLES,
    published="UMAC-4/8 less UHASH-4/8: 4.3 cycles/byte (185 a message) at 43 bytes, 0 for 256 KB",
)
SLOWER_FROM_MEMORY = Statement(
    claim="hash127-slower-beyond-the-cache",
    text=(
        "hash127's results “for 256 kb are slower because the hash127 interface does not allow to "
        "simulate large messages residing in level 1 cache”: 256 KB from memory cost more per byte "
        "than 4096 bytes, and from one small buffer they do not"
    ),
    place="Notes, first paragraph",
    published="5.7 cycles/byte for 256 KB against 4.3 for 4096 bytes",
)
ORDER = Statement(
    claim="comparison-order",
    text="hash127, hash127-RC6, SHA1, HMAC-SHA1, CBC-RC6-MAC: each is slower than the one before",
    place="the last table, 1500 and 4096 bytes",
    published="4.4, 4.6, 13.8, 14.5, 17.7 cycles/byte at 1500 bytes",
)
PEAK = Statement(
    claim="umac-4-8-peak-of-128-bit-vectors",
    text=(
        "“Preliminary results indicate a peak throughput of 1.1 cpb for UMAC-4/8 on the Pentium "
        "4”, whose SSE2 has vectors of 128 bits: such vectors reach that here"
    ),
    place=NOTES,
    published="1.1 cycles/byte; 1.8 on the Pentium III",
)
TAGS_OF_64_BITS = Statement(
    claim="64-bit-tags-for-most-purposes",
    text="“We advocate the use of 64-bit authentication tags for most purposes”",
    place=MORE,
    published="UMAC-4/8 takes 1.7 to 2.0 times as long as UMAC-4/4",
)
ON_POWERPC = Statement(
    claim="two-byte-words-on-powerpc",
    text="On a PowerPC 7400 (AltiVec) UHASH-2/l is about four times as fast as UHASH-4/l",
    place=f"{TABLES}, PowerPC",
    published=f"{_each(uhash, POWERPC)} times for 256 KB",
)


def _wider(claim: str, name: str, title: str) -> Statement:
    return Statement(
        claim=claim,
        text=(
            "Registers twice as wide “should speed our Pentium implementations by at least 50 %”, "
            f"said of MMX → SSE2: so do those of {title}, for UMAC-4/l and UMAC-2/l at 256 KB"
        ),
        place=NOTES,
        published="1.8 → 1.1 cycles/byte for UMAC-4/8: ×1.6",
    )


AVX2_BRINGS_HALF = _wider("avx2-brings-half", "avx2", "AVX2 over SSE2")
AVX512_BRINGS_HALF = _wider("avx512-brings-half", "avx512", "AVX-512 over AVX2")


def _outruns(claim: str, slow: Function) -> Statement:
    """UMAC with the tags that the page advocates, against another MAC."""
    sizes = [size for size in SIZES if _factor(slow, umac(4, 8), size) is not None]
    factors = ", ".join(
        f"{page.published(slow, size) / page.published(umac(4, 8), size):.1f}" for size in sizes
    )
    return Statement(
        claim=claim,
        text=f"UMAC-4/8 and UMAC-2/8 are as many times as fast as {slow.name} as in the tables",
        place="the table of 64-bit tags and the last one, Pentium III",
        published=(
            f"UMAC-4/8: {factors} times at {', '.join(map(str, sizes))} bytes; UMAC-2/8 more"
        ),
    )


OUTRUNS_HMAC = _outruns("umac-outruns-hmac-sha1", page.HMAC_SHA1)
OUTRUNS_CBC = _outruns("umac-outruns-cbc-rc6-mac", page.CBC_RC6)
OUTRUNS_HASH127 = _outruns("umac-outruns-hash127-rc6", page.HASH127_RC6)


def claims(run: Run, rows: list[Row]) -> list[Claim]:
    """The statements of the page, judged by the rows of a run."""
    measured = Measured(rows)
    return [
        judge(statement, lambda _, decide=decide: decide(measured), rows)
        for statement, decide in JUDGES.items()
    ]


def _two_faster(make: Callable[[int, int], Function]) -> Decide:
    def decide(measured: Measured) -> tuple[bool, str]:
        pairs = [
            (
                make(2, tag).name,
                _firm(measured, make(2, tag), size),
                _firm(measured, make(4, tag), size),
            )
            for tag in TAG_BYTES
            for size in OF_TAGS
        ]
        return _all_apart(pairs)

    return decide


def _two_bytes_gain(measured: Measured) -> tuple[bool, str]:
    found, holds = [], []
    for tag in TAG_BYTES:
        gain = ratio(_firm(measured, uhash(4, tag), LONG), _firm(measured, uhash(2, tag), LONG))
        least = _factor(uhash(4, tag), uhash(2, tag), LONG)
        holds.append(gain.low >= least)
        found.append(f"{tag} bytes ×{_interval(gain)}, at least {least:.1f} wanted")
    return all(holds), f"UHASH-4/l against UHASH-2/l, 256 KB: {'; '.join(found)}"


def _is_proportional(measured: Measured) -> tuple[bool, str]:
    found, holds = [], []
    for word in (4, 2):
        shortest = _firm(measured, umac(word, 4), LONG)
        factors = [ratio(_firm(measured, umac(word, tag), LONG), shortest) for tag in TAG_BYTES[1:]]
        for tag, factor in zip(TAG_BYTES[1:], factors, strict=True):
            least, most = ((1 + sign * PROPORTIONAL) * tag / 4 for sign in (-1, 1))
            holds.append(least <= factor.low and factor.high <= most)
        shown = ", ".join(f"×{_interval(it)}" for it in factors)
        found.append(f"UMAC-{word}/8, /12, /16: {shown}")
    short = [
        _firm(measured, umac(4, tag), 43).cycles.value
        / _firm(measured, umac(4, 4), 43).cycles.value
        for tag in TAG_BYTES[1:]
    ]
    at_43 = ", ".join(f"×{it:.2f}" for it in short)
    return all(holds), f"256 KB, against 4 bytes: {'; '.join(found)}; UMAC-4 at 43 bytes {at_43}"


def _pad_vanishes(measured: Measured) -> tuple[bool, str]:
    holds, cycles, shares = [], [], []
    for word in (4, 2):
        for tag in TAG_BYTES:
            short = [_firm(measured, make(word, tag), 43) for make in (umac, uhash)]
            holds.append(is_above(ratio(*short), 1.0) is True)
            cycles.append(43 * (short[0].cycles.value - short[1].cycles.value))
            pads = ratio(*(_firm(measured, make(word, tag), LONG) for make in (umac, uhash)))
            if pads.low <= 1 + NO_PAD < pads.high:
                raise NotTestable(
                    f"the figures for 256 KB are not sure enough: {umac(word, tag).name} takes "
                    f"×{_interval(pads)} as long as the UHASH in it"
                )
            holds.append(pads.high <= 1 + NO_PAD)
            shares.append(pads.value - 1)
    return all(holds), (
        f"with RC6 {min(cycles):.0f} to {max(cycles):.0f} cycles a message at 43 bytes "
        f"(UMAC-4/8 with AES {_pad_of_aes(measured)}); for 256 KB {min(shares):+.1%} to "
        f"{max(shares):+.1%}"
    )


def _pad_of_aes(measured: Measured) -> str:
    whole, hashed = measured.figure(umac(4, 8).with_aes, 43), _firm(measured, uhash(4, 8), 43)
    return f"{43 * (whole.cycles.value - hashed.cycles.value):.0f}" if whole else "not measured"


def _slower_from_memory(measured: Measured) -> tuple[bool, str]:
    usual = _firm(measured, HASH127, 4096)
    small = _firm(measured, HASH127, LONG)
    cached = measured.figure(HASH127.algorithm, LONG, Way.WHOLE)
    memory = measured.firm(HASH127.algorithm, LONG, Way.FROM_MEMORY)
    holds = all(is_above(ratio(memory, it), 1.0) is True for it in (usual, small))
    in_cache = f", whole in a cache {_interval(cached.cycles)}" if cached else ""
    return holds, (
        f"256 KB from memory {_interval(memory.cycles)}{in_cache}, from one small buffer "
        f"{_interval(small.cycles)}; 4096 bytes {_interval(usual.cycles)} cycles/byte"
    )


def _is_ordered(measured: Measured) -> tuple[bool, str]:
    names = [page.HASH127, page.HASH127_RC6, page.SHA1, page.HMAC_SHA1, page.CBC_RC6]
    pairs = [
        (fast.name, _firm(measured, fast, size), _firm(measured, slow, size))
        for size in (1500, 4096)
        for fast, slow in zip(names, names[1:], strict=False)
    ]
    holds, _ = _all_apart(pairs)
    shown = ", ".join(f"{it.name} {_interval(_firm(measured, it, 1500).cycles)}" for it in names)
    return holds, f"at 1500 bytes: {shown} cycles/byte"


def _reaches_peak(measured: Measured) -> tuple[bool, str]:
    names = ladder(measured)
    if not names:
        raise NotTestable("our kernels have no figure for UHASH-4/8")
    algorithm = umac(4, 8).with_aes
    narrow = measured.firm(algorithm, LONG, backend=names[0])
    widest = measured.figure(algorithm, LONG)
    wider = f", the fastest {_interval(widest.cycles)}" if widest else ""
    here = f"{names[0]} {_interval(narrow.cycles)}{wider} cycles/byte for 256 KB"
    return narrow.cycles.high <= PENTIUM4_CYCLES, here


def _brings_half(before: str, after: str) -> Decide:
    def decide(measured: Measured) -> tuple[bool, str]:
        names = ladder(measured)
        for name in (before, after):
            if name not in names:
                raise NotTestable(f"there is no {name} on this machine ({', '.join(names)})")
        found, holds = [], []
        for word in (4, 2):
            gains = []
            for tag in TAG_BYTES:
                one, other = (
                    measured.firm(umac(word, tag).with_aes, LONG, backend=it)
                    for it in (before, after)
                )
                gains.append(ratio(one, other))
            holds += [gain.low >= HALF for gain in gains]
            shown = ", ".join(f"×{_interval(gain)}" for gain in gains)
            found.append(f"UMAC-{word}/4, /8, /12, /16 {shown}")
        return all(holds), f"{'; '.join(found)}; {HALF} wanted"

    return decide


def _keeps_factor(slow: Function) -> Decide:
    def decide(measured: Measured) -> tuple[bool, str]:
        found, holds = [], []
        for fast in (umac(4, 8), umac(2, 8)):
            shown = []
            for size in SIZES:
                least = _factor(slow, fast, size)
                if least is None:
                    continue
                factor = ratio(_firm(measured, slow, size), _firm(measured, fast, size))
                holds.append(factor.low >= least)
                shown.append(f"{size} bytes ×{_interval(factor)} ({least:.1f} wanted)")
            found.append(f"{fast.name}: {', '.join(shown)}")
        return all(holds), ". ".join(found)

    return decide


def _not_speed(measured: Measured) -> tuple[None, str]:
    price = [
        ratio(_firm(measured, umac(4, 8), size), _firm(measured, umac(4, 4), size)).value
        for size in OF_TAGS
    ]
    raise NotTestable(
        "no measurement says how sure a tag has to be; twice the bits cost "
        f"×{min(price):.2f} to ×{max(price):.2f} here"
    )


def _no_powerpc(measured: Measured) -> tuple[None, str]:
    raise NotTestable("this machine is no PowerPC with AltiVec")


def _firm(measured: Measured, function: Function, message_bytes: int) -> Figure:
    return measured.firm(function.algorithm, message_bytes)


def _all_apart(pairs: Iterable[tuple[str, Figure, Figure]]) -> tuple[bool, str]:
    """Whether in each pair the first is faster beyond the intervals, and those where it is not."""
    pairs = list(pairs)
    failed = [
        f"{name} at {fast.message_bytes} bytes {_interval(fast.cycles)} against "
        f"{_interval(slow.cycles)}"
        for name, fast, slow in pairs
        if is_above(ratio(slow, fast), 1.0) is not True
    ]
    times = [ratio(slow, fast).value for _, fast, slow in pairs]
    here = f"{len(pairs) - len(failed)} of {len(pairs)}, ×{min(times):.2f} to ×{max(times):.2f}"
    shown = "; ".join(failed[:3]) + f" and {len(failed) - 3} more" * (len(failed) > 3)
    return not failed, f"{here}; not {shown} cycles/byte" if failed else here


def _interval(estimate: Estimate) -> str:
    digits = 2 if estimate.value >= 1 else 3
    value, low, high = (f"{it:.{digits}f}" for it in estimate)
    return f"{value} ({low} to {high})"


JUDGES: dict[Statement, Decide] = {
    UMAC_2_FASTER: _two_faster(umac),
    UHASH_2_FASTER: _two_faster(uhash),
    TWO_BYTES_GAIN: _two_bytes_gain,
    ON_POWERPC: _no_powerpc,
    PROPORTIONAL_TIME: _is_proportional,
    TAGS_OF_64_BITS: _not_speed,
    PAD_VANISHES: _pad_vanishes,
    OUTRUNS_HMAC: _keeps_factor(page.HMAC_SHA1),
    OUTRUNS_CBC: _keeps_factor(page.CBC_RC6),
    OUTRUNS_HASH127: _keeps_factor(page.HASH127_RC6),
    ORDER: _is_ordered,
    SLOWER_FROM_MEMORY: _slower_from_memory,
    AVX2_BRINGS_HALF: _brings_half("sse2", "avx2"),
    AVX512_BRINGS_HALF: _brings_half("avx2", "avx512"),
    PEAK: _reaches_peak,
}
STATEMENTS = tuple(JUDGES)
