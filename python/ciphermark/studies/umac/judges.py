"""The page's statements, judged by a run: what its text says, and what its tables show.

A statement about an order holds where the intervals of the figures are apart, all that it speaks
of.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import (
    Evidence,
    all_of,
    geometric_mean,
    is_above,
    is_below,
    is_between,
    mean_figure,
    quotient,
)
from ciphermark.studies.umac import paper, processors
from ciphermark.studies.umac.evidence import Asked, Measured, Printed, Way, ladder
from ciphermark.studies.umac.paper import (
    HASH127,
    LONG,
    PENTIUM,
    PLATFORMS,
    POWERPC,
    SIZES,
    SIZES_OF_TAGS,
    TAG_BYTES,
    Function,
    uhash,
    umac,
)
from ciphermark.view.findings import NotTestable, Verdict

PROPORTIONAL = 0.2
"""Share by which time may differ from what is proportional to the tag; on the page, for 256 KB, it
is 0.07 at most."""

NO_PAD = 0.05
"""Share of a UMAC's time that is nothing, as it is in figures that are rounded to a tenth."""

HALF = 1.5
"""“At least 50 %.”"""

PENTIUM4_CYCLES = 1.1

ABOUT_FOUR = (3.0, 5.0)
"""What “about four times” allows in the mean of all lengths of output."""

Figures = Evidence[Asked]
"""Of a run, or of the page."""

Decide = Callable[[Measured], Verdict]
Ask = Callable[[Figures], Verdict]
"""Of both."""


def gains(make: Callable[[int, int], Function], platform: str = PENTIUM) -> str:
    """The gains of words of 2 bytes that the page's tables show for 256 KB."""
    each = [paper.factor(make(4, tag), make(2, tag), LONG, platform) for tag in TAG_BYTES]
    return f"{min(each):.1f} to {max(each):.1f}"


def outruns(slow: Function) -> str:
    """By how much UMAC with the tags that the page advocates does another MAC."""
    sizes = [size for size in SIZES if _least(slow, umac(4, 8), size) is not None]
    factors = ", ".join(f"{paper.factor(slow, umac(4, 8), size):.1f}" for size in sizes)
    return f"UMAC-4/8: {factors} times at {', '.join(map(str, sizes))} bytes; UMAC-2/8 more"


def two_faster(make: Callable[[int, int], Function]) -> Ask:
    def decide(measured: Figures) -> Verdict:
        return _all_faster(
            measured,
            [(make(2, tag), make(4, tag), size) for tag in TAG_BYTES for size in SIZES_OF_TAGS],
        )

    return decide


def two_bytes_gain(measured: Measured) -> Verdict:
    found, holds = [], []
    for tag in TAG_BYTES:
        gain = _ratio(measured, uhash(4, tag), uhash(2, tag), LONG)
        least = _ratio(Printed(), uhash(4, tag), uhash(2, tag), LONG).low or 0.0
        holds.append(is_above(gain, least))
        found.append(f"{tag} bytes ×{_interval(gain)}, at least {least:.1f} wanted")
    return all_of(holds), f"UHASH-4/l against UHASH-2/l, 256 KB: {'; '.join(found)}"


def is_proportional(measured: Figures) -> Verdict:
    found, holds = [], []
    for word in (4, 2):
        shown = []
        for tag in TAG_BYTES[1:]:
            factor = _ratio(measured, umac(word, tag), umac(word, 4), LONG)
            least, most = ((1 + sign * PROPORTIONAL) * tag / 4 for sign in (-1, 1))
            holds.append(is_between(factor, least, most))
            shown.append(f"×{_interval(factor)}")
        found.append(f"UMAC-{word}/8, /12, /16: {', '.join(shown)}")
    at_43 = ", ".join(
        f"×{_ratio(measured, umac(4, tag), umac(4, 4), 43).value:.2f}" for tag in TAG_BYTES[1:]
    )
    return all_of(holds), f"256 KB, against 4 bytes: {'; '.join(found)}; UMAC-4 at 43 bytes {at_43}"


