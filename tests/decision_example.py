"""A run of suites whose costs are known: cycles of a packet and of a byte of each, at 2 GHz."""

from __future__ import annotations

import msgspec

from capacity_example import HZ, framing, rows, suite
from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.workloads.single.row import Row
from lent_engine import all_algorithms
from synthetic import synthetic_run

SIZES = (40, 64, 256, 576, 1024, 1420, 9000)

COSTS = {
    "esp:aes-128-gcm": (1500.0, 0.7),
    "esp:chacha20-poly1305": (2400.0, 2.0),
    "esp:aes-128-cbc+hmac-sha1-96": (3000.0, 3.4),
    "esp:aes-256-gcm": (1550.0, 0.8),
}
OPENING = 1.1
"""Times the cost of sealing."""

_FACTS = {it.name: it for it in all_algorithms()}


def _suite(name: str) -> contract.Algorithm:
    cipher, _, integrity = name.removeprefix("esp:").partition("+")
    mac = {"": None, "hmac-sha1-96": "hmac-sha1"}[integrity]
    shape = framing(16, 16, 12) if integrity else framing(4, 8, 16)
    like = _FACTS[cipher]
    found = suite(name, cipher, mac, shape, packets=2.0**32)
    title = f"ESP {like.title}" + (" + HMAC-SHA1-96" if integrity else "")
    return msgspec.structs.replace(found, title=title, status="legacy" if mac else like.status)


SUITES = [_suite(name) for name in COSTS]


def decision_rows() -> list[Row]:
    """Both directions of each suite at each size."""
    found = [
        row
        for name, (a, b) in COSTS.items()
        for operation, times in (("seal", 1.0), ("open", OPENING))
        for row in rows(name, operation, {n: times * (a + b * n) for n in SIZES})
    ]
    return [
        msgspec.structs.replace(
            row,
            case=number,
            cycles_per_byte=row.cycles_per_message / row.message_bytes,
            mbytes_per_second=row.message_bytes / row.ns_per_message * 1e3,
        )
        for number, row in enumerate(found)
    ]


def decision_run() -> Run:
    """The run that they are of."""
    run = synthetic_run([], rounds=0, seed=3)
    context = msgspec.structs.replace(
        run.context,
        plan_name="esp",
        core_hz=HZ,
        algorithms=SUITES,
        cases=len(decision_rows()),
    )
    return msgspec.structs.replace(run, context=context)
