"""A stored run for the planner, with every source of costs that `capacity` has.

Suites were measured as a whole and in parts, by several libraries, with one key and with many, from
a cache and from memory, at single sizes and in a mix; other runs of the machine tell of several
cores and of data paths.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from capacity_example import HZ, framing, row, rows, suite
from ciphermark import contract
from ciphermark.record.run import CaseRecord, Run
from ciphermark.record.store import Store
from ciphermark.workload import rows as rows_of
from ciphermark.workload import rows_table
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from lent_engine import all_algorithms
from row_example import case_of, timed_row
from sessions_example import sessions_example
from synthetic import synthetic_plan, synthetic_run
from tunnel_example import tunnel_run

GCM = "esp:aes-128-gcm"
"""By two libraries, with one key and with 1,000, from memory too, and in a mix of its own."""

CHACHA = "esp:chacha20-poly1305"
"""Sealed by one library and opened by another."""

WHOLE = "esp:aes-128-cbc+hmac-sha1-96"
"""As a whole and in parts."""

PARTS = "esp:aes-256-cbc+hmac-sha256-128"
"""In parts alone."""

TLS, MACSEC = "tls13:aes-128-gcm", "macsec:aes-128-gcm"
OPENVPN, WIREGUARD = "openvpn:aes-256-gcm", "wireguard:chacha20-poly1305"
"""At a single size."""

SIZES = (40, 64, 256, 576, 1420, 1500, 9000)
IMIX = [40] * 7 + [576] * 4 + [1500]


def suites() -> list[contract.Algorithm]:
    """Facts of the suites, with limits of each kind."""
    gcm, cbc, record = framing(4, 8, 16), framing(16, 16, 12), framing(1, 0, 16)
    stream = record | {"outer_bytes": 0, "header_bytes": 5, "trailer_bytes": 1}
    frame = record | {"outer_bytes": 0, "header_bytes": 8, "trailer_bytes": 0}
    return [
        suite(GCM, "aes-128-gcm", None, gcm, packets=2.0**32),
        suite(CHACHA, "chacha20-poly1305", None, gcm, packets=2.0**32),
        suite(WHOLE, "aes-128-cbc", "hmac-sha1", cbc, bytes=2.0**36),
        suite(PARTS, "aes-256-cbc", "hmac-sha256", cbc | {"icv_bytes": 16}, packets=2.0**20),
        _of("tls13", suite(TLS, "aes-128-gcm", None, stream, packets=2.0**24.5)),
        _of("macsec", suite(MACSEC, "aes-128-gcm", None, frame)),
        _of("openvpn", suite(OPENVPN, "aes-256-gcm", None, gcm, seconds=3600.0)),
        _of("wireguard", suite(WIREGUARD, "chacha20-poly1305", None, gcm, seconds=120.0)),
    ]


def _of(protocol: str, facts: contract.Algorithm) -> contract.Algorithm:
    assert facts.suite is not None
    return msgspec.structs.replace(
        facts, suite=msgspec.structs.replace(facts.suite, protocol=protocol)
    )


def _rows() -> Iterator[Row]:
    for operation, times in (("seal", 1.0), ("open", 1.15)):
        yield from rows(GCM, operation, _costs(times * 900, times * 0.6, 1))
        yield from rows(GCM, operation, _costs(times * 1300, times * 0.7, 2), keys=1000)
        yield from rows(GCM, operation, _costs(times * 1500, times * 1.9, 3), buffers="stream")
        yield from rows(GCM, operation, _costs(times * 700, times * 0.9, 4), provider="nettle")
        yield row(GCM, operation, times * 1100, profile="imix")
        yield from rows(WHOLE, operation, _costs(times * 2000, times * 4.1, 5))
        yield from rows(TLS, operation, _costs(times * 1100, times * 0.5, 6))
        yield from rows(MACSEC, operation, _costs(times * 500, times * 0.5, 7))
        yield from rows(OPENVPN, operation, _costs(times * 1900, times * 0.8, 8))
        # It may cost next to nothing.
        vague = {"algorithm": WIREGUARD, "operation": operation, "samples": 100}
        yield timed_row(1420, times * 4000, 1.5, HZ, backend="aesni", **vague)
    yield row(GCM, "setup", 3000.0)
    yield from rows(CHACHA, "seal", _costs(1500, 1.4, 9))
    yield from rows(CHACHA, "open", _costs(1700, 1.5, 10), provider="botan")
    for cipher in ("aes-128-cbc", "aes-256-cbc"):
        yield from rows(cipher, "encrypt", _costs(200, 1.4, 11, step=16))
        yield from rows(cipher, "decrypt", _costs(220, 0.4, 12, step=16), provider="botan")
        yield from rows(cipher, "decrypt", _costs(240, 0.5, 13, step=16))
        yield row(cipher, "setup", 300.0)
    for mac in ("hmac-sha1", "hmac-sha256"):
        yield from rows(mac, "mac", _costs(700, 1.9, 14))
        yield from rows(mac, "mac", _costs(600, 2.9, 15), provider="botan")


def _costs(a: float, b: float, seed: int, step: int = 1) -> dict[int, float]:
    """Cycles a + b·n, which leave the line by some per cent as those of libraries do."""
    chance = random.Random(seed)
    return {-(-n // step) * step: (a + b * n) * chance.uniform(0.96, 1.04) for n in SIZES}


def planner_rows() -> list[Row]:
    """All rows, numbered."""
    return [
        msgspec.structs.replace(
            found,
            case=number,
            mbytes_per_second=(found.message_bytes or 354) / (found.ns_per_message or 1) * 1e3,
        )
        for number, found in enumerate(_rows())
    ]


def planner_run() -> Run:
    """The run that they are of."""
    found = planner_rows()
    cases = [
        case_of(it, backend="default", profile=it.profile, lengths=IMIX if it.profile else [])
        for it in found
    ]
    named = {it.algorithm for it in found}
    facts = [*suites(), *(it for it in all_algorithms() if it.name in named)]
    run = synthetic_run([], rounds=0, seed=7)
    context = msgspec.structs.replace(
        run.context,
        plan_name="esp",
        core_hz=HZ,
        cases=len(cases),
        plan=synthetic_plan(cases),
        algorithms=facts,
    )
    return Run(
        context=context,
        cases=[CaseRecord(case=case) for case in cases],
        samples=run.samples,
        warnings=[],
    )


def stored(store: Store) -> str:
    """Stores it with what else was run on the machine, and returns its identifier."""
    sessions, session_rows = sessions_example()
    store.save(sessions, rows_table(session_rows, "sessions"))
    tunnels = tunnel_run(seed=1)
    store.save(tunnels, rows_table(rows_of(tunnels), "tunnel"))
    run = planner_run()
    store.save(run, SINGLE.rows_table(planner_rows()))
    return run.context.run
