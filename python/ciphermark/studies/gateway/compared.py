"""Statements about the order of functions, asked of any machine that has figures of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ciphermark.show.findings import Verdict
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.gateway.estimates import all_of, quotient, shown
from ciphermark.studies.gateway.paper import CIPHERS, POST, Machine, named

KEY_BITS = (256, 128)

BY_SPEED = ("md5", "sha1", "sha256", "sha512")


def gcm_is_slower(machines: list[Machine]) -> Verdict:
    """Slower means that the ratio's interval excludes 1; with equal speeds it does not hold."""
    slower, told = [], []
    for machine in machines:
        for bits in KEY_BITS:
            gcm, cbc = (machine.speed(f"aes-{bits}-{mode}") for mode in ("gcm", "cbc"))
            slower.append(is_above(quotient(cbc, gcm), 1.0))
            told.append(f"AES-{bits}: GCM {shown(gcm, 4)}, CBC {shown(cbc, 4)} MB/s")
    return all(it is True for it in slower), ". ".join(told)


def md5_is_fastest(machines: list[Machine]) -> Verdict:
    """Of all functions of the post, by its nearest rivals."""
    holds, told = [], []
    for machine in machines:
        speeds = {it: machine.speed(it) for it in POST}
        md5 = speeds.pop("md5")
        rivals = sorted(speeds, key=lambda it: -speeds[it].value)[:3]
        holds += [is_above(quotient(md5, it), 1.0) for it in speeds.values()]
        each = ", ".join(f"{named(it)} {shown(speeds[it])}" for it in rivals)
        told.append(f"{machine.title}: MD5 {shown(md5)} MB/s; the fastest others {each}")
    return all_of(holds), "; ".join(told)


def hashes_in_order(machines: list[Machine]) -> Verdict:
    """Each against the next."""
    return _in_order(machines, list(pairwise(BY_SPEED)))


def longer_keys_cost(machines: list[Machine]) -> Verdict:
    """Each cipher with both lengths of keys."""
    pairs = [(it, it.replace("128", "256")) for it in CIPHERS if "128" in it]
    return _in_order(machines, pairs)


def _in_order(machines: list[Machine], pairs: Sequence[tuple[str, str]]) -> Verdict:
    """Whether the first of each pair is the faster one, on every machine."""
    holds, told = [], []
    for machine in machines:
        ratios = [quotient(machine.speed(one), machine.speed(other)) for one, other in pairs]
        holds += [is_above(it, 1.0) for it in ratios]
        each = ", ".join(
            f"{named(one)}/{named(other)} {shown(ratio)}"
            for (one, other), ratio in zip(pairs, ratios, strict=True)
        )
        told.append(f"{machine.title}: {each}")
    return all_of(holds), "; ".join(told)
