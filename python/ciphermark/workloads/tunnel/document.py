"""Screen, report and exports of tunnels: packets that arrive, cost for each role, and reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from ciphermark.contract.tunnel import CpuPart
from ciphermark.run.tunnels.kinds import KINDS
from ciphermark.statistics.estimate import Estimate
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Note, Notes, Section, Table
from ciphermark.view.column import Column, Fact, Place, of_words
from ciphermark.view.findings import Mark, MarkChart, MarkPanel
from ciphermark.view.plots import marks
from ciphermark.view.problems import FAILED, REMARK
from ciphermark.workloads import energy
from ciphermark.workloads.surroundings import machine, method
from ciphermark.workloads.tunnel.row import TunnelRow

if TYPE_CHECKING:
    from ciphermark.contract.tunnel import Tunnel
    from ciphermark.record.run import Context, Run
    from ciphermark.workloads.tunnel.plan import Planned

PAGE, EXPORT = Place.PAGE, Place.EXPORT

MEGABIT = 1e6

PARTS: tuple[CpuPart, ...] = ("copies", "wake-ups", "stack", "program")
"""Parts of the gateways' CPU time beside cryptography."""


def blocks(context: Context, rows: list[TunnelRow], run: Run | None) -> Iterator[Block]:
    """Yields the table, the charts, and the kinds that were not run."""
    measured = [row for row in rows if row.is_measured]
    if run is not None:
        yield Facts(facts=_facts(run, measured), places=PAGE)
    yield Section(
        title="Tunnels between network namespaces of one machine",
        anchor="figures",
        about="What goes through each tunnel, and what a packet costs each role. Click a heading "
        "to sort.",
        blocks=[
            Table(
                columns=columns(measured),
                rows=measured,
                section=section,
                legend=[Note(sentence, REMARK) for sentence in remarks(rows)],
                filter="openvpn 1400",
            )
        ],
    )
    if run is not None:
        yield from map(marks.chart_of, charts(measured))
    yield Notes.of(missing(rows), title="Not run here", anchor="failures")
    if run is None:
        yield Notes.of(context.notes, style="yellow", places=Place.TERMINAL)
    else:
        yield Section(
            title="The tunnels",
            about="Each program as it calls itself, and how it was called.",
            blocks=[Facts.of(_settings(run.tunnels))],
        )
        yield method(run, METHOD)
        yield machine(run)


def plan_blocks(planned: Planned) -> Iterator[Block]:
    """Yields the cases that would be run, and how long they take."""
    yield Facts.of(
        {
            f"{kind.name} {suite}": ", ".join(f"{it.profile} ({it.traffic})" for it in cases)
            for (kind, suite), cases in planned.groups.items()
        }
    )
    yield Notes.of([f"{len(planned.cases)} cases, about {planned.expected_s:.0f} s"])


def columns(rows: Sequence[TunnelRow]) -> list[Column[TunnelRow]]:
    """Returns the columns: the rates that arrive first, then their cost."""
    return [
        of_words("Tunnel", lambda row: row.title, places=PAGE, kind="name"),
        of_words("Packets", lambda row: row.profile, "packets", page_heading="Packets", key=True),
        of_words(
            "Traffic",
            lambda row: row.traffic,
            "traffic",
            page_heading="Traffic",
            key=True,
            dispensable=7,
        ),
        _rate(
            "Mbit/s",
            "arrives",
            lambda row: row.payload_bits_per_second,
            instead=lambda row, separator: FAILED if row.error else "",
        ),
        Column(
            "Mbit/s at 10⁻⁴ loss",
            lambda row: _megabits(row.nearly_lossless_bits_per_second),
            "Mbit/s of payload\nloss ≤ 10⁻⁴",
            dispensable=2,
        ),
        _rate(
            "Mbit/s of a gateway's core", "a gateway's core", lambda it: it.gateway_bits_per_second
        ),
        _rate(
            "Mbit/s predicted", "predicted", lambda it: it.predicted_bits_per_second, dispensable=1
        ),
        Column("lost", lambda row: row.loss, "\nlost", _percent, dispensable=2),
        *map(_latency, ("p50", "p99")),
        *map(_cycles, ("gateway-1", "gateway-2", "sender", "receiver")),
        Column(
            "cryptography",
            lambda row: row.cryptography_share,
            "\ncryptography",
            _percent,
            dispensable=1,
        ),
        *map(_part, PARTS),
        *energy.columns(lambda row: row.energy, rows),
        of_words("Predicted from", lambda row: row.predicted_why, places=PAGE | EXPORT),
    ]


def _megabits(rate: Estimate | float | None) -> float | None:
    value = rate.value if isinstance(rate, Estimate) else rate
    return None if value is None else value / MEGABIT


def _rate(
    name: str, heading: str, rate: Callable[[TunnelRow], Estimate | None], **others: Any
) -> Column[TunnelRow]:
    heading = f"Mbit/s of payload\n{heading}"
    return Column(name, lambda row: _megabits(rate(row)), heading, estimate=rate, **others)


