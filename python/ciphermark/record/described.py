"""The description of a simulated target, as its file was when the run was made."""

from __future__ import annotations

from typing import Any

from ciphermark.contract.simulation import SimulatedTarget
from ciphermark.errors import UsageError, WorkError
from ciphermark.files import toml_file

_OF_PROCESSORS: dict[str, type | tuple[type, ...]] = {
    "metric": str,
    "clock_mhz": (int, float),
    "bus_width_bits": int,
}
"""What every description of a processor has."""


def description(target: SimulatedTarget) -> dict[str, Any]:
    """What stood in the file. Raises `WorkError` where that is damaged."""
    whose = f"the stored description of the target {target.target}"
    try:
        table = toml_file.table_of(target.description, whose)
    except UsageError as error:
        raise WorkError(str(error)) from None
    processor = table.get("processor")
    if processor is not None and not _describes(processor):
        raise WorkError(f"{whose} is not valid: its table [processor] lacks what each has")
    return table


def _describes(processor: object) -> bool:
    return isinstance(processor, dict) and all(
        isinstance(processor.get(name), kind) for name, kind in _OF_PROCESSORS.items()
    )
