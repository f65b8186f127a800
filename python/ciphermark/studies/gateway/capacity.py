"""Which lines can be filled, what more cores bring, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import (
    Figure,
    all_of,
    at_all_ends,
    field,
    has_settled,
    in_turn,
    is_above,
    is_below,
    of_row,
    opposite,
    quotient,
    shown,
)
from ciphermark.studies.gateway.evidence import Measured
from ciphermark.studies.gateway.evidence import carried as carried_by
from ciphermark.studies.gateway.paper import (
    AES,
    ATOM,
    BOXES,
    CBC,
    GCM,
    HASHES,
    POST,
    PRINTED,
    named,
    operation,
)
from ciphermark.studies.gateway.splits import Split, splits
from ciphermark.studies.gateway.tunnels import (
    PROTECTIONS,
    Protection,
    both_ways,
    scaling,
    speed,
)
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, NotTestable, Table, Verdict

if TYPE_CHECKING:
    from ciphermark.workloads.packets.row import PacketRow


BITS_PER_BYTE = 8

RATES = {"100M": 1e8, "1G": 1e9, "10G": 1e10}
"""Bits per second in each direction."""

LINK_BITS_PER_SECOND = 2 * RATES["100M"]
"""A symmetric link of 100 Mbit/s in both directions at once."""


class Carried(NamedTuple):
    """What of a function or a protection passes in each direction, both at once."""

    name: str
    one_core: Estimate
    """Bits per second."""
    every: float | None
    """Bits per second on all CPUs, many tunnels at once."""
    valid: bool
    settled: bool
    whole: bool
    watts: float | None = None
    """Of the machine as all its CPUs work on it; None where no meter was read."""


def carried(measured: Measured) -> list[Carried]:
    """Functions of the post, then what protects packets; without those that have no figures."""
    functions = [Protection(it) for it in (*POST, *_macs(measured)) if it not in _GCMS]
    found = []
    for it in (*functions, *PROTECTIONS):
        try:
            both = both_ways(measured, it)
        except NotTestable:
            continue
        one = both.mbytes_per_second.times(1e6 * BITS_PER_BYTE)
        grown = scaling(measured, it)
        valid = grown is None or has_settled(grown)
        every = None if grown is None else grown.value * one.value
        settled = has_settled(one)
        watts = measured_watts(measured, it)
        found.append(Carried(it.name, one, every, valid, settled, both.whole, watts))
    return found


def measured_watts(measured: Measured, it: Protection) -> float | None:
    """Mean power while all CPUs work on the suite, else on its parts one after the other."""
    for names in ((it.suite,), it.parts):
        rows = [measured.on(measured.cpus, name) for name in names]
        powers = [row.energy.watts.value for row in rows if row is not None and row.energy]
        if powers and len(powers) == len(names):
            return sum(powers) / len(powers)
    return None


_GCMS = tuple(it.cipher for it in PROTECTIONS if it.mac is None)


def lines(measured: Measured) -> Table:
    """Mbit/s in each direction, and the share of the CPU that is left at each rate."""
    every = f"all {figures.counted(measured.cpus, 'CPU')}"
    groups = ["one core"] + [every] * (measured.cpus > 1)
    table = Table(
        title="Filling a line in both directions: Mbit/s each way, and CPU left at 100M, 1G, 10G",
        columns=[
            Column(heading="function or protection"),
            *(
                Column(heading=heading, group=group, detail=group == every and heading == "100M")
                for group in groups
                for heading in ("Mbit/s", *RATES)
            ),
        ],
        notes=[
            "each way: messages of 1024 bytes sent and as many received, 8 bits a byte; no headers",
            "a percentage: the CPU that is left; ×2.1: the line needs 2.1 times this CPU",
            f"{every}: many tunnels, one on each; the packets of one tunnel keep their order, and "
            "CBC encryption cannot split a message",
        ],
    )
    for it in carried(measured):
        if not it.valid and measured.cpus > 1:
            table.doubtful.append((len(table.rows), 1 + len(RATES) + 1))
        if not it.settled:
            table.unsettled.append(len(table.rows))
        cells = _left(it.one_core.value)
        if measured.cpus > 1:
            cells += _left(it.every) if it.every else [None] * (1 + len(RATES))
        table.rows.append([it.name, *cells])
    if table.doubtful:
        table.notes.append("? other programs used the CPUs meanwhile")
    return table


def link_is_saturated(measured: Measured) -> Verdict:
    """By what AES-128-GCM seals: one core decides where it suffices, or where as many as there are
    would not do if each did as much; in between it takes figures of all."""
    gcm = Protection("aes-128-gcm")
    one = speed(measured, gcm).mbytes_per_second.times(1e6 * BITS_PER_BYTE)
    needed = f"{LINK_BITS_PER_SECOND / 1e6:.0f} Mbit/s needed"
    told = f"1 core: {_arithmetic(one)}, {needed}"
    if is_above(one, LINK_BITS_PER_SECOND):
        return True, f"{told}: {_left_over(one.value)} of one core is left"
    grown = scaling(measured, gcm)
    if is_below(one.times(max(2, measured.cpus)), LINK_BITS_PER_SECOND):
        return False, f"{told}; {max(2, measured.cpus)} cores are not enough either"
    if grown is None:
        raise NotTestable(f"{told}; all cores may be enough, but have no figure")
    every = at_all_ends(math.prod, (one, grown))
    told += f"; {measured.cpus} CPUs: {_arithmetic(every)}"
    if every.value > LINK_BITS_PER_SECOND:
        told += f": {_left_over(every.value)} of them is left"
    return is_above(every, LINK_BITS_PER_SECOND), told


def filled_by_the_box() -> str:
    """The same of the post's box, by its table."""
    mbytes = POST["aes-128-gcm"][0]
    return (
        f"2 cores × {mbytes:.2f} MB/s × 8 bit = {2 * 8 * mbytes:.0f} Mbit/s on {ATOM.title}, "
        f"200 Mbit/s needed: {100 - 20_000 / (2 * 8 * mbytes):.0f} % left"
    )


