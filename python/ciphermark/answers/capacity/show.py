"""Capacity as blocks: the answer in sentences, then a line for each suite."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from ciphermark.answers.capacity.answer import (
    BYTES,
    CORES,
    FIXED,
    LINK,
    MEMORY,
    ONE_EACH,
    Answer,
    Demand,
    Held,
    Keys,
    Known,
    Question,
    Unanswered,
)
from ciphermark.answers.capacity.bursts import LATE_SHARE, BurstFigures
from ciphermark.answers.capacity.framing import OnWire
from ciphermark.answers.capacity.keys import KeyLife, more_than
from ciphermark.answers.capacity.packet_cost import Basis
from ciphermark.answers.capacity.path import TUNNELS, path_words
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Headline, Notes, Table
from ciphermark.view.column import Cell, Column, of_text, of_words
from ciphermark.view.problems import FAILED, MARKS

BASES: dict[Basis, str] = {
    "profile": "this mix, measured",
    "sizes": "interpolated",
    "parts": "cipher + MAC",
    "imported": "another program",
    "predicted": "a prediction",
}

LONGER = {
    FIXED: "larger packets would carry more",
    BYTES: "larger packets would not help, a faster cipher or more cores would",
    CORES: "too few sizes were measured to tell whether packets or bytes cost more",
    LINK: "the CPU could do more",
    ONE_EACH: "more tunnels would use more cores",
    MEMORY: "more cores may not help",
}

VERDICTS = {True: "Yes", False: "No", None: "Not sure"}
"""Words for whether the cores carry the wanted rate; None where the interval leaves it open."""

_TIMES = (
    ("years", 365.25 * 86_400.0),
    ("days", 86_400.0),
    ("h", 3600.0),
    ("min", 60.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("µs", 1e-6),
)
WORTH_SAYING = 0.001
"""Share of a core that is mentioned: setting up keys takes less on almost every machine."""

_LONGEST_S = 1000 * _TIMES[0][1]


def rate(bits_per_second: float) -> str:
    """Formats a rate in powers of 1000: `9.41 Gbit/s`."""
    return figures.in_units(bits_per_second, figures.BIT_RATES)


def lasting(seconds: float) -> str:
    """Formats a time in the largest unit of which it has one and a half."""
    if seconds == 0:
        return "nothing"
    if seconds > _LONGEST_S:
        return "> 1000 years"
    return figures.in_units(seconds, _TIMES, 1.5)


def interval(low: float, high: float) -> str:
    """Formats ends of a rate: `9.12 to 9.71 Gbit/s`."""
    unit, size = figures.unit_of(low, figures.BIT_RATES)
    return f"{figures.significant(low / size)} to {figures.significant(high / size)} {unit}"


def per_second(packets: float) -> str:
    """Formats a rate of packets: `2.25 M packets/s`."""
    units = (("M packets/s", 1e6), ("k packets/s", 1e3), ("packets/s", 1.0))
    return figures.in_units(packets, units)


def gbit_interval(low: float, high: float) -> str:
    """Formats ends in Gbit/s: `9.12–9.71`."""
    if low == high:
        return "full link"
    return f"{figures.significant(low / 1e9)}–{figures.significant(high / 1e9)}"


def asked(question: Question) -> str:
    """Returns the question, as it was understood."""
    profile = question.profile
    free = f"{100 * question.keep_free:g} % of each kept free" if question.keep_free else ""
    link = question.link_bits_per_second
    tunnels = "" if question.tunnels is None else figures.counted(question.tunnels, "tunnel")
    traffic = (
        f"{profile.name} (packets of {figures.significant(profile.mean_bytes)} bytes on average)"
    )
    if profile.mean_bytes == profile.largest_bytes:
        traffic = f"packets of {profile.largest_bytes} bytes"
    parts = [
        traffic,
        figures.counted(question.cores, "core"),
        free,
        tunnels,
        "" if link is None else f"a link of {rate(link)}",
        "both ways" if question.both_ways else "one way (sending)",
    ]
    return ", ".join(filter(None, parts))


def summary(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yields the facts about the best suite, each with its label."""
    yield "carries", _carries(answer)
    if answer.flow.value < 0.99 * answer.payload_bits_per_second:
        yield "one tunnel", f"{_between(answer.flow)}: one tunnel uses one core at most"
    if answer.held is not None:
        yield rate(answer.held.rate_bits_per_second), _holds(answer.held)
    yield "CPU", _cpu(answer)
    if answer.energy is not None:
        yield "energy", _energy(answer)
    if answer.demand is not None:
        yield "headroom", _headroom(answer.demand)
    yield "limit", _limit(answer)
    if answer.key is not None:
        yield "keys", _keys(answer.key)
    if answer.bursts is not None:
        for number, text in enumerate(_bursts(answer.bursts)):
            yield "" if number else "bursts", text
    if answer.on_wire is not None and answer.on_wire.fragmented_share > 0:
        yield "fragments", _fragments(answer.on_wire)
    yield "known by", f"{BASES[answer.basis]}, {answer.provider} · {answer.backend}"
    if answer.many_keys is not None:
        yield "many keys", _many_keys(answer.many_keys)
    yield "data path", path_words(answer.path, answer.cryptography_share)
    yield "not in it", left_out(answer)