def _cycles(role: str) -> Column[TunnelRow]:
    return Column(
        f"{role}, cycles/packet",
        lambda row: row.cpu_cycles_per_packet.get(role),
        f"cycles per packet\n{role}",
        dispensable=3 if role.startswith("gateway") else 6,
        called=f"cycles of {role}",
    )


def _percent(value: float, separator: str) -> str:
    return figures.percent(value, 2)


def _latency(which: str) -> Column[TunnelRow]:
    def value(row: TunnelRow) -> float | None:
        return None if row.latency_ns is None else getattr(row.latency_ns, which) / 1e3

    heading = f"latency, µs\n{which}"
    return Column(f"latency {which}, µs", value, heading, dispensable=5, called=which)


def _part(name: CpuPart) -> Column[TunnelRow]:
    # Only `perf` finds these shares, so a terminal seldom has room for them.
    heading = f"CPU time of the gateways\n{name}"
    share = lambda row: row.cpu_shares.get(name)  # noqa: E731
    return Column(name, share, heading, _percent, places=PAGE | EXPORT)


def section(row: TunnelRow) -> str:
    """Returns the heading above a row: kind, suite and version of the program."""
    kind = KINDS.get(row.kind)
    title = row.kind if kind is None else kind.title
    suite = "no cipher" if row.suite == "none" else row.suite
    title += "" if row.kind == "plain" else f", {suite}"
    return title + (f" · {row.version}" if row.version else "")


def _facts(run: Run, measured: list[TunnelRow]) -> list[Fact]:
    used = next((it for it in run.tunnels if it.manner), None)
    kinds = list(dict.fromkeys(row.kind for row in measured))
    cpus = run.context.engine_hello.environment.machine.cpus_online
    facts = [Fact("Kinds", str(len(kinds)), ", ".join(kinds) or "none could be run")]
    if used is not None:
        offloads = "offloads on" if used.offloads else "offloads off"
        facts += [
            Fact("Link", f"{used.mtu} B", f"MTU between the gateways, veth, {offloads}"),
            Fact("As", used.manner.partition(" ")[0], used.manner),
        ]
    facts += [
        Fact("Cores", str(cpus), "shared by sender, gateways and receiver"),
        Fact("Took", f"{run.context.elapsed_s:.0f} s", figures.counted(len(measured), "figure")),
    ]
    # The kernel spends no time in softirq where packets have threads of their own.
    each = [it.softirq_share for tunnel in run.tunnels for it in tunnel.trials if it.softirq_share]
    if each:
        softirq = [figures.percent(median(shares), 2) for shares in zip(*each, strict=False)]
        note = "of each CPU's time, of all that the machine did"
        facts.append(Fact("Softirq", " · ".join(softirq), note))
    return facts


def _settings(tunnels: list[Tunnel]) -> dict[str, str]:
    return {
        tunnel.case.kind: ", ".join(filter(None, [tunnel.version, tunnel.setting]))
        for tunnel in tunnels
        if tunnel.version
    }


STEPS: dict[str, Callable[[TunnelRow], Estimate | float | None]] = {
    "cryptography alone": lambda row: row.cryptography_bits_per_second,
    "a gateway's core": lambda row: row.gateway_bits_per_second,
    "arrives here": lambda row: row.payload_bits_per_second,
}
"""Rates from that of the suite on one core to that of all roles together."""

PREDICTION: dict[str, Callable[[TunnelRow], Estimate | float | None]] = {
    "predicted": lambda row: row.predicted_bits_per_second,
    "measured": lambda row: row.gateway_bits_per_second,
}


def charts(measured: list[TunnelRow]) -> Iterator[MarkChart]:
    """Yields the charts that have something to show."""
    packets = [row for row in measured if row.traffic == "udp"]
    if packets:
        yield MarkChart(
            name="waterfall",
            title="From cryptography alone to what arrives",
            explanation=(
                "The rate of one core that only does the cryptography of the slower side; the "
                "rate of one core as the busier gateway, path included; and the rate that "
                "arrives when sender, gateways and receiver share the cores of this machine. "
                "Each step to the left is the cost of the rest of the way."
            ),
            unit="Mbit/s of payload",
            names="of",
            origins="of",
            panels=_panels(packets, STEPS, lambda row: row.version),
        )
    predicted = [it for it in packets if all(rate(it) is not None for rate in PREDICTION.values())]
    if predicted:
        yield MarkChart(
            name="predicted",
            title="Predicted beside measured",
            explanation=(
                "Throughput of a gateway's core, measured, and predicted from the path without "
                "a cipher or at other sizes plus the cost of the suite by itself."
            ),
            unit="Mbit/s of payload",
            names="figure",
            origins="figure",
            panels=_panels(predicted, PREDICTION, lambda row: row.predicted_why),
        )


