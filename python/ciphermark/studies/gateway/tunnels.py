"""What protects a packet: GCM, or CBC and then a hash with a key, as a suite or of its parts."""

from __future__ import annotations

from typing import NamedTuple

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import (
    Figure,
    each,
    has_settled,
    implementation,
    in_turn,
    is_above,
    is_below,
    over,
    quotient,
    value,
)
from ciphermark.studies.gateway import command
from ciphermark.studies.gateway.evidence import LIBRARY, Measured, speed_of
from ciphermark.studies.gateway.paper import CBC, GCM, Machine, Side, named
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, NotTestable, Table, Verdict

TAGS = {"hmac-sha1": 96, "hmac-sha256": 128, "hmac-md5": 96, "hmac-sha512": 256}
"""Bits of the tag that ESP sends: RFC 2404, RFC 4868, RFC 2403."""

NEGLIGIBLE = 0.05
"""Share of a tunnel's cost that may be neglected."""

SIDES: tuple[Side, Side] = ("sending", "receiving")


class Protection(NamedTuple):
    """A cipher, and the MAC that goes with it where the cipher has none of its own."""

    cipher: str
    mac: str | None = None

    @property
    def name(self) -> str:
        """`aes-128-cbc+hmac-sha1`."""
        return "+".join(filter(None, self))

    @property
    def suite(self) -> str:
        """The suite of ESP that does it, by its name in the engine."""
        tag = f"-{TAGS[self.mac]}" if self.mac else ""
        return f"esp:{self.name}{tag}"

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(filter(None, self))


PROTECTIONS = (
    *(Protection(it) for it in GCM),
    *(Protection(cipher, mac) for cipher in CBC for mac in TAGS),
)


class Speed(NamedTuple):
    """How fast packets are protected on one core."""

    mbytes_per_second: Figure
    whole: bool
    """Measured as a tunnel does it; else reckoned from the parts."""


def of_parts(
    measured: Measured,
    it: Protection,
    side: Side = "sending",
    *,
    provider: str | None = None,
) -> Figure:
    """Returns the speed of the parts one after the other, the fastest or those of one library."""
    return in_turn(measured.speed(part, side, provider=provider) for part in it.parts)


def speed(measured: Measured, it: Protection, side: Side = "sending") -> Speed:
    """Returns the speed of the suite, or of its parts where that was not measured."""
    if measured.row(it.suite, side):
        return Speed(measured.speed(it.suite, side), whole=True)
    return Speed(of_parts(measured, it, side), whole=False)


def both_ways(measured: Measured, it: Protection) -> Speed:
    """Returns MB/s in each direction on one core that does both at once."""
    ends = [speed(measured, it, side) for side in SIDES]
    return Speed(in_turn([end.mbytes_per_second for end in ends]), all(end.whole for end in ends))


def scaling(measured: Measured, it: Protection) -> Figure | None:
    """How many times one CPU all carry, many tunnels at once: the suite's, else of its parts."""
    return measured.scaling(it.suite) or measured.scaling(*it.parts)


def against_gcm(measured: Measured) -> Table:
    """CBC with a MAC beside GCM with the same length of key."""
    every = f"all {figures.counted(measured.cpus, 'CPU')}"
    table = Table(
        title="CBC and a MAC against GCM: packets of 1024 bytes protected, MB/s",
        columns=[
            Column(heading="protection"),
            *(Column(heading=it, group="one core") for it in ("sender", "receiver")),
            Column(heading="/GCM", group="one core", digits=2),
            Column(heading="sender", group=every),
            Column(heading="/GCM", group=every, digits=2),
            Column(heading="of parts", group="sender", detail=True),
            Column(heading="error %"),
            Column(heading="by", detail=True),
        ],
        notes=[
            "/GCM: over AES-GCM with the same length of key",
            "error: excess of 1 / (1/cipher + 1/MAC) of separate figures over the measured suite",
            f"{every}: a tunnel on each",
        ],
    )
    combined = []
    for it in PROTECTIONS:
        try:
            cells, is_whole = _cells(measured, it)
        except NotTestable:
            continue
        if not has_settled(both_ways(measured, it).mbytes_per_second):
            table.unsettled.append(len(table.rows))
        table.rows.append(cells)
        combined += [] if is_whole else [it.name]
        if cells[4] is not None and (grown := scaling(measured, it)) and not has_settled(grown):
            table.doubtful.append((len(table.rows) - 1, 4))
    if combined:
        table.notes.append(f"computed from the parts, no suite was measured: {', '.join(combined)}")
    if table.doubtful:
        table.notes.append("? other programs used the CPUs meanwhile")
    return table