def pad_vanishes(measured: Figures) -> Verdict:
    holds, cycles, shares = [], [], []
    for word in (4, 2):
        for tag in TAG_BYTES:
            whole, hashed = umac(word, tag), uhash(word, tag)
            holds.append(is_above(_ratio(measured, whole, hashed, 43), 1.0))
            cycles.append(
                43 * (_firm(measured, whole, 43).value - _firm(measured, hashed, 43).value)
            )
            pads = _ratio(measured, whole, hashed, LONG)
            holds.append(is_below(pads, 1 + NO_PAD))
            shares.append(pads.value - 1)
    of_aes = _pad_of_aes(measured)
    return all_of(holds), (
        f"{'with RC6 ' if of_aes else ''}{min(cycles):.0f} to {max(cycles):.0f} cycles a message "
        f"at 43 bytes{of_aes}; for 256 KB {min(shares):+.1%} to {max(shares):+.1%}"
    )


def _pad_of_aes(measured: Figures) -> str:
    whole = measured.figure(Asked(umac(4, 8).with_aes, 43))
    hashed = _firm(measured, uhash(4, 8), 43)
    return f" (UMAC-4/8 with AES {43 * (whole.value - hashed.value):.0f})" if whole else ""


def slower_from_memory(measured: Measured) -> Verdict:
    usual, small = Asked(HASH127.algorithm, 4096), Asked(HASH127.algorithm, LONG)
    cached = measured.figure(small._replace(way=Way.WHOLE))
    memory = small._replace(way=Way.FROM_MEMORY)
    in_cache = f", whole in a cache {_interval(cached)}" if cached else ""
    shown = {it: _interval(measured.firm(it)) for it in (usual, small, memory)}
    return all_of(is_above(measured.ratio(memory, it), 1.0) for it in (usual, small)), (
        f"256 KB from memory {shown[memory]}{in_cache}, from one small buffer {shown[small]}; "
        f"4096 bytes {shown[usual]} cycles/byte"
    )


def slower_beyond_the_cache(page: Printed) -> Verdict:
    """Where its 256 KB lay was not the nearest cache; nothing else of it is printed."""
    usual, long = (page.firm(Asked(HASH127.algorithm, size)) for size in (4096, LONG))
    return is_above(quotient(long, usual), 1.0), (
        f"256 KB {_interval(long)}, 4096 bytes {_interval(usual)} cycles/byte"
    )


def by_doubles(measured: Measured) -> Verdict:
    """By two kernels in plain C that the same compiler made vectors of."""
    doubles, integers = (
        Asked(HASH127.algorithm, 4096, backend=it) for it in ("doubles", "portable")
    )
    shown = {it: _interval(measured.firm(it)) for it in (doubles, integers)}
    ratio = measured.ratio(doubles, integers)
    return is_below(ratio, 1.0), (
        f"4096 bytes: doubles {shown[doubles]}, integers {shown[integers]} cycles/byte, "
        f"×{_interval(ratio)}"
    )


def is_ordered(measured: Figures) -> Verdict:
    names = [paper.HASH127, paper.HASH127_RC6, paper.SHA1, paper.HMAC_SHA1, paper.CBC_RC6]
    holds, _ = _all_faster(
        measured, [(*pair, size) for size in (1500, 4096) for pair in pairwise(names)]
    )
    shown = ", ".join(f"{it.name} {_interval(_firm(measured, it, 1500))}" for it in names)
    return holds, f"at 1500 bytes: {shown} cycles/byte"


def reaches_peak(measured: Measured) -> Verdict:
    names = ladder(measured)
    if not names:
        raise NotTestable("our kernels have no figure for UHASH-4/8")
    asked = Asked(umac(4, 8).with_aes, LONG)
    narrow, widest = measured.firm(asked._replace(backend=names[0])), measured.figure(asked)
    wider = f", the fastest {_interval(widest)}" if widest else ""
    here = f"{names[0]} {_interval(narrow)}{wider} cycles/byte for 256 KB"
    return is_below(narrow, PENTIUM4_CYCLES), here


