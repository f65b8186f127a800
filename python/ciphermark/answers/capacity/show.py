"""Capacity on a terminal: what to know first, in sentences, then a line for each suite."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

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
    Machine,
    Question,
    Unanswered,
)
from ciphermark.answers.capacity.bursts import LATE_SHARE, BurstFigures
from ciphermark.answers.capacity.framing import OnWire
from ciphermark.answers.capacity.keys import KeyLife, more_than
from ciphermark.answers.capacity.packet_cost import Basis
from ciphermark.answers.capacity.path import TUNNELS, path_words
from ciphermark.show import figures
from ciphermark.show.frame import print_facts, print_marks, print_notes
from ciphermark.show.tables import Column, print_groups, print_left_out
from ciphermark.statistics.estimate import Estimate

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
"""Words for whether the cores carry what is asked; None where the interval leaves it open."""

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
"""Of a core: setting up keys takes less on almost every machine."""

_LONGEST_S = 1000 * _TIMES[0][1]


def rate(bits_per_second: float) -> str:
    """`9.41 Gbit/s`, in powers of 1000."""
    return figures.in_units(bits_per_second, figures.BIT_RATES)


def lasting(seconds: float) -> str:
    """A time in the largest unit of which it has one and a half."""
    if seconds == 0:
        return "nothing"
    if seconds > _LONGEST_S:
        return "> 1000 years"
    return figures.in_units(seconds, _TIMES, 1.5)


def interval(low: float, high: float) -> str:
    """`9.12 to 9.71 Gbit/s`."""
    unit, size = figures.unit_of(low, figures.BIT_RATES)
    return f"{figures.significant(low / size)} to {figures.significant(high / size)} {unit}"


def per_second(packets: float) -> str:
    """`2.25 M packets/s`."""
    units = (("M packets/s", 1e6), ("k packets/s", 1e3), ("packets/s", 1.0))
    return figures.in_units(packets, units)


def gbit_interval(low: float, high: float) -> str:
    """`9.12–9.71`."""
    if low == high:
        return "full link"
    return f"{figures.significant(low / 1e9)}–{figures.significant(high / 1e9)}"


def asked(question: Question) -> str:
    """The question, as it was understood."""
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
    """What to know first, each with its label."""
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
        yield "bursts", "\n".join(_bursts(answer.bursts))
    if answer.on_wire is not None and answer.on_wire.fragmented_share > 0:
        yield "fragments", _fragments(answer.on_wire)
    yield "known by", f"{BASES[answer.basis]}, {answer.provider} · {answer.backend}"
    if answer.many_keys is not None:
        yield "many keys", _many_keys(answer.many_keys)
    yield "data path", path_words(answer.path, answer.cryptography_share)
    yield "not in it", left_out(answer)


def _carries(answer: Answer) -> str:
    payload = rate(answer.payload_bits_per_second)
    wire = answer.wire_bits_per_second
    on_wire = "" if wire is None else f", {rate(wire)} on Ethernet"
    ways = " each way" if answer.both_ways else ""
    sure = "the link is full" if answer.low == answer.high else interval(answer.low, answer.high)
    return f"{payload} of payload{ways} ({sure}), {per_second(answer.packets_per_second)}{on_wire}"


def _between(figure: Estimate) -> str:
    ends = figure.interval or (figure.value, figure.value)
    return f"{rate(figure.value)} ({interval(*ends)})"


def _holds(held: Held) -> str:
    share = held.cpu_share
    takes = f"uses {figures.percent(share.value)} of a core{_percents(share)}"
    if held.tunnels == 0 and held.limit == "one core":
        return f"{takes}: no core carries such a tunnel"
    if held.tunnels_high is None:
        spread = f" (at least {figures.grouped(held.tunnels_low)})"
    elif held.tunnels_low == held.tunnels_high:
        spread = ""
    else:
        spread = f" ({figures.grouped(held.tunnels_low)} to {figures.grouped(held.tunnels_high)})"
    limited = "the link" if held.limit == LINK else "the cores"
    tunnels = figures.counted(held.tunnels, "tunnel")
    return f"{takes}; {tunnels}{spread} fit, limited by {limited}"


def _many_keys(keys: Keys) -> str:
    return (
        f"with {figures.grouped(keys.keys)} keys in use a packet of {keys.suite} costs "
        f"{more_than(keys.more, 'with one')}"
    )


def left_out(answer: Answer) -> str:
    """What the figure does not have in it, and whose code really does the work."""
    from ciphermark.answers.advice import left_out as of_use

    protocol = answer.suite.partition(":")[0] if ":" in answer.suite else None
    use = of_use.use_of(protocol)
    found = of_use.sentence(use, answer.provider, answer.path)
    if use is not None and of_use.is_another(use, answer.provider):
        found += f": {of_use.measuring(use)}"
    return found


def _cpu(answer: Answer) -> str:
    per = answer.cores_per_gbit
    cores = f"{figures.significant(per.value)} cores for 1 Gbit/s of payload"
    ways = " each way" if answer.both_ways else ""
    # What the cores can carry at most makes them busy, unless something else ends it.
    busy = f"; this load {_busy(answer)}" if answer.cores_used < 0.99 * answer.cores else ""
    return f"{cores}{ways} (±{figures.percent(per.share or 0.0)}){busy}"


def _energy(answer: Answer) -> str:
    used = answer.energy
    assert used is not None
    gigabyte = used.joules_per_gigabyte
    ways = " each way" if answer.both_ways else ""
    load = "what is asked for" if answer.demand is not None else "this load"
    return (
        f"{figures.significant(gigabyte.value)} J a gigabyte of payload{ways}"
        f"{_joules(gigabyte)}; {figures.significant(used.watts.value)} W at {load}, of which the "
        f"idle machine takes {figures.significant(used.idle_watts)} W ({used.source})"
    )


def _joules(figure: Estimate) -> str:
    if figure.interval is None:
        return ""
    low, high = map(figures.significant, figure.interval)
    return f" ({low} to {high} J)"


def _headroom(demand: Demand) -> str:
    found = demand.headroom
    ends = found.interval
    spread = "" if ends is None else f" ({' to '.join(map(figures.significant, ends))})"
    return (
        f"the cores carry {figures.significant(found.value)} times the traffic asked about{spread}"
    )


def _busy(answer: Answer) -> str:
    """`uses 12 % of one core`, `uses 1.30 of 4 cores`."""
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
            f"{100 * (1 - LATE_SHARE):g} % of the data wait less than {_time(found.late_delay_s)}"
        )
    if found.buffer_bytes is not None:
        needed = figures.significant(found.buffer_bytes.value / 1000)
        yield (
            f"a buffer of {needed} kB loses {figures.percent(found.lost_for_buffer, 1)} of the data"
        )
    if found.lost is not None and found.given_buffer_bytes is not None:
        given = figures.significant(found.given_buffer_bytes / 1000)
        yield f"one of {given} kB loses {figures.percent(found.lost.value)}{_percents(found.lost)}"


def _time(figure: Estimate) -> str:
    if figure.interval is None:
        return lasting(figure.value)
    low, high = map(lasting, figure.interval)
    return f"{lasting(figure.value)} ({low} to {high})"


def _percents(figure: Estimate) -> str:
    if figure.interval is None:
        return ""
    low, high = map(figures.percent, figure.interval)
    return f" ({low} to {high})"


def print_capacity(
    console: Console, question: Question, known: Known, found: Sequence[Answer | Unanswered]
) -> None:
    """Prints what the best of the suites carries, and the table of all."""
    answers = [it for it in found if isinstance(it, Answer)]
    profiles = list(dict.fromkeys(it.profile for it in answers))
    for profile in profiles:
        _print_profile(console, known.machine, [it for it in answers if it.profile == profile])
    print_facts(console, _head(question, known, answers))
    for it in found:
        if isinstance(it, Unanswered):
            console.print(Text(it.reason, "yellow"))
    print_notes(console, together(answers))
    print_marks(console)


def together(answers: Sequence[Answer]) -> Iterator[str]:
    """The notes, each once; what is said of several suites is said of all of them at once."""
    suites: dict[str, list[str]] = {}
    for it in answers:
        for note in it.notes:
            of_all = note.removeprefix(f"{it.suite}: ")
            suites.setdefault(of_all, []).extend([it.suite] * (of_all != note))
    for note, named in suites.items():
        yield f"{', '.join(dict.fromkeys(named))}: {note}" if named else note


def best(answers: Sequence[Answer]) -> Answer:
    """The suite that carries most, of a tunnel's where there is one; where the link ends it all
    carry the same, and the CPU tells. What was not measured with so many keys comes last: it would
    else win by what its figures leave out."""
    of_tunnels = [it for it in answers if it.suite.partition(":")[0] in TUNNELS]
    with_keys = [it for it in of_tunnels or answers if not it.lacks_keys]
    return min(
        with_keys or of_tunnels or answers,
        key=lambda it: (-alike(it.payload_bits_per_second), it.cores_per_gbit.value),
    )


def alike(rate: float) -> float:
    """The same of rates that only rounding tells apart, as where several suites fill a link."""
    return float(f"{rate:.9e}")


def reach(answer: Answer) -> str:
    """Returns the work on a packet that the figures have in them."""
    return "cryptography alone" if answer.path is None else "data path included"


def headline(answer: Answer) -> str:
    """The answer to what was asked, in one line."""
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
    found = f"{rate(answer.payload_bits_per_second)} of payload"
    ways = " each way" if answer.both_ways else ""
    return f"{_cores(answer).capitalize()} {verb} {found}{ways} {suite}."


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


def _head(question: Question, known: Known, answers: Sequence[Answer]) -> dict[str, str]:
    cpus = "" if known.machine.cpus is None else f", {figures.counted(known.machine.cpus, 'CPU')}"
    sources = ", ".join(dict.fromkeys(it.source for it in answers))
    return {
        "Machine": f"{known.machine.name}{cpus}",
        "From": sources,
        "Asked": asked(question),
    }


def _print_profile(console: Console, machine: Machine, answers: Sequence[Answer]) -> None:
    found = best(answers)
    console.print(Text(f"On {machine.label}: {headline(found)}", "bold"))
    grid = Table.grid(padding=(0, 2))
    for label, text in summary(found):
        grid.add_row(Text(f"  {label}", style="dim"), Text(text))
    console.print(grid)
    console.print()
    print_left_out(console, print_groups(console, list(_columns(answers)), [("", list(answers))]))
    console.print()


def _columns(answers: Sequence[Answer]) -> Iterator[Column[Answer]]:
    """What is asked for most stays longest."""
    yield Column("\nsuite", lambda it: Text(it.suite), left=True)
    yield Column("payload\nGbit/s", lambda it: _gbit(it.payload_bits_per_second))
    yield Column("95 %\ninterval", lambda it: Text(gbit_interval(it.low, it.high)))
    if any(it.flow.value < 0.99 * it.payload_bits_per_second for it in answers):
        yield Column("one\nflow", lambda it: _gbit(it.flow.value), 4, "one flow")
    yield Column("M packets\n/s", lambda it: _figure(it.packets_per_second / 1e6), 5, "packets")
    if any(it.wire_bits_per_second for it in answers):
        yield Column("on wire\nGbit/s", _wire, 6, "on the wire")
    yield Column("cores per\nGbit/s", lambda it: _figure(it.cores_per_gbit.value), 3)
    if any(it.energy for it in answers):
        yield Column("J per\nGB", _gigabyte, 4, "energy of a gigabyte")
        yield Column("\nW", _watts, 4, "power")
    if any(it.held for it in answers):
        yield Column("tunnels\nfit", _held, called="tunnels that fit")
    if any(it.tunnels is not None for it in answers):
        yield Column("keys\nin use", lambda it: Text(figures.grouped(it.keys)), 1, key=True)
    yield Column("fixed\ncost", _fixed, 7, "fixed cost")
    yield Column("\nlimit", lambda it: Text(it.limit), 8, "limit", left=True)
    if any(it.on_wire and it.on_wire.fragmented_share for it in answers):
        yield Column("unfrag-\nmented", _fits, 6, "the largest unfragmented packet")
    if any(it.key for it in answers):
        yield Column("key\nlasts", _key, 5, "key lasts")
    yield Column("\nknown by", _known_by, 8, "known by", left=True)
    yield Column(
        "\nprovider", lambda it: Text(f"{it.provider} · {it.backend}", "dim"), 9, "provider", True
    )


def _gbit(bits_per_second: float) -> Text:
    return _figure(bits_per_second / 1e9)


def _figure(value: float) -> Text:
    return Text(figures.significant(value))


def _wire(it: Answer) -> Text:
    return Text("–") if it.wire_bits_per_second is None else _gbit(it.wire_bits_per_second)


def _fixed(it: Answer) -> Text:
    return Text("–" if it.fixed_share is None else figures.percent(it.fixed_share))


def _known_by(it: Answer) -> Text:
    return Text(BASES[it.basis], "dim")


def _gigabyte(it: Answer) -> Text:
    return Text("–") if it.energy is None else _figure(it.energy.joules_per_gigabyte.value)


def _watts(it: Answer) -> Text:
    return Text("–") if it.energy is None else _figure(it.energy.watts.value)


def _fits(it: Answer) -> Text:
    fits = None if it.on_wire is None else it.on_wire.largest_bytes
    return Text("–" if fits is None else f"{fits} B")


def _held(it: Answer) -> Text:
    return Text("–" if it.held is None else figures.grouped(it.held.tunnels))


def _key(it: Answer) -> Text:
    if it.key is None:
        return Text("–")
    lasts = lasting(it.key.seconds)
    return Text(f"! {lasts}", "yellow") if it.key.hurried else Text(lasts)
