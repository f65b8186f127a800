"""What a suite carries, and what share of a core a rate takes."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ciphermark.answers.advice.facts import Facts
from ciphermark.answers.advice.ranking import Load, Ranked
from ciphermark.answers.advice.uses import Traffic, Use
from ciphermark.answers.advice.wishes import Wishes
from ciphermark.answers.capacity.framing import (
    DEFAULT_MTU_BYTES,
    ETHERNET_ON_WIRE_BYTES,
    SHORTEST_ETHERNET_BYTES,
    fragments,
    wire_bytes,
)
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.core_rate import speed_up

BITS_PER_BYTE = 8


class Question(NamedTuple):
    """What is asked."""

    use: Use
    load: Load
    wishes: Wishes
    cores: int
    physical_cores: int | None
    """That the machine has, where it tells."""
    payload_bits_per_second: float | None
    """In each direction that there is."""
    link_bits_per_second: float | None
    """Of an Ethernet line that is to be full, instead."""
    messages_per_second: float | None
    """That an attacker can send; else as many as the rate holds."""
    attempts: float | None
    peer: str | None
    imported: bool
    """Whether the figures are another program's."""
    more: tuple[str, ...]
    """Algorithms that are named besides."""
    clock_error: float = 0.0
    """Half-width, as a share, of how well the run knows its clock; all figures share it."""


class Carried(msgspec.Struct, kw_only=True):
    """What a suite carries here, in each direction that there is."""

    bits_per_second: Estimate
    """Of payload, on all cores."""
    packets_per_second: Estimate
    longest_ns: Estimate
    """What protecting and taking out the longest packet takes."""
    rate_bits_per_second: float | None
    """Of payload, as it is asked for or as much as fits on the line; None without a rate."""
    cpu_share: Estimate | None
    """Of one core, at that rate."""
    holds: bool | None
    """Whether the cores hold the rate: None where the interval leaves it open, or without one."""
    nanojoules_per_byte: Estimate | None
    """With the power of a core; on a node with what its radio takes."""
    fixed_share: float | None
    """Of the cost: what every packet costs, however short."""


def carried(it: Ranked, question: Question) -> Carried:
    """Of one suite, by its best implementation."""
    load = question.load
    mean = load.traffic.mean_bytes
    lengths = load.traffic.sizes
    error = it.cost.error(lengths, load.profile)
    packet_ns = it.packet_ns.wider(error).wider(question.clock_error)
    names = [it.facts.name, *(part.name for part in it.facts.parts)]
    more = speed_up(question.cores, (), names, question.physical_cores)
    per_second = packet_ns.under(Estimate.exact(1e9)).by(more.factor)
    packets = packets_per_second(it.facts, question)
    share = None if packets is None else packet_ns.times(packets / 1e9)
    return Carried(
        bits_per_second=per_second.times(BITS_PER_BYTE * mean),
        packets_per_second=per_second,
        longest_ns=load.longest_ns(it.cost),
        rate_bits_per_second=None if packets is None else BITS_PER_BYTE * mean * packets,
        cpu_share=share,
        holds=None if share is None else _holds(share, more.factor),
        nanojoules_per_byte=load.nanojoules(it.facts, it.cost, 1 / mean),
        fixed_share=it.cost.fixed_share(lengths),
    )


def packets_per_second(it: Facts, question: Question) -> float | None:
    """In each direction, at the rate of the payload or on the full line; None without either."""
    traffic = question.load.traffic
    if question.payload_bits_per_second is not None:
        return question.payload_bits_per_second / BITS_PER_BYTE / traffic.mean_bytes
    if question.link_bits_per_second is None:
        return None
    return question.link_bits_per_second / BITS_PER_BYTE / _on_line_bytes(it, traffic)


def _on_line_bytes(it: Facts, traffic: Traffic) -> float:
    """Mean bytes of a packet on an Ethernet line, headers and gaps included. Of a suite whose
    framing is not known its payload alone: that many packets are more than the line takes."""
    if it.framing is None:
        return traffic.mean_bytes
    total = 0.0
    for length, share in traffic.sizes:
        sent = fragments(wire_bytes(it.framing, length), DEFAULT_MTU_BYTES)
        total += share * sum(
            max(part, SHORTEST_ETHERNET_BYTES) + ETHERNET_ON_WIRE_BYTES for part in sent
        )
    return total


def _holds(share: Estimate, cores: Estimate) -> bool | None:
    if share.high <= cores.low:
        return True
    return False if share.low > cores.high else None
