"""Rows and runs of the gateway study as they could have come out.

`of_the_post()` is a machine of which all is true that the post says of the Atom and of the AMD.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows as rows_of
from lent_engine import CRASH
from packets_example import load as packet_load
from packets_example import packet_case, packets_run, pairs_of, passed
from row_example import case_of, timed_row
from sessions_example import load, session_case, sessions_run, steady
from synthetic import synthetic_cases, synthetic_run

CORE_HZ = 2e9
SIZE = 1024

ATOM = {
    "aes-256-gcm": 15.02,
    "aes-128-gcm": 19.49,
    "aes-256-cbc": 18.72,
    "aes-128-cbc": 26.22,
    "camellia-256-cbc": 21.29,
    "camellia-128-cbc": 28.10,
    "sha512": 28.50,
    "sha256": 63.95,
    "sha1": 134.74,
    "md5": 192.83,
}
"""MB/s of the Atom in the post's table, in its order."""

AES = [name for name in ATOM if name.startswith("aes")]
CIPHERS = [name for name in ATOM if name.endswith(("gcm", "cbc"))]
HASHES = [name for name in ATOM if name not in CIPHERS]
MACS = {"hmac-sha1": 120.0, "hmac-sha256": 60.0}

SWITCHES = {
    "aes": {"OPENSSL_ia32cap": "~0x200000000000000:~0x20000000000"},
    "ssse3": {"OPENSSL_ia32cap": "~0x20000000000:~0x0"},
    "sha_ni": {"OPENSSL_ia32cap": "~0x0:~0x20000000"},
}
BOTH = {"OPENSSL_ia32cap": "~0x200020000000000:~0x20000000000"}
"""AES instructions and SSSE3."""


def sending(function: str) -> str:
    return {"gcm": "seal", "cbc": "encrypt"}.get(
        function[-3:], "mac" if function.startswith("hmac") else "digest"
    )


RECEIVING = {"seal": "open", "encrypt": "decrypt", "mac": "verify"}


def row(function: str, speed: float, provider: str = "openssl", /, **changes) -> Row:
    """A converged row of that many MB/s at 2 GHz, known to ±0.5 %."""
    cycles = SIZE * CORE_HZ / (speed * 1e6)
    usual = {
        "algorithm": function,
        "operation": "seal" if ":" in function else sending(function),
        "provider": provider,
        "backend": "default",
        "message_bytes": SIZE,
        "mbytes_per_second": speed,
    } | changes
    return timed_row(usual.pop("message_bytes"), cycles, 0.005, CORE_HZ, **usual)


def failed(function: str, provider: str = "openssl", **changes) -> Row:
    """A row without figures."""
    none = dict.fromkeys(
        "cycles_per_message cycles_per_message_low cycles_per_message_high cycles_per_byte ci_low"
        " ci_high ns_per_message mbytes_per_second core_hz".split()
    )
    return row(function, 1.0, provider, **none, converged=False, error=CRASH, **changes)


def rows(**changed: float) -> list[Row]:
    """The Atom's table as if it had been measured here, some functions with another speed."""
    return [row(name, changed.get(name.replace("-", "_"), mbytes)) for name, mbytes in ATOM.items()]


def replaced(*new: Row) -> list[Row]:
    """The same, some functions with other rows."""
    names = {it.algorithm for it in new}
    return [*(it for it in rows() if it.algorithm not in names), *new]


def receiving(factor: float = 1.0, functions: Iterable[str] = CIPHERS) -> list[Row]:
    """The other end, which takes so many times as long."""
    return [row(it, ATOM[it] / factor, operation=RECEIVING[sending(it)]) for it in functions]


def macs(**changed: float) -> list[Row]:
    """HMACs at both ends."""
    speeds = MACS | {name.replace("_", "-"): it for name, it in changed.items()}
    return [
        row(it, speed, operation=op) for it, speed in speeds.items() for op in ("mac", "verify")
    ]


def without_aes(gain: float, aes: float = 1.0) -> list[Row]:
    """AES without its instructions at so many times the table's speed, and so many times as fast
    again without SSSE3."""
    found = []
    for it in AES:
        found.append(row(it, aes * ATOM[it], switches=SWITCHES["aes"], backend="ssse3"))
        found.append(row(it, aes * gain * ATOM[it], switches=BOTH, backend="scalar"))
    return found


