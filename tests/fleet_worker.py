"""A Dask worker that is a made-up machine, loaded in tests by `dask worker --preload`.

`FLEET_MACHINE` names the machine, `FLEET_SECONDS` is how long it measures. `FLEET_TROUBLE` may be
`unfit`, or `dies`: its engine ends before its farewell.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from typing import Any

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.farm import worker
from ciphermark.fleet import task
from ciphermark.run import here
from fleet_fixture import made_up
from lent_engine import LentEngine

NAME = made_up(os.environ["FLEET_MACHINE"])
SECONDS = float(os.environ["FLEET_SECONDS"])
TROUBLE = os.environ["FLEET_TROUBLE"]


class Machine(LentEngine):
    """Engine of a machine with a name of its own."""

    def environment(self) -> contract.Environment:
        found = super().environment()
        changed: dict[str, Any] = {"machine_id": NAME, "machine_name": NAME}
        if TROUBLE == "unfit":
            changed["virtualisation"] = "tcg"
        machine = msgspec.structs.replace(found.machine, **changed)
        return msgspec.structs.replace(found, machine=machine)

    def measure(
        self, plan: contract.Plan, interrupts: Any, begun: object = None
    ) -> Iterator[contract.Event]:
        for event in super().measure(plan, interrupts, begun):
            if not isinstance(event, contract.Hello):
                yield event
                continue
            yield msgspec.structs.replace(event, environment=self.environment())
            if TROUBLE == "dies":
                raise WorkError("the engine has died")
            until = time.monotonic() + SECONDS
            while time.monotonic() < until and not interrupts.requested:
                time.sleep(0.05)


def dask_setup(_: object) -> None:
    """Makes the process another machine, when its Dask worker starts."""
    for module in (worker, task):
        module.Engine = Machine  # type: ignore[misc]
        module.boot_id = lambda: NAME  # type: ignore[assignment]
    platform.node = here.machine_id = lambda *_: NAME  # type: ignore[assignment]
