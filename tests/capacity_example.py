"""Rows and facts of suites whose capacity can be computed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from ciphermark import contract
from ciphermark.answers.capacity.answer import Known, Machine, Question, Source
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR
from ciphermark.plan import profiles
from ciphermark.plan.profile import Part, Profile
from ciphermark.workloads.single.row import Row
from lent_engine import all_algorithms
from row_example import timed_row

HZ = 2e9
SIZES = (40, 64, 576, 1024, 1500)

GCM = "esp:aes-128-gcm"
CBC = "esp:aes-128-cbc+hmac-sha1-96"


def line(a: float, b: float) -> dict[int, float]:
    """Cycles a + b·n at the usual sizes."""
    return {n: a + b * n for n in SIZES}


def row(algorithm: str, operation: str, cycles: float, **fields: object) -> Row:
    """A row whose interval is ±1 %."""
    usual = {"backend": "aesni", "message_bytes": None, "samples": 100} | fields
    size = usual.pop("message_bytes")
    return timed_row(size, cycles, 0.01, HZ, algorithm=algorithm, operation=operation, **usual)


def rows(
    algorithm: str, operation: str, cycles: Mapping[int, float], **fields: object
) -> list[Row]:
    """A row for each size."""
    return [row(algorithm, operation, it, message_bytes=n, **fields) for n, it in cycles.items()]


def suite(
    name: str, cipher: str, integrity: str | None, framing: Mapping[str, int], **limit: float
) -> contract.Algorithm:
    """A suite of ESP with one limit of its key."""
    [like] = [it for it in all_algorithms() if it.name == "aes-128-gcm"]
    return msgspec.structs.replace(
        like,
        name=name,
        kind="suite",
        aliases=[],
        suite=contract.Suite(
            protocol="esp",
            cipher=cipher,
            integrity=integrity,
            salt_bytes=4,
            framing=contract.Framing(**framing),
            standing="a test",
            limits=[contract.KeyLimit(**limit, reason="a test", source="a test")] if limit else [],
        ),
    )


def framing(pad_to: int, iv_bytes: int, icv_bytes: int) -> dict[str, int]:
    """That of ESP in tunnel mode: RFC 4303."""
    return {
        "outer_bytes": 20,
        "header_bytes": 8,
        "iv_bytes": iv_bytes,
        "trailer_bytes": 2,
        "pad_to": pad_to,
        "icv_bytes": icv_bytes,
    }


SUITES = [
    suite(GCM, "aes-128-gcm", None, framing(4, 8, 16), packets=1e9),
    suite(CBC, "aes-128-cbc", "hmac-sha1", framing(16, 16, 12)),
]

FLAT = Profile("flat", "1000 bytes", (Part(bytes=1000, weight=1),), layer="ip")


def source(found: Iterable[Row], **fields: object) -> Source:
    """A measured run."""
    known = {it.name: it for it in (*all_algorithms(), *SUITES)}
    return Source(
        **{"name": "run 1", "kind": "measured", "rows": list(found), "algorithms": known} | fields
    )


def known(*sources: Source, cpus: int = 8, **fields: object) -> Known:
    """A machine of so many cores."""
    machine = Machine(name="here", cpus=cpus, physical_cores=cpus)
    return Known(**{"machine": machine, "sources": sources, "parts_error": USUAL_ERROR} | fields)


def question(profile: Profile | str = FLAT, **fields: object) -> Question:
    if isinstance(profile, str):
        [profile] = profiles.from_option(profile)
    return Question(**{"profile": profile, "cores": 1} | fields)
