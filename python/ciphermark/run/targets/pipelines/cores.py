"""All cores of which there is a model."""

from __future__ import annotations

from typing import Any

import msgspec

from ciphermark.run.targets.pipelines.core import Core
from ciphermark.run.targets.pipelines.cortex_m import CortexM0, CortexM4
from ciphermark.run.targets.pipelines.ibex import Ibex, MultiplyingIbex
from ciphermark.run.targets.pipelines.strongarm import StrongArm
from ciphermark.run.targets.pipelines.xscale import XScale

CORES: dict[str, type[Core[Any]]] = {
    "strongarm": StrongArm,
    "xscale": XScale,
    "cortex-m0": CortexM0,
    "cortex-m4": CortexM4,
    "ibex": Ibex,
    "ibex-m": MultiplyingIbex,
}
"""By the names that targets' files use."""

# msgspec 0.22 crashes where two threads are the first to decode a type.
for core in CORES.values():
    msgspec.json.Decoder(core.Parameters)
