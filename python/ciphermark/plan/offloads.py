"""Which devices a plan offers work to, and what of them is not here."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets
from ciphermark.plan.cpu_sets import Cpus

Queued = Literal["none", "cores", "opencl", "af_alg"]
"""Where the work of packets and of sessions may be done: `split` is of one caller's messages."""

DEVICES: tuple[contract.Offload, ...] = ("opencl", "af_alg")
"""Offloads that are done by the provider of the same name; no library of the calling core."""


def devices(offloads: Collection[str]) -> list[contract.Offload]:
    """Those whose providers are needed."""
    return [it for it in DEVICES if it in offloads]


def is_done_by(offload: contract.Offload, provider: str) -> bool:
    """Whether the functions of a provider do such work."""
    return provider == offload if offload in DEVICES else provider not in DEVICES


def device_cpus(
    offload: contract.Offload, named: str | None, busy: Collection[int], cpus: Cpus
) -> list[int]:
    """The CPUs that are the device: as somebody said, else those that have nothing to do."""
    if offload != "cores":
        return []
    if named is not None:
        return cpu_sets.resolve(named, cpus, "--offload-cpus")
    return [cpu for cpu in cpus.allowed if cpu not in busy]


def check_named(providers: list[str]) -> None:
    """Refuses a device that is named as if it were a library."""
    for device in devices(providers):
        raise UsageError(
            f"the provider {device} is a device: write --offload {device} instead of --providers"
        )


def without_devices(facts: contract.Description, but: Collection[str]) -> contract.Description:
    """What is here, without the devices that nobody asks for."""
    hidden = set(DEVICES) - {*but}
    return msgspec.structs.replace(
        facts,
        providers=[it for it in facts.providers if it.name not in hidden],
        implementations=[it for it in facts.implementations if it.provider not in hidden],
    )


def absent(
    offloads: Collection[str], algorithms: set[str], facts: contract.Description
) -> list[str]:
    """Why devices do none of this work, or not all of it; one sentence each."""
    return [
        sentence
        for device in devices(offloads)
        if (sentence := _absent(device, algorithms, facts)) is not None
    ]


def _absent(device: str, algorithms: set[str], facts: contract.Description) -> str | None:
    provider = next((it for it in facts.providers if it.name == device), None)
    if provider is None:
        return f"the offload {device}: this engine has none; see ciphermark list providers"
    if not provider.usable:
        return f"the offload {device}: {provider.reason}"
    had = {it.algorithm for it in facts.implementations if it.provider == device}
    if lacking := sorted(algorithms - had):
        return f"the offload {device} has no {', '.join(lacking)}; it has {', '.join(sorted(had))}"
    return None
