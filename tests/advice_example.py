"""A run of `ciphermark esp` as it could have come out: suites of ESP with costs that are made up.

Each suite costs a + b·bytes, exact at every size, with an interval of ±1 %. What AES costs without
its instructions is in rows that had them hidden, and the ChaCha20 of the one library is slower than
AES with them and faster than AES without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ciphermark import contract
from ciphermark.answers.advice.facts import STATUSES
from ciphermark.record.run import CaseRecord, Run
from ciphermark.record.store import Store
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from row_example import case_of, timed_row
from survey_example import facts, survey_example
from synthetic import synthetic_cases, synthetic_plan, synthetic_run

SIZES = (16, 64, 256, 576, 1024, 1500)
CORE_HZ = 4e9
HALF = 0.01
"""Half-width of every interval, as a share."""

AESNI, VAES, AVX512, SHANI = ["aes", "pclmulqdq"], ["aes", "vaes"], ["avx512f"], ["aes", "sha_ni"]

# Cycles of a packet and of each of its bytes, and what they use: sealing, opening.
Cost = tuple[float, float]
SUITES: dict[str, tuple[str, list[str], Cost, Cost]] = {
    "aes-128-gcm": ("vaes-avx512", VAES, (600, 0.5), (640, 0.5)),
    "aes-256-gcm": ("vaes-avx512", VAES, (630, 0.6), (670, 0.6)),
    "chacha20-poly1305": ("avx512", AVX512, (1500, 0.9), (1500, 0.9)),
    "aes-128-cbc+hmac-sha256-128": ("aesni + shani", SHANI, (1000, 4.6), (1000, 2.4)),
    "aes-128-cbc+hmac-sha1-96": ("aesni + shani", SHANI, (950, 4.5), (950, 2.3)),
    "aes-128-cbc+hmac-md5-96": ("aesni", AESNI, (1300, 7.4), (1300, 5.2)),
    "aes-256-cbc+hmac-sha256-128": ("aesni + shani", SHANI, (1050, 5.6), (1050, 2.5)),
}
MASKED = {"aes-128-gcm": (2500.0, 9.0)}
"""Without AES instructions, either way."""

STANDING = {
    "hmac-md5": "encryption MUST, integrity MUST NOT (RFC 8221, sections 5 and 6)",
    "hmac-sha1": "encryption MUST, integrity MUST- (RFC 8221, sections 5 and 6)",
}
BITS = {"hmac-sha256": 128, "hmac-sha1": 96, "hmac-md5": 96}


def known(extra: Iterable[str] = ()) -> dict[str, contract.Algorithm]:
    """The facts of the suites, of their parts and of more algorithms."""
    parts = {part for name in SUITES for part in _parts(name)}
    found = {it: facts(it) for it in sorted(parts | set(extra))}
    return found | {f"esp:{name}": suite(name, found) for name in SUITES}


def suite(name: str, parts: dict[str, contract.Algorithm]) -> contract.Algorithm:
    """Facts of a suite of ESP, as the engine puts them together."""
    cipher, _, tag = name.partition("+")
    integrity = tag.rpartition("-")[0] or None
    icv = 16 if integrity is None else BITS[integrity] // 8
    block = 16 if "cbc" in cipher else 4
    own = [parts[it] for it in _parts(name)]
    worst = min(own, key=lambda it: STATUSES.index(it.status))
    return contract.Algorithm(
        name=f"esp:{name}",
        title=f"ESP {name}",
        kind="suite",
        key_bytes=sum(it.key_bytes for it in own),
        nonce_bytes=8,
        tag_bytes=0,
        block_bytes=1,
        min_message_bytes=0,
        standard="RFC 4303",
        status=worst.status,
        status_reason=worst.status_reason,
        strength_bits=min(it.strength_bits for it in own),
        strength_kind="key-recovery",
        sources=["RFC 4303, IP Encapsulating Security Payload (ESP)"],
        survey=False,
        fips_approved=all(it.fips_approved for it in own),
        suite=contract.Suite(
            protocol="esp",
            cipher=cipher,
            integrity=integrity,
            salt_bytes=4,
            framing=contract.Framing(
                outer_bytes=20,
                header_bytes=8,
                iv_bytes=16 if block == 16 else 8,
                trailer_bytes=2,
                pad_to=block,
                icv_bytes=icv,
            ),
            standing=STANDING.get(integrity or "", "MUST (RFC 8221, section 5)"),
            limits=[
                contract.KeyLimit(
                    packets=2**32 - 1,
                    reason="Sequence numbers of 32 bits must not repeat under one key",
                    source="RFC 4303, section 3.3.3",
                )
            ],
        ),
    )


def rows(names: Iterable[str] = tuple(SUITES), scale: float = 1.0) -> list[Row]:
    """Every suite at every size, and those with AES instructions hidden."""
    found = list(_rows(names, scale))
    for number, row in enumerate(found):
        row.case = number
    return found


def row(
    name: str,
    operation: str,
    size: int,
    cycles: float,
    *,
    backend: str = "default",
    features: Iterable[str] = (),
    switches: dict[str, str] | None = None,
    provider: str = "openssl",
    half: float | None = HALF,
) -> Row:
    """One figure with its interval, unless that is to have none."""
    return timed_row(
        *(size, cycles, half, CORE_HZ),
        **{"algorithm": name, "operation": operation, "provider": provider, "backend": backend},
        **{"switches": switches or {}, "features": list(features)},
        **{"samples": 60, "backend_evidence": "inferred", "constant_time": True},
    )


def stored(store: Store, found: list[Row] | None = None, days_later: int = 0) -> str:
    """The identifier of the run of these rows, stored, of so many days after the usual one."""
    found = rows() if found is None else found
    run = _run(found)
    context = run.context
    context.run = context.run.replace("20261122", f"202611{22 + days_later}")
    context.started_unix_ns += days_later * 86_400 * 10**9
    store.save(run, SINGLE.rows_table(found))
    return run.context.run


def _rows(names: Iterable[str], scale: float) -> Iterator[Row]:
    for name in names:
        backend, features, sealing, opening = SUITES[name]
        for operation, (fixed, slope) in (("seal", sealing), ("open", opening)):
            for size in SIZES:
                cycles = scale * (fixed + slope * size)
                yield row(
                    f"esp:{name}", operation, size, cycles, backend=backend, features=features
                )
    for name, (fixed, slope) in MASKED.items():
        for operation in ("seal", "open"):
            for size in SIZES:
                yield row(
                    f"esp:{name}",
                    operation,
                    size,
                    scale * (fixed + slope * size),
                    backend="avx2",
                    features=["avx2"],
                    switches={"OPENSSL_ia32cap": "~0x200000200000000"},
                )


def _parts(name: str) -> list[str]:
    cipher, _, tag = name.partition("+")
    return [cipher, tag.rpartition("-")[0]] if tag else [cipher]


def _run(found: list[Row]) -> Run:
    cases = [case_of(it, backend="default", switches=it.switches) for it in found]
    survey, _ = survey_example(["md5"])
    context = msgspec.structs.replace(
        survey.context,
        run="20261122-091500-7f3a",
        command="ciphermark esp",
        plan_name="esp",
        core_hz=CORE_HZ,
        cases=len(cases),
        converged=len(cases),
        errors=0,
        plan=synthetic_plan(cases),
        algorithms=list(known(["seal3", "tea-ecb", "treyfer-ecb"]).values()),
        notes=[],
    )
    samples = synthetic_run(synthetic_cases(sizes=(64,)), rounds=6).samples
    records = [CaseRecord(case=case) for case in cases]
    return Run(context=context, cases=records, samples=samples, warnings=[])