def brings_half(before: str, after: str) -> Decide:
    def decide(measured: Measured) -> Verdict:
        names = ladder(measured)
        for name in (before, after):
            if name not in names:
                raise NotTestable(f"there is no {name} on this machine ({', '.join(names)})")
        found, holds = [], []
        for word in (4, 2):
            shown = []
            for tag in TAG_BYTES:
                asked = Asked(umac(word, tag).with_aes, LONG)
                one, other = (asked._replace(backend=it) for it in (before, after))
                gain = measured.ratio(one, other)
                holds.append(is_above(gain, HALF))
                shown.append(f"×{_interval(gain)}")
            found.append(f"UMAC-{word}/4, /8, /12, /16 {', '.join(shown)}")
        return all_of(holds), f"{'; '.join(found)}; {HALF} wanted"

    return decide


def keeps_factor(slow: Function) -> Decide:
    def decide(measured: Measured) -> Verdict:
        found, holds = [], []
        for fast in (umac(4, 8), umac(2, 8)):
            shown = []
            for size in SIZES:
                if (least := _least(slow, fast, size)) is not None:
                    factor = _ratio(measured, slow, fast, size)
                    holds.append(is_above(factor, least))
                    shown.append(f"{size} bytes ×{_interval(factor)} ({least:.1f} wanted)")
            found.append(f"{fast.name}: {', '.join(shown)}")
        return all_of(holds), ". ".join(found)

    return decide


def not_speed(measured: Measured) -> Verdict:
    price = [_ratio(measured, umac(4, 8), umac(4, 4), size).value for size in SIZES_OF_TAGS]
    raise NotTestable(
        "no measurement decides how long a tag has to be; twice the bits cost "
        f"×{min(price):.2f} to ×{max(price):.2f} here"
    )


def on_powerpc(measured: Measured) -> Verdict:
    """By the fewest instructions of our kernels on that processor, simulated."""
    gains = {}
    for tag in TAG_BYTES:
        four, two = (
            processors.fewest(measured, make, LONG) for make in (uhash(4, tag), uhash(2, tag))
        )
        gains[tag] = four.a_byte / two.a_byte
    mean = geometric_mean(gains.values())
    least, most = ABOUT_FOUR
    each = ", ".join(f"{tag} bytes ×{gain:.2f}" for tag, gain in gains.items())
    return least <= mean <= most, (
        f"instructions on a simulated PowerPC 7400, 256 KB, UHASH-4/l over UHASH-2/l: {each}; "
        f"×{mean:.2f} in the mean, {least:.0f} to {most:.0f} wanted"
    )


def on_powerpc_printed(page: Printed) -> Verdict:
    """The same of the page's cycles."""
    gains = [_ratio(page, uhash(4, tag), uhash(2, tag), LONG) for tag in TAG_BYTES]
    mean = mean_figure(gains)
    each = ", ".join(f"×{gain.value:.2f}" for gain in gains)
    return is_between(mean, *ABOUT_FOUR), (
        f"256 KB, 4, 8, 12, 16 bytes: {each}; ×{mean.value:.2f} in the mean"
    )


def on_both(ask: Ask) -> Callable[[Printed], Verdict]:
    """Of the page's two platforms."""

    def decide(page: Printed) -> Verdict:
        found = {title: ask(Printed(platform)) for platform, title in PLATFORMS.items()}
        shown = "; ".join(f"{title}: {here}" for title, (_, here) in found.items())
        return all_of(holds for holds, _ in found.values()), shown

    return decide


def _least(slow: Function, fast: Function, message_bytes: int) -> float | None:
    """Returns the least quotient of two functions by the page's rounded figures.

    None where one is not printed, or its messages lay in another place.
    """
    both = [paper.published(it, message_bytes) for it in (slow, fast)]
    if None in both or (slow is paper.HASH127_RC6 and message_bytes == LONG):
        return None
    return _ratio(Printed(), slow, fast, message_bytes).low


def _firm(measured: Figures, function: Function, message_bytes: int) -> Estimate:
    return measured.firm(Asked(function.algorithm, message_bytes))


