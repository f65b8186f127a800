"""Costs of protocols on a node, as blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ciphermark.answers.models.observations import Observed
from ciphermark.answers.protocols.cost import DAY_S, YEAR_S, ProtocolCost, Reports, WorkCost
from ciphermark.answers.protocols.nodes import FILLED_CHANNEL, Node
from ciphermark.answers.protocols.protocols import Field, Protocol
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Notes, Table
from ciphermark.view.column import STATUS_MARKS, Cell, Column, count, of_text, of_words
from ciphermark.view.problems import UNSETTLED

LONGEST_S = 1e6 * YEAR_S
"""Longest time that is printed: longer ones mean the same to anybody."""

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
    """Costs of a protocol on both sides."""

    send: ProtocolCost
    receive: ProtocolCost


def blocks(
    node: Node,
    reports: Reports,
    source: Observed,
    protocols: Sequence[Protocol],
    costs: Sequence[ProtocolCost],
    notes: Iterable[str],
) -> Iterator[Block]:
    """Yields the node, the frame of a single protocol, the protocols, and the notes."""
    metrics = {it.metric for it in source.observations if it.processor == node.target}
    figures_are = ", ".join(sorted(metrics)) or "which was not measured"
    backends = dict.fromkeys(work.cost.backend for cost in costs for work in cost.crypto.works)
    yield Facts.of(
        {
            "Node": f"{node.name}: {node.title}, {node.clock_mhz:g} MHz, {node.supply_v:g} V",
            "Costs": f"{source.source}, {node.target}, {figures_are}",
            "Kernels": f"{' and '.join(backends)}: the fastest with figures that fit",
            "Reports": f"{reports.payload_bytes} bytes every {lasting(reports.period_s)}",
        }
    )
    if len(protocols) == 1:
        yield Facts.of_pairs(_frame(protocols[0], costs))
    receivers = {cost.protocol: cost for cost in costs if cost.side == "receive"}
    lines = [Line(cost, receivers[cost.protocol]) for cost in costs if cost.side == "send"]
    yield Table(
        columns=_columns(several_kernels=len({cost.crypto.backends for cost in costs}) > 1),
        rows=lines,
        section=lambda line: f"{line.send.cipher}, key of {line.send.key_bits} bits",
    )
    yield Notes.of([*notes, *_inexact(costs), *REMARKS], style="dim")
    if node.unverified:
        values = ", ".join(node.unverified)
        yield Notes.of([f"unverified values of {node.name}: {values}"], style="yellow")


def _frame(protocol: Protocol, costs: Sequence[ProtocolCost]) -> Iterator[tuple[str, str]]:
    """Yields the parts of a frame and their protection, and the passes through the cipher."""
    fields: dict[str, list[str]] = defaultdict(list)
    for field in protocol.fields:
        fields[_state(protocol, field)].append(f"{field.name} {field.bytes}")
    payload = "encrypted" if protocol.encrypts else "authenticated"
    fields[payload].append(f"payload {costs[0].payload_bytes}")
    yield protocol.title, protocol.specification
    yield "encrypted", " · ".join(fields["encrypted"])
    yield "authenticated only", " · ".join(fields["authenticated"])
    yield "neither", " · ".join(fields["no"])
    yield "tag", f"{protocol.tag_bytes} bytes" if protocol.tag_bytes else "none"
    yield "never sent", " · ".join(fields["computed"])
    yield "without security", " · ".join(fields["plain"])
    for cost in costs:
        yield from _listed(f"to {cost.side}", [*map(_work, cost.crypto.works), _setup(cost)])
    yield from _listed("taken for it", protocol.assumptions)


def _listed(label: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields texts, the first of them with a label."""
    for number, text in enumerate(texts):
        yield label if number == 0 else "", text


def _columns(*, several_kernels: bool) -> list[Column[Line]]:
    """Returns the columns: the cost of security stays longest, its parts make room."""
    return [
        of_words("protocol", lambda line: line.send.protocol),
        of_text("bytes\nadded", lambda line: f"+{line.send.frame.added_bytes}"),
        of_text(
            "frame",
            lambda line: str(line.send.frame.secured_bytes),
            dispensable=6,
            called="frame bytes",
        ),
        of_words("kernel", lambda line: line.send.crypto.backends if several_kernels else ""),
        Column("crypto\ncycles", lambda line: line.send.crypto.cycles, mark=_unsettled),
        Column(
            "ms", lambda line: 1e3 * line.send.crypto.seconds, dispensable=8, called="milliseconds"
        ),
        Column("µJ", lambda line: line.send.energy.crypto_uj),
        Column("added\nradio µJ", lambda line: line.send.energy.added_radio_uj, dispensable=7),
        Column("report\nµJ", lambda line: line.send.energy.message_uj),
        of_text(
            "of which\nsecurity", lambda line: figures.percent(line.send.energy.security_share)
        ),
        Column("receiver\nµJ", lambda line: line.receive.energy.message_uj, dispensable=5),
        of_text("battery\nlife", _life),
        of_text("lost", _lost, dispensable=3, called="life lost"),
        _bytes("flash\nbytes", lambda line: line.send, "flash_bytes", 9),
        _bytes("RAM,\nreceiver", lambda line: line.receive, "ram_bytes", 10),
        of_text("until a\nforgery", lambda line: lasting(line.send.forgery_s), dispensable=2),
        of_words(
            "status",
            lambda line: Cell(line.send.status, mark=STATUS_MARKS[line.send.status]),
            dispensable=1,
        ),
    ]


def _unsettled(line: Line) -> str:
    return "" if all(map(_is_exact, line.send.crypto.works)) else UNSETTLED


def _bytes(
    heading: str, side: Callable[[Line], ProtocolCost], name: str, dispensable: int
) -> Column[Line]:
    def value(line: Line) -> int | None:
        memory = side(line).memory
        return None if memory is None else getattr(memory, name)

    called = heading.replace(",\nreceiver", " bytes")
    return Column(heading, value, form=count, dispensable=dispensable, called=called)


def _life(line: Line) -> str:
    life = line.send.battery
    return "" if life is None else lasting(life.secured_days * DAY_S)


def _lost(line: Line) -> str:
    life = line.send.battery
    return "" if life is None else figures.percent(1 - life.secured_days / life.plain_days)


def lasting(seconds: float) -> str:
    """Formats a time in the largest unit of which it has one and a half: `4.12 y`, `19.7 d`."""
    if seconds == 0:
        return "at once"
    if seconds > LONGEST_S:
        return "> 10^6 y"
    unit, size = figures.unit_of(seconds, UNITS, 1.5)
    if seconds % size == 0:
        return f"{seconds / size:g} {unit}"
    return figures.in_units(seconds, UNITS, 1.5)


def _inexact(costs: Iterable[ProtocolCost]) -> Iterator[str]:
    """Yields the stand-ins for modes and sizes that were not measured."""
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
    """Returns the protection of a field; without a tag nothing is authenticated."""
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
    """Returns the difference to a figure with key setup."""
    cycles = cost.crypto.setup_cycles
    if cycles is None or any(it.mode == "setup" for it in cost.crypto.works):
        return ""
    whole = figures.significant(cycles + cost.crypto.cycles)
    return f"not in it: key setup, once, {figures.significant(cycles)} cycles; with it {whole}"