def _arithmetic(bits_per_second: Estimate) -> str:
    """`19.5 MB/s × 8 bit = 156 Mbit/s`."""
    mbits = bits_per_second.value / 1e6
    mbytes = figures.significant(mbits / BITS_PER_BYTE, 4)
    return f"{mbytes} MB/s × 8 bit = {figures.significant(mbits, 4)} Mbit/s"


def _left_over(bits_per_second: float) -> str:
    return figures.percent(1 - LINK_BITS_PER_SECOND / bits_per_second, 3)


def _left(bits_per_second: float) -> list[Cell]:
    """Mbit/s, and what is left of the CPU at each rate."""
    return [bits_per_second / 1e6, *(_share(rate / bits_per_second) for rate in RATES.values())]


def _share(busy: float) -> str:
    """`98 %`, or how many times the CPU it would take."""
    return figures.times(busy) if busy > 1 else f"{100 * (1 - busy):.0f} %"


def _macs(measured: Measured) -> list[str]:
    """MACs of tunnels that were measured."""
    names = dict.fromkeys(it.mac for it in PROTECTIONS if it.mac)
    return [it for it in names if measured.row(it) and it not in HASHES]


BOX_CORES = 2
"""“Both cores of the processors.”"""

SECURED = {
    **{named(it): (it,) for it in GCM},
    **{
        f"{named(cipher)} + {named(mac)}": (cipher, mac)
        for cipher in CBC
        for mac in ("sha1", "sha256")
    },
}
"""What secures a message, of functions that the post has."""


def _of_box(place: int, functions: tuple[str, ...]) -> float:
    """Bits per second each way, both at once, on one core."""
    speed_ = in_turn(PRINTED[place].firm(it) for it in functions).value
    return speed_ * 1e6 * BITS_PER_BYTE / 2