def _panels(
    rows: Iterable[TunnelRow],
    rates: dict[str, Callable[[TunnelRow], Estimate | float | None]],
    source: Callable[[TunnelRow], str],
) -> list[MarkPanel]:
    """Returns a panel for each profile of packets; each rate of a tunnel is a mark."""
    panels: dict[str, list[Mark]] = {}
    for row in rows:
        for name, rate in rates.items():
            if (value := _megabits(rate(row))) is not None:
                panels.setdefault(row.profile, []).append(
                    Mark(line=row.title, name=name, origin=name, value=value, source=source(row))
                )
    return [MarkPanel(title=profile, marks=own) for profile, own in panels.items()]


ROLES = (
    "arrives: the rate at which packets arrive while sender, both gateways and receiver share "
    "the cores of this machine; a gateway's core: the rate of one core that only does the work "
    "of the busier gateway, from the CPU time of that role"
)

_TOO_LITTLE = 0.97
"""Share of the wanted rate; as in `measure.tunnels.searching`."""


def missing(rows: Iterable[TunnelRow]) -> Iterator[str]:
    """Kinds that were not run, each with why once."""
    alike: dict[tuple[str, str], list[TunnelRow]] = {}
    for row in rows:
        if row.error is not None:
            alike.setdefault((row.kind, row.error.message), []).append(row)
    for (kind, why), own in alike.items():
        suites = list(dict.fromkeys(row.suite for row in own))
        whole = kind if len(suites) > 1 or kind == "plain" else f"{kind} {suites[0]}"
        yield f"{whole}: {why}"


def remarks(rows: Sequence[TunnelRow]) -> Iterator[str]:
    """Yields remarks of one sentence each."""
    measured = [row for row in rows if row.is_measured]
    if not measured:
        return
    yield ROLES
    yield from energy.remarks(measured)
    yield from _asked(measured)
    if any(row.share_from == "perf" for row in measured):
        yield (
            "the share of cryptography is from perf, which sampled both gateways: functions of "
            "the cryptographic library, and functions of the kernel by name"
        )
    if any(row.share_from == "suite" for row in measured):
        yield (
            "the share of cryptography is the cost of the suite, measured by itself in the same "
            "library, divided by the CPU time of both gateways"
        )
    if any(row.share_from == "null" and row.suite != "none" for row in measured):
        yield (
            "where the library of a program was not measured, the share of cryptography is the "
            "difference to the same kind without a cipher"
        )
    altered = sum(row.altered for row in measured)
    if altered:
        yield f"{figures.counted(altered, 'packet')} arrived with changed content"
    if not any(row.gateway_bits_per_second for row in measured):
        yield "the kernel does not separate the CPU time of roles here"


def _asked(rows: Iterable[TunnelRow]) -> Iterator[str]:
    """Rates that were asked for and not reached."""
    for row in rows:
        asked, reached = row.asked_bits_per_second, row.payload_bits_per_second
        if asked is None or reached is None or row.loss is None:
            continue
        sent = reached.value / max(1e-9, 1 - row.loss) / (1 + row.both_ways)
        if sent < _TOO_LITTLE * asked:
            yield (
                f"{row.title}, {row.profile}: {asked / 1e6:.4g} Mbit/s were asked for, and "
                f"the sender offered {sent / 1e6:.4g}: write --all-rate "
                f"{sent / 1e6:.3g}M"
            )


METHOD = {
    "The bed": (
        "Four network namespaces in a row, sender, gateway, gateway, receiver, joined by pairs "
        "of virtual interfaces (veth); the tunnel is between the gateways. Each interface has "
        "a queue of 1,000 packets. All is gone with the command."
    ),
    "The traffic": (
        "UDP packets, numbered and timed, with incompressible content, at equal distances; "
        "every 64th is compared with the packet sent. TCP is iperf3's. Sizes are those of "
        "IP packets within the tunnel."
    ),
    "The rate": (
        "Each of seven rounds sets up every tunnel anew and searches its rate: trials go up or "
        "down until one passes and another does not, and halve the range, as in RFC 2544, "
        "section 26.1, but for a fraction of a second each instead of a minute. Figures are "
        "medians of the rounds at the highest rate with at most 2 % lost."
    ),
    "CPU time by role": (
        "Programs are counted by their process; receiving and forwarding in the kernel by a "
        "thread for each interface (threaded NAPI), which separates the cost of a packet "
        "in a gateway from sending and receiving. The cost is that of busy gateways, which "
        "take whole batches: at that rate and a quarter more, and of a program at a rate of "
        "which the gateways lose a fifth, so that it never waits: the kernel's per packet that "
        "the interfaces of a gateway received, a program's per packet that it forwarded."
    ),
    "The prediction": (
        "The cost of a packet without a cipher, by a line over its size, plus the cost of "
        "the suite, measured by itself for the same packets. Where there is no null cipher, "
        "or no measurement of the program's library: a line over the size with the cipher."
    ),
}
"""Heading and paragraph of each rule of measuring."""