def from_afar(factor: float, buffers: str = "stream") -> list[Row]:
    """Hashes of messages that lie farther away, which take so many times as long."""
    return [row(it, ATOM[it] / factor, buffers=buffers) for it in HASHES]


def suites(**factors: float) -> list[Row]:
    """ESP at both ends, which takes so many times as long as its parts."""
    found = []
    for name, parts in {
        "aes-128-gcm": ("aes-128-gcm",),
        "aes-128-cbc+hmac-sha1-96": ("aes-128-cbc", "hmac-sha1"),
    }.items():
        speed = 1 / sum(1 / (ATOM | MACS)[it] for it in parts)
        factor = factors.get("gcm" if len(parts) == 1 else "cbc", 1.02)
        found += [row(f"esp:{name}", speed / factor, operation=it) for it in ("seal", "open")]
    return found


def run_with(*also: Run, given: Mapping[str, float] | None = None, hides: bool = True) -> Run:
    """A run whose rows come from elsewhere, whose OpenSSL can be told to leave features alone."""
    run = synthetic_run([])
    if hides:
        run.context.hello.providers[0].switches = SWITCHES
    run.context.hello.environment.machine.cpu_features = [*SWITCHES]
    run.also = [*also]
    run.given = dict(given or {})
    return run


def on_cores(
    grown: float = 2.0, cpus: int = 2, functions: Iterable[str] = ATOM, **changed: float
) -> Run:
    """Sessions on one CPU and on all, which do so many times as much; each function at its speed in
    the table."""
    cases, executions = [], []
    for function in functions:
        for count in (1, cpus):
            case = session_case(
                len(cases),
                load(count, range(count)),
                algorithm=function,
                operation=sending(function),
                message_bytes=SIZE,
            )
            times = changed.get(function.replace("-", "_"), grown) / cpus if count > 1 else 1.0
            speed = (ATOM | MACS)[function]
            cases.append(case)
            executions.append(steady(case, times * speed * 1e6 / SIZE))
    return sessions_run(cases, executions, plan_name="gateway-cores")


def in_order(grown: float = 2.0, **changed: float) -> Run:
    """One tunnel's packets on one CPU and on two, which are so many times as fast."""
    cases, runs = [], []
    for function in AES:
        for cpus in ((1,), (1, 2)):
            wanted = packet_load(cpus, packets=16_000, delivery="ordered")
            times = changed.get(function.replace("-", "_"), grown) if len(cpus) > 1 else 1.0
            passes = pairs_of(wanted, 1e5, 16_000 * SIZE / ATOM[function] * 1e3 / times)
            case = packet_case(
                len(cases),
                wanted,
                algorithm=function,
                operation=sending(function),
                message_bytes=SIZE,
                keys=1,
            )
            cases.append(case)
            runs.append(passed(wanted, passes, case=case.case))
    return packets_run(cases, runs, plan_name="gateway-flow")


def split(*rows: Row) -> Run:
    """Messages on one core and split over two."""
    cases = [
        case_of(
            it,
            case=number,
            backend="default",
            offload=it.offload,
            offload_cpus=[0, 1] if it.offload == "split" else [],
        )
        for number, it in enumerate(rows)
    ]
    run = synthetic_run([])
    run.context.plan.cases = cases
    return run


def objected(cores: Run) -> Run:
    """The same where no attempt was valid."""
    why = contract.Objection(kind="uneven", message="others had 64 % of the CPUs")
    cores.sessions = [msgspec.structs.replace(it, objections=[why]) for it in cores.sessions]
    return cores


def ablated(**factors: float) -> tuple[Run, list[Row]]:
    """SHA-256 by OpenSSL with each of these features hidden, which takes so many times as long."""
    [plain, *_] = synthetic_cases(["sha256"], sizes=(SIZE,))
    cases = [plain]
    for feature in factors:
        hidden = msgspec.structs.replace(plain, case=len(cases), switches=SWITCHES[feature])
        cases.append(hidden)
    run = synthetic_run(cases, rounds=12)
    run.context.hello.providers[0].switches = SWITCHES
    by_case = np.array([1.0, *factors.values()])
    times = by_case[run.samples["case"].to_numpy()]
    for name in ("cycles", "wall_ns"):
        run.samples = run.samples.with_column(name, run.samples[name].to_numpy() * times)
    return run, rows_of(run)