def boxes(measured: Measured) -> Table:
    """What the post's boxes fill by their own columns, and what one is worth beside the other."""
    short = [box.title.partition(" ")[0] for box in BOXES]
    table = Table(
        title="What the post's boxes fill by its table: Mbit/s each way, CPU left at 100M",
        columns=[
            Column(heading="secured by"),
            *(
                Column(heading=heading, group=f"{box.title}, {BOX_CORES} cores")
                for box in BOXES
                for heading in ("Mbit/s", "100M")
            ),
            Column(heading=f"{short[1]}/{short[0]}", decimals=2),
            Column(heading="carries more"),
            Column(heading="Mbit/s", group="this machine, one core"),
        ],
        notes=[
            "two cores carry twice as much, as the post assumes: many tunnels, or the packets of "
            "one; a hash stands for the MAC",
            f"{short[1]}/{short[0]}: the {short[1]} is the better buy below this multiple of the "
            f"{short[0]}'s price",
            "receiving is assumed to cost as much as sending, as the post says",
        ],
    )
    here = {it.name: it.one_core.value / 1e6 for it in carried(measured)}
    for secured, functions in SECURED.items():
        rates = [BOX_CORES * _of_box(place, functions) for place in range(len(BOXES))]
        cells = [cell for rate in rates for cell in _left(rate)[:2]]
        name = functions[0] + (f"+hmac-{functions[1]}" if len(functions) > 1 else "")
        ahead = short[rates[1] > rates[0]]
        table.rows.append([secured, *cells, rates[1] / rates[0], ahead, here.get(name)])
    return table


def winner_printed(_: object) -> Verdict:
    """By what each carries of whole messages, and whether that fills the post's line."""
    rates = {
        name: [BOX_CORES * _of_box(place, functions) for place in range(len(BOXES))]
        for name, functions in SECURED.items()
    }
    atom = BOXES.index(ATOM)
    ahead = [name for name, both in rates.items() if both[atom] > both[1 - atom]]
    best = [max(rates, key=lambda name: rates[name][place]) for place in range(len(BOXES))]
    told = "; ".join(
        f"{box.title} {rates[name][place] / 1e6:.0f} Mbit/s each way by {name}"
        for place, (box, name) in enumerate(zip(BOXES, best, strict=True))
    )
    filled = [sum(both[place] >= RATES["100M"] for both in rates.values()) for place in (0, 1)]
    return len(ahead) == len(rates), (
        f"the Atom carries more with {', '.join(ahead) or 'nothing'} only, {len(ahead)} of "
        f"{len(rates)}; the most: {told}; 100 Mbit/s both ways are filled with {filled[0]} of them "
        f"by the {BOXES[0].title}, with {filled[1]} by the {BOXES[1].title}"
    )


PRICE, WATTS = "price", "watts"

ASKED = {
    PRICE: "price of the machine, in any currency",
    WATTS: "power of the machine at full load, W",
}
"""What `--given` takes."""

BTU_PER_HOUR_PER_WATT = 3600 / 1055.05585262
"""By the British thermal unit of the International Table (ISO 31-4): all power becomes heat."""


def by_capacity(measured: Measured) -> Table:
    """Each per Gbit/s in each direction; without rows where nothing is told."""
    told = measured.run.given
    every_one = carried(measured)
    is_measured = any(it.watts is not None for it in every_one)
    has = {PRICE: PRICE in told, WATTS: WATTS in told or is_measured}
    every = f"all {figures.counted(measured.cpus, 'CPU')}" if measured.cpus > 1 else "one core"
    told_words = ", ".join(f"{name} {value:g}" for name, value in told.items())
    table = Table(
        title="Price, power and heat of the line that is filled"
        + (f" ({told_words})" if told else ""),
        columns=[
            Column(heading="function or protection"),
            Column(heading="Gbit/s", group=every),
            *([Column(heading="price", group="per Gbit/s")] if has[PRICE] else []),
            *(
                [Column(heading=it, group="per Gbit/s") for it in ("W", "BTU/h")]
                if has[WATTS]
                else []
            ),
            *([Column(heading=it) for it in ("J/GB", "power")] if has[WATTS] else []),
        ],
        notes=[
            "Gbit/s: each way, both at once; J/GB: of 10^9 bytes sent and as many received",
            "price and power as given by --given: of the whole machine at full load; power as "
            "measured: of what its meters see, as all CPUs work on the function",
        ],
    )
    if any(has.values()):
        table.rows += [_cells_of_price(it, told, has[WATTS]) for it in every_one]
    return table


