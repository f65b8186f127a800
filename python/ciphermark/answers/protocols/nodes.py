"""Nodes: a processor, its clock, its power and its radio (TOML), one file each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan.catalogue import Catalogue
from ciphermark.run.targets.target import TARGETS

if TYPE_CHECKING:
    from ciphermark.answers.models.costs import FunctionCosts, Room
    from ciphermark.answers.models.observations import Observed

UNVERIFIED = "unverified"
"""What the source of a value begins with that has not been looked up."""

Positive = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
Bytes = Annotated[int, msgspec.Meta(ge=0, le=65_535)]


class _Radio(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="modulation"):
    transmit_ma: Positive
    """Of the radio alone, while it sends."""
    receive_ma: Positive
    largest_frame_bytes: Annotated[int, msgspec.Meta(ge=1, le=65_535)]
    """Without what the radio itself puts around a frame."""
    keeps_processor_awake: bool = False
    """Whether the processor hands it each byte, and so stays active while a frame is in the air."""
    duty_cycle: Share = 1
    """The largest share of time in which it may send."""


class BitRadio(_Radio, tag="bits", kw_only=True):
    """A radio that sends bytes one after the other, at one rate."""

    bit_rate_bps: Positive
    preamble_bytes: Bytes
    """What it sends around each frame: preamble, start of frame, length."""


class LoRaRadio(_Radio, tag="lora", kw_only=True):
    """A radio with LoRa's modulation, explicit header and a CRC of the payload, as LoRaWAN's
    uplinks have them."""

    spreading_factor: Annotated[int, msgspec.Meta(ge=7, le=12)]
    bandwidth_khz: Literal[125, 250, 500]
    coding_rate: Annotated[int, msgspec.Meta(ge=1, le=4)]
    """1 is 4/5, 4 is 4/8."""
    preamble_symbols: Annotated[int, msgspec.Meta(ge=1, le=65_535)]


class Battery(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What the node lives on."""

    capacity_mah: Positive
    self_discharge_per_year: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    """Share of the capacity that is lost in a year, whatever the node does."""


class Node(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What securing a message costs energy on."""

    name: str = ""
    """That of its file."""
    title: str
    target: str
    """The target whose cycles are its processor's, by the name of its file."""
    clock_mhz: Positive
    supply_v: Positive
    active_ma: Positive
    """Of the processor, while it computes and the radio sleeps."""
    sleep_ua: NotNegative
    """Of the whole node, while nothing happens."""
    other_uj_per_message: NotNegative = 0
    """What else a message takes: sensing, listening, receive windows, acknowledgements."""
    radio: BitRadio | LoRaRadio
    battery: Battery
    sources: dict[str, str] = {}
    """Of every value above (`radio.transmit_ma`): document and place, or `unverified`."""

    def microjoules(self, current_ma: float, seconds: float) -> float:
        """Returns the energy of a current at the node's supply."""
        return 1e3 * self.supply_v * current_ma * seconds

    @property
    def values(self) -> list[str]:
        """Names of all values that need a source."""
        own = ["target", "clock_mhz", "supply_v", "active_ma", "sleep_ua"]
        return [
            *own,
            *(f"radio.{field}" for field in _given(self.radio)),
            *(f"battery.{field}" for field in _given(self.battery)),
        ]

    @property
    def unverified(self) -> list[str]:
        """Names of the values that have no source that was looked up."""
        return [it for it in self.values if self.sources.get(it, UNVERIFIED).startswith(UNVERIFIED)]


def _given(part: msgspec.Struct) -> list[str]:
    """Its fields but those that are as they are unless said otherwise."""
    fields = msgspec.structs.fields(part)
    return [
        field.name
        for field in fields
        if field.required or getattr(part, field.name) != field.default
    ]


def read(path: Path) -> Node:
    """Reads a node; the error is a sentence that names the file and the field."""
    return toml_file.read_as(path, "the node", Node, name=path.stem)


NODES = Catalogue(Path(__file__).parent / "catalogue" / "nodes", "node", read)


def from_option(text: str) -> Node:
    """The node of a name, or that of a file of your own. Raises `UsageError`, which says of a
    processor where it is taken."""
    if text in TARGETS.files() and text not in NODES.files():
        alike = [name for name, path in NODES.files().items() if read(path).target == text]
        nodes = f"nodes with this processor: {', '.join(alike)}; " if alike else ""
        raise UsageError(
            f"{text!r} is a processor, and a node is a processor with its power and radio; {nodes}"
            f"the processor alone: ciphermark model feasible --target {text}"
        )
    return NODES.from_option(text)


def costs_on(node: Node, source: Observed, room: Room | None = None) -> FunctionCosts:
    """Returns the costs of functions on its processor, by kernels that fit `room` or, where that
    limits nothing, the memory of the target."""
    from ciphermark.answers.models.costs import FunctionCosts, Room, costs
    from ciphermark.answers.models.processors import described

    processor = source.processors.get(node.target) or described(node.target)
    limits = (room or Room()).or_of(processor.processor)
    return FunctionCosts(costs(source), processor, limits)


LOW_DATA_RATE_SYMBOL_S = 0.016
"""Symbols that take longer carry two bits less (SX1276 datasheet, LowDataRateOptimize)."""


def airtime_s(radio: BitRadio | LoRaRadio, frame_bytes: int) -> float:
    """From the first bit of the preamble to the last of the frame."""
    if isinstance(radio, BitRadio):
        return 8 * (radio.preamble_bytes + frame_bytes) / radio.bit_rate_bps
    return (radio.preamble_symbols + 4.25 + _payload_symbols(radio, frame_bytes)) * _symbol_s(radio)


def radio_uj(node: Node, frame_bytes: int, side: Literal["send", "receive"] = "send") -> float:
    """Returns the energy of a frame: the radio's, and the processor's where that stays awake."""
    radio = node.radio
    current_ma = radio.transmit_ma if side == "send" else radio.receive_ma
    if radio.keeps_processor_awake:
        current_ma += node.active_ma
    return node.microjoules(current_ma, airtime_s(radio, frame_bytes))


FILLED_CHANNEL = "made-up frames fill the channel"
"""The assumption on attackers: the rate of tries is that of frames one after the other."""


def tries_per_second(radio: BitRadio | LoRaRadio, frame_bytes: int) -> float:
    """Returns the most frames of that size that anybody can send to a node."""
    return 1 / airtime_s(radio, frame_bytes)


def _symbol_s(radio: LoRaRadio) -> float:
    chips = 1 << radio.spreading_factor
    return chips / (1000 * radio.bandwidth_khz)


def _payload_symbols(radio: LoRaRadio, frame_bytes: int) -> int:
    """Semtech AN1200.13, LoRa Modem Designer's Guide, section 4; with header and CRC."""
    optimised = _symbol_s(radio) > LOW_DATA_RATE_SYMBOL_S
    bits = 8 * frame_bytes - 4 * radio.spreading_factor + 28 + 16
    per_group = 4 * (radio.spreading_factor - 2 * optimised)
    return 8 + max(0, -(-bits // per_group)) * (radio.coding_rate + 4)
