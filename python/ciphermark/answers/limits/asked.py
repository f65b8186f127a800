"""From what is typed to the engine's answer."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.answers.limits.command import LANES
from ciphermark.command.options import SelectionOptions
from ciphermark.errors import UsageError
from ciphermark.measure.engine import Engine
from ciphermark.plan import names, quantities
from ciphermark.plan.simulation import PROVIDER

REFERENCE = "reference"
"""The backend that is written to be read: `all` are the others."""

MOST_LANES = 4096
LARGEST_MESSAGE_BYTES = 1 << 20


class MachineLimits(msgspec.Struct, kw_only=True):
    """The limits of a processor, and which machine it is in."""

    machine: contract.Machine
    limits: contract.Limits


def measured(selected: SelectionOptions, lanes: str | None, engine: Path | None) -> MachineLimits:
    """The limits of this machine. Raises UsageError where our kernels lack what is named."""
    binary = Engine(engine)
    count = LANES if lanes is None else _lanes(lanes)
    sizes = [size for part in names.split(selected.sizes or "") for size in _sizes(part)]
    algorithms, backends = _kernels(binary, selected)
    found = binary.processor_limits(algorithms, backends, sizes, count)
    return MachineLimits(machine=binary.environment().machine, limits=found)


def _kernels(binary: Engine, selected: SelectionOptions) -> tuple[list[str], list[str]]:
    """The algorithms and backends that were named, all of which our kernels have together."""
    backends = names.split(selected.backends or "")
    if selected.algorithms is None and not backends:
        return [], []
    facts = binary.describe()
    own = [it for it in facts.implementations if it.provider == PROVIDER]
    algorithms = names.algorithm_names(selected.algorithms, facts) if selected.algorithms else []
    known = {it.backend: it.backend for it in own}
    if backends == ["all"]:
        backends = [name for name in known if name != REFERENCE]
    for backend in backends:
        names.find(backend, known, "backend of our kernels", "ciphermark list kernels")
    having = {it.algorithm for it in own if not backends or it.backend in backends}
    if lacking := [name for name in algorithms if name not in having]:
        by = f" by {', '.join(backends)}" if backends else ""
        raise UsageError(
            f"none of our kernels has {lacking[0]}{by}: see ciphermark list algorithms"
        )
    return algorithms, backends


def _lanes(text: str) -> int:
    count = quantities.whole_number(text)
    if count is None or not 0 < count <= MOST_LANES:
        raise UsageError(f"--lanes {text!r} is not a number of packets from 1 to {MOST_LANES}")
    return count


def _sizes(text: str) -> list[int]:
    sizes = quantities.sizes(text)
    if not all(0 < size <= LARGEST_MESSAGE_BYTES for size in sizes):
        raise UsageError(f"--sizes {text!r}: messages of 1 byte to 1M can be counted")
    return sizes
