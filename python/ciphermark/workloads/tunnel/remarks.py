"""What must be known to read the figures of tunnels, and what is missing here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ciphermark.run.tunnels.kinds import KINDS
from ciphermark.show import figures
from ciphermark.workloads import energy
from ciphermark.workloads.tunnel.row import TunnelRow

ROLES = (
    "arrives: the rate at which packets arrive while sender, both gateways and receiver share "
    "the cores of this machine; a gateway's core: the rate of one core that only does the work "
    "of the busier gateway, from the CPU time of that role"
)

_TOO_LITTLE = 0.97
"""Of the rate that was asked for; as `measure.tunnels.searching` has it."""


def section(row: TunnelRow) -> str:
    """Under which heading a row stands: what is measured, and by whom."""
    kind = KINDS.get(row.kind)
    title = row.kind if kind is None else kind.title
    suite = "" if row.kind == "plain" else f", {_suite(row)}"
    return f"{title}{suite}" + (f" · {row.version}" if row.version else "")


def _suite(row: TunnelRow) -> str:
    return "no cipher" if row.suite == "none" else row.suite


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
    """One sentence each."""
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


def method() -> dict[str, str]:
    """Heading and paragraph of each rule, for the report."""
    return {
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
