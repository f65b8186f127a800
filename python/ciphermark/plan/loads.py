"""How sessions run and how packets pass: the tables `[sessions]` and `[packets]` of a plan.

They are part of the format of plan files, which is one typed whole; what becomes of them is told by
the `plan` of each workload.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ciphermark import contract

MOST_SECONDS = 86_400
MOST_CPUS = 65_536

MOST_SESSIONS = 1_000_000
MOST_ATTEMPTS = 10
MOST_NEIGHBOURS = 1024

USUAL_NICE = 19
"""The lowest priority: a thousand threads must not lock the user out."""

MOST_PACKETS = 1_000_000
MOST_BATCH = 4096
MOST_QUEUE_BATCHES = 1 << 20
MOST_FLOWS = 1_000_000
MOST_PRIORITIES = 8
MOST_IN_FLIGHT = 1024

USUAL_PACKETS = 64_000
"""The most of the published KASUMI study."""

USUAL_FLOWS = 16
"""Enough for every CPU to have some, and few enough for their keys to stay in the nearest cache."""

USUAL_QUEUE_BATCHES = 64

Seconds = Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]
Duration = Annotated[float, msgspec.Meta(gt=0, le=MOST_SECONDS)]
Attempts = Annotated[int, msgspec.Meta(ge=1, le=MOST_ATTEMPTS)]
Above0 = Annotated[float, msgspec.Meta(gt=0)]
Packets = Annotated[int, msgspec.Meta(ge=1, le=MOST_PACKETS)]
Batch = Annotated[int, msgspec.Meta(ge=1, le=MOST_BATCH)]
Flows = Annotated[int, msgspec.Meta(ge=1, le=MOST_FLOWS)]


class Times(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a case starts, is measured and ends, seconds; what is absent is planned."""

    duration_s: Duration | None = None
    """Execution time t."""
    window_s: tuple[Seconds, Seconds] | None = None
    """[t1, t2] within it."""

    @property
    def is_free(self) -> bool:
        """Whether they are to be planned."""
        return self.duration_s is None and self.window_s is None


class SessionLoads(Times, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the cases of a part run under: one for each combination of what is listed."""

    sessions: tuple[
        Annotated[int, msgspec.Meta(ge=1, le=MOST_SESSIONS)] | Literal["per-cpu"], ...
    ] = (100,)
    """Sessions at once. `per-cpu`: one for each CPU that they run on."""
    cpus: tuple[str, ...] = ()
    """Sets of CPUs; all where neither this nor `cores` says otherwise."""
    cores: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] | Literal["each"] = ()
    """The first so many CPUs, on different cores while there are some; numbers that a machine does
    not have are left out. `each` goes from one to all."""
    placement: tuple[contract.Placement, ...] = ("free",)
    """`free`: the kernel moves threads between the CPUs; `fixed`: each stays on one."""
    threads: contract.Threads | None = None
    """Threads of the sessions. Absent: a thread for each session where there is time for that."""
    contexts: tuple[contract.Contexts, ...] = ("own",)
    """`own`: a context for each session; `shared`: one for all of a thread."""
    life_s: tuple[Above0, Above0] | None = None
    """Shortest and longest life of a session."""
    offered_per_s: tuple[Above0, ...] = ()
    """Messages per second offered to all sessions together, at random times."""
    policy: tuple[contract.Policy, ...] = ("other",)
    """Scheduling policy of the threads."""
    nice: tuple[Annotated[int, msgspec.Meta(ge=-20, le=19)], ...] = (USUAL_NICE,)
    """Nice value of the threads: 19 yields to everything else."""
    quota_cpus: tuple[Above0, ...] = ()
    """CPU time of all sessions together, in CPUs."""
    neighbours: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = (0,)
    """Busy threads beside the sessions."""
    offload: tuple[contract.Offload, ...] = ("none",)
    """Place of the work: the calling CPU, or a device."""
    offload_cpus: str | None = None
    """The CPUs that are the device `cores`; absent: those that run no sessions."""
    attempts: Attempts = 3
    """Executions of a case at most, where one is disturbed."""
    look_ms: Above0 | None = None
    """Time between two looks at the sessions, milliseconds. Absent: a hundred looks, one a
    second at least."""


class PacketLoads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How packets pass in the cases of a part: one case for each combination of what is listed."""

    packets: tuple[Packets, ...] = (USUAL_PACKETS,)
    """Packets of a pass."""
    cpus: tuple[str, ...] = ()
    """Sets of CPUs that process them; one CPU where neither this nor `cores` says otherwise."""
    cores: tuple[Annotated[int, msgspec.Meta(ge=1)] | Literal["all"], ...] | Literal["each"] = ()
    """The first so many CPUs, on different cores while there are some; numbers that a machine does
    not have are left out. `each` goes from one to all."""
    keys: tuple[Flows, ...] = (USUAL_FLOWS,)
    """Flows, each with a key of its own."""
    lanes: tuple[Batch, ...] = ()
    """Packets of one call; absent: as many as an implementation takes, at most a batch."""
    batch: tuple[Batch, ...] = ()
    """Packets of a batch; absent: what suits the lanes."""
    flush_us: Above0 | None = None
    """After so long a batch is passed on though it is not full; absent: it waits."""
    queue_batches: Annotated[int, msgspec.Meta(ge=1, le=MOST_QUEUE_BATCHES)] = USUAL_QUEUE_BATCHES
    """Batches that each queue holds; a power of two."""
    delivery: tuple[contract.Delivery, ...] = ("unordered",)
    """Whether the packets of a flow leave in their order."""
    architecture: tuple[contract.Architecture, ...] = ("run-to-completion",)
    """Way in which work is divided between threads."""
    waiting: tuple[contract.Waiting, ...] = ("poll",)
    """Way in which a thread waits for its queue: it polls, or it sleeps."""
    key_setup: tuple[contract.KeySetup, ...] = ("cached",)
    """Whether each packet sets its key, or a key is kept for its flow."""
    priorities: Annotated[int, msgspec.Meta(ge=1, le=MOST_PRIORITIES)] = 1
    """Priorities, each with a queue of its own."""
    policy: tuple[contract.Policy, ...] = ("other",)
    """How the kernel schedules the threads; real-time ones are left out where that needs a
    privilege which the user lacks."""
    groups: tuple[str, ...] = ()
    """The set of CPUs of each group of flows, out of those that process; absent: all take all."""
    offered_per_s: tuple[Above0, ...] = ()
    """Packets per second offered, at random times; absent: as many as are carried."""
    in_flight: tuple[Annotated[int, msgspec.Meta(ge=1, le=MOST_IN_FLIGHT)], ...] = (1,)
    """Batches that each CPU has at a device at once."""
    offload: tuple[contract.Offload, ...] = ("none",)
    """Place of the work: the calling CPU, or a device."""
    offload_cpus: str | None = None
    """The CPUs that are the device `cores`; absent: those that neither submit nor process."""
    measure_s: Duration | None = None
    """Time for the passes of a case; absent: its share of the budget."""