def spread(it: Estimate, form: Callable[[float], str] = figures.significant, unit: str = "") -> str:
    """Formats the ends of an interval after its figure: ` (9.1 to 9.7)`."""
    if it.interval is None:
        return ""
    low, high = map(form, it.interval)
    return f" ({low} to {high}{unit})"


def _carries(answer: Answer) -> str:
    payload = rate(answer.payload_bits_per_second)
    wire = answer.wire_bits_per_second
    on_wire = "" if wire is None else f", {rate(wire)} on Ethernet"
    ways = " each way" if answer.both_ways else ""
    sure = "the link is full" if answer.low == answer.high else interval(answer.low, answer.high)
    return f"{payload} of payload{ways} ({sure}), {per_second(answer.packets_per_second)}{on_wire}"


def _between(figure: Estimate) -> str:
    bounds = figure.interval or (figure.value, figure.value)
    return f"{rate(figure.value)} ({interval(*bounds)})"


def _holds(held: Held) -> str:
    share = held.cpu_share
    takes = f"uses {figures.percent(share.value)} of a core{spread(share, figures.percent)}"
    if held.tunnels == 0 and held.limit == "one core":
        return f"{takes}: no core carries such a tunnel"
    low, high = held.tunnels_low, held.tunnels_high
    bounds = ""
    if high is None:
        bounds = f" (at least {figures.grouped(low)})"
    elif low != high:
        bounds = f" ({figures.grouped(low)} to {figures.grouped(high)})"
    limited = "the link" if held.limit == LINK else "the cores"
    return f"{takes}; {figures.counted(held.tunnels, 'tunnel')}{bounds} fit, limited by {limited}"


def _many_keys(keys: Keys) -> str:
    return (
        f"with {figures.grouped(keys.keys)} keys in use a packet of {keys.suite} costs "
        f"{more_than(keys.more, 'with one')}"
    )


def left_out(answer: Answer) -> str:
    """Returns the omissions of the figure, and the program that does the work in fact."""
    from ciphermark.answers.advice import left_out as of_use

    protocol = answer.suite.partition(":")[0] if ":" in answer.suite else None
    use = of_use.use_of(protocol)
    sentence = of_use.sentence(use, answer.provider, answer.path)
    if use is not None and of_use.is_another(use, answer.provider):
        sentence += f": {of_use.measuring(use)}"
    return sentence


