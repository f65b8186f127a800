"""What a protocol's security costs a node: cycles, time, energy, bytes, and life of its battery.

A message costs what its frame keeps the radio busy with, and what its cryptography keeps the
processor busy with before or after. The processor sleeps else, but where it hands the radio each
byte. Keys are set up, which is not counted: a node does so once. What else a report takes is as
large with security as without, and is the node's `other_uj_per_message`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import msgspec

from ciphermark import contract
from ciphermark.answers.advice.facts import SECONDS_PER_YEAR, forgery
from ciphermark.answers.models.costs import FunctionCost, FunctionCosts
from ciphermark.answers.models.observations import Footprint
from ciphermark.answers.protocols import nodes
from ciphermark.answers.protocols.nodes import Node
from ciphermark.answers.protocols.protocols import Mode, Protocol, Side, Work, works
from ciphermark.errors import UsageError
from ciphermark.statistics.estimate import complete

DAY_S = 86_400
YEAR_S = SECONDS_PER_YEAR

UJ_PER_MAH_V = 3.6e6
"""3600 s in an hour, 1000 µA in a mA."""


class Reports(msgspec.Struct, kw_only=True, frozen=True):
    """What a node sends."""

    payload_bytes: int
    period_s: float
    """From one to the next."""


class WorkCost(msgspec.Struct, kw_only=True):
    """One pass of a mode of operation, and what was taken for its cost."""

    mode: Mode
    blocks: int
    cost: FunctionCost
    is_exact: bool
    """Whether that function is this mode, and not the bare block cipher or another mode."""


class Crypto(msgspec.Struct, kw_only=True):
    """The cryptography of a message."""

    works: list[WorkCost]
    cycles: float
    low: float | None
    """With `high`, the sums of the functions' own intervals, cycles; None where one has none."""
    high: float | None
    seconds: float
    setup_cycles: float | None
    """Cycles of setting up all keys, which `cycles` leaves out; None if unknown."""

    @property
    def backends(self) -> str:
        """The kernels: `reference`, or `reference + table`."""
        return " + ".join(dict.fromkeys(it.cost.backend for it in self.works))


class Frame(msgspec.Struct, kw_only=True):
    """What is sent, without what the radio puts around it."""

    plain_bytes: int
    """Without security."""
    secured_bytes: int
    added_bytes: int
    seconds: float
    """That the secured one is in the air, preamble and all."""


class Energy(msgspec.Struct, kw_only=True):
    """What a message takes, µJ."""

    crypto_uj: float
    radio_uj: float
    """Of the secured frame, and of the processor where that stays awake for it."""
    added_radio_uj: float
    """What of that is due to the bytes that security adds."""
    plain_uj: float
    """The message without security: its radio, and what else the node says that it takes."""
    message_uj: float
    crypto_share: float
    """Of the message."""
    security_share: float
    """Cryptography and added bytes, of the message."""


class Memory(msgspec.Struct, kw_only=True):
    """Memory of a node for one peer, in bytes."""

    flash_bytes: int
    """Code and constant tables of all passes, the cipher's once, at the least: without the frame's
    own code."""
    ram_bytes: int
    """Keys, the deepest stack of a pass, the frame, and frames that are kept."""

    @property
    def footprint(self) -> Footprint:
        """Flash and RAM, in the form that limits are compared with."""
        return Footprint(code_bytes=self.flash_bytes, ram_bytes=self.ram_bytes)


class Life(msgspec.Struct, kw_only=True):
    """Of a battery, days."""

    secured_days: float
    plain_days: float


class ProtocolCost(msgspec.Struct, kw_only=True):
    """One message, on one side."""

    node: str
    protocol: str
    title: str
    side: Side
    payload_bytes: int
    period_s: float
    frame: Frame
    crypto: Crypto
    energy: Energy
    battery: Life | None
    """None of a receiver, who listens for a time that nobody knows."""
    memory: Memory | None
    """None where the code of a pass was not simulated on the processor."""
    cipher: str
    key_bits: int
    tag_bits: int
    forgery_s: float
    """Mean time between made-up frames that pass, if these fill the channel."""
    status: contract.Status
    status_reason: str


