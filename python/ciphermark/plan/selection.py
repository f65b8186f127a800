"""What the user asked for on the command line; None means: as the plan file says."""

from __future__ import annotations

import msgspec

from ciphermark.errors import UsageError
from ciphermark.plan import names, quantities


class Selection(msgspec.Struct, kw_only=True):
    """Overrides of a plan file. Lists are as typed: not looked up yet."""

    algorithms: list[str] | None = None
    providers: list[str] | None = None
    backends: list[str] | None = None
    operations: list[str] | None = None
    sizes: list[int] | None = None
    precision: float | None = None
    budget_s: float | None = None
    cpu: int | None = None
    seed: int | None = None
    libraries: dict[str, str] = {}


def from_options(
    *,
    algorithms: str | None = None,
    providers: str | None = None,
    backends: str | None = None,
    operations: str | None = None,
    sizes: str | None = None,
    precision: str | None = None,
    budget: str | None = None,
    cpus: str | None = None,
    libraries: list[str] | None = None,
) -> Selection:
    """Reads the options that all measuring commands share."""
    return Selection(
        algorithms=_list(algorithms, "--algorithms"),
        providers=_list(providers, "--providers"),
        backends=_list(backends, "--backends"),
        operations=_list(operations, "--operations"),
        sizes=_sizes(sizes),
        precision=None if precision is None else quantities.share(precision, "--precision"),
        budget_s=None if budget is None else quantities.seconds(budget, "--budget"),
        cpu=None if cpus is None else quantities.cpu(cpus),
        libraries=dict(_library(text) for text in libraries or []),
    )


def _list(text: str | None, option: str) -> list[str] | None:
    if text is None:
        return None
    parts = names.split(text)
    if not parts:
        raise UsageError(f"{option} {text!r} names nothing: write a list such as a,b")
    return parts


def _sizes(text: str | None) -> list[int] | None:
    parts = _list(text, "--sizes")
    return None if parts is None else [quantities.size(part) for part in parts]


def _library(text: str) -> tuple[str, str]:
    provider, separator, path = text.partition("=")
    if not (provider and separator and path):
        raise UsageError(
            f"--library {text!r} is not PROVIDER=PATH: write for example "
            "openssl=/opt/lib/libcrypto.so.3"
        )
    return provider.lower(), path
