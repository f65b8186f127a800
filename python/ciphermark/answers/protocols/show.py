"""What protocols cost a node, on a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from ciphermark.answers.models.observations import Observed
from ciphermark.answers.protocols.cost import DAY_S, YEAR_S, ProtocolCost, Reports, WorkCost
from ciphermark.answers.protocols.nodes import FILLED_CHANNEL, Node
from ciphermark.answers.protocols.protocols import Field, Protocol
from ciphermark.show import figures
from ciphermark.show.frame import print_facts, print_notes
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.stored import STATUS_STYLES
from ciphermark.show.tables import Column, print_groups, print_left_out

LONGEST_S = 1e6 * YEAR_S
"""Longer times mean the same to anybody who waits."""

UNITS = (("y", YEAR_S), ("d", DAY_S), ("h", 3600.0), ("min", 60.0), ("s", 1.0))

REMARKS = (
    "each protocol's frame, on this node's radio",
    "counted: cryptography, and the radio while a frame is in the air. Not counted: sensing, "
    "listening, receive windows and acknowledgements (other_uj_per_message of a node's file "
    "adds them), and key setup, which a node does once unless the protocol changes its keys "
    "(mutesla)",
    "flash: code and tables of all passes, a lower bound, since the smallest function of the "
    "cipher is taken as the part that its modes share; RAM: keys, the deepest stack, frames; "
    "the protocol's own code is in neither",
    f"until a forgery: mean time between frames that pass, if {FILLED_CHANNEL}; a node that "
    "counts wrong tags notices long before",
)


@dataclass(frozen=True)
class Line:
    """A protocol on both sides."""

    send: ProtocolCost
    receive: ProtocolCost


def print_head(
    console: Console,
    node: Node,
    reports: Reports,
    source: Observed,
    costs: Iterable[ProtocolCost],
) -> None:
    """Prints the node, the source and the kernels of the costs, and the reports."""
    metrics = {it.metric for it in source.observations if it.processor == node.target}
    what = ", ".join(sorted(metrics)) or "which was not measured"
    print_facts(
        console,
        {
            "Node": f"{node.name}: {node.title}, {node.clock_mhz:g} MHz, {node.supply_v:g} V",
            "Costs": f"{source.source}, {node.target}, {what}",
            "Kernels": f"{' and '.join(_backends(costs))}: the fastest with figures that fit",
            "Reports": f"{reports.payload_bytes} bytes every {lasting(reports.period_s)}",
        },
    )


def print_protocol(console: Console, protocol: Protocol, costs: Sequence[ProtocolCost]) -> None:
    """Prints what a protocol makes of a frame, and what it passes through its cipher."""
    fields: dict[str, list[str]] = defaultdict(list)
    for field in protocol.fields:
        fields[_state(protocol, field)].append(f"{field.name} {field.bytes}")
    payload = "encrypted" if protocol.encrypts else "authenticated"
    fields[payload].append(f"payload {costs[0].payload_bytes}")
    facts = {
        protocol.title: protocol.specification,
        "encrypted": " · ".join(fields["encrypted"]),
        "authenticated only": " · ".join(fields["authenticated"]),
        "neither": " · ".join(fields["no"]),
        "tag": f"{protocol.tag_bytes} bytes" if protocol.tag_bytes else "none",
        "never sent": " · ".join(fields["computed"]),
        "without security": " · ".join(fields["plain"]),
    }
    facts |= {
        f"to {it.side}": "\n".join(filter(None, [*map(_work, it.crypto.works), _setup(it)]))
        for it in costs
    }
    print_facts(console, facts | {"taken for it": "\n".join(protocol.assumptions)})


def print_costs(
    console: Console, node: Node, costs: Sequence[ProtocolCost], notes: Iterable[str]
) -> None:
    """Prints a line for each protocol, the notes, and the meaning of the figures."""
    sides = {(it.protocol, it.side): it for it in costs}
    groups: dict[str, list[Line]] = defaultdict(list)
    for (protocol, side), cost in sides.items():
        if side == "send":
            title = f"{cost.cipher}, key of {cost.key_bits} bits"
            groups[title].append(Line(cost, sides[protocol, "receive"]))
    several = len({cost.crypto.backends for cost in costs}) > 1
    columns = print_groups(console, list(_columns(several)), list(groups.items()))
    console.print()
    print_notes(console, (*notes, *_inexact(costs), *REMARKS))
    if node.unverified:
        values = ", ".join(node.unverified)
        print_notes(console, [f"unverified values of {node.name}: {values}"], "yellow")
    print_left_out(console, columns)


def _backends(costs: Iterable[ProtocolCost]) -> list[str]:
    return list(dict.fromkeys(it.cost.backend for cost in costs for it in cost.crypto.works))


def _columns(several_kernels: bool) -> Iterator[Column[Line]]:
    """What security costs a report first; what that is made of makes room for it."""
    yield Column("\nprotocol", lambda it: Text(it.send.protocol), left=True)
    yield Column("bytes\nadded", lambda it: Text(f"+{it.send.frame.added_bytes}"))
    yield Column("\nframe", lambda it: Text(str(it.send.frame.secured_bytes)), 6, "frame bytes")
    if several_kernels:
        yield Column("\nkernel", lambda it: Text(it.send.crypto.backends), left=True)
    yield Column("crypto\ncycles", _cycles)
    yield Column("\nms", lambda it: _figure(1e3 * it.send.crypto.seconds), 8, "milliseconds")
    yield Column("\nµJ", lambda it: _figure(it.send.energy.crypto_uj))
    yield Column(
        "added\nradio µJ", lambda it: _figure(it.send.energy.added_radio_uj), 7, "added radio µJ"
    )
    yield Column("report\nµJ", lambda it: _figure(it.send.energy.message_uj))
    yield Column("of which\nsecurity", lambda it: _share(it.send.energy.security_share))
    yield Column("receiver\nµJ", lambda it: _figure(it.receive.energy.message_uj), 5)
    yield Column("battery\nlife", _life)
    yield Column("\nlost", _lost, 3, "life lost")
    yield Column("flash\nbytes", lambda it: _bytes(it.send, "flash_bytes"), 9, "flash bytes")
    yield Column("RAM,\nreceiver", lambda it: _bytes(it.receive, "ram_bytes"), 10, "RAM bytes")
    yield Column("until a\nforgery", lambda it: Text(lasting(it.send.forgery_s)), 2)
    yield Column("\nstatus", _status, 1, "status", left=True)


def _cycles(line: Line) -> Text:
    mark = "" if all(map(_is_exact, line.send.crypto.works)) else UNSETTLED
    return Text(mark + figures.significant(line.send.crypto.cycles))


def _figure(value: float) -> Text:
    return Text(figures.significant(value))


def _share(share: float) -> Text:
    return Text(figures.percent(share))


def _bytes(cost: ProtocolCost, name: str) -> Text:
    return Text("" if cost.memory is None else figures.grouped(getattr(cost.memory, name)))


def _life(line: Line) -> Text:
    life = line.send.battery
    return Text("" if life is None else lasting(life.secured_days * DAY_S))


def _lost(line: Line) -> Text:
    life = line.send.battery
    return Text("") if life is None else _share(1 - life.secured_days / life.plain_days)


def _status(line: Line) -> Text:
    return Text(line.send.status, STATUS_STYLES[line.send.status])


def lasting(seconds: float) -> str:
    """A time in the largest unit of which it has one and a half: `4.12 y`, `19.7 d`."""
    if seconds == 0:
        return "at once"
    if seconds > LONGEST_S:
        return "> 10^6 y"
    unit, size = figures.unit_of(seconds, UNITS, 1.5)
    if seconds % size == 0:
        return f"{seconds / size:g} {unit}"
    return figures.in_units(seconds, UNITS, 1.5)


def _inexact(costs: Iterable[ProtocolCost]) -> Iterator[str]:
    """What was taken for costs of modes and sizes that were not measured themselves."""
    works = [work for it in costs for work in it.crypto.works if not _is_exact(work)]
    modes: dict[str, set[str]] = defaultdict(set)
    for it in works:
        if not it.is_exact:
            modes[it.cost.algorithm].add(it.mode)
    if modes:
        instead = "; ".join(f"{name} for {', '.join(sorted(modes[name]))}" for name in modes)
        yield f"{UNSETTLED} {instead}, without the further work of these modes"
    if any(it.cost.basis == "measured" and it.cost.low != it.cost.high for it in works):
        yield (
            f"{UNSETTLED} sizes that were not measured are computed by blocks; --json has the "
            "intervals"
        )
    for basis in sorted({it.cost.basis for it in works} - {"measured"}):
        yield (f"{UNSETTLED} predicted by the {basis}; --json has the intervals")


def _is_exact(work: WorkCost) -> bool:
    return work.is_exact and work.cost.is_measured


def _state(protocol: Protocol, field: Field) -> str:
    """What becomes of a field; without a tag nothing is authenticated."""
    if field.present in ("computed", "plain"):
        return field.present
    has_tag = protocol.tag_bytes > 0
    return field.protected if has_tag or field.protected == "encrypted" else "no"


def _work(work: WorkCost) -> str:
    cost = work.cost
    cycles = figures.significant(cost.cycles)
    if work.mode == "setup":
        return f"key setup: {cycles} cycles of {cost.algorithm} ({cost.backend})"
    blocks = figures.counted(work.blocks, "block")
    kernel = f"{cost.algorithm} {cost.operation} ({cost.backend})"
    return f"{work.mode}, {blocks}: {cycles} cycles of {kernel}"


def _setup(cost: ProtocolCost) -> str:
    """The difference to a figure that has key setup in it."""
    cycles = cost.crypto.setup_cycles
    if cycles is None or any(it.mode == "setup" for it in cost.crypto.works):
        return ""
    whole = figures.significant(cycles + cost.crypto.cycles)
    return f"not in it: key setup, once, {figures.significant(cycles)} cycles; with it {whole}"
