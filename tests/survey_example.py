"""A survey as it could have come out: 20 algorithms, two libraries, six sizes, made up but likely.

For what shows a run, which needs its context and rows but no samples. Among the cases are an
unsettled one of each reason, sizes that CBC does not have, and a library that crashed.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.record.run import CaseRecord, Context, Run
from ciphermark.workloads.single.row import Row
from row_example import bare_row, case_of
from synthetic import bye, synthetic_hello, synthetic_plan

ALGORITHMS = Path(__file__).resolve().parent.parent / "algorithms"
SIZES = (16, 64, 256, 1024, 1500, 16384)
CORE_HZ = 3.82e9
OPERATIONS = {
    "aead": ("seal", "open"),
    "cipher": ("encrypt", "decrypt"),
    "mac": ("mac",),
    "hash": ("digest",),
}

# Cycles of key setup, of one message and of each of its bytes, first for OpenSSL, then for
# RustCrypto; setup is absent where there is no key.
COSTS: dict[str, tuple[tuple[float | None, float, float], tuple[float | None, float, float]]] = {
    "aes-128-gcm": ((590, 626, 0.690), (410, 395, 2.78)),
    "aes-256-gcm": ((640, 662, 0.735), (520, 402, 2.93)),
    "chacha20-poly1305": ((310, 1620, 0.837), (28, 512, 3.31)),
    "aes-128-cbc": ((205, 342, 2.61), (118, 41, 2.64)),
    "aes-256-cbc": ((252, 336, 3.60), (163, 43, 3.65)),
    "aes-128-ctr": ((201, 351, 0.342), (121, 62, 0.341)),
    "aes-256-ctr": ((249, 356, 0.441), (166, 65, 0.445)),
    "camellia-128-cbc": ((812, 468, 14.9), (640, 130, 21.2)),
    "camellia-256-cbc": ((1105, 520, 20.0), (871, 148, 27.9)),
    "cmac-aes-128": ((1150, 352, 3.14), (241, 198, 4.62)),
    "hmac-md5": ((1310, 925, 4.75), (1120, 1010, 4.83)),
    "hmac-sha1": ((1205, 655, 1.92), (710, 342, 1.93)),
    "hmac-sha256": ((1240, 660, 2.03), (760, 401, 2.03)),
    "hmac-sha512": ((2380, 1420, 3.48), (2210, 1280, 6.85)),
    "md5": ((None, 415, 4.75), (None, 380, 4.88)),
    "sha1": ((None, 280, 1.92), (None, 158, 1.93)),
    "sha256": ((None, 288, 2.03), (None, 163, 2.03)),
    "sha512": ((None, 645, 3.49), (None, 602, 6.84)),
    "sha3-256": ((None, 1190, 6.70), (None, 1120, 7.35)),
    "blake2b-512": ((None, 705, 3.05), (None, 655, 3.12)),
}
BACKENDS = {
    ("openssl", "aead"): "vaes-avx512",
    ("openssl", "cipher"): "aesni",
    ("rustcrypto", "aead"): "aesni",
    ("rustcrypto", "cipher"): "aesni",
}

UNSETTLED = {
    ("aes-128-gcm", "seal", "openssl", 1500): "interval ±1.8 %",
    ("chacha20-poly1305", "open", "rustcrypto", 256): "groups disagree by 2.4 %",
    ("hmac-sha512", "mac", "openssl", 16384): "61 % of samples disturbed",
}
CRASHED = ("camellia-256-cbc", "rustcrypto")


def survey_example(algorithms: Collection[str] = tuple(COSTS)) -> tuple[Run, list[Row]]:
    """The run, without samples, and its rows; of all algorithms or of these."""
    rows = [row for row in _rows() if row.algorithm in algorithms]
    context = _context(rows)
    return Run(
        context=context,
        cases=[CaseRecord(case=case) for case in context.plan.cases],
        samples=None,
        warnings=[
            contract.Warning(
                kind="steal",
                message="The hypervisor took 0.4 % of the CPU; measure again.",
            )
        ],
    ), rows


def facts(name: str) -> contract.Algorithm:
    """The facts of an algorithm."""
    text = (ALGORITHMS / f"{name}.toml").read_text()
    return msgspec.convert(tomllib.loads(text), contract.Algorithm)


def _context(rows: list[Row]) -> Context:
    hello = synthetic_hello()
    machine = hello.environment.machine
    converged = sum(row.converged for row in rows)
    errors = sum(row.error is not None for row in rows)
    plan = synthetic_plan([])
    plan.cases = [case_of(row) for row in rows]
    return Context(
        format_major=1,
        format_minor=0,
        run="20261121-091500-7f3a",
        started_unix_ns=hello.started_unix_ns,
        command="ciphermark survey",
        plan_name="survey",
        workload="single",
        machine_id=machine.machine_id,
        machine_name=machine.machine_name,
        machine_kind=machine.machine_kind,
        cpu_name=machine.cpu_name,
        cycle_source="calibrated",
        core_hz=CORE_HZ,
        precision=0.01,
        cases=len(rows),
        converged=converged,
        errors=errors,
        interrupted=False,
        elapsed_s=41.6,
        ciphermark_version="0.1.0",
        plan=plan,
        hello=hello,
        bye=bye(
            len(rows), converged, errors, len(rows) * 60, 14, elapsed_s=41.6, steal_share=0.004
        ),
        algorithms=[facts(name) for name in COSTS if name in {row.algorithm for row in rows}],
        notes=["aes-128-cbc and 3 more have no messages of 1500 bytes: skipped."],
    )


def _rows() -> Iterator[Row]:
    noise = random.Random(7)
    for number, (algorithm, operation, place, size) in enumerate(_wanted()):
        row = _row(number, facts(algorithm), operation, ("openssl", "rustcrypto")[place], size)
        if (algorithm, row.provider) == CRASHED:
            row.error = contract.Failure(
                kind="crash", message="the worker of rustcrypto died", signal="SIGSEGV"
            )
        else:
            _measure(row, COSTS[algorithm][place], noise)
        yield row


def _wanted() -> Iterator[tuple[str, str, int, int | None]]:
    for algorithm, costs in COSTS.items():
        known = facts(algorithm)
        for place, (setup, _, _) in enumerate(costs):
            if setup is not None:
                yield algorithm, "setup", place, None
            for operation in OPERATIONS[known.kind]:
                for size in SIZES:
                    if size % known.block_bytes == 0:
                        yield algorithm, operation, place, size


def _row(
    number: int, algorithm: contract.Algorithm, operation: str, provider: str, size: int | None
) -> Row:
    return bare_row(
        algorithm.name,
        operation,
        case=number,
        provider=provider,
        backend=BACKENDS.get((provider, algorithm.kind), "default"),
        message_bytes=size,
        backend_evidence="reported" if provider == "openssl" else "inferred",
        constant_time=algorithm.kind != "cipher" or algorithm.name.startswith("aes") or None,
        agrees_with=["rustcrypto" if provider == "openssl" else "openssl"],
    )


def _measure(row: Row, cost: tuple[float | None, float, float], noise: random.Random) -> None:
    """Gives a row figures that follow its costs, and the unsettled ones their reason."""
    setup, fixed, slope = cost
    decrypts_in_parallel = row.operation == "decrypt" and row.algorithm.startswith("aes")
    size = row.message_bytes
    expected = setup if size is None else fixed + size * (0.36 if decrypts_in_parallel else slope)
    reason = UNSETTLED.get((row.algorithm, row.operation, row.provider, size or 0))
    # Rounded, so that the figures are the same on every machine to the last digit.
    cycles = round(expected * noise.gauss(1, 0.01), 3)
    share = 0.018 if reason else abs(noise.gauss(0.004, 0.002)) + 0.0005
    half = round(cycles * share, 3)
    row.cycles_per_message = cycles
    row.cycles_per_message_low, row.cycles_per_message_high = cycles - half, cycles + half
    row.ns_per_message = cycles / CORE_HZ * 1e9
    row.loop_cycles, row.core_hz = 2.5, CORE_HZ
    row.samples, row.groups, row.processes = 60, 12, 4
    row.disturbed = 37 if reason and "disturbed" in reason else noise.choice((0, 0, 1, 2, 5))
    row.converged, row.not_converged_reason = reason is None, reason
    row.vectors_passed = 24
    if size is not None:
        row.cycles_per_byte = cycles / size
        row.ci_low, row.ci_high = (cycles - half) / size, (cycles + half) / size
        row.mbytes_per_second = size / row.ns_per_message * 1000
