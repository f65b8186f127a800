"""A profile: a mix of message sizes with weights, and the lengths that follow from it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES

if TYPE_CHECKING:
    from ciphermark import contract


_Rate = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
_Time = Annotated[float, msgspec.Meta(gt=0, le=1e6)]

LIGHTEST_SHAPE = 1.01
"""Of a Pareto distribution: from 1 downwards it has no mean, and no rate could be given."""


class Bursts(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A source that sends at its peak rate, and is silent, in turn. Rates are of payload.

    Times of silence are exponentially distributed, and those of sending too with `on-off`; with
    `pareto` they have heavy tails of this shape.
    """

    kind: Literal["on-off", "pareto"]
    peak_bits_per_second: _Rate
    mean_on_s: _Time
    """Mean time of sending."""
    mean_off_s: _Time | None = None
    """Mean time of silence; or the mean rate is given."""
    mean_bits_per_second: _Rate | None = None
    shape: Annotated[float, msgspec.Meta(ge=LIGHTEST_SHAPE, le=10)] | None = None
    """Of `pareto`: the smaller the heavier the tail; at 2 and below the variance is infinite."""
    source: str

    @property
    def off_s(self) -> float:
        """Mean time of silence, from whichever was given."""
        if self.mean_off_s is not None:
            return self.mean_off_s
        if self.mean_bits_per_second is None:
            raise ValueError("neither a time of silence nor a mean rate is given")
        return self.mean_on_s * (self.peak_bits_per_second / self.mean_bits_per_second - 1)

    @property
    def mean_rate_bits_per_second(self) -> float:
        """Over all time."""
        return self.peak_bits_per_second * self.mean_on_s / (self.mean_on_s + self.off_s)

    def at_peak(self, peak_bits_per_second: float) -> Bursts:
        """The same bursts at another peak rate, with the same times of sending and of silence."""
        return msgspec.structs.replace(
            self,
            peak_bits_per_second=peak_bits_per_second,
            mean_off_s=self.off_s,
            mean_bits_per_second=None,
        )


def burst_fault(bursts: Bursts) -> str | None:
    """What contradicts itself, and what to write."""
    given = [bursts.mean_off_s, bursts.mean_bits_per_second]
    if given.count(None) != 1:
        return "[bursts] needs one of mean_off_s and mean_bits_per_second"
    mean, peak = bursts.mean_bits_per_second, bursts.peak_bits_per_second
    if mean is not None and mean >= peak:
        return (
            f"[bursts] mean_bits_per_second = {mean:g} is not below the peak of {peak:g}: such a "
            "source never pauses, write a lower mean rate"
        )
    if (bursts.shape is None) == (bursts.kind == "pareto"):
        needs = "needs a shape, for example 1.5" if bursts.shape is None else "has no shape"
        return f'[bursts] kind = "{bursts.kind}" {needs}'
    return None


FEW_MESSAGES = 64
"""Of a case whose calls take fewer: enough to be near a mix, and few enough for a short slice."""

HEAVIEST = 1_000_000
"""The largest weight."""

ETHERNET_BYTES = 18
"""What a frame has beside its packet: addresses and type (14), check sequence (4); IEEE 802.3,
clause 3."""

Layer = Literal["ip", "payload", "ethernet"]
"""What the bytes are of: IP packets, whatever a function is given, or Ethernet frames with check
sequence, whose packets are what is protected."""

Bytes = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_MESSAGE_BYTES)]
Ends = Annotated[list[Bytes], msgspec.Meta(min_length=2, max_length=2)]


class Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Messages of one length, or of all lengths between two, equally often."""

    bytes: Bytes | Ends
    weight: Annotated[int, msgspec.Meta(ge=1, le=HEAVIEST)]

    @property
    def ends(self) -> tuple[int, int]:
        """The shortest and the longest message."""
        low, high = [self.bytes] * 2 if isinstance(self.bytes, int) else self.bytes
        return low, high

    def lengths(self, count: int) -> list[int]:
        """So many lengths, spread evenly."""
        low, high = self.ends
        return [low + (high - low) * (2 * place + 1) // (2 * count) for place in range(count)]


class Profile(msgspec.Struct, frozen=True):
    """A mix of message sizes."""

    name: str
    title: str
    parts: tuple[Part, ...]
    """Of what is protected: of Ethernet frames, the packets in them."""
    source: str = ""
    layer: Layer = "payload"
    mtu_bytes: int | None = None
    """The largest packet (of `ethernet`, frame) that the link takes; None where nothing is said."""
    bursts: Bursts | None = None

    def lengths(self, lanes: int, seed: int) -> list[int]:
        """Lengths of messages in turn, whole calls of `lanes`, in an order that follows from the
        seed. The shares are as near to the weights as the number of messages allows."""
        count = self._count(lanes)
        found = [
            length
            for part, messages in zip(self.parts, self._shares(count), strict=True)
            for length in part.lengths(messages)
        ]
        random.Random(f"{seed} {self.name} {count}").shuffle(found)
        return found

    def lacks(self, algorithm: contract.Algorithm) -> int | None:
        """A length that it has and the function has not."""
        block, most = algorithm.block_bytes, algorithm.max_message_bytes
        for low, high in (part.ends for part in self.parts):
            if low < algorithm.min_message_bytes or low % block:
                return low
            if most is not None and high > most or high % block:
                return high
            if low < high and block > 1:
                return low + 1
        return None

    def weighted(self) -> Iterator[tuple[int, float]]:
        """Each length with its share of the messages; of a range, all that there are."""
        for part in self.parts:
            low, high = part.ends
            share = part.weight / self._weight / (high - low + 1)
            for length in range(low, high + 1):
                yield length, share

    @property
    def mean_bytes(self) -> float:
        """Of a message."""
        return sum(part.weight * sum(part.ends) / 2 for part in self.parts) / self._weight

    @property
    def largest_bytes(self) -> int:
        """Of a message."""
        return max(part.ends[1] for part in self.parts)

    def _count(self, lanes: int) -> int:
        """Messages in which the weights come out even, where these are few; else a call, or of
        small ones several."""
        whole = math.lcm(lanes, self._weight // math.gcd(*(part.weight for part in self.parts)))
        few = max(FEW_MESSAGES, 4 * lanes)
        if whole <= few:
            return max(1, FEW_MESSAGES // whole) * whole
        return -(-FEW_MESSAGES // lanes) * lanes

    def _shares(self, count: int) -> list[int]:
        """Messages of each part, rounded so that they sum up: the largest remainders up."""
        exact = [Fraction(count * part.weight, self._weight) for part in self.parts]
        shares = [math.floor(it) for it in exact]
        by_remainder = sorted(range(len(exact)), key=lambda it: shares[it] - exact[it])
        for part in by_remainder[: count - sum(shares)]:
            shares[part] += 1
        return shares

    @property
    def _weight(self) -> int:
        return sum(part.weight for part in self.parts)


def of_frames(parts: Iterable[Part]) -> list[Part]:
    """The packets in Ethernet frames of these sizes. Raises `ValueError` for what is no frame."""
    found = []
    for part in parts:
        frames = part.bytes
        packets = [*map(_packet, frames)] if isinstance(frames, list) else _packet(frames)
        found.append(msgspec.structs.replace(part, bytes=packets))
    return found


def _packet(frame_bytes: int) -> int:
    if frame_bytes < ETHERNET_BYTES:
        raise ValueError(
            f"{frame_bytes} bytes are no Ethernet frame: it has at least 64 with its check sequence"
        )
    return frame_bytes - ETHERNET_BYTES