def hotter(measured: Measured) -> Verdict:
    """The post has no figures of power, and nothing here can be compared with words."""
    gcm = next((it for it in carried(measured) if it.name == "aes-128-gcm"), None)
    watts, how = power_of(gcm, measured.run.given)
    if watts is None:
        raise NotTestable(
            "no meter of power was read (ciphermark doctor says why): --given watts=10 gives watts "
            "and BTU/h per Gbit/s"
        )
    if gcm is None:
        raise NotTestable("AES-128-GCM has no figure")
    per_gbit = watts / (_bits_per_second(gcm) / 1e9)
    raise NotTestable(
        f"{watts:.4g} W as {how} are {figures.significant(per_gbit)} W, "
        f"{figures.significant(per_gbit * BTU_PER_HOUR_PER_WATT)} BTU/h, per Gbit/s of AES-128-GCM "
        "each way; the post has no watts to compare"
    )


MEASURED, TOLD = "measured", "told"


def power_of(it: Carried | None, told: dict[str, float]) -> tuple[float | None, str]:
    """Watts at full load, and whether they were measured or told."""
    if it is not None and it.watts is not None:
        return it.watts, MEASURED
    return told.get(WATTS), TOLD


def _cells_of_price(it: Carried, told: dict[str, float], has_watts: bool) -> list[Cell]:
    gbits_per_second = _bits_per_second(it) / 1e9
    cells: list[Cell] = [it.name, gbits_per_second]
    if PRICE in told:
        cells.append(told[PRICE] / gbits_per_second)
    power, how = power_of(it, told)
    if has_watts and power is not None:
        watts = power / gbits_per_second
        # A Gbit each way is an eighth of 10^9 bytes sent and as much received.
        cells += [watts, watts * BTU_PER_HOUR_PER_WATT, 8 * watts, how]
    elif has_watts:
        cells += [None] * 4
    return cells


def _bits_per_second(it: Carried) -> float:
    return it.every or it.one_core.value


DOUBLED = 0.05
"""Share by which all CPUs may carry less than so many times what one does, and still double it."""

GAINED = 0.10
"""Share that a second core must add to count as used."""

ONE_TUNNEL, MANY, SPLIT = "one tunnel's packets in order", "many tunnels", "one message of"

SPLIT_SIZES = {1024: "1 KiB", 65536: "64 KiB"}
"""Of messages that are split: a packet, and one so long that meeting again costs little."""


class Grown(NamedTuple):
    """How many times the throughput of one CPU several have."""

    cpus: int
    ratio: Figure


def ways(measured: Measured) -> Table:
    """AES in the two modes: what more CPUs bring in each way that was measured."""
    table = Table(
        title="Ways to use more CPUs: throughput of several / of one, packets of 1024 bytes",
        columns=[
            Column(heading="function"),
            Column(heading="CPUs"),
            Column(heading="times", group=ONE_TUNNEL),
            *(Column(heading=it, group=ONE_TUNNEL, detail=True) for it in ("low", "high")),
            Column(heading="times", group=MANY),
            *(Column(heading=it, group=SPLIT) for it in SPLIT_SIZES.values()),
        ],
        notes=[
            "in order: packets pass from one queue to all CPUs and are delivered in the order of "
            "submission; without a spare CPU one of them submits too",
            *_refusals(measured),
        ],
    )
    for function in AES:
        flow, many = one_tunnel(measured, function), many_tunnels(measured, function)
        messages = [one_message(measured, function, size) for size in SPLIT_SIZES]
        used = flow or many
        if used is None:
            continue
        place = len(table.rows)
        table.doubtful += [
            (place, column)
            for it, column in ((flow, 2), (many, 5))
            if it and not has_settled(it.ratio)
        ]
        cells: list[Cell] = [function, used.cpus]
        cells += list(flow.ratio) if flow else [None] * 3
        table.rows.append(
            [
                *(*cells, many.ratio.value if many else None),
                *(field(message, "speedup") for message in messages),
            ]
        )
    if table.doubtful:
        table.notes.append("? does not count: other programs used the CPUs")
    return table