def _cpu(answer: Answer) -> str:
    per = answer.cores_per_gbit
    cores = f"{figures.significant(per.value)} cores for 1 Gbit/s of payload"
    ways = " each way" if answer.both_ways else ""
    # The highest rate of the cores makes them busy, unless something else limits it.
    busy = f"; this load {_busy(answer)}" if answer.cores_used < 0.99 * answer.cores else ""
    return f"{cores}{ways} (±{figures.percent(per.share or 0.0)}){busy}"


def _energy(answer: Answer) -> str:
    used = answer.energy
    assert used is not None
    gigabyte = used.joules_per_gigabyte
    joules = f"{figures.significant(gigabyte.value)} J a gigabyte of payload"
    ways = " each way" if answer.both_ways else ""
    load = "what is asked for" if answer.demand is not None else "this load"
    return (
        f"{joules}{ways}{spread(gigabyte, unit=' J')}; {figures.significant(used.watts.value)} W "
        f"at {load}, of which the idle machine takes {figures.significant(used.idle_watts)} W "
        f"({used.source})"
    )


def _headroom(demand: Demand) -> str:
    times = f"{figures.significant(demand.headroom.value)} times"
    return f"the cores carry {times} the traffic asked about{spread(demand.headroom)}"


def _busy(answer: Answer) -> str:
    """Returns `uses 12 % of one core`, `uses 1.30 of 4 cores`."""
    if answer.cores == 1:
        return f"uses {figures.percent(answer.cores_used)} of one core"
    return f"uses {figures.significant(answer.cores_used)} of {answer.cores} cores"


def _limit(answer: Answer) -> str:
    fixed = answer.fixed_share
    share = "" if fixed is None else f" ({figures.percent(fixed)} of a packet's cost is fixed)"
    memory = answer.memory_bits_per_second
    cold = (
        ""
        if memory is None
        else (f"; at most {rate(memory)} if packets come from memory instead of a cache")
    )
    return f"{answer.limit}{share}: {LONGER[answer.limit]}{cold}"


def _keys(key: KeyLife) -> str:
    if math.isinf(key.seconds):
        return "no limit of a key is reached"
    cost = ""
    if key.cpu_share is not None and key.cpu_share > WORTH_SAYING:
        cost = f"; setting up keys takes {figures.percent(key.cpu_share, 1)} of a core"
    hurry = ", less than a key exchange needs: take another suite" if key.hurried else ""
    return (
        f"one key lasts {lasting(key.seconds)} at this rate{hurry}{cost}; its limit is "
        f"{key.limit.amount}. {key.limit.reason} ({key.limit.source})."
    )


def _fragments(wire: OnWire) -> str:
    share = figures.percent(wire.fragmented_share)
    return (
        f"{share} of the packets are longer than the MTU of {wire.mtu_bytes} bytes with their "
        f"headers, and are fragmented; the largest unfragmented packet has {wire.largest_bytes} "
        "bytes: send shorter packets, or raise --mtu"
    )


def _bursts(found: BurstFigures) -> Iterator[str]:
    peak, served = rate(found.peak_bits_per_second), rate(found.served_bits_per_second)
    mean = rate(found.mean_bits_per_second)
    yield f"a tunnel of {mean} in bursts of {peak}, served at {served} ({found.method})"
    if found.served_bits_per_second >= found.peak_bits_per_second:
        yield "the service rate is above the peak: nothing waits, and nothing is lost"
        return
    if found.load >= 1:
        yield "the mean rate is above the service rate: the queue grows without end"
    elif found.late_delay_s is not None:
        yield (
            f"{100 * (1 - LATE_SHARE):g} % of the data wait less than "
            f"{lasting(found.late_delay_s.value)}{spread(found.late_delay_s, lasting)}"
        )
    if found.buffer_bytes is not None:
        needed = figures.significant(found.buffer_bytes.value / 1000)
        yield (
            f"a buffer of {needed} kB loses {figures.percent(found.lost_for_buffer, 1)} of the data"
        )
    if found.lost is not None and found.given_buffer_bytes is not None:
        given = figures.significant(found.given_buffer_bytes / 1000)
        lost = f"{figures.percent(found.lost.value)}{spread(found.lost, figures.percent)}"
        yield f"one of {given} kB loses {lost}"


