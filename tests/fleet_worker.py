"""What `dask worker --preload` loads in tests: the worker replays a made-up run as a machine.

`FLEET_MACHINE` names the machine, `FLEET_SECONDS` is how long a job takes. `FLEET_TROUBLE` may be
`unfit`, or `changes`: it reports other hardware from its second job on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from ciphermark import contract
from ciphermark.farm.replay import Recording, Replay
from ciphermark.run.interrupts import Interrupts
from synthetic import synthetic_cases, synthetic_run

SIZES = (64, 1024)


def dask_setup(worker: object) -> None:
    """Called by Dask when the worker starts."""
    trouble = os.environ.get("FLEET_TROUBLE", "")
    run = synthetic_run(synthetic_cases(sizes=SIZES), rounds=6, seed=1)
    assert run.context.hello is not None
    if trouble == "unfit":
        run.context.hello.environment.machine.virtualisation = "tcg"
    kind = Changing if trouble == "changes" else Replay
    name, seconds = os.environ["FLEET_MACHINE"], float(os.environ["FLEET_SECONDS"])
    worker.ciphermark_engine = kind(Recording(run), name, seconds)  # type: ignore[attr-defined]


class Changing(Replay):
    """Becomes a machine of another kind when it has measured once."""

    jobs = 0

    def measure(self, plan: contract.Plan, interrupts: Interrupts) -> Iterator[contract.Event]:
        self.jobs += 1
        if self.jobs == 2:
            environment = self._hello.environment
            machine = msgspec.structs.replace(environment.machine, machine_kind="new hardware")
            environment = msgspec.structs.replace(environment, machine=machine)
            self._hello = msgspec.structs.replace(self._hello, environment=environment)
        yield from super().measure(plan, interrupts)