def gcm_doubles(measured: Measured) -> Verdict:
    """By many tunnels, and by one tunnel's packets where these were measured."""
    verdicts, told = [], []
    for way, function, it in _found(measured, GCM):
        verdicts.append(is_above(it.ratio, (1 - DOUBLED) * it.cpus))
        told.append(_told(way, function, it))
    return all_of(verdicts), "; ".join([*told, *_split(measured, GCM)])


def cbc_cannot(measured: Measured) -> Verdict:
    """By the same ways, in which a gateway has packets and no single endless message."""
    beyond, told = [], []
    for way, function, it in _found(measured, [name for name in CBC if name in AES]):
        beyond.append(is_above(it.ratio, 1 + GAINED))
        told.append(_told(way, function, it))
    return all_of(map(opposite, beyond)), "; ".join(
        [*told, *_split(measured, CBC), *_refusals(measured)]
    )


def many_tunnels(measured: Measured, function: str) -> Grown | None:
    """By a session on each CPU."""
    rows = [row for cpus in (1, measured.cpus) if (row := measured.on(cpus, function))]
    if measured.cpus < 2 or len(rows) < 2:
        return None
    one, every = rows
    return Grown(measured.cpus, quotient(carried_by(every), carried_by(one)))


def one_tunnel(measured: Measured, function: str) -> Grown | None:
    """By packets of one flow that leave in their order."""
    rows = {row.cores: row for row in _flows(measured, function)}
    cpus = max(rows, default=1)
    if cpus < 2 or 1 not in rows:
        return None
    costs = [
        of_row(row.cycles("processing") or Estimate(math.nan), row) for row in (rows[1], rows[cpus])
    ]
    return Grown(cpus, quotient(*costs))


def one_message(measured: Measured, function: str, message_bytes: int) -> Split | None:
    """A message of so many bytes, split over several cores; None where it was not measured."""
    what = (function, operation(function, "sending"), message_bytes)
    found = splits(measured.split, measured.sharing)
    alike = (it for it in found if (it.algorithm, it.operation, it.message_bytes) == what)
    return next(alike, None)


def _split(measured: Measured, functions: tuple[str, ...]) -> Iterator[str]:
    """What splitting one message brought."""
    for function in functions:
        for size, name in SPLIT_SIZES.items():
            it = one_message(measured, function, size)
            if it is not None and it.speedup is not None and it.low is not None:
                ratio = Estimate(it.speedup, it.low, it.high)
                yield f"{named(function)}, one message of {name} split: ×{shown(ratio)}"


def _refusals(measured: Measured) -> list[str]:
    """Why a message cannot be split, as the engine says it."""
    refused: dict[str, dict[str, None]] = {}
    for it in splits(measured.split, measured.sharing):
        if it.cannot and it.why_not:
            refused.setdefault(it.why_not, {})[it.algorithm] = None
    return [
        f"one message cannot be split, {', '.join(names)}: {why}" for why, names in refused.items()
    ]


def _found(
    measured: Measured, functions: list[str] | tuple[str, ...]
) -> Iterator[tuple[str, str, Grown]]:
    """What counts, of all these functions in each way that was measured; else NotTestable."""
    ways = {
        MANY: [(it, many_tunnels(measured, it)) for it in functions],
        ONE_TUNNEL: [(it, one_tunnel(measured, it)) for it in functions],
    }
    had = {way: found for way, found in ways.items() if any(it for _, it in found)}
    if not had:
        raise NotTestable("nothing was measured both on one CPU and on several")
    for way, found in had.items():
        for function, it in found:
            if it is None:
                raise NotTestable(f"{function} has no figure on one and on several CPUs")
            yield way, function, it


def _told(way: str, function: str, it: Grown) -> str:
    return f"{named(function)}, {way}, {it.cpus} CPUs: ×{shown(it.ratio)}"


def _flows(measured: Measured, function: str) -> list[PacketRow]:
    what = (function, operation(function, "sending"), "ordered", 1)
    return [
        row
        for row in measured.packets
        if (row.algorithm, row.operation, row.delivery, row.keys) == what and row.processing_cycles
    ]
