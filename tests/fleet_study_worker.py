"""What `dask worker --preload` loads where a study of somebody's is measured: an engine that makes
up what it measures, as a machine of its own.

`FLEET_STUDIES` is the folder of the study. Its second plan takes `FLEET_SECONDS`, and asks a
library for something that it does not support.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import lent_engine
from ciphermark import contract, studies
from ciphermark.farm.replay import Recording, Replay
from lent_engine import LentEngine
from synthetic import synthetic_cases, synthetic_run


class Lent(LentEngine, Replay):
    """Plans and events of the one, the name and the lock of the other."""

    def __init__(self, name: str, seconds: float) -> None:
        Replay.__init__(self, Recording(synthetic_run(synthetic_cases())), name)
        self._takes = seconds

    def measure(
        self, plan: contract.Plan, interrupts: object, begun: object = None
    ) -> Iterator[contract.Event]:
        if plan.workload == "sessions":
            time.sleep(self._takes)
            self.crashing = [("hmac-sha256", "openssl")]
        yield from LentEngine.measure(self, plan, interrupts, begun)


def dask_setup(worker: object) -> None:
    """Called by Dask when the worker starts."""
    studies.__path__.append(os.environ["FLEET_STUDIES"])
    lent_engine.CRASH = contract.Failure(kind="unsupported", message="it has no such thing")
    made = Lent(os.environ["FLEET_MACHINE"], float(os.environ["FLEET_SECONDS"]))
    worker.ciphermark_engine = made  # type: ignore[attr-defined]