def blocks(
    question: Question, known: Known, found: Sequence[Answer | Unanswered]
) -> Iterator[Block]:
    """Yields the best suite and the table of all, for each profile, and the circumstances."""
    answers = [it for it in found if isinstance(it, Answer)]
    for profile in dict.fromkeys(it.profile for it in answers):
        rows = [it for it in answers if it.profile == profile]
        yield Headline(text=f"On {known.machine.label}: {headline(best(rows))}")
        yield Facts.of_pairs(summary(best(rows)))
        yield Table(columns=_columns(rows), rows=rows)
    cpus = "" if known.machine.cpus is None else f", {figures.counted(known.machine.cpus, 'CPU')}"
    yield Facts.of(
        {
            "Machine": f"{known.machine.name}{cpus}",
            "From": ", ".join(dict.fromkeys(it.source for it in answers)),
            "Asked": asked(question),
        }
    )
    yield Notes.of((it.reason for it in found if isinstance(it, Unanswered)), style="yellow")
    yield Notes.of([*together(answers), MARKS], style="dim")


def together(answers: Sequence[Answer]) -> Iterator[str]:
    """Yields the notes, each once, with all suites that have it."""
    suites: dict[str, list[str]] = {}
    for it in answers:
        for note in it.notes:
            of_all = note.removeprefix(f"{it.suite}: ")
            suites.setdefault(of_all, []).extend([it.suite] * (of_all != note))
    for note, named in suites.items():
        yield f"{', '.join(dict.fromkeys(named))}: {note}" if named else note


def best(answers: Sequence[Answer]) -> Answer:
    """Returns the suite that carries most, one of tunnels if there is any.

    Where suites fill a link alike, the CPU decides. Suites without figures for so many keys come
    last: they would win by the cost that their figures leave out.
    """
    of_tunnels = [it for it in answers if it.suite.partition(":")[0] in TUNNELS]
    with_keys = [it for it in of_tunnels or answers if not it.lacks_keys]
    return min(
        with_keys or of_tunnels or answers,
        key=lambda it: (-alike(it.payload_bits_per_second), it.cores_per_gbit.value),
    )


def alike(rate: float) -> float:
    """Rounds a rate so that suites that fill a link are equal."""
    return float(f"{rate:.9e}")


def reach(answer: Answer) -> str:
    """Returns the work on a packet that the figures have in them."""
    return "cryptography alone" if answer.path is None else "data path included"


def headline(answer: Answer) -> str:
    """Returns the answer in one line."""
    suite = f"with {answer.suite}, {reach(answer)}"
    if answer.lacks_keys:
        suite += f", by figures with {figures.counted(answer.keys, 'key')} in use"
    if (demand := answer.demand) is not None:
        return f"{_asked_for(answer, demand)} {suite}."
    if answer.held is not None:
        held = answer.held
        each = rate(held.rate_bits_per_second)
        many = figures.counted(held.tunnels, "tunnel")
        verb = "holds" if answer.cores == 1 else "hold"
        return f"{_cores(answer).capitalize()} {verb} {many} of {each} each {suite}."
    verb = "carries" if answer.cores == 1 else "carry"
    payload = f"{rate(answer.payload_bits_per_second)} of payload"
    ways = " each way" if answer.both_ways else ""
    return f"{_cores(answer).capitalize()} {verb} {payload}{ways} {suite}."


