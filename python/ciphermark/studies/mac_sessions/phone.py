"""The paper's phone, simulated: instructions of portable kernels on a Cortex-A8.

Its figure 7 is of a software-only build there. No model of the processor's pipeline is known to be
right, so that instructions stand for its cycles, in the order of the functions alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.contract.others import SimulatedCase
from ciphermark.plan.planfile import Effort
from ciphermark.studies.evidence import over
from ciphermark.studies.mac_sessions.paper import (
    FUNCTIONS,
    LARGEST,
    PACKET,
    RC6,
    RIJNDAEL,
    SMALLEST,
    TWOFISH,
    Function,
)
from ciphermark.studies.simulations import Call

if TYPE_CHECKING:
    from ciphermark.studies.simulations import Simulations

PHONE = "cortex-a8"
TITLE = "Cortex-A8, simulated, plain C"

SIZES = (SMALLEST, PACKET, LARGEST)

BACKENDS = {RIJNDAEL: "table", TWOFISH: "table", RC6: "reference"}
"""The kernel in plain C that is the quickest of a function; of others `portable`."""


def _call(function: Function, message_bytes: int) -> Call:
    backend = BACKENDS.get(function, "portable")
    return Call(function.algorithm, "mac", backend, message_bytes)


def simulated(effort: Effort) -> list[SimulatedCase]:
    """Every function at three sizes, with every effort: it is a matter of seconds."""
    return [_call(function, size).on(PHONE) for function in FUNCTIONS for size in SIZES]


def instructions(simulations: Simulations, function: Function, message_bytes: int) -> float | None:
    """Of a byte of a message; None where nothing was counted."""
    return over(simulations.instructions(PHONE, _call(function, message_bytes)), message_bytes)


def why_none(simulations: Simulations) -> str:
    """Why nothing was counted."""
    return simulations.why_none(PHONE, _call(FUNCTIONS[0], LARGEST))