def protocol_cost(
    protocol: Protocol, node: Node, reports: Reports, side: Side, costs: FunctionCosts
) -> ProtocolCost:
    """The cost of a report. Raises `UsageError` where there cannot be one, or no cost is known."""
    _check_room(protocol, node, reports.payload_bytes)
    frame = _frame(protocol, node, reports.payload_bytes)
    crypto, memory = packet(protocol, reports.payload_bytes, side, node.clock_mhz, costs)
    _check_time(protocol, node, reports, frame, crypto)
    energy = _energy(node, frame, crypto, side)
    return ProtocolCost(
        node=node.name,
        protocol=protocol.name,
        title=protocol.title,
        side=side,
        payload_bytes=reports.payload_bytes,
        period_s=reports.period_s,
        frame=frame,
        crypto=crypto,
        energy=energy,
        battery=_life(node, energy, reports.period_s) if side == "send" else None,
        memory=memory,
        cipher=protocol.cipher,
        key_bits=protocol.key_bits,
        tag_bits=8 * protocol.tag_bytes,
        forgery_s=_forgery_s(protocol, node.radio, frame),
        status=protocol.status,
        status_reason=protocol.status_reason,
    )


def _check_room(protocol: Protocol, node: Node, payload_bytes: int) -> None:
    """Refuses what does not fit into a frame."""
    most = _largest_payload_bytes(protocol, node)
    if payload_bytes > most:
        instead = f"write at most --payload {most}" if most >= 0 else "choose another node"
        raise UsageError(
            f"{protocol.name}: a frame of {node.name} has no room for a payload of {payload_bytes} "
            f"bytes; {instead}"
        )


def _check_time(
    protocol: Protocol, node: Node, reports: Reports, frame: Frame, crypto: Crypto
) -> None:
    """Refuses more reports than the node, or its radio by law, has time for."""
    least_s = max(frame.seconds / node.radio.duty_cycle, frame.seconds + crypto.seconds)
    if reports.period_s < least_s:
        raise UsageError(
            f"{protocol.name}: {node.name} has time for a report every {least_s:.3g} s, not every "
            f"{reports.period_s:g} s; write a longer --every"
        )


def _largest_payload_bytes(protocol: Protocol, node: Node) -> int:
    """That of the specification, or what leaves room for the rest of the largest frame."""
    limits = (node.radio.largest_frame_bytes, protocol.largest_frame_bytes)
    frame = min(it for it in limits if it is not None)
    # Above a block no payload grows, so the rest of the frame is the same for all that matter.
    rest = protocol.secured_bytes(protocol.block_bytes) - protocol.block_bytes
    by_specification = protocol.largest_payload_bytes
    return frame - rest if by_specification is None else min(frame - rest, by_specification)


def _frame(protocol: Protocol, node: Node, payload_bytes: int) -> Frame:
    plain, secured = protocol.plain_bytes(payload_bytes), protocol.secured_bytes(payload_bytes)
    return Frame(
        plain_bytes=plain,
        secured_bytes=secured,
        added_bytes=secured - plain,
        seconds=nodes.airtime_s(node.radio, secured),
    )


def packet(
    protocol: Protocol, payload_bytes: int, side: Side, clock_mhz: float, costs: FunctionCosts
) -> tuple[Crypto, Memory | None]:
    """Returns what securing a packet takes: of all choices of kernels the fastest that fits the
    memory. Raises `UsageError` where a pass has no cost, or no kernel has those of all passes."""
    passes = works(protocol, payload_bytes, side)
    try:
        kernels = [costs.kernels(it.functions, it.message_bytes) for it in passes]
    except UsageError as error:
        raise UsageError(f"{protocol.name}: {error}") from None
    frame_bytes = protocol.secured_bytes(payload_bytes)
    choices = [
        (chosen, _memory(protocol, frame_bytes, chosen, side, costs))
        for chosen in product(*kernels)
        if len({it.kernel for it in chosen}) == len({it.algorithm for it in chosen})
    ]
    if not choices:
        algorithms = dict.fromkeys(it[0].algorithm for it in kernels)
        raise UsageError(
            f"{protocol.name}: no kernel of {' or '.join(algorithms)} has figures for all "
            f"functions that a message takes; write ciphermark simulate {costs.processor.name}"
        )
    chosen, memory = costs.room.fastest(
        choices,
        lambda it: Footprint() if it[1] is None else it[1].footprint,
        lambda it: sum(cost.cycles for cost in it[0]),
    )
    return _crypto(passes, chosen, clock_mhz, costs), memory