def _asked_for(answer: Answer, demand: Demand) -> str:
    """Returns for example `Yes, 1 Gbit/s both ways uses 12 % of one core`."""
    ways = " both ways" if answer.both_ways else ""
    what = f"{rate(demand.rate_bits_per_second)} of payload{ways}"
    if demand.of_link:
        what = f"a full link ({what})"
    if demand.tunnels is not None:
        what = f"{figures.counted(demand.tunnels, 'tunnel')}, {what} in all,"
    said = VERDICTS[demand.enough]
    plural = "use" if demand.tunnels not in (None, 1) else "uses"
    if demand.enough is False:
        plural = "need" if plural == "use" else "needs"
    value = demand.cores.value
    if answer.cores == 1:
        used = figures.percent(value) + " of one core"
        if value >= 1:
            used = f"{figures.significant(value)} cores"
    elif demand.enough is False:
        used = f"{figures.significant(value)} cores"
    else:
        used = f"{figures.significant(value)} of {_cores(answer)}"
    if demand.enough is None and demand.cores.interval is not None:
        low, high = map(figures.significant, demand.cores.interval)
        used = f"{low} to {high} cores ({_cores(answer)} asked about)"
    return f"{said}, {what} {plural} {used}"


def _cores(answer: Answer) -> str:
    return "one core" if answer.cores == 1 else f"{answer.cores} cores"


def _columns(answers: Sequence[Answer]) -> list[Column[Answer]]:
    """Returns the columns; the figures that are asked for most stay longest."""
    capped = any(it.flow.value < 0.99 * it.payload_bits_per_second for it in answers)
    counted = any(it.tunnels is not None for it in answers)
    fragments = any(it.on_wire and it.on_wire.fragmented_share for it in answers)
    return [
        of_words("suite", lambda row: row.suite),
        Column("payload\nGbit/s", lambda row: row.payload_bits_per_second / 1e9),
        of_text(
            "95 %\ninterval",
            lambda row: Cell(gbit_interval(row.low, row.high), mark="interval"),
        ),
        Column("one\nflow", lambda row: row.flow.value / 1e9 if capped else None, dispensable=4),
        Column(
            "M packets\n/s",
            lambda row: row.packets_per_second / 1e6,
            dispensable=5,
            called="packets",
        ),
        Column("on wire\nGbit/s", _wire, dispensable=6, called="on the wire"),
        Column("cores per\nGbit/s", lambda row: row.cores_per_gbit.value, dispensable=3),
        Column(
            "J per\nGB",
            lambda row: row.energy and row.energy.joules_per_gigabyte.value,
            dispensable=4,
            called="energy of a gigabyte",
        ),
        Column(
            "W", lambda row: row.energy and row.energy.watts.value, dispensable=4, called="power"
        ),
        of_text(
            "tunnels\nfit",
            lambda row: "" if row.held is None else figures.grouped(row.held.tunnels),
        ),
        of_text(
            "keys\nin use",
            lambda row: figures.grouped(row.keys) if counted else "",
            dispensable=1,
            key=True,
        ),
        of_text(
            "fixed\ncost",
            lambda row: "" if row.fixed_share is None else figures.percent(row.fixed_share),
            dispensable=7,
        ),
        of_words("limit", lambda row: row.limit, dispensable=8),
        of_text(
            "unfrag-\nmented",
            lambda row: f"{row.on_wire.largest_bytes} B" if fragments and row.on_wire else "",
            dispensable=6,
            called="the largest unfragmented packet",
        ),
        of_text("key\nlasts", _key, dispensable=5),
        of_words("known by", lambda row: Cell(BASES[row.basis], mark="soft"), dispensable=8),
        of_words(
            "provider",
            lambda row: Cell(f"{row.provider} · {row.backend}", mark="soft"),
            dispensable=9,
        ),
    ]


def _wire(row: Answer) -> float | None:
    return None if row.wire_bits_per_second is None else row.wire_bits_per_second / 1e9


def _key(row: Answer) -> str | Cell:
    if row.key is None:
        return ""
    lasts = lasting(row.key.seconds)
    return Cell(f"{FAILED} {lasts}", mark="unsettled") if row.key.hurried else lasts