def _cells(measured: Measured, it: Protection) -> tuple[list[Cell], bool]:
    gcm = next(other for other in PROTECTIONS if other.cipher == _gcm_beside(it.cipher))
    sender, receiver = (speed(measured, it, side) for side in SIDES)
    base = speed(measured, gcm).mbytes_per_second.value
    own = sender.mbytes_per_second.value
    grown, base_grown = value(scaling(measured, it)), value(scaling(measured, gcm))
    every = grown and grown * own
    suite = measured.row(it.suite)
    provider = suite.provider if suite else None
    parts = of_parts(measured, it, provider=provider).value
    rows = [suite] if suite else [measured.row(part) for part in it.parts]
    cells: list[Cell] = [
        it.name,
        *(own, receiver.mbytes_per_second.value, own / base),
        *(every, over(every, base_grown and base * base_grown)),
        *(parts, 100 * (parts / own - 1) if sender.whole else None),
        ", ".join(implementation(row) for row in rows if row),
    ]
    return cells, sender.whole


def _gcm_beside(cipher: str) -> str:
    """AES-GCM with as long a key: what a tunnel would have instead of Camellia too."""
    return "aes-256-gcm" if "256" in cipher else "aes-128-gcm"


def gcm_beats_cbc_and_mac(measured: Measured) -> Verdict:
    """By AES with both lengths of keys, HMAC-SHA1 and HMAC-SHA256 at the sending end."""
    found, is_whole = {}, True
    for cipher in ("aes-256-cbc", "aes-128-cbc"):
        for mac in ("hmac-sha1", "hmac-sha256"):
            one, other = (
                speed(measured, it)
                for it in (Protection(_gcm_beside(cipher)), Protection(cipher, mac))
            )
            is_whole = is_whole and one.whole and other.whole
            ratio = quotient(one.mbytes_per_second, other.mbytes_per_second)
            found[f"{named(cipher)} + {named(mac)}"] = ratio
    how = "packets of ESP" if is_whole else "computed from the parts"
    return each(found, is_above, 1.0, f"GCM is this many times as fast as ({how})")


def gcm_beats_cbc_and_hash_printed(boxes: list[Machine]) -> Verdict:
    """By the post's table, the hash instead of its HMAC."""
    found = {}
    for box in boxes:
        for cipher in ("aes-256-cbc", "aes-128-cbc"):
            for hash_ in ("sha1", "sha256"):
                both = in_turn(box.firm(part) for part in (cipher, hash_))
                ratio = quotient(box.firm(_gcm_beside(cipher)), both)
                found[f"{box.title} {named(cipher)} + {named(hash_)}"] = ratio
    return each(found, is_above, 1.0, "GCM is this many times as fast as")


def overhead_is_negligible(measured: Measured) -> Verdict:
    """By what suites take more than their parts by the same library."""
    found = {it.name: _whole_by_parts(measured, it, "sending") for it in PROTECTIONS}
    return _little_more(found, "its cipher and MAC alone")


def close_to_the_real_world(measured: Measured) -> Verdict:
    """Judges the suites of GCM against bare GCM by the same library, at both ends, and against the
    post's own command, where its version times the data of GCM alone as the post's did."""
    found = {
        f"{it.name}, {side}": _whole_by_parts(measured, it, side)
        for it in PROTECTIONS[: len(GCM)]
        for side in SIDES
    }
    return _little_more(found | _over_the_command(measured), "GCM alone")


def _over_the_command(measured: Measured) -> dict[str, Estimate | None]:
    """Of OpenSSL's suites, where the command was asked."""
    found: dict[str, Estimate | None] = {}
    for it in PROTECTIONS[: len(GCM)]:
        theirs = command.speed(measured, it.cipher, command.POSTS_LOOP)
        row = measured.row(it.suite, provider=LIBRARY)
        if theirs is not None and row is not None:
            found[f"{it.name} by {command.SPEED}"] = quotient(theirs, speed_of(row))
    return found


def _whole_by_parts(measured: Measured, it: Protection, side: Side) -> Estimate | None:
    """How many times as long the suite takes, of one part round by round; None where it was not
    measured."""
    row = measured.row(it.suite, side)
    if row is None:
        return None
    if it.mac is None:
        return measured.ratio_of(row, measured.firm_row(it.cipher, side, provider=row.provider))
    return quotient(of_parts(measured, it, side, provider=row.provider), speed_of(row))


def _little_more(found: dict[str, Estimate | None], than: str) -> Verdict:
    """Whether what was found is above 1 by no more than may be neglected."""
    ratios = {name: ratio for name, ratio in found.items() if ratio is not None}
    if not ratios:
        raise NotTestable("no suite of ESP was measured, only its parts")
    what = f"time of a packet of ESP / time of {than}"
    return each(ratios, is_below, 1 + NEGLIGIBLE, what)