def _crypto(
    passes: Sequence[Work],
    chosen: Sequence[FunctionCost],
    clock_mhz: float,
    costs: FunctionCosts,
) -> Crypto:
    cycles = sum(it.cycles for it in chosen)
    lows = complete(it.low for it in chosen)
    highs = complete(it.high for it in chosen)
    setups = complete(costs.setup_cycles(*it) for it in dict.fromkeys(it.kernel for it in chosen))
    return Crypto(
        works=[
            WorkCost(
                mode=work.mode,
                blocks=work.blocks,
                cost=cost,
                is_exact=(cost.algorithm, cost.operation) == work.functions[0],
            )
            for work, cost in zip(passes, chosen, strict=True)
        ],
        cycles=cycles,
        low=None if lows is None else sum(lows),
        high=None if highs is None else sum(highs),
        seconds=cycles / (1e6 * clock_mhz),
        setup_cycles=None if setups is None else sum(setups),
    )


def _memory(
    protocol: Protocol,
    frame_bytes: int,
    chosen: Sequence[FunctionCost],
    side: Side,
    costs: FunctionCosts,
) -> Memory | None:
    """Modes of one cipher by one backend share its code, and each was linked alone: the smallest
    function of the cipher bounds the shared part from above, and so the flash from below."""
    kernels = sorted({it.kernel for it in chosen})
    footprints = {it: found for it in kernels if (found := costs.footprint(*it)) is not None}
    contexts = complete(it.context_bytes for it in footprints.values())
    stacks = complete(it.stack_bytes for it in footprints.values())
    if not contexts or not stacks or len(footprints) < len(kernels):
        return None
    flash = 0
    for backend in {backend for _, backend in kernels}:
        codes = complete(it.code_bytes for key, it in footprints.items() if key[1] == backend)
        if not codes:
            return None
        shared = min(*codes, *costs.codes_with(protocol.cipher, backend))
        flash += sum(codes) - (len(codes) - 1) * shared
    frames = 1 + (protocol.kept_messages if side == "receive" else 0)
    return Memory(
        flash_bytes=int(flash),
        ram_bytes=int(protocol.keys * max(contexts) + max(stacks) + frames * frame_bytes),
    )


def _energy(node: Node, frame: Frame, crypto: Crypto, side: Side) -> Energy:
    crypto_uj = node.microjoules(node.active_ma, crypto.seconds)
    radio_uj = nodes.radio_uj(node, frame.secured_bytes, side)
    plain_radio_uj = nodes.radio_uj(node, frame.plain_bytes, side)
    plain_uj = plain_radio_uj + node.other_uj_per_message
    message_uj = crypto_uj + radio_uj + node.other_uj_per_message
    return Energy(
        crypto_uj=crypto_uj,
        radio_uj=radio_uj,
        added_radio_uj=radio_uj - plain_radio_uj,
        plain_uj=plain_uj,
        message_uj=message_uj,
        crypto_share=crypto_uj / message_uj,
        security_share=(message_uj - plain_uj) / message_uj,
    )


def _life(node: Node, energy: Energy, period_s: float) -> Life:
    """Until the charge is gone, at the supply's voltage until then."""
    capacity_uj = UJ_PER_MAH_V * node.battery.capacity_mah * node.supply_v
    lost_uw = capacity_uj * node.battery.self_discharge_per_year / YEAR_S
    idle_uw = lost_uw + node.supply_v * node.sleep_ua
    return Life(
        secured_days=capacity_uj / (idle_uw + energy.message_uj / period_s) / DAY_S,
        plain_days=capacity_uj / (idle_uw + energy.plain_uj / period_s) / DAY_S,
    )


def _forgery_s(protocol: Protocol, radio: nodes.BitRadio | nodes.LoRaRadio, frame: Frame) -> float:
    """Returns the mean time between made-up frames that pass; 0 without a tag."""
    found = forgery(
        protocol.tagged_by,
        protocol.tag_bytes,
        frame.plain_bytes,
        attempts_per_second=nodes.tries_per_second(radio, frame.secured_bytes),
    )
    return 0.0 if found is None or found.years is None else found.years * YEAR_S