def _ratio(measured: Figures, over: Function, under: Function, message_bytes: int) -> Estimate:
    one, other = (Asked(it.algorithm, message_bytes) for it in (over, under))
    return measured.ratio(one, other)


def _all_faster(measured: Figures, pairs: list[tuple[Function, Function, int]]) -> Verdict:
    """Whether in each pair the first is the faster one beyond the intervals, and those where it is
    not."""
    ratios = [_ratio(measured, slow, fast, size) for fast, slow, size in pairs]
    holds = [is_above(it, 1.0) for it in ratios]
    failed = [
        f"{fast.name} at {size} bytes {_interval(_firm(measured, fast, size))} against "
        f"{_interval(_firm(measured, slow, size))}"
        for (fast, slow, size), is_faster in zip(pairs, holds, strict=True)
        if is_faster is not True
    ]
    times = [it.value for it in ratios]
    here = f"{len(pairs) - len(failed)} of {len(pairs)}, ×{min(times):.2f} to ×{max(times):.2f}"
    shown = "; ".join(failed[:3]) + f" and {len(failed) - 3} more" * (len(failed) > 3)
    return all_of(holds), f"{here}; not {shown} cycles/byte" if failed else here


def _interval(estimate: Estimate) -> str:
    """Returns `0.912 (0.905 to 0.921)`; of what was printed, or has no interval, the value."""
    digits = 2 if estimate.value >= 1 else 3
    value = f"{estimate.value:.{digits}f}"
    if estimate.low is None or estimate.high is None or not getattr(estimate, "inputs", ()):
        return value
    return f"{value} ({estimate.low:.{digits}f} to {estimate.high:.{digits}f})"


JUDGES: dict[str, Decide] = {
    "umac-2-faster-than-umac-4": two_faster(umac),
    "uhash-2-faster-than-uhash-4": two_faster(uhash),
    "two-byte-words-gain": two_bytes_gain,
    "two-byte-words-on-powerpc": on_powerpc,
    "time-proportional-to-tag": is_proportional,
    "64-bit-tags-for-most-purposes": not_speed,
    "pad-vanishes-with-length": pad_vanishes,
    "umac-outruns-hmac-sha1": keeps_factor(paper.HMAC_SHA1),
    "umac-outruns-cbc-rc6-mac": keeps_factor(paper.CBC_RC6),
    "umac-outruns-hash127-rc6": keeps_factor(paper.HASH127_RC6),
    "comparison-order": is_ordered,
    "hash127-slower-beyond-the-cache": slower_from_memory,
    "hash127-by-floating-point": by_doubles,
    "avx2-brings-half": brings_half("sse2", "avx2"),
    "avx512-brings-half": brings_half("avx2", "avx512"),
    "umac-4-8-peak-of-128-bit-vectors": reaches_peak,
}

BY_TABLES: dict[str, Callable[[Printed], Verdict]] = {
    "umac-2-faster-than-umac-4": two_faster(umac),
    "uhash-2-faster-than-uhash-4": on_both(two_faster(uhash)),
    "two-byte-words-on-powerpc": lambda _: on_powerpc_printed(Printed(POWERPC)),
    "time-proportional-to-tag": is_proportional,
    "pad-vanishes-with-length": pad_vanishes,
    "comparison-order": is_ordered,
    "hash127-slower-beyond-the-cache": slower_beyond_the_cache,
}
"""What its own figures can tell; what is asked of other figures than its own is not among them."""

QUOTED: dict[str, Callable[[], str]] = {
    "two-byte-words-gain": lambda: (
        f"UHASH-4/l takes {gains(uhash)} times as long as UHASH-2/l on the Pentium III, "
        f"{gains(uhash, POWERPC)} times on the PowerPC"
    ),
    "two-byte-words-on-powerpc": lambda: f"{gains(uhash, POWERPC)} times for 256 KB",
    "umac-outruns-hmac-sha1": lambda: outruns(paper.HMAC_SHA1),
    "umac-outruns-cbc-rc6-mac": lambda: outruns(paper.CBC_RC6),
    "umac-outruns-hash127-rc6": lambda: outruns(paper.HASH127_RC6),
}
"""Figures of the page that its statements are told with."""
